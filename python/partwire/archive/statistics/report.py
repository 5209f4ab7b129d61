"""The page of an archive's figures: one file of HTML, which loads nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from importlib.resources import files
from typing import Any, Final, NamedTuple

from ...version import __version__
from .figures import Distribution, Figures
from .plots import Series, bar, columns, histogram, seen, short

__all__ = ["report_of"]

_MOST_ROWS: Final = 200
_MOST_SERIES: Final = 5
_MOST_COLUMNS: Final = 92
_STRAY_SHARE: Final = 0.001
_NOTHING: Final = "–"


class _Html(str):
    """Text that is HTML already."""

    __slots__ = ()


class _Section(NamedTuple):
    id: str
    heading: str
    body: str


def report_of(figures: Figures) -> bytes:
    """Return the page."""
    made: list[Callable[[Figures], _Section | None]] = [
        _volumes,
        _undeclared,
        _findings,
        _usage,
        _latency,
        _endings,
        _calls,
        _streams,
        _runs,
        _values,
        _members,
        _sizes,
        _about,
    ]
    sections = [section for make in made if (section := make(figures)) is not None]
    style = files(__package__).joinpath("report.css").read_text("utf-8")
    links = "".join(f'<li><a href="#{each.id}">{each.heading}</a></li>' for each in sections)
    body = "".join(
        f'<section id="{each.id}" aria-labelledby="{each.id}-h"><h2 id="{each.id}-h">'
        f"{each.heading}</h2>{each.body}</section>"
        for each in sections
    )
    name = escape(f"{figures.type} {figures.version}")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Archive of {name}</title><style>{style}</style></head><body>"
        f"<header><h1>Archive of {name}</h1>{_head(figures)}</header>"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav><main>{body}</main></body></html>\n'
    ).encode()


# --- sections -------------------------------------------------------------------------------------


def _head(figures: Figures) -> str:
    days = sorted({row["day"] for row in figures.volumes if row["day"]})
    facts = {
        "documents": f"{figures.documents:,}",
        "bytes": f"{short(figures.bytes)}B",
        "days with documents": f"{len(days):,}",
        "invalid": _of(figures.invalid, figures.documents),
        "quarantined lines": f"{figures.lines['quarantined']:,}",
        "undeclared members": f"{len(figures.undeclared):,}",
    }
    tiles = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items())
    period = f"<p>From {days[0]} to {days[-1]}, in UTC.</p>" if days else ""
    return f'{period}<dl class="tiles">{tiles}</dl>'


def _volumes(figures: Figures) -> _Section | None:
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    sizes: Counter[str] = Counter()
    undated = 0
    for row in figures.volumes:
        if row["day"] is None:
            undated += row["documents"]
            continue
        by_kind[row["kind"] or "other"][row["day"]] += row["documents"]
        sizes[row["day"]] += row["bytes"]
    if not by_kind:
        return None
    plot = _over_time("Documents", by_kind)
    days: Counter[str] = Counter()
    for counts in by_kind.values():
        days.update(counts)
    kinds = _largest(by_kind)
    rows = [
        [day, days[day], f"{short(sizes[day])}B", *(by_kind[kind][day] for kind in kinds)]
        for day in sorted(days)
    ]
    table = _folded("Documents by day", ["day", "documents", "bytes", *kinds], rows)
    more = f"<p>Documents that do not say when they were made: {undated:,}.</p>" if undated else ""
    return _Section("volumes", "Volumes over time", plot + more + table)


def _undeclared(figures: Figures) -> _Section | None:
    rows = figures.undeclared
    if not rows:
        return _Section("undeclared", "Members that nobody declared", "<p>There are none.</p>")
    days = sorted({row["day"] for row in figures.volumes if row["day"]})
    first, last = (days[0], days[-1]) if days else ("", "")
    told = [
        [
            _code(row["place"]),
            row["type"],
            row["count"],
            row["first"],
            row["last"],
            _seen(row["first"], row["last"], first, last),
            f"{row['source']}:{row['line']}",
        ]
        for row in rows
    ]
    head = ["place", "type", "count", "first", "last", "within all days", "for example"]
    words = (
        "<p>What the type does not name, also where any member may be. "
        "<code>*</code> is any item, or any name of a map.</p>"
    )
    return _Section("undeclared", "Members that nobody declared", words + _table(head, told))


def _findings(figures: Figures) -> _Section | None:
    if not figures.findings:
        return _Section("findings", "Findings", "<p>There are none.</p>")
    by_rule: dict[tuple[str, str], int] = Counter()
    for row in figures.findings:
        by_rule[row["severity"], row["rule"]] += row["count"]
    most = max(by_rule.values())
    rules = [
        [_code(rule), severity, count, _Html(bar(count / most))]
        for (severity, rule), count in sorted(by_rule.items(), key=lambda row: -row[1])
    ]
    places = [
        [
            _code(row["rule"]),
            _code(row["place"] or "the document"),
            row["count"],
            f"{row['source']}:{row['line']}",
        ]
        for row in figures.findings
    ]
    body = _table(["rule", "severity", "count", ""], rules)
    body += _folded("Findings by place", ["rule", "place", "count", "for example"], places)
    return _Section("findings", "Findings", body)


def _usage(figures: Figures) -> _Section | None:
    if not figures.usage:
        return None
    kinds = [
        ("inputTokens", "input"),
        ("cacheReadTokens", "from cache"),
        ("cacheWriteTokens", "to cache"),
        ("outputTokens", "output"),
        ("reasoningTokens", "reasoning"),
    ]
    by_model: dict[str, Counter[str]] = defaultdict(Counter)
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for row in figures.usage:
        model = row["model"] or "not said"
        tokens = (row["inputTokens"] or 0) + (row["outputTokens"] or 0)
        if row["day"]:
            by_model[model][row["day"]] += tokens
        for name, value in row.items():
            if isinstance(value, (int, float)):
                sums[model][name] += value  # type: ignore[assignment]  # a cost
    shown = [(name, label) for name, label in kinds if any(each[name] for each in sums.values())]
    has_cost = any(each["cost"] for each in sums.values())
    head = ["model", "documents", *(label for _, label in shown), *(["cost"] if has_cost else [])]
    ordered = sorted(
        sums.items(), key=lambda row: -(row[1]["inputTokens"] + row[1]["outputTokens"])
    )
    rows = [
        [
            model,
            each["documents"],
            *(short(each[name]) for name, _ in shown),
            *([f"{each['cost']:,.2f}"] if has_cost else []),
        ]
        for model, each in ordered
    ]
    days = [
        [
            row["day"],
            row["model"] or "not said",
            row["documents"],
            *(row[name] for name, _ in shown),
            *([None if row["cost"] is None else f"{row['cost']:,.4f}"] if has_cost else []),
        ]
        for row in sorted(figures.usage, key=lambda row: (row["day"] or "", row["model"] or ""))
    ]
    body = _over_time("Tokens read and written", by_model) if by_model else ""
    body += _table(head, rows) + _folded("Tokens by day and model", ["day", *head], days)
    return _Section("usage", "Tokens by model", body)


def _latency(figures: Figures) -> _Section | None:
    rows = [each for each in figures.latency if each.milliseconds.count]
    if not rows:
        return None
    low = min(each.milliseconds.buckets[0][0] for each in rows)
    high = max(each.milliseconds.buckets[-1][0] for each in rows)
    told = [
        [
            each.model or "not said",
            each.milliseconds.count,
            *_percentiles(each.milliseconds, _duration),
            _Html(
                histogram(
                    f"Durations of {each.model}: half of them below "
                    f"{_duration(each.milliseconds.p50)}",
                    dict(each.milliseconds.buckets),
                    (low, high),
                )
            ),
        ]
        for each in rows
    ]
    impossible = sum(each.impossible for each in figures.latency)
    ends = f"{_duration(low)} … {_duration(high)}"
    words = "<p>Measured from when a message began to when it was complete, where it says both."
    if impossible:
        words += f" Left out, since they end before they begin: {impossible:,}."
    head = ["model", "messages", *_SHARES, ends]
    return _Section("latency", "How long messages took", f"{words}</p>{_table(head, told)}")


def _endings(figures: Figures) -> _Section | None:
    if not figures.finish_reasons and not figures.cut:
        return None
    body = ""
    if figures.finish_reasons:
        reasons: Counter[str] = Counter()
        models: dict[str, Counter[str]] = defaultdict(Counter)
        for row in figures.finish_reasons:
            reason = row["finishReason"] or "not said"
            reasons[reason] += row["documents"]
            models[reason][row["model"] or "not said"] += row["documents"]
        total = sum(reasons.values())
        rows = [
            [reason, count, _percent(count, total), _Html(bar(count / total)), _top(models[reason])]
            for reason, count in reasons.most_common()
        ]
        has_models = any(row["model"] for row in figures.finish_reasons)
        head = ["finish reason", "documents", "share", "", "models"]
        if not has_models:
            head, rows = head[:-1], [row[:-1] for row in rows]
        body += _table(head, rows)
    if figures.cut:
        endings: dict[str, Counter[str]] = defaultdict(Counter)
        for row in figures.cut:
            endings[row["ending"] or "not said"][row["day"] or ""] += row["documents"]
        body += "<h3>Streams that were cut or failed</h3>"
        dated = {name: _without(days, "") for name, days in endings.items()}
        if any(dated.values()):
            body += _over_time("Streams that were cut or failed", dated)
        totals = [[name, sum(days.values())] for name, days in endings.items()]
        body += _table(["ending", "documents"], sorted(totals, key=lambda row: -row[1]))
    return _Section("endings", "How answers ended", body)


def _calls(figures: Figures) -> _Section | None:
    if figures.calls is None:
        return None
    tools = figures.calls["tools"]
    rows = [
        [
            each.tool or "not said",
            each.calls,
            each.calls - each.answered,
            each.failed,
            _percent(each.failed, each.answered),
            _Html(bar(each.failed / each.answered if each.answered else 0)),
        ]
        for each in tools
    ]
    words = (
        f"<p>{figures.calls['count']:,} calls; a result belongs to the call of the same run and "
        f"id.{_sampled(figures.calls)} The rate is of calls that have a result.</p>"
    )
    head = ["tool", "calls", "unanswered", "failed", "error rate", ""]
    return _Section("tools", "Tool calls", words + _table(head, rows))


def _streams(figures: Figures) -> _Section | None:
    found = figures.streams
    if found is None or not found["sampled"]:
        return None
    head = ["", "streams", *_SHARES]
    names = {
        "firstContentMilliseconds": ("from start to the first content", _duration),
        "milliseconds": ("from start to the last delta", _duration),
        "deltas": ("deltas", _number),
    }
    rows = [
        [label, found[name].count, *_percentiles(found[name], form)]
        for name, (label, form) in names.items()
    ]
    words = (
        f"<p>{found['count']:,} streams, by runId and messageId; "
        f"{_of(found['cut'], found['sampled'])} have neither a done nor an error delta."
        f"{_sampled(found)} Times are those that deltas say: from the start delta to the first one "
        "of text, thinking, a call or media, and to the last one of streams that have ended.</p>"
    )
    return _Section("streams", "Streams", words + _table(head, rows))


def _runs(figures: Figures) -> _Section | None:
    found = figures.runs
    if found is None or not found["sampled"]:
        return None
    rows = [
        ["messages", found["messages"].count, *_percentiles(found["messages"], _number)],
        [
            "from the first message to the last",
            found["milliseconds"].count,
            *_percentiles(found["milliseconds"], _duration),
        ],
    ]
    words = f"<p>{found['count']:,} runs.{_sampled(found)}</p>"
    return _Section("runs", "Runs", words + _table(["", "runs", *_SHARES], rows))


def _values(figures: Figures) -> _Section | None:
    if not figures.values:
        return None
    most: Counter[str] = Counter()
    for row in figures.values:
        most[row["place"]] = max(most[row["place"]], row["count"])
    rows = []
    before = None
    for row in figures.values:
        place = row["place"]
        strange = row.get("known") is False
        rows.append(
            [
                _code(place) if place != before else _Html(""),
                _Html(f"{escape(row['value'])}{' <em>not known</em>' if strange else ''}"),
                row["count"],
                _Html(bar(row["count"] / most[place], 2 if strange else 1)),
            ]
        )
        before = place
    words = (
        "<p>What is in members of few values, and in some others. <em>Not known</em> is what the "
        "contract has no word for.</p>"
    )
    return _Section(
        "values", "Kinds and values", words + _table(["place", "value", "count", ""], rows)
    )


def _members(figures: Figures) -> _Section | None:
    there = [(place, count) for place, count in figures.members.items() if count]
    if not there:
        return None
    most = max(count for _, count in there)
    rows = [[_code(place), count, _Html(bar(count / most))] for place, count in there]
    body = _folded(
        f"{len(there)} members that are there", ["place", "count", ""], rows, most=10_000
    )
    absent = [place for place, count in figures.members.items() if not count]
    if absent:
        listed = ", ".join(f"<code>{escape(place)}</code>" for place in absent)
        body += (
            f"<details><summary>{len(absent)} members that are declared and never there</summary>"
            f"<p>{listed}</p></details>"
        )
    return _Section("members", "Members", body)


def _sizes(figures: Figures) -> _Section | None:
    found = figures.sizes
    if not found.count:
        return None
    ends = (found.buckets[0][0], found.buckets[-1][0])
    row = [
        found.count,
        *_percentiles(found, _bytes),
        _Html(
            histogram(
                f"Sizes of documents: half of them below {_bytes(found.p50)}",
                dict(found.buckets),
                ends,
            )
        ),
    ]
    head = ["documents", *_SHARES, f"{_bytes(ends[0])} … {_bytes(ends[1])}"]
    return _Section("sizes", "Sizes of documents", _table(head, [row]))


def _about(figures: Figures) -> _Section:
    lines = [[name.replace("_", " "), count] for name, count in figures.lines.items()]
    words = (
        "<p>All is counted from the documents themselves. Percentiles of durations and sizes are "
        "right to 1.6 %. A table keeps at most 2,000 names (volumes 20,000, buckets 10,000); of "
        "runs, streams and calls 4,096 are kept, chosen fairly, each with all that belongs to it. "
        "The same figures are in <code>statistics.json</code>.</p>"
    )
    if figures.bounded:
        names = ", ".join(figures.bounded)
        words += (
            f"<p>More names than are kept had: {escape(names)}. There the most frequent ones are "
            "shown; a count may be too high by 0.3 % of all counts of its table together.</p>"
        )
    words += _table(["lines", "count"], lines)
    return _Section("about", "How it was counted", f"{words}<p>partwire {__version__}</p>")


# --- pieces ---------------------------------------------------------------------------------------

_SHARES: Final = ("p50", "p90", "p95", "p99", "max")


def _table(
    head: Sequence[str], rows: Sequence[Sequence[Any]], most: int = _MOST_ROWS, name: str = ""
) -> str:
    """Return a table of at most some rows; numbers stand on the right."""
    numeric = {
        at
        for at in range(len(head))
        if rows and all(_is_number(row[at]) for row in rows if row[at] is not None)
    }
    cells = "".join(
        f'<th scope="col"{" class=n" if at in numeric else ""}>{escape(each)}</th>'
        for at, each in enumerate(head)
    )
    body = "".join(
        f"<tr>{''.join(_cell(each, at in numeric) for at, each in enumerate(row))}</tr>"
        for row in rows[:most]
    )
    label = escape(name or head[0] or head[1])
    more = len(rows) - most
    rest = f"<p>{more:,} more are in <code>statistics.json</code>.</p>" if more > 0 else ""
    return (
        f'<div class="table" role="region" aria-label="{label}" tabindex="0"><table>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>{rest}"
    )


def _folded(
    name: str, head: Sequence[str], rows: Sequence[Sequence[Any]], most: int = _MOST_ROWS
) -> str:
    table = _table(head, rows, most, name)
    return f"<details><summary>{escape(name)}</summary>{table}</details>"


def _cell(value: Any, is_number: bool) -> str:
    if isinstance(value, _Html):
        return f"<td>{value}</td>"
    told = _NOTHING if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    return f"<td{' class=n' if is_number else ''}>{escape(told)}</td>"


def _is_number(value: Any) -> bool:
    if isinstance(value, _Html):
        return False
    return isinstance(value, (int, float)) or (
        isinstance(value, str) and (value == _NOTHING or value[:1].isdigit()) and len(value) < 12
    )


def _code(text: str) -> _Html:
    return _Html(f"<code>{escape(text)}</code>")


def _over_time(about: str, by_name: Mapping[str, Mapping[str, int]]) -> str:
    """Return the plot of counts by day, for the names with the most, and the others together."""
    all_days: Counter[str] = Counter()
    for days in by_name.values():
        all_days.update(days)
    if not any(all_days.values()):
        return ""
    bins, of_day, strays = _bins(all_days)
    names = _largest(by_name)
    series = [Series(name, _binned(by_name[name], bins, of_day)) for name in names]
    others = [days for name, days in by_name.items() if name not in names]
    if others:
        rest: Counter[str] = Counter()
        for days in others:
            rest.update(days)
        series.append(Series("others", _binned(rest, bins, of_day)))
    unit = {10: "day", 7: "month", 4: "year"}[len(bins[0])]
    if len(bins) > 1 and len(bins[0]) == 10 and bins[1] != _next(bins[0]):
        unit = "week"
    words = f"{about} by {unit}, from {bins[0]} to {bins[-1]}"
    told = f"<figcaption>{escape(about)} by {unit}"
    told += f"; {strays:,} are far before or behind and not shown" if strays else ""
    return f"<figure>{told}</figcaption>{columns(words, bins, series)}</figure>"


def _largest(by_name: Mapping[str, Mapping[str, int]]) -> list[str]:
    ordered = sorted(by_name, key=lambda name: (-sum(by_name[name].values()), name))
    return ordered[:_MOST_SERIES]


def _binned(
    days: Mapping[str, int], bins: Sequence[str], of_day: Callable[[str], str]
) -> list[int]:
    counts: Counter[str] = Counter()
    for day, count in days.items():
        counts[of_day(day)] += count
    return [counts[each] for each in bins]


def _bins(days: Mapping[str, int]) -> tuple[list[str], Callable[[str], str], int]:
    """Return days, weeks, months or years in order, what gives that of a day, and how many
    documents are so far from the others that they would only make the plot small.
    """
    total, before = sum(days.values()), 0
    kept = []
    for day in sorted(days):
        before += days[day]
        if before > total * _STRAY_SHARE and before - days[day] < total * (1 - _STRAY_SHARE):
            kept.append(day)
    first, last = date.fromisoformat(kept[0]), date.fromisoformat(kept[-1])
    strays = total - sum(days[day] for day in kept)
    count = (last - first).days + 1
    if count <= _MOST_COLUMNS:
        return [str(first + timedelta(each)) for each in range(count)], str, strays
    if count <= 7 * _MOST_COLUMNS:
        return _weeks(first, last), _week_of, strays
    if count <= 30 * _MOST_COLUMNS:
        months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
        return [f"{at // 12:04}-{at % 12 + 1:02}" for at in months], lambda day: day[:7], strays
    years = [f"{year:04}" for year in range(first.year, last.year + 1)]
    return years, lambda day: day[:4], strays


def _weeks(first: date, last: date) -> list[str]:
    begin = date.fromisoformat(_week_of(str(first)))
    return [str(begin + timedelta(7 * each)) for each in range((last - begin).days // 7 + 1)]


def _week_of(day: str) -> str:
    found = date.fromisoformat(day)
    return str(found - timedelta(found.weekday()))


def _next(day: str) -> str:
    return str(date.fromisoformat(day) + timedelta(1))


def _seen(first: str | None, last: str | None, begin: str, end: str) -> _Html:
    if not (first and last and begin and end):
        return _Html("")
    days = [date.fromisoformat(each).toordinal() for each in (begin, first, last, end)]
    whole = days[3] - days[0] + 1
    return _Html(seen((days[1] - days[0]) / whole, (days[2] - days[0] + 1) / whole))


def _percentiles(found: Distribution, form: Callable[[float | None], str]) -> Iterable[str]:
    return [form(getattr(found, name)) for name in _SHARES]


def _duration(ms: float | None) -> str:
    if ms is None:
        return _NOTHING
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if ms >= size:
            return f"{ms / size:.3g} {unit}"
    return f"{ms:.3g} ms"


def _bytes(number: float | None) -> str:
    if number is None:
        return _NOTHING
    told = short(number)
    return f"{told}B" if " " in told else f"{told} B"


def _number(number: float | None) -> str:
    return _NOTHING if number is None else short(number)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else _NOTHING


def _of(part: int, whole: int) -> str:
    return f"{part:,} ({_percent(part, whole)})" if part else "0"


def _sampled(found: Mapping[str, Any]) -> str:
    if found["sampled"] == found["count"]:
        return ""
    return f" Of these, {found['sampled']:,} are looked at, chosen by a digest of their names."


def _top(models: Counter[str]) -> str:
    named = [f"{name} {count:,}" for name, count in models.most_common(3)]
    return ", ".join(named) + (" …" if len(models) > 3 else "")


def _without(days: Mapping[str, int], name: str) -> dict[str, int]:
    return {day: count for day, count in days.items() if day != name}
