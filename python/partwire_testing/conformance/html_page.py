"""The report as one HTML page that needs nothing else: the matrix, and every failure."""

from __future__ import annotations

from html import escape
from typing import Final

from partwire.errors import counted

from .report import Report, summary
from .runner import Outcome, Trial

__all__ = ["html_page"]

_STYLE: Final = """
:root { color-scheme: light dark; --good: #1a7f37; --bad: #cf222e; --part: #9a6700; --off: #6e7781;
  --line: #8883; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem;
  max-width: 64rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.verdict { font-weight: 600; margin: .25rem 0 1.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .35rem .8rem; border-bottom: 1px solid var(--line); text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { vertical-align: bottom; } thead small { display: block; font-weight: 400; }
tfoot td { font-weight: 600; border-bottom: 0; }
small { color: var(--off); }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
.part { color: var(--part); } .off { color: var(--off); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0;
  padding: .4rem .8rem; background: var(--soft); }
summary { cursor: pointer; } code { font-family: ui-monospace, monospace; font-size: .9em;
  overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; } li { margin: .3rem 0; }
"""


def html_page(report: Report) -> str:
    """Return the whole page."""
    verdict = "All that ran has passed." if report.passed else "Not conforming."
    colour = "good" if report.passed else "bad"
    body = [
        "<h1>partwire conformance</h1>",
        f'<p class="verdict {colour}">{verdict}</p>',
        _matrix(report),
        *(_driver(report, trial) for trial in report.trial),
    ]
    if report.unexpected:
        items = "".join(f"<li><code>{escape(line)}</code></li>" for line in report.unexpected)
        body.append(f"<h2>Known failures that are none</h2><ul>{items}</ul>")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>partwire conformance</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _matrix(report: Report) -> str:
    heads = "".join(f"<th>{_head(trial)}</th>" for trial in report.trial)
    rows = [
        f"<tr><td>{escape(suite)} <small>{escape(version)}</small></td>"
        + "".join(_cell(report, trial, version, suite) for trial in report.trial)
        + "</tr>"
        for version, suite in report.places
    ]
    sums = "".join(_cell(report, trial) for trial in report.trial)
    return (
        f'<div class="scroll"><table>\n<thead><tr><th>Suite</th>{heads}</tr></thead>\n'
        f"<tbody>\n{chr(10).join(rows)}\n</tbody>\n"
        f"<tfoot><tr><td>All</td>{sums}</tr></tfoot>\n</table></div>"
    )


def _head(trial: Trial) -> str:
    started = trial.started
    words = (
        " ".join(part for part in (started.version, started.language) if part) if started else ""
    )
    return f"{escape(trial.name)}<small>{escape(words)}</small>"


def _cell(
    report: Report, trial: Trial, version: str | None = None, suite: str | None = None
) -> str:
    counts = report.counts(trial, version, suite)
    bad = counts["failed"] + counts["errored"]
    asked = bad + counts["passed"] + counts["known"]
    if not asked:
        return f'<td class="off" title="{summary(counts)}">–</td>'
    colour = "bad" if bad else "part" if counts["known"] or counts["skipped"] else "good"
    mark = {"bad": "✗", "part": "◐", "good": "✓"}[colour]
    text = f"{counts['passed']}/{sum(counts.values())} {mark}"
    return f'<td class="{colour}" title="{summary(counts)}">{text}</td>'


def _driver(report: Report, trial: Trial) -> str:
    lines = [f"<h2>{escape(trial.name)}</h2>"]
    words = trial.problem or summary(report.counts(trial))
    restarts = f", started again {trial.restarts} ×" if trial.restarts else ""
    command = escape(" ".join(trial.command))
    lines.append(f"<p>{escape(words)}{restarts}<br><code>{command}</code></p>")
    lines += [_failure(each) for each in report.bad(trial)]
    lines += [_skips(trial), _knowns(report, trial)]
    return "\n".join(line for line in lines if line)


def _failure(outcome: Outcome) -> str:
    return (
        f'<details open><summary><span class="bad">{outcome.status}</span> '
        f"<code>{escape(outcome.run)}</code></summary><code>{escape(outcome.detail)}</code></details>"
    )


def _knowns(report: Report, trial: Trial) -> str:
    items = [
        f"<li><code>{escape(each.run)}</code>: {escape(entry.reason)}</li>"
        for each in trial.outcomes
        if report.known.is_known(trial, each)
        and (entry := report.known.entry_of(trial, each)) is not None
    ]
    return _folded("known failures", items)


def _skips(trial: Trial) -> str:
    reasons: dict[str, list[str]] = {}
    for each in trial.outcomes:
        if each.status == "skipped":
            reasons.setdefault(each.detail, []).append(each.run)
    items = [
        f"<li>{escape(reason)}: {counted(len(runs), 'run')}, such as "
        f"<code>{escape(runs[0])}</code></li>"
        for reason, runs in reasons.items()
    ]
    return _folded("reasons to skip", items)


def _folded(what: str, items: list[str]) -> str:
    if not items:
        return ""
    count = f'<span class="part">{len(items)} {what}</span>'
    return f"<details><summary>{count}</summary><ul>{''.join(items)}</ul></details>"
