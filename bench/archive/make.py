"""Make an archive: JSON Lines in which the deltas of many runs are mixed, and their truth.

The bursts of each stream are put into a ring of rounds, each round is written when all that belongs
into it is known, and nothing but the open streams is held. All is decided by the seed.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Final

import msgspec

from .faults import OnUnknown, Stored, stored
from .streams import Digest, Stream, canonical, make_stream, message_of

__all__ = ["HARMFUL", "HARMLESS", "Options", "Truth", "make_archive"]

HARMLESS: Final[Mapping[str, float]] = {
    "cut": 0.01, "failed": 0.01, "repeated": 0.005, "repeated_late": 0.002, "twice": 0.001,
    "resumed": 0.002, "reordered": 0.005,
}  # fmt: skip
"""Shares of streams with faults that make no line useless: any script has to cope with them."""

HARMFUL: Final[Mapping[str, float]] = {
    "conflicting": 0.0005, "after_end": 0.0005, "broken": 0.0005, "nameless": 0.0002,
    "wrong": 0.0005, "bad_utf8": 0.0002, "unknown": 0.0005, "headless": 0.0005,
}  # fmt: skip
"""Shares of streams with lines that are quarantined."""

_DELTAS: Final = 66
_ROUNDS: Final = 4096  # of the ring: streams and what comes late end within it
_LATEST: Final = 2000
_LONGEST: Final = 480
_BURSTS: Final = (1, 1, 2, 2, 3, 4, 8)
_ROUNDS_OF_STREAM: Final = 45  # about how many rounds a stream takes
_PARTS: Final = 64  # of an archive whose lines are shuffled
_BLANKS: Final = ("\n", "  \n", "\t\r\n")
_GARBAGE: Final = (
    "Traceback (most recent call last):\n", "{}\n", "null\n", "[1, 2]\n", '{"kind":"text"}\n',
    '{"runId":"","kind":"text"}\n', '"a text"\n', '{"runId":17,"messageId":"m"}\n', "}\n",
)  # fmt: skip


@dataclass(frozen=True)
class Options:
    """What an archive is like.

    ``faults`` are shares of streams by the names of FAULTS, ``garbage`` and ``blank`` of lines,
    ``hot`` is the share of one run in all streams, ``agents`` that of runs with several messages,
    ``without_id`` that of runs whose one message has no id, ``raw`` that of streams with
    providerRaw. ``open_streams`` says how many are open at once, or fewer in a small archive.
    The archive is cut in ``files`` files, one after the other, whose compressions ("", "gz",
    "zst") take turns. ``shuffled`` puts all lines in any order, without ``conflicting``, where the
    order of storing says which line counts. ``on_unknown`` is the policy that the truth is for.
    With ``keeps_messages`` the truth has all messages in a file.
    """

    faults: Mapping[str, float] = field(default_factory=lambda: {**HARMLESS, **HARMFUL})
    garbage: float = 0.0001
    blank: float = 0.0001
    hot: float = 0.0
    agents: float = 0.08
    without_id: float = 0.1
    raw: float = 0.2
    open_streams: int = 1_000
    files: int = 4
    compressions: tuple[str, ...] = ("",)
    shuffled: bool = False
    on_unknown: OnUnknown = "refuse"
    keeps_messages: bool = False


class Truth(msgspec.Struct):
    """What has to come of an archive: lines are the sum of blank to repeats."""

    files: list[str]
    size: int = 0
    """Bytes of all lines, without compression."""
    lines: int = 0
    blank: int = 0
    in_messages: int = 0
    quarantined: int = 0
    repeats: int = 0
    messages: int = 0
    digest: str = ""
    """Of all messages (see Digest), complete and incomplete ones."""
    streams: dict[str, int] = {}
    """How many streams have each fault; "" is none."""
    runs: int = 0
    expected: str | None = None
    """The file of all messages in canonical form, as JSON Lines in no order."""


def make_archive(folder: Path, lines: int, seed: int = 1, options: Options | None = None) -> Truth:
    """Write an archive of about so many lines into a folder, and return its truth.

    The truth is in ``truth.json`` too, beside ``logs/``, which has the archive's files.
    """
    options = options or Options()
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        expected = None
        if options.keeps_messages:
            expected = stack.enter_context((folder / "expected.jsonl").open("wb"))
        maker = _Maker(Random(seed), lines, options, expected)
        files = stack.enter_context(_Files(folder / "logs", lines, options))
        rounds = maker.rounds()
        for text in _shuffled(rounds, Random(seed)) if options.shuffled else rounds:
            files.write(text)
    truth = maker.truth
    truth.files, truth.size = files.names, files.size
    truth.expected = "expected.jsonl" if options.keeps_messages else None
    truth.digest, truth.messages = maker.digest.hex, maker.digest.count
    (folder / "truth.json").write_bytes(msgspec.json.format(msgspec.json.encode(truth)) + b"\n")
    return truth


class _Maker:
    """Streams one after the other, each put into the rounds in which its lines are stored."""

    def __init__(
        self, rng: Random, lines: int, options: Options, expected: BinaryIO | None
    ) -> None:
        self._rng = rng
        self._most = lines
        self._options = options
        self._expected = expected
        self._ring: list[list[str]] = [[] for _ in range(_ROUNDS)]
        self._following: dict[int, list[tuple[int, int]]] = {}  # round: run, messages left
        self._last_round = 0
        faults = dict(options.faults)
        if options.shuffled:
            faults.pop("conflicting", None)
        self._faults = ["", *faults]
        self._shares = list(accumulate([1 - sum(faults.values()), *faults.values()]))
        self._streams = 0
        self.digest = Digest()
        self.truth = Truth([])

    def rounds(self) -> Iterator[bytes]:
        """Yield the lines of each round."""
        options, rng = self._options, self._rng
        most_open = max(min(options.open_streams, self._most // _DELTAS // 4), 1)
        rate, due, now = most_open / _ROUNDS_OF_STREAM, 0.0, 0
        while self.truth.lines < self._most or now <= self._last_round:
            due += rate
            following = self._following.pop(now, ())
            for run, left in following:
                self._put_message(now, run, left)
            due -= len(following)
            while due > 0 and self.truth.lines < self._most:
                due -= 1
                self._put_run(now)
            place = now % _ROUNDS
            bursts, self._ring[place] = self._ring[place], []
            self._put_noise(bursts)
            rng.shuffle(bursts)
            if bursts:
                yield "".join(bursts).encode("utf-8", "surrogateescape")
            now += 1

    def _put_run(self, now: int) -> None:
        options, rng = self._options, self._rng
        if rng.random() < options.hot:
            self._put(now, 0, is_agents=True, has_id=True)
            return
        self.truth.runs += 1
        if rng.random() < options.agents:
            self._put_message(now, self.truth.runs, rng.randint(2, 12))
        else:
            has_id = rng.random() >= options.without_id
            self._put(now, self.truth.runs, is_agents=False, has_id=has_id)

    def _put_message(self, now: int, run: int, left: int) -> None:
        """Put the next message of an agent's run, and see when the one after it begins."""
        end = self._put(now, run, is_agents=True, has_id=True)
        if left > 1 and self.truth.lines < self._most:
            # Some begin while the message before is being written.
            begin = now + 1 if self._rng.random() < 0.1 else end + self._rng.randint(1, 20)
            self._following.setdefault(begin, []).append((run, left - 1))

    def _put(self, now: int, run: int, *, is_agents: bool, has_id: bool) -> int:
        """Put a stream into its rounds; return the one in which it ends."""
        rng, truth, options = self._rng, self.truth, self._options
        self._streams += 1
        length = min(5 + int(rng.expovariate(1 / (_DELTAS - 7))), _LONGEST)
        stream = make_stream(
            rng,
            self._streams,
            run,
            now // 100,
            length=length,
            is_agents=is_agents,
            has_id=has_id,
            raw=options.raw,
        )
        fault = rng.choices(self._faults, cum_weights=self._shares)[0]
        made = stored(rng, stream, fault, options.on_unknown)
        count = len(made.lines) + len(made.late)
        truth.lines += count
        truth.quarantined += made.quarantined
        truth.repeats += made.repeats
        truth.in_messages += count - made.quarantined - made.repeats
        truth.streams[fault] = truth.streams.get(fault, 0) + 1
        self._note_message(stream, made)
        end = self._put_lines(now, made.lines)
        if made.late:
            # Most come soon, some far behind.
            delay = int(_LATEST * rng.random() ** 3) + 1
            self._put_lines(end + delay, made.late)
        return end

    def _note_message(self, stream: Stream, made: Stored) -> None:
        if not made.deltas:
            return
        text = canonical(message_of(stream, made.deltas, made.ending, made.end_stamp))
        self.digest.add(text)
        if self._expected is not None:
            self._expected.write(text + b"\n")

    def _put_lines(self, at: int, lines: list[str]) -> int:
        """Put lines in bursts into rounds from one on; return the last one."""
        rng, ring = self._rng, self._ring
        ends = list(accumulate(rng.choices(_BURSTS, k=len(lines)), initial=0))
        gap = rng.choice((1, 2, 3))
        for begin, end in pairwise(ends):
            ring[at % _ROUNDS].append("".join(lines[begin:end]))
            if end >= len(lines):
                break
            at += gap
        self._last_round = max(self._last_round, at)
        return at

    def _put_noise(self, bursts: list[str]) -> None:
        """Add blank lines, and lines that nobody has written as deltas."""
        rng, truth = self._rng, self.truth
        lines = 3 * len(bursts)  # about
        blank = _some(rng, lines * self._options.blank)
        garbage = _some(rng, lines * self._options.garbage)
        bursts += rng.choices(_BLANKS, k=blank)
        bursts += rng.choices(_GARBAGE, k=garbage)
        truth.lines += blank + garbage
        truth.blank += blank
        truth.quarantined += garbage


