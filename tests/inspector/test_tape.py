"""A tape: what comes once, for every reader from its beginning."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest

from partwire.errors import Finding, FramingError, UsageError
from partwire.inspector import tape as room
from partwire.inspector.tape import Tape
from tests.patience import PATIENCE

MOST = 1 << 20


def coming(pieces: queue.Queue[bytes | Exception | None]) -> Iterator[bytes]:
    while (piece := pieces.get(timeout=PATIENCE)) is not None:
        if isinstance(piece, Exception):
            raise piece
        yield piece


def take(tape: Tape, came: list[bytes]) -> None:
    """Add what comes to ``came``, also what comes before an error."""
    for chunk in tape.chunks():
        came.append(chunk)  # noqa: PERF402 - extend would lose it


def test_every_reader_gets_all_from_the_beginning() -> None:
    pieces: queue.Queue[bytes | Exception | None] = queue.Queue()
    tape = Tape(coming(pieces), MOST)
    first = filter(None, tape.chunks())
    pieces.put(b"one")
    assert next(first) == b"one"
    pieces.put(b"two")
    assert next(first) == b"two"
    late = filter(None, tape.chunks())
    assert next(late) == b"onetwo"
    pieces.put(b"three")
    assert (next(first), next(late)) == (b"three", b"three")
    pieces.put(None)
    assert (list(first), list(late), b"".join(tape.chunks())) == ([], [], b"onetwothree")
    tape.close()


def test_nothing_comes_now_and_then_while_nothing_comes() -> None:
    pieces: queue.Queue[bytes | Exception | None] = queue.Queue()
    tape = Tape(coming(pieces), MOST)
    chunks = tape.chunks()
    assert next(chunks) == b""
    pieces.put(None)
    assert b"".join(chunks) == b""
    tape.close()


def test_an_error_comes_behind_what_came_for_every_reader() -> None:
    def breaking() -> Iterator[bytes]:
        yield b"one"
        raise UsageError(Finding("usage/unreadable-input", "gone"))

    tape = Tape(breaking(), MOST)
    for _ in range(2):
        chunks = filter(None, tape.chunks())
        assert next(chunks) == b"one"
        with pytest.raises(UsageError, match="gone"):
            next(chunks)
    tape.close()


def test_what_is_too_much_ends_the_tape_for_every_reader() -> None:
    tape = Tape(iter([b"one", b"two", b"three"]), 5)
    for _ in range(2):
        came: list[bytes] = []
        with pytest.raises(FramingError, match="at most 5 bytes"):
            take(tape, came)
        assert b"".join(came) == b"onetw"
    tape.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_disk_without_space_ends_the_tape(monkeypatch: pytest.MonkeyPatch) -> None:
    def on_a_full_disk(buffering: int) -> Any:
        return Path("/dev/full").open("r+b", buffering)

    monkeypatch.setattr(room, "TemporaryFile", on_a_full_disk)
    tape = Tape(iter([b"one"]), MOST)
    with pytest.raises(UsageError, match="No space left") as caught:
        list(tape.chunks())
    (told,) = caught.value.findings
    assert (told.expected or "").startswith("a folder for temporary files")
    assert told.actual == gettempdir()
    tape.close()


def test_a_tape_that_is_closed_ends_for_its_reader_and_its_writer() -> None:
    pieces: queue.Queue[bytes | Exception | None] = queue.Queue()
    before = set(threading.enumerate())
    tape = Tape(coming(pieces), MOST)
    (writer,) = set(threading.enumerate()) - before
    chunks = filter(None, tape.chunks())
    pieces.put(b"one")
    assert next(chunks) == b"one"
    tape.close()
    assert list(chunks) == []
    pieces.put(b"two")
    writer.join(PATIENCE)
    assert not writer.is_alive()
