"""The same contract in other languages: each is built, checked by its own tools, and has to pass
the conformance suite.

What a language needs is in its folder. Where a toolchain is missing its tests are skipped, and
say so; with CI set nothing may be missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest

from codegen.generate import ROOMS
from codegen.load import load_contract
from codegen.write import differences
from partwire.contract.resources import read_catalog
from partwire_testing.conformance import OPERATIONS, select
from partwire_testing.conformance.runner import Status, try_driver
from partwire_testing.conformance.runs import SUITES
from tests.conformance.drivers import need
from tests.differential.toolchains import LANGUAGES, QUICK, Language, command_of, make, version_of
from tests.fixture_cases import ROOT

pytestmark = pytest.mark.early


def by_language(languages: tuple[Language, ...]) -> pytest.MarkDecorator:
    """Every language but Python."""
    others = languages[1:]
    return pytest.mark.parametrize("language", others, ids=[each.name for each in others])


def conformance_of(language: Language) -> Counter[Status]:
    """Run every suite as a whole, in every version: no run fails, is skipped or has no answer."""
    need(language)
    trial = try_driver(command_of(language), select())
    assert trial.started is not None, trial.problem
    assert trial.started.operations == set(OPERATIONS)
    assert list(trial.started.versions) == list(read_catalog())
    assert trial.restarts == 0
    assert [each for each in trial.outcomes if each.status != "passed"] == []
    asked = {(version, suite) for version, suite in product(read_catalog(), SUITES)}
    seen = {each for each in asked if trial.counts(*each)["passed"] > 20}
    assert asked - seen == {("v0.1", "migrations")}  # there was nothing to migrate from
    return trial.counts()


def checks(language: Language) -> list[str]:
    """Return the targets that `make check` of a language is made of."""
    lines = (ROOT / language.name / "Makefile").read_text("utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("check:"))
    return line.removeprefix("check:").partition("##")[0].split()


# One by one: each builds for itself, and others wait for their turn to build meanwhile.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "target"),
    [
        pytest.param(each, target, id=f"{each.name}-{target}")
        for each in LANGUAGES[1:]
        for target in checks(each)
    ],
)
def test_style_types_and_unit_tests(language: Language, target: str) -> None:
    need(language)
    done = make(language.name, target)
    assert done.returncode == 0, f"make -C {language.name} {target}:\n{done.stdout[-8000:]}"


@by_language(QUICK)
def test_conformance(language: Language, record_property: Callable[[str, object], None]) -> None:
    record_property(f"conformance of {language.name}", dict(conformance_of(language)))


# Where the quick driver is the released one, as that of TypeScript is, it has been asked already.
@pytest.mark.slow
@by_language((LANGUAGES[0], *(each for each in LANGUAGES if each not in QUICK)))
def test_conformance_as_released(language: Language) -> None:
    conformance_of(language)


@pytest.mark.parametrize("version", list(read_catalog()))
@by_language(LANGUAGES)
def test_the_generated_room_is_what_the_schemas_say(language: Language, version: str) -> None:
    contract = load_contract(ROOT / "schemas", version)
    room = f"{language.name}/src/generated"
    assert differences(ROOT / room / contract.module, ROOMS[room](contract)) == []


def test_a_missing_tool_is_said_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent skip would leave a language out for ever."""
    nothing = Language("nothing", {"no-such-tool": (1, 2)}, "", "Makefile", ())
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no no-such-tool >= 1"):
        need(nothing)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="nothing is left out"):
        need(nothing)


def test_a_tool_that_is_too_old_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    git = version_of("git")
    assert git > (1,)
    need(Language("git", {"git": git}, "", "Makefile", ()))
    with pytest.raises(pytest.skip.Exception):
        need(Language("git", {"git": (git[0] + 1,)}, "", "Makefile", ()))


def test_a_build_that_fails_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.fail.Exception, match="no-such-target"):
        need(Language("rust", {}, "no-such-target", "Makefile", ()))
