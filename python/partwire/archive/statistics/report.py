"""The page of an archive's figures: one file of HTML, which loads nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from html import escape
from importlib.resources import files
from typing import NamedTuple

from ...contract.resources import read_rules, rule_url
from ...version import __version__
from .days import largest, over_time, seen_within
from .figures import Distribution, Figures
from .plots import bar, histogram, short
from .tables import Html, code, folded, table_of
from .words import SHARES, byte_size, duration, percent, percentiles, rounded, sampled, with_share

__all__ = ["report_of"]


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
    style = files("partwire.archive.statistics").joinpath("report.css").read_text("utf-8")
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
        "days": f"{len(days):,}",
        "invalid": with_share(figures.invalid, figures.documents),
        "quarantined": f"{figures.lines['quarantined']:,}",
        "undeclared": f"{len(figures.undeclared):,}",
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
    plot = over_time("Documents", by_kind)
    days: Counter[str] = Counter()
    for counts in by_kind.values():
        days.update(counts)
    kinds = largest(by_kind)
    rows = [
        [day, days[day], f"{short(sizes[day])}B", *(by_kind[kind][day] for kind in kinds)]
        for day in sorted(days)
    ]
    table = folded("Documents by day", ["day", "documents", "bytes", *kinds], rows)
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
            code(row["place"]),
            row["type"],
            row["count"],
            row["first"],
            row["last"],
            seen_within(row["first"], row["last"], first, last),
            f"{row['source']}:{row['line']}",
        ]
        for row in rows
    ]
    head = ["place", "type", "count", "first", "last", "within all days", "for example"]
    words = (
        "<p>What the type does not name, also where any member may be. "
        "<code>*</code> is any item, or any name of a map.</p>"
    )
    return _Section("undeclared", "Members that nobody declared", words + table_of(head, told))


def _findings(figures: Figures) -> _Section | None:
    if not figures.findings:
        return _Section("findings", "Findings", "<p>There are none.</p>")
    by_rule: dict[tuple[str, str], int] = Counter()
    for row in figures.findings:
        by_rule[row["severity"], row["rule"]] += row["count"]
    most = max(by_rule.values())
    rules = [
        [_explained(rule), severity, count, Html(bar(count / most))]
        for (severity, rule), count in sorted(by_rule.items(), key=lambda row: -row[1])
    ]
    places = [
        [
            code(row["rule"]),
            code(row["place"] or "the document"),
            row["count"],
            f"{row['source']}:{row['line']}",
        ]
        for row in figures.findings
    ]
    body = table_of(["rule", "severity", "count", ""], rules)
    body += folded("Findings by place", ["rule", "place", "count", "for example"], places)
    words = (
        "<p>What <code>partwire validate</code> says; each rule has a page that explains it.</p>"
    )
    return _Section("findings", "Findings", words + body)


def _explained(rule: str) -> Html:
    known = read_rules().get(rule)
    if known is None:
        return code(rule)
    link = f'<a href="{escape(rule_url(rule))}"><code>{escape(rule)}</code></a>'
    return Html(f'{link}<span class="why">{escape(known["summary"])}</span>')


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
    body = over_time("Tokens read and written", by_model) if by_model else ""
    body += table_of(head, rows) + _tokens(figures)
    body += folded("Tokens by day and model", ["day", *head], days)
    return _Section("usage", "Tokens by model", body)


def _tokens(figures: Figures) -> str:
    """Return how many tokens single answers read and wrote."""
    rows: list[tuple[str, str, Distribution]] = []
    for each in figures.tokens:
        model = each.model or "not said"
        rows += ((model, "input", each.input), (model, "output", each.output))
    rows = [row for row in rows if row[2].count]
    if not rows:
        return ""
    low = min(found.buckets[0][0] for _, _, found in rows)
    high = max(found.buckets[-1][0] for _, _, found in rows)
    told = [
        [
            model if what == "input" else "",
            what,
            *percentiles(found, rounded),
            _histogram(f"{what.capitalize()} tokens of {model}", found, (low, high), rounded),
        ]
        for model, what, found in rows
    ]
    head = ["model", "tokens", *SHARES, f"{rounded(low)} … {rounded(high)}"]
    return "<h3>Tokens of one answer</h3>" + table_of(head, told, name="Tokens of one answer")


def _histogram(
    what: str,
    found: Distribution,
    ends: tuple[int, int],
    form: Callable[[float | None], str],
) -> Html:
    about = f"{what}: half of them at most {form(found.p50)}"
    return Html(histogram(about, dict(found.buckets), ends))


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
            *percentiles(each.milliseconds, duration),
            _histogram(f"Durations of {each.model}", each.milliseconds, (low, high), duration),
        ]
        for each in rows
    ]
    impossible = sum(each.impossible for each in figures.latency)
    ends = f"{duration(low)} … {duration(high)}"
    words = "<p>Measured from when a message began to when it was complete, where it says both."
    if impossible:
        words += f" Left out, since they end before they begin: {impossible:,}."
    head = ["model", "messages", *SHARES, ends]
    return _Section("latency", "How long messages took", f"{words}</p>{table_of(head, told)}")


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
            [reason, count, percent(count, total), Html(bar(count / total)), _top(models[reason])]
            for reason, count in reasons.most_common()
        ]
        has_models = any(row["model"] for row in figures.finish_reasons)
        head = ["finish reason", "documents", "share", "", "models"]
        if not has_models:
            head, rows = head[:-1], [row[:-1] for row in rows]
        body += table_of(head, rows)
    if figures.cut:
        endings: dict[str, Counter[str]] = defaultdict(Counter)
        for row in figures.cut:
            endings[row["ending"] or "not said"][row["day"] or ""] += row["documents"]
        body += "<h3>Streams that were cut or failed</h3>"
        dated = {name: _without(days, "") for name, days in endings.items()}
        if any(dated.values()):
            body += over_time("Streams that were cut or failed", dated)
        totals = [[name, sum(days.values())] for name, days in endings.items()]
        body += table_of(["ending", "documents"], sorted(totals, key=lambda row: -row[1]))
    return _Section("endings", "How answers ended", body)


def _calls(figures: Figures) -> _Section | None:
    if figures.calls is None:
        return None
    tools = figures.calls["tools"]
    rows = [
        [
            each.tool or "calls that are not there",
            each.calls,
            each.calls - each.answered,
            each.failed,
            percent(each.failed, each.answered),
            Html(bar(each.failed / each.answered if each.answered else 0)),
        ]
        for each in tools
    ]
    words = (
        f"<p>{figures.calls['count']:,} calls; a result belongs to the call of the same run and "
        f"id.{sampled(figures.calls)} The rate is of calls that have a result.</p>"
    )
    head = ["tool", "calls", "unanswered", "failed", "error rate", ""]
    return _Section("tools", "Tool calls", words + table_of(head, rows))


def _streams(figures: Figures) -> _Section | None:
    found = figures.streams
    if found is None or not found["sampled"]:
        return None
    head = ["", "streams", *SHARES]
    names = {
        "firstContentMilliseconds": ("from start to the first content", duration),
        "milliseconds": ("from start to the last delta", duration),
        "deltas": ("deltas", rounded),
    }
    rows = [
        [label, found[name].count, *percentiles(found[name], form)]
        for name, (label, form) in names.items()
    ]
    words = (
        f"<p>{found['count']:,} streams, by runId and messageId; "
        f"{with_share(found['cut'], found['sampled'])} have neither a done nor an error delta."
        f"{sampled(found)} Times are those that deltas say: from the start delta to the first one "
        "of text, thinking, a call or media, and to the last one of streams that have ended.</p>"
    )
    return _Section("streams", "Streams", words + table_of(head, rows))


def _runs(figures: Figures) -> _Section | None:
    found = figures.runs
    if found is None or not found["sampled"]:
        return None
    rows = [
        ["messages", found["messages"].count, *percentiles(found["messages"], rounded)],
        [
            "from the first message to the last",
            found["milliseconds"].count,
            *percentiles(found["milliseconds"], duration),
        ],
    ]
    words = f"<p>{found['count']:,} runs.{sampled(found)}</p>"
    return _Section("runs", "Runs", words + table_of(["", "runs", *SHARES], rows))


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
                code(place) if place != before else Html(""),
                Html(f"{escape(row['value'])}{' <em>not known</em>' if strange else ''}"),
                row["count"],
                Html(bar(row["count"] / most[place], 2 if strange else 1)),
            ]
        )
        before = place
    words = (
        "<p>What is in members of few values, and in some others. <em>Not known</em> is what the "
        "contract has no word for.</p>"
    )
    return _Section(
        "values", "Kinds and values", words + table_of(["place", "value", "count", ""], rows)
    )


def _members(figures: Figures) -> _Section | None:
    there = [(place, count) for place, count in figures.members.items() if count]
    if not there:
        return None
    most = max(count for _, count in there)
    rows = [[code(place), count, Html(bar(count / most))] for place, count in there]
    body = folded(f"{len(there)} members that are there", ["place", "count", ""], rows, most=10_000)
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
        *percentiles(found, byte_size),
        _histogram("Sizes of documents", found, ends, byte_size),
    ]
    head = ["documents", *SHARES, f"{byte_size(ends[0])} … {byte_size(ends[1])}"]
    return _Section("sizes", "Sizes of documents", table_of(head, [row]))


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
    words += table_of(["lines", "count"], lines)
    return _Section("about", "How it was counted", f"{words}<p>partwire {__version__}</p>")


def _top(models: Counter[str]) -> str:
    named = [f"{name} {count:,}" for name, count in models.most_common(3)]
    return ", ".join(named) + (" …" if len(models) > 3 else "")


def _without(days: Mapping[str, int], name: str) -> dict[str, int]:
    return {day: count for day, count in days.items() if day != name}
