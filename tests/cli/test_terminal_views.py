"""Messages, deltas, losses and growing streams as people read them."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from partwire.cli.terminal import growing
from partwire.cli.terminal.deltas import delta_line
from partwire.cli.terminal.inspect import inspect_terminal
from partwire.cli.terminal.layout import Layout
from partwire.cli.terminal.live import LiveStream
from partwire.cli.terminal.messages import call_text, message_lines
from partwire.cli.terminal.results import Results
from partwire.cli.terminal.screen import Screen
from partwire.errors import PartwireError
from partwire.files.inputs import Source
from partwire.reading.pipeline import read
from partwire.reporting.cells import cell, columns
from tests.cli.runner import PARTS, STREAM, USER, lines, run
from tests.cost import costs_at_most
from tests.fixture_cases import documents

WIDTHS = (20, 39, 80)
EVIL = "\x1b[2J\x9b31m\x07\u202e\r\x00"
STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def folder(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("COLUMNS", raising=False)
    return empty_folder


def documents_of(name: str) -> list[dict[str, Any]]:
    """Return the valid documents of a type, those of all versions."""
    return [json.loads(each.data) for each in documents() if each.valid and each.type == name]


def with_evil(value: Any) -> Any:
    """Return JSON with control characters in every string, and in every name that is data."""
    if isinstance(value, dict):
        return {name: each if name == "kind" else with_evil(each) for name, each in value.items()}
    if isinstance(value, list):
        return [with_evil(each) for each in value]
    return value + EVIL if isinstance(value, str) else value


def assert_safe(shown: list[str], width: int) -> None:
    for line in shown:
        assert not STEERING.search(line)
        assert columns([cell(char) for char in line]) <= max(width, 22)


# --- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_every_message_is_shown_safely(width: int) -> None:
    found = documents_of("message.Message")
    assert len(found) > 30
    for message in found:
        shown = list(message_lines(with_evil(message), Layout(width)))
        assert len(shown) > 1
        assert_safe(shown, width)


def test_a_message() -> None:
    message = {
        **USER,
        "role": "assistant",
        "parts": PARTS,
        "meta": {
            "modelId": "m",
            "finishReason": "tool_calls",
            "providerFinishReason": "tool_use",
            "usage": {"inputTokens": 1436, "outputTokens": 7, "totalTokens": 1443},
        },
    }
    assert list(message_lines(message, Layout(80))) == [
        "assistant · m · 2026-01-02T03:04:05Z",
        "  thinking   Hm.",
        "  text       Grüße, 世界",
        "  call       weather  (c1)",
        '             city: "Oslo"',
        "  usage      1,436 in, 7 out",
        "  finish     tool_calls (tool_use)",
    ]
    assert list(message_lines(message, Layout(39)))[-4:] == [
        "usage",
        "  1,436 in, 7 out",
        "finish",
        "  tool_calls (tool_use)",
    ]


def test_meta_is_anybodys() -> None:
    meta = {"usage": "much", "warnings": 3, "trace": {"a": 1}}
    told = list(message_lines({**USER, "meta": meta}, Layout(80)))
    assert told[-1] == '  meta       {"trace": {"a": 1}, "usage": "much", "warnings": 3}'


def test_what_a_command_prints_for_people_and_for_programs() -> None:
    data = lines(STREAM)
    piped = run("assemble", "-", stdin=data).stdout
    assert run("assemble", "--format", "json", "-", stdin=data).stdout == piped
    told = run("assemble", "--format", "text", "-", stdin=data).stdout
    assert "\n  call       weather  (c1)\n" in told
    assert "\n  finish     tool_calls\n" in told
    Path("m.json").write_text(piped)
    as_lines = run("convert", "--to", "message", "--format", "lines", "m.json")
    assert as_lines.output == run("convert", "--to", "message", "m.json").output


def test_many_messages_have_a_line_between_them() -> None:
    data = lines(STREAM + [{**each, "runId": "other"} for each in STREAM])
    told = run("assemble", "--many", "--format", "text", "-", stdin=data).stdout
    assert told.count("\n\nassistant · m · ") == 1


# --- deltas ---------------------------------------------------------------------------------------


def test_every_delta_is_one_safe_line() -> None:
    kinds = set()
    for delta in documents_of("message.MessageDelta"):
        kinds.add(delta["kind"])
        *narrow, line = (
            delta_line(with_evil(delta), delta["timestamp"], Layout(width)) for width in WIDTHS
        )
        for width, each in zip(WIDTHS, [*narrow, line], strict=True):
            assert_safe([each], width)
        assert f"  {delta['kind']}" in line
    assert len(kinds) > 15


def test_deltas_for_people() -> None:
    source = b"".join(
        b"data: %s\n\n" % each
        for each in (
            b'{"id":"a","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}',
            b'{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        )
    )
    told = run("deltas", "--format", "text", "-", stdin=source).stdout.splitlines()
    assert [re.sub(r"\+\d\.\d{3}", "T", each) for each in told] == [
        "    0   T  start                 m a",
        '    1   T  text                  "Hi"',
        "    2   T  done                  stop",
    ]
    assert json.loads(run("deltas", "-", stdin=source).stdout.splitlines()[1])["kind"] == "text"


# --- losses ---------------------------------------------------------------------------------------


def test_losses_are_a_table_by_code(capsys: pytest.CaptureFixture[str]) -> None:
    lost = {"severity": "lossy", "detail": "No place for it"}
    losses = [{**lost, "code": "meta", "pointer": f"/{n}/meta", "line": n + 1} for n in range(1200)]
    losses.append({**lost, "code": "run-id", "pointer": f"/0{EVIL}", "of": "message"})
    Results("text").losses(losses)
    told = capsys.readouterr().err
    assert told.splitlines()[:5] == [
        "1,201 losses:",
        "count  severity  code    first at",
        "1,200  lossy     meta    /0/meta, line 1",
        "       No place for it",
        "    1  lossy     run-id  /0\\x1b[2J\\x9b31m\\x07\\u202e\\r\\x00 of the message",
    ]
    assert told.endswith("partwire explain meta says what that means\n")
    Results("json").losses(losses)
    assert [json.loads(each) for each in capsys.readouterr().err.splitlines()] == losses


# --- streams that grow ----------------------------------------------------------------------------


def fed(deltas: list[dict[str, Any]], stream: LiveStream | None = None) -> LiveStream:
    stream = stream or LiveStream()
    for delta in deltas:
        stream.feed(read(delta, "message.MessageDelta"))
    return stream


def at(seconds: float, delta: dict[str, Any]) -> dict[str, Any]:
    return {**delta, "timestamp": f"2026-01-02T03:04:{seconds:06.3f}Z"}


def test_what_is_open_is_drawn_and_what_is_finished_stays() -> None:
    stream = fed(STREAM[:6])
    layout = Layout(80)
    assert list(stream.staying(layout)) == [
        "stream · m · r",
        "  thinking   Hm.",
        "  text       Grüße, 世界",
    ]
    drawn = ["  call       weather  (c1) …", "~9 tokens · 1 call open · 0.0 s"]
    assert stream.drawn(layout, 24) == drawn
    payload = {"toolCallId": "c1", "argsTextDelta": ' "Os'}
    fed([{**STREAM[5], "seq": 6, "payload": payload}], stream)
    assert stream.drawn(layout, 24)[1] == '             city: "Os" …'


def test_lines_of_a_text_stay_as_they_are_full() -> None:
    words = [{**STREAM[2], "seq": n, "payload": {"textDelta": f"word{n} "}} for n in range(1, 41)]
    stream, told = LiveStream(), list[str]()
    for delta in [STREAM[0], *words]:
        fed([delta], stream)
        told += stream.staying(Layout(80))
        assert len(stream.drawn(Layout(80), 24)) <= 2
    told += stream.summary(Layout(80))
    shown = "\n".join(told).split("  error")[0]
    assert re.findall(r"word\d+", shown) == [f"word{n}" for n in range(1, 41)]
    assert shown.count("  text ") == 1


def with_payload(n: int, **payload: str) -> dict[str, Any]:
    """A delta like one of the stream's, with another payload."""
    return {**STREAM[n], "payload": payload}


