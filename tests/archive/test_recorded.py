"""Recorded streams, of which each file is one: the same messages, and every line counted."""

from __future__ import annotations

import gzip
import json
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from partwire import StreamFailed, assemble
from partwire.archive import ArchiveRun, Assemble, Summary, read_table, tables
from partwire.archive.inputs import common_folder
from partwire.archive.readers import SUMMARY
from partwire.archive.steps import Step, Totals
from partwire.cli import main
from partwire.contract.times import text_of
from partwire.errors import UsageError
from partwire.files.compressed import zstd_module
from partwire.model import RecordingModel, ReplayModel
from partwire.providers import ADAPTERS, adapt_bytes
from partwire.reading import to_wire
from tests.fixture_cases import ROOT
from tests.model.recordings import TEXT, ask

PROVIDERS = ROOT / "fixtures" / "v0.3" / "providers"


def chunk(text: str | None, reason: str | None = None, **delta: Any) -> bytes:
    """Return the text of an event of chat completions."""
    delta = {"content": text, **delta} if text else delta
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    event = {"id": "c-1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    return json.dumps(event).encode()


def sse(*events: bytes) -> bytes:
    return b"".join(b"data: %b\n\n" % event for event in events)


WHOLE = sse(chunk("Hel"), chunk("lo"), chunk(None, "stop"), b"[DONE]")
ERROR = b'{"error": {"message": "Too many requests", "code": "rate_limit_exceeded"}}'


def run(folder: Path, source: str = "openai-chat", **said: Any) -> tuple[Summary, Path]:
    """Assemble a folder; return the summary, and where the results are."""
    target = folder.with_name(f"{folder.name}-out")
    said = {"jobs": 1, "task_bytes": 64 << 10, **said}
    return ArchiveRun(Assemble(source=source), [str(folder)], target, **said).go(), target


def outcome(target: Path, lines: int) -> tuple[list[Any], list[Any]]:
    """Return messages and what was put aside; all lines are counted."""
    totals = json.loads((target / SUMMARY).read_bytes())["totals"]
    put_aside = [json.loads(row) for row in read_table(target, "quarantine")]
    messages = [json.loads(row) for row in read_table(target, "messages")]
    assert totals["lines"] == lines
    assert totals["lines"] == totals["blank"] + totals["used"] + totals["quarantined"]
    assert totals["quarantined"] == sum(row["lines"] for row in put_aside)
    assert totals["made"] == len(messages)
    return messages, put_aside


def one(tmp_path: Path, name: str, data: bytes, source: str = "openai-chat") -> tuple[Any, Any]:
    """Return the message of a file and what was put aside, each at most one."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / name).write_bytes(data)
    _, target = run(folder, source)
    plain = gzip.decompress(data) if name.endswith(".gz") else data
    messages, put_aside = outcome(target, plain.count(b"\n") + (plain[-1:] not in (b"", b"\n")))
    assert len(messages) <= 1
    assert len(put_aside) <= 1
    return next(iter(messages), None), next(iter(put_aside), None)


def message_of(path: Path, dialect: str, run_id: str) -> Any:
    """Return what ``partwire.assemble`` makes of a file, or what came of it until it failed."""
    time = text_of(path.stat().st_mtime_ns // 1_000_000)
    try:
        message = assemble(adapt_bytes(dialect, path.read_bytes(), run_id, clock=lambda: time))
    except StreamFailed as error:
        message = error.partial
    return to_wire(message)


# --- the same messages ----------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ADAPTERS)
def test_fixtures_give_what_assemble_gives(dialect: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    paths = [path for path in sorted((PROVIDERS / dialect).iterdir()) if path.stat().st_size]
    for path in paths:
        (folder / path.name).write_bytes(path.read_bytes())
    _, target = run(folder, dialect)
    found = {row["runId"]: row for row in map(json.loads, read_table(target, "messages"))}
    aside = {Path(row["source"]).name for row in map(json.loads, read_table(target, "quarantine"))}
    assert found.keys() | aside == {path.name for path in paths}
    for name, message in found.items():
        assert message == message_of(folder / name, dialect, name)
    for name in aside - found.keys():
        message = message_of(folder / name, dialect, name)
        assert message["parts"] == []
        assert message["meta"]["incomplete"]["ending"] == "error"


def test_recordings_show_their_dialect(recordings: Path, tmp_path: Path) -> None:
    data = recordings / "data"
    target = tmp_path / "out"
    ArchiveRun(Assemble(source="recordings"), [str(data)], target, jobs=1).go()
    paths = [path for path in data.rglob("*") if path.suffix in (".sse", ".jsonl", ".eventstream")]
    lines = [path.read_bytes() for path in paths]
    count = sum(each.count(b"\n") + (not each.endswith(b"\n")) for each in lines)
    messages, put_aside = outcome(target, count)
    assert len(messages) == len(paths)
    assert {row["rule"] for row in put_aside} <= {"adapter/spliced-message", "adapter/after-end"}
    for message in messages[::10]:
        name = message["runId"]
        assert message == message_of(data / name, name.partition("/")[0], name)


@pytest.mark.parametrize(("suffix", "jobs"), [("", 1), (".gz", 1), (".zst", 2)])
def test_names_are_run_ids(suffix: str, jobs: int, tmp_path: Path) -> None:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".zst": zstd_module().compress,
    }
    for name in ("2026/a.sse", "2026/b.json", "c.NDJSON"):
        path = tmp_path / "in" / f"{name}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        events = chunk("Hello"), chunk(None, "stop")
        text = b"[%b]" % b",".join(events) if ".json" in name else b"\n".join(events)
        path.write_bytes(pack[suffix](sse(*events) if ".sse" in name else text))
    (tmp_path / "in" / "README.md").write_bytes(b"Read me")
    summary, target = run(tmp_path / "in", jobs=jobs, task_bytes=1)
    messages, put_aside = outcome(target, 7)
    assert put_aside == []
    names = [f"2026/a.sse{suffix}", f"2026/b.json{suffix}", f"c.NDJSON{suffix}"]
    assert sorted(each["runId"] for each in messages) == sorted(names)
    assert {each["parts"][0]["payload"]["text"] for each in messages} == {"Hello"}
    assert summary.passed_over.files == 1


def test_names_are_those_below_the_folder_of_all_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x/a.sse", "y/1/a.sse"):
        Path("in", name).parent.mkdir(parents=True)
        Path("in", name).write_bytes(WHOLE)
    for sources, base, names in (
        (["in"], "in", {"x/a.sse", "y/1/a.sse"}),
        (["./in/x", "in/y"], "in", {"x/a.sse", "y/1/a.sse"}),
        (["in/*/**/*.sse"], "in", {"x/a.sse", "y/1/a.sse"}),
        (["in/y/"], "in/y", {"1/a.sse"}),
        (["in/y/1/a.sse"], "in/y/1", {"a.sse"}),
        (["."], ".", {"in/x/a.sse", "in/y/1/a.sse"}),
        (["in/x", str(tmp_path / "in" / "y")], "", None),
    ):
        assert common_folder(sources) == base
        target = f"{tmp_path}/../out-{tmp_path.name}-{len(list(tmp_path.parent.iterdir()))}"
        ArchiveRun(Assemble(source="openai-chat"), sources, target, jobs=1).go()
        found = {json.loads(row)["runId"] for row in read_table(target, "messages")}
        assert len(found) == 2 if names is None else found == names
    assert common_folder(["s3://b/in/x", "s3://b/in/y/*.sse"]) == "s3://b/in"
    assert common_folder(["s3://b/in/a.sse"]) == "s3://b/in"
    assert common_folder(["s3://b/in", "in"]) == ""


# --- cut, failed, broken --------------------------------------------------------------------------


def test_a_cut_stream_is_an_incomplete_message(tmp_path: Path) -> None:
    message, put_aside = one(tmp_path, "a.sse", sse(chunk("Hel"), chunk("lo")))
    assert put_aside is None
    assert message["parts"][0]["payload"]["text"] == "Hello"
    assert message["meta"]["incomplete"]["ending"] == "error"


@pytest.mark.parametrize("data", [sse(chunk("Hel"), ERROR), ERROR, b"data: " + ERROR])
def test_a_failed_stream_is_an_incomplete_message(data: bytes, tmp_path: Path) -> None:
    message, put_aside = one(tmp_path, "a.sse", data)
    assert put_aside is None
    assert message["meta"]["incomplete"]["ending"] == "error"


@pytest.mark.parametrize(
    ("name", "data", "line", "lines", "rule"),
    [
        ("cut.jsonl", chunk("Hel") + b"\n" + chunk("lo")[:30], 2, 1, "adapter/invalid-event"),
        ("cut.sse", sse(chunk("Hel"))[:-2] + b"\n\nid: 7\ndata: {", 3, 2, "adapter/invalid-event"),
        ("torn.sse", sse(chunk("Hel"), b'{"a', chunk("lo"), b"[DONE]"), 3, 3, None),
        ("two.sse", WHOLE + WHOLE, 9, 4, "adapter/after-end"),
        ("utf.jsonl", chunk("Hel") + b"\n\xff{\n\n" + chunk("lo"), 2, 2, "framing/invalid-utf8"),
    ],
)
def test_lines_that_cannot_be_read_are_put_aside_with_those_behind_them(
    name: str, data: bytes, line: int, lines: int, rule: str | None, tmp_path: Path
) -> None:
    message, row = one(tmp_path, name, data)
    assert message["parts"][0]["payload"]["text"] == ("Hello" if name == "two.sse" else "Hel")
    assert ("incomplete" in message["meta"]) == (name != "two.sse")
    assert (row["line"], row["lines"]) == (line, lines)
    assert row["rule"] == (rule or "adapter/invalid-event")
    text = row["text"].encode() if "text" in row else b"\xff{"
    assert data.split(b"\n")[line - 1].rstrip() == text


def test_of_a_line_that_is_long_the_beginning_is_put_aside(tmp_path: Path) -> None:
    line = b'data: {"a' + b"x" * 3000
    _, row = one(tmp_path, "a.sse", sse(chunk("Hel")) + line + b"\n\n")
    assert (row["line"], row["lines"], row["length"]) == (3, 1, len(line) + 1)
    assert row["head"].encode() == line[:1024]


def test_what_no_message_may_have_cuts_it(tmp_path: Path) -> None:
    function = {"name": "t", "arguments": f'{{"a":{"[" * 200}{"]" * 200}}}'}
    call = chunk(None, tool_calls=[{"index": 0, "id": "c", "function": function}])
    data = sse(chunk("Hel"), call, chunk(None, "tool_calls"), b"[DONE]")
    message, row = one(tmp_path, "a.sse", data)
    assert message["meta"]["incomplete"]["ending"] == "truncated"
    assert (row["rule"], row["lines"]) == ("stream/limit-exceeded", 1)


def test_streams_are_counted_by_what_is_odd_in_them(tmp_path: Path) -> None:
    odd = chunk(None, tool_calls=[{"index": 0, "id": "c", "custom": {"name": "t"}}])
    folder = tmp_path / "in"
    folder.mkdir()
    for name, events in {"a": (odd, odd), "b": (odd,), "c": ()}.items():
        (folder / f"{name}.sse").write_bytes(sse(*events) + WHOLE)
    summary, _ = run(folder)
    assert summary.totals.counts == {"warning adapter/unsupported-content": 2}


@pytest.mark.parametrize(
    ("data", "rule", "lines"),
    [
        (b"", "document/empty", 0),
        (b"\n \n\r\n", "document/empty", 0),
        (b"Hello\nworld\n", "adapter/wrong-dialect", 2),
        (b"\n{}\n[]", "adapter/wrong-dialect", 2),
        (bytes(range(256)) * 20, "framing/", None),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(255, 0, -1)), "", None),
    ],
)
@pytest.mark.parametrize("source", ["openai-chat", "recordings"])
def test_a_file_that_is_not_a_stream_is_put_aside(
    data: bytes, rule: str, lines: int | None, source: str, tmp_path: Path
) -> None:
    message, row = one(tmp_path, "a.sse", data, source)
    assert message is None
    assert row["source"] == str(tmp_path / "in" / "a.sse")
    if source == "openai-chat" or lines is not None:
        assert row["rule"].startswith(rule)
    if lines is not None:
        assert row["lines"] == lines


def test_a_stream_of_another_dialect_is_put_aside(tmp_path: Path) -> None:
    data = b'data: {"type": "message_start", "message": {}}\n\n'
    message, row = one(tmp_path, "a.sse", data)
    assert message is None
    assert (row["rule"], row["lines"]) == ("adapter/wrong-dialect", 1)


def test_a_stream_of_which_only_its_names_have_come(tmp_path: Path) -> None:
    begin = b'{"type": "message_start", "message": {"id": "m", "model": "c", "role": "assistant"}}'
    message, row = one(tmp_path, "a.sse", b"data: %b\n\n" % begin, "anthropic")
    assert row is None
    assert message["parts"] == []


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_compressed_file_that_is_cut(share: float, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    events = [chunk(f"{at * 7919 % 9973:x} ") for at in range(2000)]
    data = gzip.compress(sse(*events, chunk(None, "stop")))
    (folder / "a.sse.gz").write_bytes(data[: int(share * len(data))])
    (folder / "b.sse").write_bytes(WHOLE)
    summary, target = run(folder)
    messages, (row,) = outcome(target, summary.totals.lines)
    assert row["rule"] in ("document/damaged-compression", "document/empty")
    assert len(messages) == 1 + (share > 0)
    assert messages[-1]["parts"][0]["payload"]["text"] == "Hello"


def cut_behind(text: bytes) -> bytes:
    """Return a compressed file that holds a text, and is cut there."""
    packer = zlib.compressobj(wbits=31)
    return packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)


@pytest.mark.parametrize(("text", "line"), [(sse(chunk("Hel")), 3), (b"data: " + chunk("Hel"), 1)])
def test_a_compressed_file_is_damaged_in_the_line_that_would_be_next(
    text: bytes, line: int, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.sse.gz").write_bytes(cut_behind(text))
    _, target = run(folder)
    _, (row,) = outcome(target, text.count(b"\n") or 1)
    assert (row["rule"], row["line"]) == ("document/damaged-compression", line)


def test_a_run_id_that_is_too_long_is_a_reason(tmp_path: Path) -> None:
    folder = tmp_path / "in" / Path(*["d" * 200] * 8)
    folder.mkdir(parents=True)
    (folder / "a.sse").write_bytes(WHOLE)
    _, target = run(tmp_path / "in")
    messages, (row,) = outcome(target, 8)
    assert messages == []
    assert (row["rule"], row["lines"]) == ("stream/limit-exceeded", 4)


# --- files of a RecordingModel --------------------------------------------------------------------


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A recording of three streams."""
    path = tmp_path / "in" / "r.jsonl"
    path.parent.mkdir()
    with RecordingModel(ReplayModel([TEXT, TEXT, TEXT]), path) as model:
        for _ in range(3):
            ask(model)
    return path


def test_a_recording_has_a_message_of_each_stream(recorded: Path) -> None:
    (recorded.parent / "b.sse").write_bytes(WHOLE)
    _, target = run(recorded.parent, "recordings")
    messages, put_aside = outcome(target, recorded.read_bytes().count(b"\n") + 8)
    assert put_aside == []
    assert [each["runId"] for each in messages] == ["b.sse", "run_9", "run_9", "run_9"]


@pytest.mark.parametrize("where", [1, 3, -1])
def test_a_recording_with_a_broken_line(where: int, recorded: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    lines[where] = lines[where][:20]
    recorded.write_bytes(b"\n".join(lines))
    _, target = run(recorded.parent, "recordings")
    messages, (row,) = outcome(target, len(lines))
    at = where % len(lines)
    assert (row["line"], row["lines"]) == (at + 1, len(lines) - at)
    assert row["text"].encode() == lines[where]
    assert len(messages) == {1: 0, 3: 1, -1: 3}[where]
    assert ["incomplete" in each["meta"] for each in messages][-1:] == {
        1: [],
        3: [True],
        -1: [False],
    }[where]


def test_a_recording_whose_writer_was_killed(recorded: Path) -> None:
    lines = [line for line in recorded.read_bytes().splitlines() if b'"type":"end"' not in line]
    done = [at for at, line in enumerate(lines) if b'"kind":"done"' in line]
    recorded.write_bytes(b"\n".join(lines[: done[-1]]) + b"\n")
    _, target = run(recorded.parent, "recordings")
    messages, put_aside = outcome(target, done[-1])
    assert put_aside == []
    endings = [each["meta"].get("incomplete", {}).get("ending") for each in messages]
    assert endings == [None, None, "truncated"]


@pytest.mark.parametrize(
    ("how", "ending"),
    [("closed", "cancelled"), ("cancelled", "cancelled"), ("raised", "truncated")],
)
def test_a_recording_says_how_a_stream_ended(how: str, ending: str, recorded: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    end = next(at for at, line in enumerate(lines) if b'"type":"end"' in line)
    lines[end] = lines[end].replace(b'"how":"done"', b'"how":"%b"' % how.encode())
    del lines[end - 1]
    recorded.write_bytes(b"\n".join(lines) + b"\n")
    _, target = run(recorded.parent, "recordings")
    messages, put_aside = outcome(target, len(lines))
    assert put_aside == []
    assert messages[0]["meta"]["incomplete"]["ending"] == ending


def test_a_delta_that_the_assembler_refuses_harms_no_other_stream(recorded: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    text = next(at for at, line in enumerate(lines) if b'"textDelta"' in line)
    lines.insert(text + 1, lines[text])  # an equal seq
    recorded.write_bytes(b"\n".join(lines) + b"\n")
    _, target = run(recorded.parent, "recordings")
    messages, put_aside = outcome(target, len(lines))
    assert [("incomplete" in each["meta"]) for each in messages] == [True, False, False]
    assert [row["lines"] for row in put_aside] == [1] * len(put_aside)
    assert put_aside[0]["line"] == text + 2


def test_a_recorded_stream_that_failed_is_an_incomplete_message(recorded: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    done = next(at for at, line in enumerate(lines) if b'"kind":"done"' in line)
    row = json.loads(lines[done])
    row["delta"] |= {"kind": "error", "payload": {"errorCode": "timeout", "message": "late"}}
    lines[done] = json.dumps(row).encode()
    behind = dict(row["delta"], seq=row["delta"]["seq"] + 1)
    lines.insert(done + 1, json.dumps({**row, "delta": behind}).encode())
    recorded.write_bytes(b"\n".join(lines) + b"\n")
    _, target = run(recorded.parent, "recordings")
    messages, put_aside = outcome(target, len(lines))
    endings = [each["meta"].get("incomplete", {}).get("ending") for each in messages]
    assert endings == ["error", None, None]
    assert [(row["rule"], row["line"]) for row in put_aside] == [
        ("stream/after-terminal", done + 2)
    ]


def test_a_recorded_stream_without_deltas_is_counted(recorded: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    kept = [line for line in lines if b'"type":"delta","stream":2,' not in line]
    assert len(kept) < len(lines)
    recorded.write_bytes(b"\n".join(kept) + b"\n")
    summary, target = run(recorded.parent, "recordings")
    messages, put_aside = outcome(target, len(kept))
    assert (len(messages), put_aside) == (2, [])
    assert summary.totals.counts == {"streams without deltas": 1}


def test_a_recording_with_a_line_that_is_too_long(recorded: Path) -> None:
    lines = recorded.read_bytes().splitlines()
    long = b'{"type": "request", "config": "' + b"x" * 50_000
    for at in (len(lines), 3):
        lines.insert(at, long)
    recorded.write_bytes(b"\n".join(lines) + b"\n")
    options = Assemble(source="recordings", max_line_bytes=40_000)
    target = recorded.parent.with_name("out")
    ArchiveRun(options, [str(recorded.parent)], target, jobs=1).go()
    _, (row,) = outcome(target, len(lines))
    assert (row["rule"], row["line"], row["lines"]) == (
        "framing/line-too-long",
        4,
        len(lines) - 3,
    )


def test_a_recording_whose_compression_is_damaged(recorded: Path) -> None:
    text = recorded.read_bytes()
    recorded.with_suffix(".jsonl.gz").write_bytes(cut_behind(text))
    recorded.unlink()
    _, target = run(recorded.parent, "recordings")
    messages, (row,) = outcome(target, text.count(b"\n"))
    assert len(messages) == 3
    assert (row["rule"], row["line"], row["lines"]) == (
        "document/damaged-compression",
        text.count(b"\n") + 1,
        0,
    )


# --- runs -----------------------------------------------------------------------------------------


class _Killed(BaseException):
    pass


def test_a_run_that_was_killed_ends_with_the_same_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for at in range(12):
        (folder / f"{at:02}.sse").write_bytes(WHOLE if at % 3 else WHOLE[:-100])

    def kill(_step: Step, done: int) -> None:
        if done == 5:
            raise _Killed

    options = Assemble(source="openai-chat")
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    with pytest.raises(_Killed):
        ArchiveRun(options, [str(folder)], killed, jobs=1, task_bytes=1).go(kill)
    for target in (killed, whole):
        ArchiveRun(options, [str(folder)], target, jobs=1, task_bytes=1).go()
    for table in tables(whole):
        assert list(read_table(killed, table)) == list(read_table(whole, table))
    with pytest.raises(UsageError) as caught:
        ArchiveRun(Assemble(source="recordings"), [str(folder)], killed, jobs=1).go()
    assert caught.value.rule == "archive/other-plan"


def test_a_large_file_is_not_held(tmp_path: Path) -> None:
    """Its events are read and forgotten: a stream is as long as it is."""
    tracemalloc = pytest.importorskip("tracemalloc")
    folder = tmp_path / "in"
    folder.mkdir()
    with gzip.open(folder / "a.sse.gz", "wb", 1) as file:
        for _ in range(200):
            file.write(b":%b\n\n" % (b" ping" * 70_000))
        file.write(WHOLE)
    tracemalloc.start()
    try:
        summary, _ = run(folder)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert summary.totals.lines == 408
    assert peak < 16 << 20


@pytest.mark.parametrize(
    "options",
    [
        Assemble(source="no"),
        Assemble(source="cohere-v1"),
        Assemble(source="openai-chat", on_unknown="drop"),
        Assemble(source="recordings", on_unknown="tolerate"),
    ],
)
def test_options_that_are_refused(options: Assemble, tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(WHOLE)
    with pytest.raises(UsageError):
        ArchiveRun(options, [str(tmp_path)], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there")
def test_a_name_that_is_not_text_is_refused(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")).write_bytes(WHOLE)
    for source in ("deltas", "openai-chat"):
        with pytest.raises(UsageError, match="not UTF-8"):
            ArchiveRun(Assemble(source=source), [str(tmp_path)], tmp_path / "out")


def test_a_folder_without_streams_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(WHOLE)
    for source in ("deltas", "openai-chat"):
        with pytest.raises(UsageError) as caught:
            ArchiveRun(Assemble(source=source), [str(tmp_path)], tmp_path / "out")
        assert caught.value.rule == "usage/unreadable-input"
        assert (".sse" in str(caught.value.findings[0].expected)) == (source != "deltas")


# --- what people are shown ------------------------------------------------------------------------


def _cli(*args: str) -> Any:
    return CliRunner().invoke(main, ["archive", *args], catch_exceptions=False)


def test_files_that_are_passed_over_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(b"{}\n")
    for at in range(7):
        (folder / f"{at}.log").write_bytes(b"{}\n")
    (folder / ".hidden.log").write_bytes(b"")
    args = ("validate", "--type", "message.Message", str(folder), str(tmp_path / "out"))
    said = f"7 files passed over: {', '.join(str(folder / f'{at}.log') for at in range(5))}, …\n"
    member = {"files": 7, "first": [str(folder / f"{at}.log") for at in range(5)]}
    assert said in _cli("plan", *args, "--format", "text").stdout
    assert json.loads(_cli("plan", *args).stdout)["passed_over"] == member
    assert json.loads(_cli(*args).stdout)["passed_over"] == member
    (folder / "8.log").write_bytes(b"")  # the run goes on all the same
    assert said in _cli(*args, "--resume", "--format", "text").stdout
    (folder / "8.log").unlink()
    assert (
        "passed over"
        not in _cli(*args[:3], f"{folder}/*.jsonl", f"{folder}-2", "--format", "text").stdout
    )


@pytest.mark.parametrize("output_format", ["text", "json"])
def test_lines_that_are_lost_are_exit_status_1(
    output_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.sse").write_bytes(WHOLE)
    monkeypatch.setattr(Totals, "lost", property(lambda _self: 1))
    args = ("assemble", "--from", "openai", "--format", output_format)
    done = _cli(*args, str(tmp_path / "a.sse"), str(tmp_path / "out"))
    assert done.exit_code == 1
    assert "archive/lines-lost" in done.stderr
    if output_format == "json":
        assert json.loads(done.stderr.splitlines()[-1])["status"] == 1
    assert not (tmp_path / "out" / SUMMARY).exists()
