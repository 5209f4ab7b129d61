"""What a run is to do: its inputs as they are now, its options, and its tasks.

The plan is made once and kept with the results. A run that goes on, here or elsewhere, does the
tasks of the same plan, and so ends with the same bytes; an input that has changed since, or another
option, is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from ..errors import Finding, UsageError
from ..version import __version__
from .inputs import Input, common_folder, find_inputs, read_input
from .lines import Block, LongLine, blocks
from .outputs import Compress
from .readers import PassedOver

__all__ = ["Input", "Part", "Plan", "at_least_one", "make_plan"]

_FORMAT: Final = 1
_MOST_TASK_BYTES: Final = 256 << 20
_LEAST_TASK_BYTES: Final = 16 << 20
_TASKS_PER_JOB: Final = 4
_SPAN_BYTES: Final = 64 << 20
_FILE_BYTES: Final = 4 << 10  # to open a file costs as much as to read so many bytes more


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
    base: str = ""
    """The folder that all inputs are in, where results are named by their inputs; else empty."""

    @property
    def compress(self) -> Compress:
        """How the files of the tables are compressed."""
        found: Compress = self.options.get("compress", "none")
        return found

    def to_json(self) -> bytes:
        """Return it as it is kept; equal plans are equal bytes."""
        return msgspec.json.encode(self) + b"\n"

    def sample(self, size: int) -> Plan:
        """Return the plan of a part of this one: the beginning of the inputs.

        It is in one piece: where lines begin in the midst of their streams, it would cost more.
        """
        parts = [part for task in self.tasks for part in task]
        return msgspec.structs.replace(self, tasks=[list(self._beginning(parts, size))])

    def _beginning(self, parts: list[Part], room: int) -> Iterator[Part]:
        for part in parts:
            length = self.size_of(part)
            if length > room:
                yield Part(part.source, part.begin, part.begin + room)
                return
            yield part
            room -= length

    def size_of(self, part: Part) -> int:
        """Return how many bytes a part has, as they are stored."""
        end = self.inputs[part.source].size if part.end is None else part.end
        return end - part.begin

    def digest(self) -> str:
        """Return the name of the plan: that of equal plans alone."""
        return hashlib.sha256(self.to_json()).hexdigest()

    def kept(self, known: bytes) -> Plan:
        """Return the plan that a run has kept, if it is one of the same inputs and options.

        Its tasks are the ones to do. Raises UsageError ``archive/other-plan``.
        """
        try:
            other = msgspec.json.decode(known, type=Plan)
        except ValueError:
            other = None
        if other is None or msgspec.structs.replace(other, tasks=self.tasks) != self:
            raise UsageError(
                Finding(
                    "archive/other-plan",
                    "The target has results of other inputs or options",
                    expected="the same inputs and options, or a target that is empty",
                    actual="a file that is not a plan" if other is None else self._unlike(other),
                )
            )
        return other

    def _unlike(self, other: Plan) -> str:
        if other.inputs != self.inputs:
            pairs = zip(other.inputs, self.inputs, strict=False)
            name = next((mine.name for theirs, mine in pairs if theirs != mine), None)
            return "more or fewer inputs" if name is None else f"another {name}"
        if other.base != self.base:
            return f"names below {other.base or 'no folder that all are in'}"
        for name in {**self.options, **other.options}:
            if self.options.get(name) != other.options.get(name):
                return f"{name}: {other.options.get(name)}"
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

        Raises as :func:`~.inputs.read_input`.
        """
        return read_input(self.inputs[part.source], part.begin, part.end)

    def blocks(self, part: Part, most: int, first: int = 1) -> Iterator[Block | LongLine]:
        """Yield the lines of a part in blocks; ``most`` is how many bytes a line may have.

        ``first`` is the number of its first line. Raises as :func:`~.inputs.read_input`.
        """
        chunks = self.chunks(part)
        return blocks(chunks, part.source, most, first, is_midway=part.begin > 0)


def make_plan(
    names: Iterable[str],
    operation: str,
    options: dict[str, Any],
    jobs: int,
    task_bytes: int | None = None,
    *,
    takes_files: bool = False,
    passed_over: PassedOver | None = None,
) -> Plan:
    """Return the plan of an operation over files, folders, globs and URLs, in their order.

    Large files of lines are cut into several parts, and small files are put together, so that a
    task has about ``task_bytes``; None: so that ``jobs`` processes have enough to do each. With
    ``takes_files`` no file is cut, and recorded streams are inputs, too. ``passed_over`` gets what
    else is in the folders. Raises UsageError for what cannot be read, and
    ``usage/invalid-argument`` for numbers less than 1.
    """
    at_least_one("jobs", jobs)
    if task_bytes is not None:
        at_least_one("task_bytes", task_bytes)
    names = list(names)
    inputs: list[Input] = []
    cut: set[int] = set()  # those of which parts can be read
    for found in find_inputs(names, takes_files=takes_files, passed_over=passed_over):
        if found.can_be_split and not takes_files:
            cut.add(len(inputs))
        inputs.append(found.input)
    if task_bytes is None:
        # One process shares nothing: each cut would be through all streams that are open there.
        shares = _TASKS_PER_JOB * jobs if jobs > 1 else 1
        share = sum(_FILE_BYTES + each.size for each in inputs) // shares
        task_bytes = min(max(share, _LEAST_TASK_BYTES), _MOST_TASK_BYTES)
    tasks: list[list[Part]] = []
    room, step = 0, min(_SPAN_BYTES, task_bytes)
    for number, given in enumerate(inputs):
        at = 0
        while at < given.size or (at == 0 == given.size):
            is_last = number not in cut or at + step >= given.size
            end = None if is_last else at + step
            cost = (given.size if end is None else end) - at + (0 if at else _FILE_BYTES)
            if room < cost or not tasks:
                tasks.append([])
                room = task_bytes
            tasks[-1].append(Part(number, at, end))
            room -= cost
            if is_last:
                break
            at += step
    base = common_folder(names) if takes_files else ""
    return Plan(_FORMAT, __version__, operation, options, inputs, tasks, base)


def at_least_one(name: str, number: object) -> None:
    """Raise UsageError ``usage/invalid-argument`` for what is not a whole number from 1."""
    if type(number) is not int or number < 1:
        raise UsageError(
            Finding(
                "usage/invalid-argument",
                f"{name} is not a number of which a run can be made",
                expected="a whole number from 1",
                actual=repr(number),
            )
        )
