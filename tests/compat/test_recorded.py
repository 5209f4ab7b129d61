"""Recorded documents beside a comparison: what they refute, and how many each break touches."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from partwire.compat.comparison import check
from partwire.compat.recorded import Recorded, read_recorded, replay_documents
from partwire.compat.report import Report
from partwire.compat.sources.inputs import load_source
from partwire.compat.verdict import Budget
from partwire.errors import PartwireError
from tests.cli.runner import details, run

pytestmark = pytest.mark.usefixtures("empty_folder")

Json = dict[str, Any]

S: Json = {"type": "string"}
OLD: Json = {"type": "object", "properties": {"n": S, "m": S, "k": {"enum": ["a", "b", "c"]}}}


def replayed(old: Any, new: Any, *documents: Any, **options: Any) -> Report:
    """Compare two schemas and replay documents, each a value or a Recorded."""
    for name, schema in (("old", old), ("new", new)):
        Path(f"{name}.json").write_text(json.dumps(schema))
    before, after = load_source("old.json"), load_source("new.json")
    recorded = [
        each if isinstance(each, Recorded) else Recorded(each, "r.jsonl", line)
        for line, each in enumerate(documents, 1)
    ]
    return replay_documents(before, after, check(before, after, **options), recorded)


def touched(report: Report) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for change in report.changes:
        counts[change.rule] += report.touched.get(change.fingerprint, 0)
    return {rule: count for rule, count in counts.items() if count}


def test_each_break_says_how_many_documents_it_touches() -> None:
    new = {**OLD, "required": ["n"], "properties": {**OLD["properties"], "k": {"enum": ["a"]}}}
    documents = [{"n": "x"}, {}, {"m": "x"}, {"n": "x", "k": "b"}, {"k": "c"}, {"n": "x", "k": "a"}]
    report = replayed(OLD, new, *documents)
    assert touched(report) == {"compat/required-added": 3, "compat/enum-value-removed": 2}
    (replay,) = report.replays
    assert (replay.surface, replay.tried, replay.differing) == ("documents", 6, 4)


def test_documents_support_what_is_proved() -> None:
    report = replayed(OLD, {**OLD, "required": []}, {"n": "x"}, {})
    assert [verdict.status for verdict in report.verdicts] == ["compatible"]
    assert report.replays[0].differing == 0
    assert report.changes == ()


HASTY = Budget(steps=0, seconds=0.0, documents=0)
"""What leaves the prover no time to prove anything."""


def test_a_document_refutes_what_is_not_proved() -> None:
    new = {**OLD, "required": ["n"], "properties": {**OLD["properties"], "m": {"minLength": 2}}}
    assert replayed(OLD, new, budget=HASTY).verdicts[0].status == "unproven"
    report = replayed(OLD, new, {"n": "x", "m": "y"}, budget=HASTY)
    (verdict,) = report.verdicts
    assert (verdict.status, verdict.witness) == ("breaking", {"n": "x", "m": "y"})
    assert verdict.open == ()
    assert [change.rule for change in verdict.changes] == ["compat/bound-tightened"]
    assert report.replays[0].differing == 1


def test_a_document_that_no_proof_is_about_is_a_break_of_its_own() -> None:
    """Under the declared reading writers emit declared names only; this one did not."""
    new = {**OLD, "properties": {**OLD["properties"], "title": S}}
    assert replayed(OLD, new).verdicts[0].status == "compatible"
    report = replayed(OLD, new, {"title": 1}, {"title": 2}, {"title": "x"})
    (verdict,) = report.verdicts
    assert verdict.status == "breaking"
    assert verdict.witness == {"title": 1}
    assert [change.rule for change in verdict.changes] == ["compat/document-refused"]
    assert touched(report) == {"compat/document-refused": 2}
    assert verdict.failures[0]["instance"] == "/title"


def test_a_document_of_no_old_schema_says_nothing() -> None:
    report = replayed(OLD, {**OLD, "required": ["n"]}, {"n": 1}, [], {"n": "x"})
    assert report.replays[0].tried == 1
    assert report.replays[0].left_out == 2
    assert touched(report) == {}
    (note,) = [change for change in report.notes if change.rule == "compat/document-invalid"]
    assert note.message == "No old schema allows 2 of the documents in r.jsonl, lines 1, 2"
    assert note.bump == "none"


TWO = {"$defs": {"A": {"type": "object", "required": ["a"]}, "B": {"type": "object"}}}


def test_a_document_of_a_type_that_is_gone_is_touched() -> None:
    report = replayed(TWO, {"$defs": {"B": {"type": "object"}}}, {"a": 1}, {"b": 1})
    assert touched(report) == {"compat/entrypoint-removed": 1}


def test_a_document_whose_type_is_known_is_read_as_that() -> None:
    new = {"$defs": {**TWO["$defs"], "B": {"type": "object", "required": ["b"]}}}
    one = Recorded({"a": 1}, "r.json", entrypoint="#A")
    assert touched(replayed(TWO, new, one)) == {}
    other = Recorded({"a": 1}, "r.json", entrypoint="#B")
    assert touched(replayed(TWO, new, other)) == {"compat/required-added": 1}
    unknown = Recorded({"a": 1}, "r.json", entrypoint="#C")
    assert replayed(TWO, new, unknown).replays[0].left_out == 1


def test_what_an_accepted_break_hides_comes_to_light() -> None:
    """A second break, which the witness does not show, is added by a document."""
    new = {**OLD, "required": ["n"], "properties": {**OLD["properties"], "m": {"type": "integer"}}}
    report = replayed(OLD, new, {"n": "x", "m": "y"})
    rules = {change.rule for change in report.verdicts[0].changes}
    assert "compat/type-narrowed" in rules
    assert touched(report)["compat/type-narrowed"] == 1


# --- files ----------------------------------------------------------------------------------------


def write_documents() -> None:
    folder = Path("recorded/deep")
    folder.mkdir(parents=True)
    Path("recorded/one.json").write_text('{"n": "x"}')
    Path("recorded/more.jsonl").write_text('{}\n\n{"m": "x"}\n')
    (folder / "two.ndjson").write_text('{"n": "y"}')
    (folder / "words.txt").write_text("not looked at")


def test_files_folders_and_globs() -> None:
    write_documents()
    places = [each.place for each in read_recorded(["recorded"])]
    more = ["recorded/more.jsonl:1", "recorded/more.jsonl:3"]
    assert places == ["recorded/deep/two.ndjson:1", *more, "recorded/one.json"]
    assert [each.place for each in read_recorded(["recorded/*.jsonl"])] == more
    assert [each.place for each in read_recorded(["recorded/one.json"])] == ["recorded/one.json"]
    assert len(read_recorded(["recorded/**/*.*json*"])) == 4


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("gone.json", None, "usage/unreadable-input"),
        ("*.none", None, "usage/unreadable-input"),
        ("bad.jsonl", "{}\n{", "document/invalid-json"),
        ("nan.json", "[NaN]", "document/not-finite"),
    ],
)
def test_documents_that_cannot_be_read(path: str, text: str | None, rule: str) -> None:
    if text is not None:
        Path(path).write_text(text)
    with pytest.raises(PartwireError) as caught:
        read_recorded([path])
    assert caught.value.rule == rule
    assert caught.value.findings[0].source == path
    assert caught.value.findings[0].line == (2 if path == "bad.jsonl" else None)


def compared(new: Json, *options: str) -> Any:
    write_documents()
    for name, schema in (("old", OLD), ("new", new)):
        Path(f"{name}.json").write_text(json.dumps(schema))
    return run("compat", "old.json", "new.json", "--documents", "recorded", *options)


def test_the_command_says_how_many() -> None:
    result = compared({**OLD, "required": ["n"]})
    assert result.exit_code == 1
    assert "touches   2 recorded documents" in result.stdout
    assert "2 of 4 recorded documents refused" in result.stderr


def test_the_command_says_so_in_json() -> None:
    told = details(compared({**OLD, "required": ["n"]}, "--format", "json").stdout)
    (report,) = told["reports"]
    assert report["replays"] == [
        {"surface": "documents", "tried": 4, "differing": 2, "left_out": 0}
    ]
    assert [change["touched"] for change in report["changes"]] == [2]
    assert [change["surface"] for change in report["changes"]] == ["schema"]


def test_documents_of_a_compatible_change() -> None:
    result = compared({**OLD, "title": "Same"})
    assert result.exit_code == 0
    assert "0 of 4 recorded documents refused" in result.stderr


def test_forward_asks_no_old_documents() -> None:
    result = compared({**OLD, "required": ["n"]}, "--direction", "forward")
    assert "recorded documents" not in result.stderr


def test_a_break_that_documents_show_can_be_accepted() -> None:
    new = {**OLD, "properties": {**OLD["properties"], "title": S}}
    Path("extra.json").write_text('{"title": 1}')
    result = compared(new, "--documents", "extra.json", "--format", "json")
    (change,) = details(result.stdout)["reports"][0]["changes"]
    assert (result.exit_code, change["rule"]) == (1, "compat/document-refused")
    assert change["surface"] == "documents"
    entry = {name: change[name] for name in ("fingerprint", "rule", "pointer")}
    Path("accepted.json").write_text(json.dumps([{**entry, "reason": "One writer, long gone."}]))
    options = ("--documents", "extra.json", "--documents", "recorded", "--accept", "accepted.json")
    assert run("compat", "old.json", "new.json", *options).exit_code == 0
