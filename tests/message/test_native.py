"""The native core: the same answers, found where it is installed, and done without where not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import partwire
from partwire import LineAssembler, StreamProtocolError, assemble, native_core, to_wire
from partwire.message import MessageAssembler
from tests.message.delta_streams import delta, lines, stream
from tests.ways import way

__all__ = ["way"]

ROOT = Path(__file__).resolve().parents[2]


def test_the_native_core_takes_what_is_not_odd(way: str) -> None:
    """Nothing else here would fail if it never took a line."""
    if way == "plain":
        assert native_core.core() is None
        return
    rows = lines(stream("start", ("text", "a"), ("text", "b"), "done"))
    lane = native_core.core().Lane(None, [2**40] * 12)
    assert lane.feed(b"\n".join(rows)) is None
    assert lane.last() is None
    assert lane.count == len(rows)
    assert assemble(rows) == partwire.read(lane.message(), "message.Message")


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("text_citation", {"citation": {"source": {"kind": "url", "url": "u"}}}),
        ("server_tool_call_start", {"toolCallId": "s", "toolName": "search"}),
        ("server_tool_result", {"toolCallId": "s", "isError": False, "content": "a"}),
        ("media_start", {"mediaId": "m", "mimeType": "audio/wav"}),
        ("warning", {"code": "other"}),
    ],
)
def test_rare_kinds_are_handed_over(way: str, kind: str, payload: dict[str, Any]) -> None:
    """What came before is told in fewer deltas, and the rules go on from there."""
    plain = stream("start", ("text", "a"), ("text", "b"))
    rows = lines([*plain, delta(kind, 3, payload), *stream(("text", "c"), first=4)])
    if way == "native":
        lane = native_core.core().Lane(None, [2**40] * 12)
        assert lane.feed(b"\n".join(rows) + b"\n") == b"\n".join(rows[3:]) + b"\n"
        assert lane.count == 3
    reader = LineAssembler()
    for row in rows:
        reader.feed(row + b"\n")
    rules = MessageAssembler()
    for row in rows:
        rules.consume(partwire.read(row, "message.MessageDelta"))
    assert reader.assembler.build_partial() == rules.build_partial()


@pytest.mark.parametrize("member", [{"author": {"name": "Ada"}}, {"format": {}}])
def test_a_start_with_an_author_or_a_format_is_handed_over(
    way: str, member: dict[str, Any]
) -> None:
    start, *rest = stream("start", ("text", "a"), "done")
    start["payload"] |= member
    rows = lines([start, *rest])
    if way == "native":
        lane = native_core.core().Lane(None, [2**40] * 12)
        assert lane.feed(b"\n".join(rows)) == b"\n".join(rows)
    document = to_wire(assemble(rows))
    assert [document.get("author"), document["parts"][0]["payload"].get("format")] == [
        member.get("author"),
        member.get("format"),
    ]


def program(code: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), **variables}
    command = [sys.executable, "-c", f"import partwire; {code}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_it_can_be_switched_off() -> None:
    assert program("print(partwire.native)", PARTWIRE_NATIVE="0") == "None"
    installed = partwire.__version__ if find_spec("partwire_native") else None
    assert program("print(partwire.native)", PARTWIRE_NATIVE="1") == str(installed)


def test_one_of_another_version_is_not_used(tmp_path: Path) -> None:
    for version, used in (("0.1.9", "None"), (partwire.__version__, partwire.__version__)):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "partwire_native.py").write_text(f'__version__ = "{version}"\n')
        path = os.pathsep.join([str(folder), str(ROOT / "python")])
        assert program("print(partwire.native)", PYTHONPATH=path, PARTWIRE_NATIVE="1") == used


def test_what_is_odd_is_told_with_its_line_whoever_took_the_lines_before() -> None:
    rows = lines([*stream("start", *[("text", "ab")] * 50), delta("text", 7, {"textDelta": "c"})])
    reader = LineAssembler()
    with pytest.raises(StreamProtocolError) as caught:
        reader.feed(b"\n".join([*rows, b""]))
    (finding,) = caught.value.findings
    assert (finding.rule, finding.line) == ("stream/seq-not-increasing", len(rows))
    assert to_wire(reader.assembler.parts[0])["payload"] == {"text": "ab" * 50}


def test_threads_assemble_side_by_side() -> None:
    """A stream is one thread's own, and the native core works on many at a time."""
    rows = stream("start", *[("text", "words ")] * 4000, "done")
    buffer = b"\n".join(lines(rows))
    got: list[int] = []

    def work() -> None:
        for _ in range(10):
            (part,) = assemble(buffer).parts
            got.append(len(to_wire(part)["payload"]["text"]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [4000 * len("words ")] * 80