def test_large_arguments_are_drawn_by_their_end_and_made_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a picture costs does not grow with what has come."""
    told = list[int]()

    def counting(name: str, call_id: str, arguments: Any, **options: Any) -> str:
        told.append(len(json.dumps(arguments)))
        return call_text(name, call_id, arguments, **options)

    monkeypatch.setattr(growing, "call_text", counting)
    layout = Layout(80)
    start = {"toolCallId": "c0", "toolName": "waits"}
    stream = fed([STREAM[0], with_payload(4, **start), STREAM[4]])
    args = with_payload(5, toolCallId="c1", argsTextDelta='{"a": ["' + "x" * 9_000)
    shown: list[str] = []
    for _ in range(6):
        fed([args], stream)
        shown = stream.drawn(layout, 24)
        args = with_payload(5, toolCallId="c1", argsTextDelta="y" * 9_000)
        assert len(shown) < 24
    assert shown[-3].endswith("y …") or shown[-2].endswith("y …")
    assert any("weather  (c1)" in each for each in shown)
    assert max(told) < 20_000
    told.clear()
    fed([with_payload(5, toolCallId="c1", argsTextDelta='"]}'), STREAM[7]], stream)
    for _ in range(3):
        stream.drawn(layout, 24)
    assert sum(size > 20_000 for size in told) == 1
    assert "\n".join(stream.summary(layout)).count("y" * 50) > 300


def test_text_behind_what_is_open_costs_what_it_brings() -> None:
    stream = fed([STREAM[0], STREAM[4], STREAM[2]])
    more = read(with_payload(2, textDelta="word "), "message.MessageDelta")
    with costs_at_most(1):
        for n in range(150_000):
            stream.feed(more)
            if n % 1_000 == 0:
                stream.drawn(Layout(80), 24)
    assert "\n".join(stream.summary(Layout(80))).count("word ") > 100_000


def test_arguments_that_are_not_json_are_shown_as_they_came() -> None:
    stream = fed([*STREAM[:5], with_payload(5, toolCallId="c1", argsTextDelta="{x"), STREAM[7]])
    assert '             "{x"' in list(stream.staying(Layout(80)))


@pytest.mark.parametrize("rows", [1, 5, 24])
def test_no_more_is_drawn_than_there_are_rows(rows: int) -> None:
    calls = [
        {**STREAM[4], "seq": n, "payload": {"toolCallId": f"c{n}", "toolName": "t" * 300}}
        for n in range(1, 30)
    ]
    stream = fed([STREAM[0], *calls])
    assert len(stream.drawn(Layout(40), rows)) < max(rows, 4)


def test_tokens_are_estimated_until_usage_says_them() -> None:
    text = {**STREAM[2], "seq": 1, "payload": {"textDelta": "x" * 400}}
    usage = {**STREAM[0], "seq": 2, "kind": "usage"}
    early = {"inputTokens": 9, "outputTokens": 1, "totalTokens": 10}
    stream = fed([at(0, STREAM[0]), at(4, text), at(4, {**usage, "payload": early})])
    assert stream.pace.tokens_text() == "~100 tokens"
    assert stream.pace.rate_text() == "~25.0 tokens/s"
    known = {"inputTokens": 9, "outputTokens": 120, "totalTokens": 129}
    fed([at(5, {**usage, "seq": 3, "payload": known})], stream)
    assert stream.pace.tokens_text() == "120 tokens"
    assert stream.pace.rate_text() == "24.0 tokens/s"


def test_a_recording_without_times_has_no_speed() -> None:
    told = list(fed(STREAM).summary(Layout(80)))
    assert told[-1].endswith("speed unknown: no times")


def test_stalls_of_a_recording() -> None:
    deltas = [at(n * 3 if n < 4 else 20 + n / 10, each) for n, each in enumerate(STREAM)]
    told = "\n".join(fed(deltas).summary(Layout(120)))
    assert "4 stalls, longest 11.4 s, before seq 4" in told
    early = at(0, {**STREAM[8], "seq": 9})  # a clock that goes back is no pause
    assert fed([*deltas[:8], early]).pace.seconds == fed(deltas[:8]).pace.seconds


def test_a_pause_shows_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, now = fed(STREAM[:3]), time.monotonic()
    assert stream.stalled() == 0
    monkeypatch.setattr(time, "monotonic", lambda: now + 7)
    assert stream.drawn(Layout(80), 24)[-1].startswith("stalled for 7 s")
    fed(STREAM[3:], stream)
    monkeypatch.setattr(time, "monotonic", lambda: now + 70)
    assert stream.stalled() == 0  # it has ended


def test_a_stream_that_is_cut_says_so() -> None:
    told = "\n".join(fed(STREAM[:6]).summary(Layout(80)))
    assert "  call       weather  (c1) …\n  error      not closed: c1\n" in told
    assert "  error      the stream ended before it was done" in told


def test_every_kind_of_delta_is_followed_safely() -> None:
    for width in WIDTHS:
        stream, shown = LiveStream(), list[str]()
        for delta in documents_of("message.MessageDelta"):
            try:
                one = read(
                    with_evil({**delta, "timestamp": "T"})
                    | {name: delta[name] for name in ("kind", "seq", "timestamp")},
                    "message.MessageDelta",
                )
            except PartwireError:  # an older version, or a pattern
                continue
            stream.feed(one)
            shown += stream.staying(Layout(width))
            shown += stream.drawn(Layout(width), 24)
        shown += stream.summary(Layout(width))
        assert len(shown) > 50
        assert_safe(shown, width)


# --- the screen -----------------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A terminal that knows what a screen writes: its lines, wrapped at its columns."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.shown = [""]

    def write(self, text: str) -> int:
        for word in re.findall(r"\x1b\[\d*[A-Z]|[\r\n]|[^\x1b\r\n]+", text):
            if word == "\n":
                self.shown.append("")
            elif word.endswith("A") and word[0] == "\x1b":
                self.shown = self.shown[: len(self.shown) - int(word[2:-1])]
                assert self.shown
            elif word == "\x1b[J":
                self.shown[-1] = ""
            elif word != "\r":
                self.shown[-1] += word
        return len(text)

    def resize(self, width: int) -> None:
        """Wrap what is shown as terminals do, of which each row counts."""
        self.width = width
        rows = []
        for line in self.shown:
            rows += [line[n : n + width] for n in range(0, len(line), width)] or [""]
        self.shown = rows


def size(columns: int) -> os.terminal_size:
    return os.terminal_size((columns, 24))


def test_what_is_drawn_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(80)
    monkeypatch.setattr(
        shutil, "get_terminal_size", lambda _: os.terminal_size((terminal.width, 9))
    )
    drawing = Screen(terminal)
    drawing.draw(["head"], ["one", "x" * 70])
    drawing.draw(["stays"], ["two", "y" * 70, "z"])
    terminal.resize(30)  # which wraps the second line
    drawing.draw(["stays too"], ["three"])
    drawing.draw(["end"], [])
    assert terminal.shown == ["head", "stays", "stays too", "end", ""]


# --- what a file holds ----------------------------------------------------------------------------


def test_a_stream_and_messages_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.jsonl").write_bytes(lines(STREAM))
    assert inspect_terminal(Source("d.jsonl")) == 0
    told = capsys.readouterr().out
    assert '  call       weather  (c1)\n             city: "Oslo"\n' in told
    assert "\x1b" not in told
    Path("h.jsonl").write_bytes(lines([USER, USER]))
    assert inspect_terminal(Source("h.jsonl")) == 0
    assert capsys.readouterr().out.count("user · 2026-01-02T03:04:05Z\n  text       Hi\n") == 2


def test_what_is_broken_is_shown_as_far_as_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.jsonl").write_bytes(lines(STREAM[:5]))
    assert inspect_terminal(Source("d.jsonl")) == 1
    told = capsys.readouterr()
    assert "the stream ended before it was done" in told.out
    assert json.loads(told.err)["rule"] == "stream/truncated"
    Path("h.jsonl").write_bytes(lines([USER, {**USER, "parts": 5}, USER]))
    assert inspect_terminal(Source("h.jsonl"), results=Results("text")) == 1
    told = capsys.readouterr()
    assert told.out.count("text       Hi") == 2
    assert "h.jsonl:2:" in told.err
    assert told.err.rstrip().endswith("^")


def test_a_gap_shows_in_the_view(capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.jsonl").write_bytes(lines(STREAM[:2] + STREAM[3:]))
    assert inspect_terminal(Source("d.jsonl")) == 0
    assert "  warning " in capsys.readouterr().out