def _some(rng: Random, mean: float) -> int:
    """Return a whole number that is this on average."""
    return int(mean + rng.random())


def _shuffled(rounds: Iterator[bytes], rng: Random) -> Iterator[bytes]:
    """Yield the lines in any order: dealt to files, which are shuffled one by one."""
    with ExitStack() as stack:
        parts = [stack.enter_context(TemporaryFile()) for _ in range(_PARTS)]
        for text in rounds:
            lines = text.splitlines(keepends=True) if b"\r" not in text else _lines(text)
            for part, line in zip(rng.choices(parts, k=len(lines)), lines, strict=True):
                part.write(line)
        for part in parts:
            part.seek(0)
            lines = _lines(part.read())
            rng.shuffle(lines)
            yield b"".join(lines)


def _lines(text: bytes) -> list[bytes]:
    return list(io.BytesIO(text))


class _Files:
    """The files of an archive, one after the other.

    The last line of the last one has no end, unless it is empty: else it would not be there.
    """

    def __init__(self, folder: Path, lines: int, options: Options) -> None:
        self._folder = folder
        self._options = options
        self._step = -(-lines // options.files)
        self._left = self._step
        self._file: Any = None
        self._raw: BinaryIO | None = None
        self._end = b""  # of the last line, until it is known that another follows
        self._is_empty = False  # the last line
        self.names: list[str] = []
        self.size = 0

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._is_empty:
            self._file.write(self._end)
        else:
            self.size -= len(self._end)
        self._close()

    def write(self, text: bytes) -> None:
        """Write whole lines; they may be cut between two files."""
        while text:
            if self._file is None or (self._left <= 0 and len(self.names) < self._options.files):
                self._next()
            count = text.count(b"\n")
            piece = text
            if count > self._left and len(self.names) < self._options.files:
                at = 0
                for _ in range(self._left):
                    at = text.find(b"\n", at) + 1
                piece, count = text[:at], self._left
            text = text[len(piece) :]
            self._left -= count
            self.size += len(piece)
            self._file.write(self._end)
            self._file.write(piece[:-1])
            self._end = piece[-1:]
            self._is_empty = piece[-2:] in (b"\n\n", b"\n")

    def _next(self) -> None:
        if self._file is not None:
            self._file.write(self._end)
            self._end = b""
            self._close()
        number = len(self.names)
        how = self._options.compressions[number % len(self._options.compressions)]
        path = self._folder / f"part-{number:04}.jsonl{'.' if how else ''}{how}"
        self.names.append(path.relative_to(self._folder.parent).as_posix())
        self._left = self._step
        self._raw = path.open("wb", 1 << 20)
        self._file = _compressed(self._raw, how)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._raw is not None:
            self._raw.close()


def _compressed(raw: BinaryIO, how: str) -> Any:
    if how == "gz":
        # Without the time, so that the bytes depend on the seed alone.
        return gzip.GzipFile("", "wb", 6, raw, mtime=0)
    if how == "zst":
        import zstandard  # noqa: PLC0415 - few archives need it

        return zstandard.ZstdCompressor(3).stream_writer(raw)
    return raw
