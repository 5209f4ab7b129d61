# Everything here works from a fresh clone with make and any Python >= 3.11 that has pip.
# What a target makes: .venv (tools and partwire), .venv-bench (peers to measure against),
# .venv-executable (what makes one file of the command line), .venv-site (what makes the site), .cache.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help setup native inspector demo test test-slow pytest lint types generated format generate release fuzz mutants \
	differential bench wheel executable site archive lock clean

VENV  := .venv
BENCH := .venv-bench
EXECUTABLE := .venv-executable
SITE  := .venv-site
BIN   := $(VENV)/bin

# The first Python that suits. Names are tried by running them: a version manager's shim may stand
# in PATH for a version that is not switched on. Another one: make setup PYTHON=/path/to/python3
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	"$$name" -c '$(SUITS)' >/dev/null 2>&1 && { echo "$$name"; break; }; done)
SUITS = import sys, venv; from importlib.util import find_spec as has; \
	sys.exit(sys.version_info < (3, 11) or not (has("ensurepip") or has("pip")))

# Workers of the test run, and more options: make test ROOM=compat, make test PYTEST_ARGS='-k sse',
# make bench BENCH_ARGS=--quick, make fuzz FUZZ_ARGS='--n 1000'
# One more worker than cores: tests of the service wait for time-outs, and others work meanwhile.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
ROOM ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=
FUZZ_ARGS ?=
DIFFERENTIAL_ARGS ?=
MUTANTS_ARGS ?=

# $(call run_pytest,OPTIONS,COVERAGE_OPTIONS): tests of all rooms, or of one; with COVERAGE=1 they
# also measure what they run, and --cov-append adds that to what the run before has measured.
# Makes that tests start have nothing to do with the jobs of this one.
# Two runs at once must not collect each other's coverage data: each has a file of its own.
# Workers take whole files, those that are marked `early` first (tests/conftest.py): what a file's
# tests share is made once, and no worker waits for a long file at the end.
# A worker that dies, or that is ended because its test hangs, is not replaced: the same test would
# be the first one of the next worker.
COVERAGE ?=
define run_pytest
@mkdir -p .cache; unset MAKEFLAGS MFLAGS; export COVERAGE_FILE=".cache/coverage.$$$$"; \
$(if $(and $(COVERAGE),$(findstring append,$(2))),cp .coverage "$$COVERAGE_FILE";) \
$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0 -q \
	$(if $(COVERAGE),--cov --cov-report=term $(2),--no-cov) \
	$(1) $(PYTEST_ARGS) $(if $(ROOM),tests/$(ROOM)); \
status=$$?; \
if test -e "$$COVERAGE_FILE"; then mv -f "$$COVERAGE_FILE" .coverage; fi; \
exit $$status
endef

# The environments must not see packages or pip options that were meant for another one.
unexport PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV
# Tests start hundreds of processes: without bytecode each of them compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE

PIP_QUIET := --quiet --disable-pip-version-check --no-input

# $(call environment,FOLDER,REQUIREMENTS): make the environment if need be, install what is pinned.
# Where Python comes without ensurepip (Debian's, for one), its own pip does the first step.
# Python compiles what is imported, once; to compile all of it beforehand takes a third of the time.
# The lists are whole: pip is not to look for what else is needed. An older one finds newer releases
# of what is asked for with an extra, and refuses those, since no hash is known.
define environment
@set -e; \
if ! "$(1)/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	if test -z "$(PYTHON)"; then \
		echo "No Python >= 3.11 with pip found; name one: make PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi; \
	echo "Making $(1) with $$("$(PYTHON)" --version)"; \
	"$(PYTHON)" -m venv --clear "$(1)" >/dev/null 2>&1 \
		|| "$(PYTHON)" -m venv --clear --without-pip "$(1)"; \
fi; \
if "$(1)/bin/python" -m pip --version >/dev/null 2>&1; then \
	pip="$(1)/bin/python -m pip"; \
else \
	pip="$(PYTHON) -m pip --python $(1)/bin/python"; \
fi; \
echo "Installing $(2) into $(1)"; \
$$pip install $(PIP_QUIET) --no-compile --require-hashes --no-deps -r "$(2)"; \
touch "$@"
endef

# $(call project,FOLDER): partwire itself, editable.
define project
@"$(1)/bin/python" -m pip install $(PIP_QUIET) --no-deps --no-build-isolation --editable . \
	--editable packaging/testing
@touch "$@"
endef

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1 \2/p' $(MAKEFILE_LIST) \
		| awk '{ name = $$2; $$1 = $$2 = ""; printf "  make %-10s%s\n", name, $$0 }'

# --- environments -------------------------------------------------------------------------------

setup: $(VENV)/.partwire native inspector ## .venv with every tool, and partwire as .venv/bin/partwire

$(VENV)/.tools: requirements/dev.txt requirements/runtime.txt
	$(call environment,$(VENV),requirements/dev.txt)

$(VENV)/.partwire: $(VENV)/.tools pyproject.toml packaging/testing/pyproject.toml
	$(call project,$(VENV))

