"""``partwire validate --stream``: whole streams, every breach of their grammar."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from partwire.cli.files import stream_check
from tests.cli.runner import STREAM, lines, run, stderr_json
from tests.fixture_cases import ROOT, case_of

pytestmark = pytest.mark.usefixtures("empty_folder")

Row = tuple[int | None, str]


def checked(deltas: list[Any], *options: str, status: int = 1) -> list[Row]:
    """Return line and rule of each finding of a file."""
    data = lines(deltas) if isinstance(deltas[0], dict) else b"".join(deltas)
    Path("s.jsonl").write_bytes(data)
    result = run("validate", "--stream", "--format", "json", *options, "s.jsonl")
    assert result.exit_code == status, result.output
    return [(each.get("line"), each["rule"]) for each in json.loads(result.stdout)["findings"]]


def of_run(name: str, *changes: tuple[int, str, Any]) -> list[dict[str, Any]]:
    """Return the stream of a run; each change is index, member and value."""
    made = [{**each, "runId": name} for each in STREAM]
    for index, member, value in changes:
        made[index] = {**made[index], member: value}
    return made


def test_a_whole_stream_has_no_finding() -> None:
    assert checked(STREAM, status=0) == []


def test_every_breach_is_told_and_the_check_goes_on() -> None:
    made = of_run("run_1", (2, "seq", 1), (4, "payload", {}), (6, "runId", "run_2"))
    made.insert(0, {**STREAM[2], "seq": 7})
    assert checked([*made, STREAM[2]]) == [
        (1, "stream/start-expected"),
        (4, "stream/seq-not-increasing"),
        (5, "gate/gap"),
        (6, "shape/required"),
        (6, "shape/required"),
        (7, "stream/unknown-tool-call"),
        (8, "stream/start-expected"),
        (9, "gate/gap"),
        (9, "stream/unknown-tool-call"),
        (11, "stream/after-terminal"),
    ]


def test_runs_may_be_mixed() -> None:
    one, other = of_run("a"), of_run("b", (3, "seq", 2))
    mixed = [each for pair in zip(one, other, strict=True) for each in pair]
    assert checked(mixed) == [(8, "stream/seq-not-increasing"), (10, "gate/gap")]


def test_what_an_open_run_lacks_is_told_at_its_last_line() -> None:
    assert checked([*of_run("a")[:6], *of_run("b")]) == [
        (6, "stream/tool-call-open"),
        (6, "stream/truncated"),
    ]


def test_gaps_are_warnings() -> None:
    assert checked(of_run("a", (8, "seq", 90)), status=0) == [(9, "gate/gap")]


def test_only_so_many_runs_are_open_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_check, "MOST_RUNS", 2)
    starts = [of_run(name)[0] for name in "abc"]
    found = checked([*starts, *of_run("a", (0, "seq", 0))[1:], of_run("d")[0]])
    assert found[0] == (3, "stream/limit-exceeded")
    # One has ended, and another may begin.
    assert [row for row in found if row[1] != "stream/truncated"] == found[:1]


def test_a_run_id_may_be_too_long() -> None:
    assert checked(of_run("x" * 513)[:1]) == [(1, "stream/limit-exceeded")]


def test_times_do_not_keep_a_delta_from_its_place() -> None:
    made = of_run("a", (2, "timestamp", "soon"))
    assert checked(made) == [(3, "shape/pattern")]


def test_a_stream_of_chunks() -> None:
    case = case_of("v0.1/chunks/usage-between-texts")
    chunks = case.stream("chunks").splitlines(keepends=True)
    kind = ("--type", "blocks.StreamChunk")
    assert checked(chunks, *kind, status=0) == []
    assert checked([chunks[1], *chunks[:-1]], *kind) == [
        (1, "blocks/block-not-open"),
        (5, "blocks/truncated"),
    ]


def test_other_types_make_no_stream() -> None:
    Path("m.jsonl").write_bytes(b"{}\n")
    result = run("validate", "--stream", "--type", "message.Message", "m.jsonl")
    assert result.exit_code == 2
    assert "message.MessageDelta or blocks.StreamChunk" in result.stderr


@pytest.mark.parametrize("data", [b"\xff\n", b"null\n", b"[]\n", b'{"runId":5}\n', b"\n\n"])
def test_lines_that_are_no_delta(data: bytes) -> None:
    Path("s.jsonl").write_bytes(lines(STREAM) + data)
    result = run("validate", "--stream", "s.jsonl")
    assert result.exit_code == (0 if not data.strip() else 1)
    assert "Traceback" not in result.output


def test_what_the_guide_shows() -> None:
    guide = (ROOT / "docs" / "ci.md").read_text("utf-8")
    given, shown = re.findall(
        r"```jsonl\n(.*?)```\n\n```console\n\$ partwire validate --stream run.jsonl\n(.*?)```",
        guide,
        re.DOTALL,
    )[0]
    Path("run.jsonl").write_text(given, "utf-8")
    assert run("validate", "--stream", "run.jsonl").output == shown


def test_assemble_warns_of_gaps() -> None:
    result = run("assemble", "-", stdin=lines(of_run("a", (8, "seq", 90))))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["meta"]["finishReason"] == "tool_calls"
    (warning,) = stderr_json(result)
    assert (warning["rule"], warning["severity"], warning["line"]) == ("gate/gap", "warning", 9)
