"""What a run is to do: its inputs as they are now, its options, and its tasks.

The plan is made once and kept with the results. A run that goes on, here or elsewhere, does the tasks of the same plan, so that it ends with the same bytes; an input that has changed since, or
another option, is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from ..cli.files.inputs import STDIN, Source, Span, expand, read_chunks, read_span
from ..errors import Finding, UsageError
from ..version import __version__

__all__ = ["Input", "Part", "Plan", "make_plan"]

_FORMAT: Final = 1
_TASK_BYTES: Final = 256 << 20
_SPAN_BYTES: Final = 64 << 20


class Input(msgspec.Struct, frozen=True):
    """A file that is read, and by what it is known again."""

    name: str
    size: int
    stamp: str
    """When it was written, or the tag that a store gives to what it holds."""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """A part of an input: the lines that begin at or behind ``begin`` and before ``end``."""

    source: int
    begin: int
    end: int | None


class Plan(msgspec.Struct, frozen=True):
    """A run that can be begun anywhere, and go on anywhere."""

    format: int
    version: str
    operation: str
    options: dict[str, Any]
    inputs: list[Input]
    tasks: list[list[Part]]

    def to_json(self) -> bytes:
        """Return it as it is kept; equal plans are equal bytes."""
        return msgspec.json.encode(self) + b"\n"

    def digest(self) -> str:
        """Return the name of the plan: that of equal plans alone."""
        return hashlib.sha256(self.to_json()).hexdigest()

    def difference(self, known: bytes) -> str:
        """Say in what another plan, as it is kept, differs."""
        try:
            other = msgspec.json.decode(known, type=Plan)
        except ValueError:
            return "a plan of another version"
        if other.inputs != self.inputs:
            pairs = zip(other.inputs, self.inputs, strict=False)
            differing = next((mine.name for theirs, mine in pairs if theirs != mine), None)
            return f"another input: {differing or 'more or fewer files'}"
        for name in (*self.options, *other.options):
            if self.options.get(name) != other.options.get(name):
                return f"{name} {other.options.get(name)}"
        return f"{other.operation} of version {other.version}"

    def first_lines(self, lines: list[list[int]]) -> list[list[int]]:
        """Return the number of the first line of each part of each task in its input, from 1.

        ``lines`` is how many lines each part has.
        """
        ended = [0] * len(self.inputs)
        found = []
        for parts, counts in zip(self.tasks, lines, strict=True):
            firsts = []
            for part, count in zip(parts, counts, strict=True):
                firsts.append(ended[part.source] + 1)
                ended[part.source] += count
            found.append(firsts)
        return found

    def chunks(self, part: Part) -> Iterator[bytes]:
        """Yield the bytes of a part, without compression, as they come.

        Raises UsageError ``archive/input-changed``, and what reading raises.
        """
        given = self.inputs[part.source]
        _refuse_changed(given)
        if part.begin == 0 and part.end is None:
            yield from read_chunks(given.name)
        else:
            yield from read_span(given.name, Span(part.begin, part.end))
        _refuse_changed(given)


def make_plan(
    names: Iterable[str], operation: str, options: dict[str, Any], task_bytes: int = _TASK_BYTES
) -> Plan:
    """Return the plan of an operation over files, folders and globs, in their order.

    Large files of lines are cut into several parts, and small files are put together, so that a
    task has about ``task_bytes``. Raises UsageError for what cannot be read.
    """
    inputs: list[Input] = []
    tasks: list[list[Part]] = []
    room = 0
    for source in expand(tuple(names)):
        given = _input(source)
        number, at = len(inputs), 0
        inputs.append(given)
        step = min(_SPAN_BYTES, task_bytes)
        while at < given.size or (at == 0 == given.size):
            is_last = not source.can_be_split() or at + step >= given.size
            end = None if is_last else at + step
            size = (given.size if end is None else end) - at
            if room < size or not tasks:
                tasks.append([])
                room = task_bytes
            tasks[-1].append(Part(number, at, end))
            room -= max(size, 1)
            if is_last:
                break
            at += step
    return Plan(_FORMAT, __version__, operation, options, inputs, tasks)


def _input(source: Source) -> Input:
    if source.name == STDIN:
        raise UsageError(
            Finding(
                "usage/unreadable-input",
                "An archive is read more than once",
                expected="files, folders or globs",
                actual="stdin",
            )
        )
    return _seen(source.name)


def _seen(name: str) -> Input:
    try:
        status = os.stat(name)  # noqa: PTH116 - names need not be paths
    except OSError as error:
        from ..cli.files.unreadable import unreadable  # noqa: PLC0415 - only a mistake needs it

        raise unreadable(name, error.strerror or str(error)) from None
    return Input(name, status.st_size, str(status.st_mtime_ns))


def _refuse_changed(given: Input) -> None:
    now = _seen(given.name)
    if now != given:
        raise UsageError(
            Finding(
                "archive/input-changed",
                "An input has changed since the run was planned",
                expected=f"{given.size} bytes, written at {given.stamp}",
                actual=f"{now.size} bytes, written at {now.stamp}",
                source=given.name,
            )
        )
