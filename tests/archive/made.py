"""Made archives: many streams, of which some are cut, failed, repeated, shuffled or broken."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from partwire.archive.lines import Block, Row, blocks
from partwire.archive.operations import Assemble
from partwire.archive.readers import read_table
from partwire.archive.run import ArchiveRun, Summary
from partwire.archive.streams.exact import OnUnknown, fold_exactly

__all__ = ["Rows", "assembled", "expected", "lines_of", "make", "run", "stream", "write"]

_MOST_LINE_BYTES = 64 << 20


def _line(
    run: int | str, message: int | str, seq: int, kind: str, payload: dict[str, Any]
) -> bytes:
    names = {"kind": kind, "runId": f"run-{run}", "messageId": f"msg-{message}", "seq": seq}
    stamp = f"2026-11-{1 + seq % 28:02}T00:00:00Z"
    return json.dumps({**names, "payload": payload, "timestamp": stamp}).encode()


def stream(
    run: int | str, message: int | str, texts: list[str], ending: str = "done"
) -> list[bytes]:
    """Return the lines of a stream: ``ending`` is done, error, or cut (nothing)."""
    lines = [_line(run, message, 1, "start", {"modelId": "m", "requestId": f"r-{message}"})]
    lines += [_line(run, message, at, "text", {"textDelta": t}) for at, t in enumerate(texts, 2)]
    last = len(lines) + 1
    if ending == "done":
        lines.append(_line(run, message, last, "done", {"finishReason": "stop"}))
    elif ending == "error":
        lines.append(
            _line(run, message, last, "error", {"errorCode": "timeout", "message": "late"})
        )
    return lines


_BROKEN = (
    b'{"kind":"text","runId":"run-',
    b'{"kind":"text","runId":"run-1","seq":1,"payload":{"textDelta":"\xff"}}',
    b'{"kind":"text","seq":3,"payload":{"textDelta":"whose?"},"timestamp":"2026-11-01T00:00:00Z"}',
    b"[1]",
    b"",
    b"  \r",
    b'{"runId":"run-2","messageId":"msg-none"}',
)


def make(seed: int, streams: int, *, faults: bool = True, mean: int = 12) -> list[bytes]:
    """Return the lines of an archive, of which about twenty streams are open at any time."""
    rng = Random(seed)
    waiting = [
        stream(
            number // 2 if rng.random() < 0.3 else number,
            number,
            [f"piece {rng.randrange(10**6)} " for _ in range(rng.randint(1, 2 * mean))],
            rng.choices(("done", "error", "cut"), (90, 5, 5))[0],
        )
        for number in range(streams)
    ]
    if faults:
        for lines in rng.sample(waiting, streams // 10):
            _spoil(rng, lines)
        for lines in rng.sample(waiting, streams // 20):  # of producers that name no message
            lines[:] = [_ID.sub(b"", line) for line in lines]
    lines = list(_mixed(rng, waiting))
    if faults:
        for broken in _BROKEN * (1 + streams // 200):
            lines.insert(rng.randrange(len(lines)), broken)
        for _ in range(streams // 20):  # what a producer has written again, far behind
            lines.append(lines[rng.randrange(len(lines))])
        far = rng.sample(range(len(lines)), len(lines) // 50)
        for at in far:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return lines


_ID = re.compile(rb'"messageId": "[^"]*", ')


def _spoil(rng: Random, lines: list[bytes]) -> None:
    at = rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            lines.insert(at, lines[at])
        case 1:
            rng.shuffle(lines)
        case 2:
            del lines[at]
        case 3:
            lines[at] = lines[at].replace(b'"payload"', b'"payLoad"')
        case 4:
            lines.insert(at, lines[at].replace(b'"text"', b'"novel"').replace(b"piece", b"other"))
        case 5:  # says the same
            lines.insert(
                at + 1, lines[at].replace(b'"payload"', b'"providerRaw": {"n": 1}, "payload"')
            )
        case 6:
            lines.insert(at + 1, lines[at].replace(b"piece", b"other").replace(b"stop", b"length"))
        case 7:  # behind the end, with another seq or with that of the end
            lines.append(lines[at].replace(b'"seq": ', b'"seq": %d' % rng.choice((0, 9))))


def _mixed(rng: Random, waiting: list[list[bytes]]) -> Iterator[bytes]:
    left = [iter(lines) for lines in reversed(waiting)]
    now = [left.pop() for _ in range(min(20, len(left)))]
    while now:
        at = rng.randrange(len(now))
        line = next(now[at], None)
        if line is not None:
            yield line
        elif left:
            now[at] = left.pop()
        else:
            del now[at]


def write(folder: Path, lines: list[bytes], files: int = 3) -> Path:
    """Write lines to the files of a folder, the last one compressed; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    step = -(-len(lines) // files)
    for at in range(files):
        text = b"".join(line + b"\n" for line in lines[at * step : (at + 1) * step])
        name = folder / f"{at:03}.jsonl"
        if at == files - 1 and files > 1:
            name.with_suffix(".jsonl.gz").write_bytes(gzip.compress(text, 1, mtime=0))
        else:
            name.write_bytes(text)
    return folder


class Rows(NamedTuple):
    """What has come of lines, in no order."""

    messages: Counter[str]
    quarantine: Counter[str]
    """Rule, source and line."""


class _Sink:
    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.rows = Rows(Counter(), Counter())
        self.repeated = 0

    def message(self, text: bytes, lines: int) -> None:
        self.rows.messages[_canonical(text)] += 1

    def quarantine(self, row: Row, finding: Any) -> None:
        self.rows.quarantine[f"{finding.rule} {self.names[row.source]}:{row.number}"] += 1

    def repeats(self, lines: int) -> None:
        self.repeated += lines


def _canonical(text: bytes) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


def lines_of(folder: Path) -> Iterator[Row]:
    """Yield the lines of a folder's files, as an archive's inputs."""
    for source, path in enumerate(sorted(folder.iterdir())):
        data = path.read_bytes()
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        for block in blocks([text], source, _MOST_LINE_BYTES):
            assert isinstance(block, Block)
            for number, line in enumerate(block.data.split(b"\n")[:-1], block.number):
                yield Row(source, number, line)


def expected(folder: Path, work: Path, on_unknown: OnUnknown = "refuse") -> Rows:
    """Return what has to come of a folder: all of its lines, taken exactly and at once."""
    sink = _Sink([str(path) for path in sorted(folder.iterdir())])
    fold_exactly(lines_of(folder), sink, on_unknown, 1 << 30, work)
    return sink.rows


def assembled(target: str | Path) -> Rows:
    """Return what a run has made."""
    rows = Rows(Counter(), Counter())
    for text in read_table(target, "messages"):
        rows.messages[_canonical(text)] += 1
    for text in read_table(target, "quarantine"):
        row = json.loads(text)
        rows.quarantine[f"{row['rule']} {row['source']}:{row['line']}"] += 1
    return rows


def run(source: str | Path, target: str | Path, **options: Any) -> Summary:
    """Assemble a folder."""
    said = {"jobs": 1, "memory": 256 << 20, "task_bytes": 64 << 10, **options}
    how = Assemble(on_unknown=said.pop("on_unknown", "refuse"))
    return ArchiveRun(how, [str(source)], target, **said).go()
