"""Everything that the pages are made of, read once: schemas, tables, fixtures, commands."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from codegen.load import current_version, load_contract, load_rules, versions
from codegen.problems import Problems
from codegen.site import (
    api_pages,
    api_python,
    api_rust,
    api_typescript,
    command_pages,
    document_pages,
    loss_pages,
    rule_pages,
    state_pages,
    type_pages,
    version_pages,
)
from codegen.site.markdown import Page
from codegen.site.outcomes import outcome
from partwire.cli import main
from partwire.compat.comparison import check
from partwire.compat.sources.inputs import load_source
from partwire_testing.conformance.runs import SUITES, runs_of
from partwire_testing.conformance.suites import Case, all_cases, unversioned_cases

__all__ = ["all_pages", "documents_of"]

_LANGUAGES: Final = (api_python, api_typescript, api_rust)
_CONVERSIONS: Final = ("bridges", "migrations", "chunks")
_DRIVERS: Final = {
    "Python": "python/partwire_testing/conformance/operations/table.py",
    "TypeScript": "typescript/conformance/operations/index.js",
    "Rust": "rust/examples/driver/main.rs",
}
"""Language → the file with its driver's table of operations."""
_OPERATION: Final = re.compile(r'^\s+(?:[\[(])?"(\w+)"(?:,|: )', re.MULTILINE)
_TOOL_STATE: Final = ("session", "ToolState")


def documents_of(root: Path) -> document_pages.Documents:
    """Return the documents of the repository below ``root``."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return document_pages.Documents(root, project["urls"]["Repository"])


def all_pages(root: Path) -> Iterator[Page]:
    """Yield every page of the site, in no order.

    Raises LintError, BrokenLink and NotDeclared for what is wrong in schemas and documents.
    """
    schemas = root / "schemas"
    current = current_version(schemas)
    contracts = [load_contract(schemas, name) for name in versions(schemas)]
    rules = load_rules(schemas, Problems())
    summaries = {rule: row["summary"] for rule, row in rules.items()}
    types = type_pages.Types(contracts)
    spoken = types.by_version[current]
    cases = {version: all_cases(version, root / "fixtures") for version in types.by_version}
    yield from document_pages.pages(documents_of(root))
    yield from type_pages.pages(types, current, summaries, dict(_documents(cases)))
    outcomes = {
        rule: outcome(rule, row["examples"]["bad"])
        for rule, row in rules.items()
        if "bad" in row["examples"]
    }
    yield from rule_pages.pages(rules, outcomes, spoken.values(), current)
    converted = [case for case in cases[current] if case.suite in _CONVERSIONS]
    converted += unversioned_cases("formats", root / "fixtures")
    yield from loss_pages.pages(_losses(schemas), converted)
    yield from command_pages.pages(main)
    for language in _LANGUAGES:
        yield from api_pages.pages(language.LANGUAGE, language.modules(root))
    yield state_pages.stream_page(_statuses(_table(schemas, "stream")))
    states = _table(schemas, "tool-states")["states"]
    yield state_pages.tool_states_page(states, spoken[_TOOL_STATE], current)
    yield version_pages.contract_page(json.loads((schemas / "catalog.json").read_bytes()), types)
    reports = [
        check(
            load_source(str(schemas / old)),
            load_source(str(schemas / new)),
            direction="full",
            granularity="entrypoints",
        )
        for old, new in pairwise(types.by_version)
    ]
    yield version_pages.versions_page(reports, types)
    runs = {version: _runs(found) for version, found in reversed(cases.items())}
    yield version_pages.matrix_page(runs, {name: _operations(root, name) for name in _DRIVERS})


def _table(schemas: Path, name: str) -> Any:
    return json.loads((schemas / "tables" / f"{name}.json").read_bytes())


def _statuses(table: Mapping[str, Any]) -> dict[str, Mapping[str, str]]:
    return {name: row for name, row in table.items() if isinstance(row, dict)}


def _documents(
    cases: Mapping[str, Sequence[Case]],
) -> Iterator[tuple[tuple[str, str], type_pages.Examples]]:
    """Yield the documents of the fixtures, the smallest first: of each rule one invalid one."""
    for version, found in cases.items():
        by_type: dict[str, list[Case]] = {}
        for case in found:
            if case.suite == "documents" and "document" in case.spec:
                by_type.setdefault(case.spec["type"], []).append(case)
        for name, some in by_type.items():
            some.sort(key=lambda case: len(case.data("document")))
            valid = [_shown(case) for case in some if "valid" in case.expect]
            invalid: dict[str, tuple[str, Any, str, str]] = {}
            for case in some:
                if "error" in case.expect:
                    wrong = case.expect["error"]
                    invalid.setdefault(
                        wrong["rule"], (*_shown(case), wrong["rule"], wrong["pointer"])
                    )
            yield (version, name), type_pages.Examples(valid, list(invalid.values()))


def _shown(case: Case) -> tuple[str, Any]:
    return case.spec["purpose"], case.spec["document"]


def _losses(schemas: Path) -> dict[str, list[loss_pages.Meaning]]:
    """Return code → what the command line says of it, in both languages."""
    codes = dict.fromkeys(
        code
        for name, rows in _table(schemas, "losses").items()
        if name.endswith("losses")
        for code in rows
    )
    return {code: list(_meanings(code)) for code in codes}


def _meanings(code: str) -> Iterator[loss_pages.Meaning]:
    english, chinese = (
        json.loads(
            CliRunner().invoke(main, ["explain", code, "--format", "json", "--lang", each]).stdout
        )["meanings"]
        for each in ("en", "zh")
    )
    for one, other in zip(english, chinese, strict=True):
        yield one["conversion"], one["severity"], one["detail"], other["detail"]


def _runs(cases: Sequence[Case]) -> Counter[str]:
    return Counter(run.operation for case in cases if case.suite in SUITES for run in runs_of(case))


def _operations(root: Path, language: str) -> list[str]:
    """Return the operations of a language's driver, as the table in its source names them."""
    return _OPERATION.findall((root / _DRIVERS[language]).read_text("utf-8"))
