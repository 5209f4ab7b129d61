"""The figures of an archive: what its tally says, in the form that programs read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ..steps import Totals
from .counting import DRIFT, VALUES, Measured
from .measures import CALLS
from .sketches import Estimate, Sums, percentile
from .tally import FINDINGS, Tally

if TYPE_CHECKING:
    from ..documents.options import Statistics

__all__ = ["Distribution", "Figures", "Latency", "Tokens", "Tool", "figures_of"]

Text: TypeAlias = bytes
Place = Callable[[int, int], tuple[str, int]]

_SHARES: Final = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
_BILLION: Final = 1_000_000_000
_MOST_TOOLS: Final = 200


class Distribution(msgspec.Struct, omit_defaults=True):
    """How numbers are distributed. Percentiles are right to 1.6 %; of a sample they are exact."""

    count: int
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None
    buckets: list[tuple[int, int]] = []
    """The least number of each bucket, and how many numbers are in it."""


class Latency(msgspec.Struct):
    """How long messages of a model took."""

    model: str | None
    milliseconds: Distribution
    impossible: int
    """Messages that ended before they began."""


class Tokens(msgspec.Struct):
    """How many tokens documents of a model have read and written."""

    model: str | None
    input: Distribution
    output: Distribution


class Tool(msgspec.Struct):
    """Calls of a tool, as far as the sample of calls has them."""

    tool: str | None
    calls: int
    answered: int
    failed: int


class Figures(msgspec.Struct):
    """What is in an archive. Lists are in the order in which a reader wants them."""

    type: str
    version: str
    lines: dict[str, int]
    documents: int
    bytes: int
    invalid: int
    volumes: list[dict[str, Any]]
    """Documents and bytes by day and kind."""
    sizes: Distribution
    """Of documents, in bytes."""
    members: dict[str, int]
    """How often a declared member is there, by place."""
    values: list[dict[str, Any]]
    undeclared: list[dict[str, Any]]
    findings: list[dict[str, Any]]
    usage: list[dict[str, Any]] = []
    tokens: list[Tokens] = []
    latency: list[Latency] = []
    finish_reasons: list[dict[str, Any]] = msgspec.field(default_factory=list, name="finishReasons")
    cut: list[dict[str, Any]] = []
    """Documents that say of a stream that it did not end well, by day."""
    streams: dict[str, Any] | None = None
    runs: dict[str, Any] | None = None
    calls: dict[str, Any] | None = None
    bounded: list[str] = []
    """Tables that had more names than are kept: theirs are the most frequent ones, estimated."""

    def to_json(self) -> Text:
        """Return the figures as JSON text."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def figures_of(
    tally: Tally, measured: Measured, options: Statistics, totals: Totals, place: Place
) -> Figures:
    """Return what a tally says; ``place`` gives source and line of a part and a line in it."""
    sums = tally.sums
    documents, size = sums["volumes"].total
    lines = msgspec.to_builtins(totals)
    del lines["counts"], lines["made"], lines["given_on"]
    made = Figures(
        type=options.type,
        version=options.version,
        lines=lines,
        documents=documents or 0,
        bytes=size or 0,
        invalid=tally.invalid,
        volumes=_rows(sums["volumes"], ("day", "kind"), ("documents", "bytes")),
        sizes=_sizes(sums["sizes"]),
        members={name: tally.members[name] for name in measured.places.declared},
        values=_values(sums[VALUES], measured),
        undeclared=_placed(sums[DRIFT], place, ("place", "type"), ("count", "first", "last")),
        findings=_placed(sums[FINDINGS], place, ("severity", "rule", "place"), ("count",)),
        bounded=sorted(name for name, each in sums.items() if not each.is_exact),
    )
    for table in measured.tables:
        names = [name for name, _ in table.of]
        match table.name:
            case "usage":
                made.usage = _usage(sums["usage"], names)
                made.tokens = _tokens(sums["read"], sums["written"])
            case "latency":
                made.latency = _latency(sums["latency"])
            case "finish":
                rows = _rows(sums["finish"], ("model", "finishReason"), names)
                made.finish_reasons = sorted(rows, key=lambda row: -row["documents"])
            case "cut":
                made.cut = _rows(sums["cut"], ("day", "ending"), names)
            case "streams":
                made.streams = _streams(tally)
            case "runs":
                made.runs = _runs(tally)
    made.calls = _calls(tally)
    return made