# The native core, where its compiler is. NATIVE= leaves it out.
CARGO := $(shell command -v cargo)
NATIVE ?= $(CARGO)
NATIVE_SOURCES = $(shell find rust/src rust/native/src -name '*.rs') rust/Cargo.toml \
	rust/native/Cargo.toml rust/native/Cargo.lock rust/native/pyproject.toml

native: $(if $(NATIVE),$(VENV)/.native) ## the native core, where cargo is, in .venv
	$(if $(NATIVE),,@echo "The native core is left out: no cargo on this machine")

# $(call native_core,FOLDER): the native core, built for an environment.
define native_core
@echo "Building the native core for $(1)"
@unset MAKEFLAGS MFLAGS; PATH="$(abspath $(1)/bin):$$PATH" \
	"$(1)/bin/python" -m pip install $(PIP_QUIET) --no-deps --no-build-isolation --force-reinstall \
	--config-settings=build-args=--locked rust/native
@touch "$@"
endef

$(VENV)/.native: $(VENV)/.tools $(NATIVE_SOURCES)
	$(call native_core,$(VENV))

# The inspector's page, where npm and a Node are that build it. INSPECTOR= leaves it out.
NPM := $(shell node -e 'process.exit(+(parseInt(process.versions.node) < 20))' 2>/dev/null && command -v npm)
INSPECTOR ?= $(NPM)

inspector: ## the inspector's page, where npm is, in the package
	$(if $(INSPECTOR),@$(MAKE) --no-print-directory -C typescript inspector,@echo "The inspector is left out: no npm with Node >= 20 on this machine")

$(BENCH)/.tools: requirements/bench.txt requirements/runtime.txt
	$(call environment,$(BENCH),requirements/bench.txt)

$(BENCH)/.partwire: $(BENCH)/.tools pyproject.toml packaging/testing/pyproject.toml
	$(call project,$(BENCH))

$(BENCH)/.native: $(BENCH)/.tools $(NATIVE_SOURCES)
	$(call native_core,$(BENCH))

$(EXECUTABLE)/.tools: requirements/executable.txt
	$(call environment,$(EXECUTABLE),requirements/executable.txt)

$(SITE)/.tools: requirements/site.txt
	$(call environment,$(SITE),requirements/site.txt)

# --- what a newcomer runs -----------------------------------------------------------------------

# A provider's stream, as its API sends it: make demo DEMO=fixtures/v0.2/providers/gemini/grounding.sse
# DIALECT=gemini
DEMO ?= examples/streams/long-answer.sse
DIALECT ?= anthropic-messages

demo: setup ## a provider's stream becomes a message before your eyes
	@echo; echo "1. The bytes of the stream, as the provider sends them:"; echo
	@echo "\$$ tail -n 6 $(DEMO)"
	@tail -n 6 "$(DEMO)"
	@echo "2. The adapter makes deltas of them, and each one is valid:"; echo
	@echo "\$$ partwire deltas --from $(DIALECT) $(DEMO) \\"
	@echo "    | partwire validate --type message.MessageDelta -"
	@$(BIN)/partwire deltas --from $(DIALECT) "$(DEMO)" \
		| $(BIN)/partwire validate --type message.MessageDelta -
	@echo; echo "3. The assembler makes one message of the deltas:"; echo
	@echo "\$$ partwire assemble --from $(DIALECT) --follow --rate 40 $(DEMO) \\"
	@echo "    > message.json"
	@mkdir -p .cache
	@$(BIN)/partwire assemble --from $(DIALECT) --follow --rate 40 "$(DEMO)" \
		>.cache/demo.json
	@echo; echo "4. The message is valid, and this is what it holds:"; echo
	@echo "\$$ partwire validate --type message.Message message.json"
	@$(BIN)/partwire validate --type message.Message .cache/demo.json
	@$(BIN)/python -m json.tool --no-ensure-ascii .cache/demo.json
	@echo; echo "Cut the stream anywhere, and there is no message but an error:"; echo
	@echo "\$$ head -c 4000 $(DEMO) | partwire assemble --from $(DIALECT) -"
	@head -c 4000 "$(DEMO)" | $(BIN)/partwire assemble --from $(DIALECT) - \
		|| echo "exit status $$?"

# SLOW=1: what `make test-slow` runs as well, in one run of pytest, as CI does it.
SLOW ?=

# Not a target of its own in `make test`: pytest's summary comes last there, with `make -j` too.
test: lint types generated ## all checks, then every kind of test; one room: make test ROOM=compat
	$(call run_pytest,$(if $(SLOW),,-m 'not slow'),$(if $(SLOW),,--cov-fail-under=0))

test-slow: setup ## the long rest: large drawn sets, load for a minute, toolchains built anew
	$(call run_pytest,-m slow,--cov-append)

# --- checks, one by one ---------------------------------------------------------------------------

# Style and types want no native core: with `make -j2` it is built meanwhile.
lint: $(VENV)/.partwire ## style
	@echo "ruff check"
	@$(BIN)/ruff check --quiet .
	@echo "ruff format --check"
	@$(BIN)/ruff format --check --quiet .

