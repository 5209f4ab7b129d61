"""How the rules of ``partwire compat`` about more than schemas are hit, each by a small change.

Read by tests/house/rule_coverage.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from partwire.compat.comparison import check
from partwire.compat.recorded import Recorded, replay_documents
from partwire.compat.sources.inputs import load_source
from partwire_testing.conformance.behaviour import replay_behaviour
from partwire_testing.conformance.bindings import compare_names
from partwire_testing.conformance.suites import all_cases
from tests.fixture_cases import write_topic

__all__ = ["SURFACE_HITS"]

ERROR = {"error": {"rule": "session/title-missing", "pointer": "/title"}}
FINDING = {"findings": [{"rule": "history/late-tool-result", "pointer": "/0"}]}


def behaved(case: str, **members: Any) -> set[str]:
    """Return the rules for a golden case that was otherwise once."""
    with TemporaryDirectory() as folder:
        golden = [each for each in all_cases("v0.1") if each.key == case]
        write_topic(Path(folder), golden, **members)
        verdicts, _ = replay_behaviour("v0.1", folder=Path(folder))
    return {change.rule for verdict in verdicts for change in verdict.changes}


def named(*names: str) -> set[str]:
    """Return the rules for names that are left of one field."""
    left = dict.fromkeys(names, "field runId")
    return {change.rule for change in compare_names("python", {"a.T.run_id": "field runId"}, left)}


def recorded(document: Any) -> set[str]:
    """Return the rules for a document beside a change that is proved compatible."""
    old = {"type": "object", "properties": {"n": {}}}
    new = {"type": "object", "properties": {"n": {}, "m": {"type": "string"}}}
    with TemporaryDirectory() as folder:
        sources = []
        for name, schema in (("old", old), ("new", new)):
            path = Path(folder) / f"{name}.json"
            path.write_text(json.dumps(schema))
            sources.append(load_source(str(path)))
        before, after = sources
        report = check(before, after)
        report = replay_documents(before, after, report, [Recorded(document, "r.json")])
    return {change.rule for change in (*report.changes, *report.notes)}


SURFACE_HITS: dict[str, Callable[[], set[str]]] = {
    "compat/behaviour-accepted": lambda: behaved("transitions/pending-to-running", expect=ERROR),
    "compat/behaviour-error": lambda: behaved("transitions/completed-to-error", expect=ERROR),
    "compat/behaviour-failed": lambda: behaved("transitions/pending-to-running", call="guess"),
    "compat/behaviour-findings": lambda: behaved("histories/clean-failed-tool", expect=FINDING),
    "compat/behaviour-refused": lambda: behaved(
        "transitions/completed-to-error", expect={"same": True}
    ),
    "compat/behaviour-result": lambda: behaved(
        "transitions/pending-to-running", expect={"same": True}
    ),
    "compat/bindings-removed": named,
    "compat/bindings-renamed": lambda: named("a.T.runid"),
    "compat/document-invalid": lambda: recorded([]),
    "compat/document-refused": lambda: recorded({"m": 1}),
}
