"""The core of the conformance suite: cases, runs, operations, and the judge that compares."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from codegen.archive import packed_version
from partwire import UsageError
from partwire_testing.conformance import (
    NOT_PORTABLE,
    OPERATIONS,
    Case,
    Run,
    Skip,
    all_cases,
    judge,
    run_operation,
    runs_of,
    select,
    suite_names,
    versions,
)
from partwire_testing.conformance.runs import SUITES
from partwire_testing.conformance.values import BadInput, bytes_of, text_of
from tests.fixture_cases import FIXTURES, ROOT
from tests.fixture_cases import all_cases as written

Json = dict[str, Any]

PLACES = [(version, suite) for version in versions() for suite in suite_names(version)]
PLACE_IDS = [f"{version}-{suite}" for version, suite in PLACES]


@cache
def schema() -> Json:
    loaded: Json = json.loads((ROOT / "schemas" / "conformance.schema.json").read_bytes())
    Draft202012Validator.check_schema(loaded)
    return loaded


@cache
def validator(definition: str) -> Draft202012Validator:
    return Draft202012Validator({**schema(), "oneOf": [{"$ref": f"#/$defs/{definition}"}]})


def form_of(operation: str, side: str) -> Draft202012Validator:
    name = "".join(word.capitalize() for word in operation.split("_"))
    return validator(f"{name}{side}")


@cache
def answered(version: str, suite: str) -> list[tuple[Run, Json | None]]:
    """Return every run of a suite with its result; None where it is skipped."""
    found: list[tuple[Run, Json | None]] = []
    for case in all_cases(version):
        for run in runs_of(case) if case.suite == suite else ():
            before = copy.deepcopy(run.given)
            try:
                result = run_operation(run.operation, version, run.given)
            except Skip:
                result = None
            assert run.given == before
            found.append((run, result))
    return found


@pytest.mark.parametrize(("version", "suite"), PLACES, ids=PLACE_IDS)
def test_partwire_passes(version: str, suite: str) -> None:
    wrong = {
        run.id: told
        for run, result in answered(version, suite)
        if result is not None and (told := judge(run, result, exact=True))
    }
    assert wrong == {}


@pytest.mark.parametrize(("version", "suite"), PLACES, ids=PLACE_IDS)
def test_inputs_and_results_are_what_the_schema_says(version: str, suite: str) -> None:
    wrong = []
    for run, result in answered(version, suite):
        given = {"type": "run", "id": 1, "operation": run.operation, "version": version}
        wrong += [
            f"{run.id}: {error.message}"
            for error in validator("Request").iter_errors({**given, "input": run.given})
        ]
        wrong += [
            f"{run.id} input: {error.message}"
            for error in form_of(run.operation, "Input").iter_errors(run.given)
        ]
        if result is not None:
            wrong += [
                f"{run.id} result: {error.message}"
                for error in form_of(run.operation, "Output").iter_errors(result)
            ]
    assert wrong == []


def test_what_cases_and_runs_share_is_said_alike() -> None:
    """Limits and their like are in both schemas, since each has to be readable alone."""
    cases = json.loads((FIXTURES / "case.schema.json").read_bytes())["$defs"]
    shared = ("Limits", "StateFields", "BuildStep", "BridgeContext")
    assert {name: schema()["$defs"][name] for name in shared} == {
        name: cases[name] for name in shared
    }
    page = (ROOT / "docs" / "conformance.md").read_text("utf-8")
    assert all(f"| `{operation}` |" in page for operation in OPERATIONS)
    assert schema()["$defs"]["Operation"]["enum"] == list(OPERATIONS)


def test_every_suite_is_run_or_says_why_not() -> None:
    known = {case.suite for case in written()}
    assert known == set(SUITES) | set(NOT_PORTABLE)
    assert set(SUITES) & set(NOT_PORTABLE) == set()
    assert {suite for version in versions() for suite in suite_names(version)} == set(SUITES)


def test_every_case_is_run() -> None:
    ids: Counter[str] = Counter()
    for case in select():
        runs = runs_of(case)
        assert runs, case.id
        ids.update(run.id for run in runs)
    assert [run for run, count in ids.items() if count > 1] == []
    assert len(ids) > 2400
    assert set(OPERATIONS) == {run.operation for case in select() for run in runs_of(case)}


def test_every_fixture_is_a_case() -> None:
    """Counted another way than the suites do it."""
    files = {
        str(path.relative_to(FIXTURES)): path.read_bytes() for path in FIXTURES.glob("v*/*/*.json")
    }
    for archive in FIXTURES.glob("*.zip"):
        with zipfile.ZipFile(archive) as opened:
            files |= {name: opened.read(name) for name in opened.namelist()}
    counted: Counter[tuple[str, ...]] = Counter()
    for name, data in files.items():
        version, suite, *topic = name.split("/")
        if len(topic) == 1 and topic[0].endswith(".json") and suite not in NOT_PORTABLE:
            counted[version, suite] += len(json.loads(data)["cases"])
    found = Counter((case.version, case.suite) for case in select() if own(case))
    assert found == counted


def own(case: Case) -> bool:
    return case.source.startswith(f"{case.version}/")


# --- the judge ----------------------------------------------------------------------------------

NONSENSE: list[Any] = [
    None,
    True,
    0,
    "",
    [],
    {},
    {"error": {}},
    {"error": "stream/truncated"},
    {"error": {"rule": "shape/no-such-rule", "pointer": "", "findings": [None]}},
    {"error": {"rule": 7, "pointer": []}},
    {"findings": None},
    {"findings": [{"rule": "a/b", "pointer": "", "severity": []}]},
    {"findings": [{"rule": None, "pointer": "", "severity": "error"}]},
    {"value": None, "findings": [], "more": 1},
    {"message": {}, "findings": [], "error": {"rule": "a/b"}},
    {"message": {}, "findings": [], "refused": [7]},
    {"value": 1, "losses": [{"code": 1, "pointer": 2, "severity": 3}]},
    {"messages": [7, {"base64": "?"}], "changes": []},
    {"messages": ["[" * 100_000], "changes": []},
    {"state": {}, "before": {}},
]


@pytest.mark.parametrize(("version", "suite"), PLACES, ids=PLACE_IDS)
def test_nonsense_is_judged_wrong(version: str, suite: str) -> None:
    passed = [
        (run.id, str(nonsense)[:60])
        for run, _ in answered(version, suite)
        for nonsense in NONSENSE
        if judge(run, nonsense) is None
    ]
    assert passed == []


def damaged(result: Json) -> list[Json]:
    """Return a result with one member less, for each, and with one more."""
    less = [{name: result[name] for name in result if name != gone} for gone in result]
    return [*less, {**result, "no_such_member": 1}]


@pytest.mark.parametrize(("version", "suite"), PLACES, ids=PLACE_IDS)
def test_a_member_more_or_less_is_judged_wrong(version: str, suite: str) -> None:
    passed = [
        (run.id, sorted(bad))
        for run, result in answered(version, suite)
        if result is not None
        for bad in damaged(result)
        if judge(run, bad) is None and not _may_lack(result, bad, run)
    ]
    assert passed == []


def _may_lack(result: Json, bad: Json, run: Run) -> bool:
    """Whether a result is as good without a member: ``before``, and findings that nobody asks."""
    gone = set(result) - set(bad)
    if run.case.suite == "chunks" and run.step == "assemble":
        return bool(gone)  # only whether they are taken is looked at
    return gone == {"before"} or (
        gone == {"findings"} and (run.operation == "assemble" or run.step == "retry")
    )


def altered(value: Any) -> Any:
    """Return a value with its last leaf changed."""
    if isinstance(value, dict) and value:
        *_, last = value
        return {**value, last: altered(value[last])}
    if isinstance(value, list) and value:
        return [*value[:-1], altered(value[-1])]
    return "altered" if value != "altered" else "once more"


@pytest.mark.parametrize(("version", "suite"), PLACES, ids=PLACE_IDS)
def test_an_altered_value_is_judged_wrong(version: str, suite: str) -> None:
    names = ("value", "message", "state", "items", "deltas", "body", "response", "tools")
    wrong, looked_at = [], 0
    for run, result in answered(version, suite):
        if suite == "chunks" and run.step == "assemble":
            continue
        for name in names:
            if result is not None and name in result:
                looked_at += 1
                bad = {**result, name: altered(result[name])}
                wrong += [run.id] if judge(run, bad) is None else []
    assert wrong == []
    assert looked_at or suite == "histories"


def run_of(version: str, name: str, step: str) -> tuple[Run, Json]:
    suite = name.partition("/")[0]
    for run, result in answered(version, suite):
        if run.case.key == name and run.step == step and result is not None:
            return run, copy.deepcopy(result)
    raise LookupError(name)


def test_what_is_free_is_free() -> None:
    """Order of findings and members, and numbers as they are written."""
    read, result = run_of("v0.1", _with_findings("reading"), "read_tolerant")
    result["findings"].reverse()
    assert judge(read, dict(reversed(result.items()))) is None


def _with_findings(suite: str) -> str:
    for run, result in answered("v0.1", suite):
        if result and len(result.get("findings", [])) > 1:
            return run.case.key
    raise LookupError(suite)


def test_order_counts_in_histories() -> None:
    name = _with_findings("histories")
    run, result = run_of("v0.1", name, "check")
    result["findings"].reverse()
    assert judge(run, result) is not None


def test_an_error_among_warnings_is_seen() -> None:
    run, result = run_of("v0.1", _with_findings("reading"), "read_tolerant")
    result["findings"][0]["severity"] = "error"
    told = judge(run, result)
    assert told is not None
    assert "severity 'error'" in told


def test_a_changed_state_is_seen() -> None:
    run, result = next(
        (run, result) for run, result in answered("v0.1", "transitions") if "state" in run.expected
    )
    assert result is not None
    assert judge(run, result) is None
    assert judge(run, {**result, "before": result["state"]}) is not None


def test_an_unchanged_line_of_a_history_has_to_be_the_same_bytes() -> None:
    run, result = next(
        (run, result)
        for run, result in answered("v0.1", "histories")
        if result and run.step == "repair" and not run.expected["changes"]
    )
    spaced = [line.replace(":", " : ", 1) for line in result["messages"]]
    told = judge(run, {**result, "messages": spaced})
    assert told is not None
    assert "/lines/0" in told


# --- cases and inputs -----------------------------------------------------------------------------


def topic(root: Path, version: str, names: str, purpose: str) -> None:
    folder = root / version / "reading"
    folder.mkdir(parents=True)
    shared = {"description": "Some.", "mode": "strict", "type": "message.ToolChoice"}
    rest = {"purpose": purpose, "input": "auto", "expect": {"value": "auto"}}
    some = [{"name": name, **rest} for name in names]
    (folder / "choices.json").write_text(json.dumps({**shared, "cases": some}))


def two_versions(root: Path, left_out: Json) -> None:
    topic(root, "v0.9", "abc", "old")
    topic(root, "v0.10", "bd", "new")
    spec = {"inherits": "v0.9", "except": left_out}
    (root / "v0.10" / "suite.json").write_text(json.dumps(spec))


def test_a_version_inherits_cases(tmp_path: Path) -> None:
    two_versions(tmp_path, {"reading/c": "It is gone."})
    assert versions(tmp_path) == ("v0.9", "v0.10")
    found = all_cases("v0.10", tmp_path)
    assert [(case.id, case.spec["purpose"]) for case in found] == [
        ("v0.10/reading/a", "old"),
        ("v0.10/reading/b", "new"),
        ("v0.10/reading/d", "new"),
    ]
    assert [case.name for case in all_cases("v0.9", tmp_path)] == ["a", "b", "c"]
    assert all(case.data("input") == b'"auto"' for case in found)
    assert all(case.spec["mode"] == "strict" for case in found)


def test_an_archive_is_read_as_a_folder_is(tmp_path: Path) -> None:
    for root in (tmp_path / "loose", tmp_path / "packed"):
        two_versions(root, {"reading/c": "It is gone."})
    old = tmp_path / "packed" / "v0.9"
    (old.with_name("v0.9.zip")).write_bytes(packed_version(old))
    shutil.rmtree(old)
    assert versions(tmp_path / "packed") == versions(tmp_path / "loose")
    for version in ("v0.9", "v0.10"):
        loose, zipped = (all_cases(version, tmp_path / name) for name in ("loose", "packed"))
        assert [(each.id, each.spec, each.source) for each in zipped] == [
            (each.id, each.spec, each.source) for each in loose
        ]


def test_members_are_values_texts_and_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.sse").write_bytes(b"data: 1")
    lines = [{"a": 1.5, "b": "é"}, '{"a" : 1}', {"base64": "/w=="}, "", {"c": "\ud800"}]
    spec = {
        "deltas": lines,
        "input_file": "a/b.sse",
        "document_text": {"base64": "/w=="},
        "chunks_text": "{}\r\n{}",
        "expect": {"value": [1]},
    }
    case = Case("v0.9", "streams", "a", spec, "", tmp_path)
    as_lines = [b'{"a":1.5,"b":"\xc3\xa9"}', b'{"a" : 1}', b"\xff", b"", b'{"c":"\\ud800"}']
    assert case.lines("deltas") == as_lines
    assert case.stream("deltas") == b"".join(line + b"\n" for line in as_lines)
    assert case.data("input") == b"data: 1"
    assert case.data("document") == b"\xff"
    assert case.lines("chunks") == [b"{}\r", b"{}"]
    assert case.value("value") == [1]
    assert case.result == "value"
    assert [name for name in ("deltas", "input", "text", "value") if case.has(name)] == [
        *("deltas", "input", "value")
    ]


@pytest.mark.parametrize("text", ["[]", "{", "{}", '{"cases": [{}]}', '{"cases": [7]}', "\ud800"])
def test_a_file_that_is_not_an_array_of_cases_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "v0.9" / "streams").mkdir(parents=True)
    file = tmp_path / "v0.9" / "streams" / "late.json"
    file.write_text(text, "utf-8", errors="surrogatepass")
    with pytest.raises(UsageError, match=r"v0\.9/streams/late\.json is not an array of cases"):
        all_cases("v0.9", tmp_path)


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v0.9.zip").write_bytes(b"PK")
    with pytest.raises(UsageError, match=r"v0\.9\.zip"):
        all_cases("v0.9", tmp_path)


def test_an_exception_of_nothing_is_refused(tmp_path: Path) -> None:
    two_versions(tmp_path, {"reading/x": "There is none."})
    with pytest.raises(UsageError, match=r"suite\.json excepts no case"):
        all_cases("v0.10", tmp_path)


def test_cases_are_selected() -> None:
    found = select(["v0.1"], ["transitions"])
    assert {(case.version, case.suite) for case in found} == {("v0.1", "transitions")}
    assert len(found) > 60
    assert len(select(["v0.1"], ["transitions", "reading"])) > len(found)


@pytest.mark.parametrize(
    ("version", "suite", "rule", "words"),
    [
        ("v9.9", "streams", "usage/unknown-version", "No fixtures of this version"),
        ("v0.1", "letters", "usage/invalid-argument", "No such suite"),
        ("v0.1", "compat", "usage/invalid-argument", "a tool of the Python package"),
    ],
)
def test_what_cannot_be_selected(version: str, suite: str, rule: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        select([version], [suite])
    assert caught.value.rule == rule


@pytest.mark.parametrize("data", [b"", b'"a"', "é\ufeff\x00".encode(), b"\xff", b"\xed\xa0\x80"])
def test_texts_stand_for_bytes(data: bytes) -> None:
    text = json.loads(json.dumps(text_of(data)))
    assert bytes_of(text) == data
    assert isinstance(text, str) == (data[:1] not in (b"\xff", b"\xed"))


@pytest.mark.parametrize("text", [None, 7, {"base64": "é"}, {"base64": 7}, {"b": ""}, "\ud800"])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(BadInput):
        bytes_of(text)


def test_an_unknown_operation_is_refused() -> None:
    with pytest.raises(BadInput, match="no such operation: guess"):
        run_operation("guess", "v0.1", {})


def test_partwire_alone_does_not_import_the_room() -> None:
    code = "import sys, partwire; print([n for n in sys.modules if 'conformance' in n])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