types: $(VENV)/.partwire ## types, by mypy --strict and by basedpyright
	@echo "mypy, basedpyright"
	@$(BIN)/mypy --no-error-summary & mypy=$$!; \
	$(BIN)/basedpyright --level error; pyright=$$?; \
	wait $$mypy && exit $$pyright

generated: setup ## generated code is what the schemas say, released versions are unchanged
	@echo "codegen --check"
	@$(BIN)/python -m codegen --check

pytest: setup ## the tests of `make test` alone
	$(call run_pytest,-m 'not slow')

# --- work on the project ----------------------------------------------------------------------------

format: setup ## put the code into the house style
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

generate: setup ## what is made of schemas/ in every language, and the page of requirements
	@$(BIN)/python -m codegen

# Freezes schemas/VERSION and fixtures/VERSION: make release VERSION=v0.2 RELEASE_ARGS=--check
RELEASE_ARGS ?=
VERSION_OF_CONTRACT = $(or $(VERSION),$(error Name a version of the contract: make release VERSION=v0.2))

release: setup ## freeze a version of the contract
	@$(BIN)/python -m codegen.release $(VERSION_OF_CONTRACT) $(RELEASE_ARGS)

fuzz: setup ## random and mutated input for every decoder and check
	@$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

# 100,000 documents and 20,000 streams; what is smaller: make differential DIFFERENTIAL_ARGS='--documents 1000'
differential: setup ## Python, TypeScript and Rust on the same generated input, compared
	@$(BIN)/python -m tests.differential $(DIFFERENTIAL_ARGS)

mutants: setup ## wrong implementations, and the first case of the fixtures that catches each
	@$(BIN)/python -m tests.mutants $(MUTANTS_ARGS)

bench: $(BENCH)/.partwire $(if $(NATIVE),$(BENCH)/.native) ## speed and memory, beside the libraries that people use today
	@$(BENCH)/bin/python -m bench $(BENCH_ARGS)

wheel: setup ## dist/: sdist and wheel, and the wheel of partwire-testing
	@$(BIN)/python -m build --no-isolation --outdir dist
	@$(BIN)/python -m build --no-isolation --wheel --outdir dist packaging/testing

# PyInstaller: of the tools for one file the one that brings its own Python (docs/ci.md).
executable: $(EXECUTABLE)/.tools inspector ## dist/partwire: the command line as one file, without Python
	@"$(EXECUTABLE)/bin/python" -m pip install $(PIP_QUIET) --no-deps --no-build-isolation --force-reinstall .
	@"$(EXECUTABLE)/bin/pyinstaller" --log-level ERROR --noconfirm --onefile --name partwire \
		--collect-submodules partwire --collect-data partwire --exclude-module partwire_testing \
		--distpath dist --workpath .cache/executable --specpath .cache/executable \
		packaging/executable/partwire_executable.py

# The pages that are made come from this checkout's own code: it is on the path, not installed.
# SITE_ARGS='--output FOLDER' builds it elsewhere.
SITE_ARGS ?=

site: $(SITE)/.tools ## build/site: the documentation as pages that work from files; fails on a broken link
	@PYTHONPATH=python PARTWIRE_NATIVE=0 "$(SITE)/bin/python" -m codegen.site $(SITE_ARGS)

archive: setup ## dist/: the fixtures as one archive, with its digest
	@$(BIN)/python -m codegen.archive all dist

COMPILE = $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
	--python-version 3.11 --no-emit-package partwire-testing --no-emit-package partwire-native \
	--no-emit-package partwire --all-extras pyproject.toml

# $(call above_runtime,NAME): what NAME.in adds to runtime.txt, which NAME.txt takes in.
define above_runtime
@$(COMPILE) requirements/$(1).in --output-file requirements/$(1).txt \
	$$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements/runtime.txt | sort -u)
@{ echo '-r runtime.txt'; sed '/^# The following packages/,$$d' requirements/$(1).txt; } \
	>requirements/$(1).new && mv requirements/$(1).new requirements/$(1).txt
endef

lock: setup ## newest versions that fit, pinned with hashes for every Python and platform
	@$(COMPILE) --output-file requirements/runtime.txt
	@$(COMPILE) --resolution lowest-direct --output-file requirements/lowest.txt
	$(call above_runtime,dev)
	$(call above_runtime,bench)
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
		--python-version 3.11 --no-emit-package partwire --extra terminal --extra yaml --extra compat \
		pyproject.toml requirements/executable.in --output-file requirements/executable.txt
	@$(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-header \
		--python-version 3.11 --no-emit-package partwire --extra yaml --extra compat --extra async \
		pyproject.toml requirements/site.in --output-file requirements/site.txt

clean: ## remove everything that the targets above made
	@rm -rf $(VENV) $(BENCH) $(EXECUTABLE) $(SITE) .cache dist build .coverage .coverage.* .hypothesis \
		.pytest_cache .ruff_cache .mypy_cache python/partwire/inspector/page.html
	@find python codegen tests bench -name __pycache__ -type d -prune -exec rm -rf {} + \
		2>/dev/null || true