def _rows(sums: Sums, by: Sequence[str], of: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows as objects, ordered by their names; what is not said comes last."""
    return [
        dict(zip(by, each.key, strict=True)) | dict(zip(of, each.values, strict=True))
        for each in sorted(
            sums.estimates(), key=lambda row: [(n is None, n or "") for n in row.key]
        )
    ]


def _often(estimates: Iterable[Estimate]) -> list[Estimate]:
    return sorted(estimates, key=lambda each: -(each.values[0] or 0))


def _values(sums: Sums, measured: Measured) -> list[dict[str, Any]]:
    made = []
    order = {place: at for at, place in enumerate(measured.places.counted)}
    for each in sorted(_often(sums.estimates()), key=lambda row: order[row.key[0]]):
        place, value = each.key
        known = measured.places.counted[place]
        row = {"place": place, "value": value, "count": each.values[0]}
        made.append(row if known is None else row | {"known": value in known})
    return made


def _placed(sums: Sums, place: Place, by: Sequence[str], of: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows as objects, the most frequent ones first, each with the place of a document."""
    made = []
    for each in _often(sums.estimates()):
        source, line = place(*each.place)
        row = dict(zip(by, each.key, strict=True)) | dict(zip(of, each.values, strict=True))
        made.append(row | {"source": source, "line": line})
    return made


def _sizes(sums: Sums) -> Distribution:
    return _distribution([(each.key[0], each.values[0] or 0) for each in sums.estimates()])


def _distribution(counts: Iterable[tuple[int, int]]) -> Distribution:
    counts = sorted(counts)
    if not counts:
        return Distribution(0)
    total = sum(count for _, count in counts)
    made = Distribution(total, max=percentile(counts, 1), buckets=counts)
    for name, share in _SHARES.items():
        setattr(made, name, percentile(counts, share))
    return made


def _of_numbers(numbers: Iterable[int]) -> Distribution:
    ordered = sorted(numbers)
    if not ordered:
        return Distribution(0)
    last = len(ordered) - 1
    made = Distribution(len(ordered), max=float(ordered[-1]))
    for name, share in _SHARES.items():
        setattr(made, name, float(ordered[min(int(share * len(ordered)), last)]))
    return made


def _usage(sums: Sums, names: Sequence[str]) -> list[dict[str, Any]]:
    rows = _rows(sums, ("model", "day"), names)
    for row in rows:
        cost = row.pop("costBillionths")
        row["cost"] = None if cost is None else cost / _BILLION
    return rows


def _by_model(sums: Sums) -> Iterator[tuple[str | None, list[tuple[int, int]]]]:
    """Yield each model with its buckets and how many documents are in them."""
    ordered = sorted(sums.estimates(), key=lambda each: (each.key[0] is None, each.key[0] or ""))
    for model, rows in groupby(ordered, key=lambda each: each.key[0]):
        yield (
            model,
            [(each.key[1], each.values[0] or 0) for each in rows if each.key[1] is not None],
        )


def _tokens(read: Sums, written: Sums) -> list[Tokens]:
    answers = dict(_by_model(written))
    made = [
        Tokens(model, _distribution(counts), _distribution(answers.get(model, ())))
        for model, counts in _by_model(read)
    ]
    return sorted(made, key=lambda each: -each.input.count)


def _latency(sums: Sums) -> list[Latency]:
    made = []
    for model, counts in _by_model(sums):
        times = [row for row in counts if row[0] >= 0]
        impossible = sum(count for span, count in counts if span < 0)
        made.append(Latency(model, _distribution(times), impossible))
    return sorted(made, key=lambda each: -each.milliseconds.count)


def _streams(tally: Tally) -> dict[str, Any]:
    sample = tally.samples["streams"]
    rows = list(sample.rows())
    waits, took = [], []
    ended = 0
    for _, _, start, content, last, is_ended in rows:
        if start is not None and content is not None and content >= start:
            waits.append(content - start)
        if start is not None and last is not None and is_ended and last >= start:
            took.append(last - start)
        ended += bool(is_ended)
    return {
        "count": sample.count(),
        "sampled": len(rows),
        "cut": len(rows) - ended,
        "deltas": _of_numbers(row[0] for row in rows),
        "firstContentMilliseconds": _of_numbers(waits),
        "milliseconds": _of_numbers(took),
    }


def _runs(tally: Tally) -> dict[str, Any]:
    sample = tally.samples["runs"]
    rows = list(sample.rows())
    spans = [last - first for _, first, last in rows if first is not None and last is not None]
    return {
        "count": sample.count(),
        "sampled": len(rows),
        "messages": _of_numbers(row[0] for row in rows),
        "milliseconds": _of_numbers(spans),
    }


def _calls(tally: Tally) -> dict[str, Any] | None:
    sample = tally.samples[CALLS]
    rows = list(sample.rows())
    if not rows:
        return None
    tools: dict[str | None, Tool] = defaultdict(lambda: Tool(None, 0, 0, 0))
    for name, failed in rows:
        tool = tools[name]
        tool.tool = name
        tool.calls += 1
        tool.answered += failed is not None
        tool.failed += failed or 0
    ordered = sorted(tools.values(), key=lambda each: (-each.calls, each.tool or ""))
    return {"count": sample.count(), "sampled": len(rows), "tools": ordered[:_MOST_TOOLS]}
