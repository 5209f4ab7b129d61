"""How a comparison is shown: its findings, and all else that it has to say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from ...compat import Failure
from ...compat.report import Change, EntryVerdict, Replay, Report
from ...compat.sources.inputs import Source, Text
from ...errors import Finding, Severity, counted, printable
from ...reporting.words import safe_text
from .accepted import Acceptance, fingerprint_of_verdict
from .options import CommandReport as Telling

__all__ = ["Compared", "bump_of", "show"]

_CLIP: Final = 200
_BUMPS: Final = ("none", "patch", "minor", "major")


class Compared(NamedTuple):
    """One pair of sources and its report."""

    old: Source
    new: Source
    report: Report


class _Spot(NamedTuple):
    """A place in a source: the document, if it is one of the source's, and the pointer."""

    text: Text | None
    pointer: str

    @property
    def line(self) -> int | None:
        return self.text.find(self.pointer).line if self.text else None

    def __str__(self) -> str:
        if self.text is None:
            return self.pointer or "the root"
        line, column = self.text.find(self.pointer)
        return f"{self.text.name}:{line}:{column}"

    def to_wire(self) -> dict[str, Any]:
        if self.text is None:
            return {"pointer": self.pointer}
        line, column = self.text.find(self.pointer)
        where = {"source": self.text.name, "line": line, "column": column}
        return {"pointer": self.pointer, **where}


def show(compared: list[Compared], accepted: Acceptance, strict: bool, report: Telling) -> None:
    """Report everything. It fails where a break is not accepted, or something is open.

    ``strict``: what is unproven is not good either.
    """
    reports = [each.report for each in compared]
    notes = accepted.findings(reports)
    report.totals.failed = not all(
        _is_good(verdict, accepted, strict) for each in reports for verdict in each.verdicts
    )
    for each in compared:
        report.begin_source(each.new.name)
        report.also_read(text.path or text.name for text in _texts(each))
        report.totals.documents += len(each.new.texts)
        for finding, rows, fingerprint in _findings(each, accepted, strict):
            report.add(finding, tuple(rows), fingerprint)
    for finding in notes:
        report.add(finding)
    report.details = {
        "compatible": not report.totals.failed,
        "reports": [_report_json(each, accepted) for each in compared],
    }
    report.summary = lambda: "\n".join(_summary(each, accepted) for each in reports)


def _texts(each: Compared) -> Iterator[Text]:
    yield from each.old.texts.values()
    yield from each.new.texts.values()


def bump_of(report: Report) -> str:
    """Return the largest step of the version that a change asks for."""
    asked = [change.bump for change in (*report.changes, *report.notes)]
    return max(asked, key=_BUMPS.index, default="none")


def _is_good(verdict: EntryVerdict, accepted: Acceptance, strict: bool) -> bool:
    if verdict.status == "breaking":
        return accepted.accepts(verdict)
    calm = verdict.status == "compatible" or verdict.harmless
    return calm or not strict or accepted.excuses(verdict)


def _spots(each: Compared, change: Change) -> tuple[_Spot | None, _Spot | None]:
    old = new = None
    if change.old_pointer is not None:
        old = _Spot(each.old.texts.get(change.old_source), change.old_pointer)
    if change.new_pointer is not None:
        new = _Spot(each.new.texts.get(change.new_source), change.new_pointer)
    return old, new


Rows = list[tuple[str, str]]


def _findings(
    each: Compared, accepted: Acceptance, strict: bool
) -> Iterator[tuple[Finding, Rows, str]]:
    """Yield one finding per change, unproven verdict and new entry point, with more rows and its
    fingerprint.
    """
    for change in each.report.changes:
        verdicts = each.report.verdicts_of(change)
        # What the baseline accepts is an error that the report leaves out.
        entry = None if accepted.is_in_baseline(change) else accepted.entry_of(change)
        rows = _change_rows(each, change, verdicts)
        rows.append(("accepted", entry.reason) if entry else ("accept", change.fingerprint))
        yield _at(each, change, "info" if entry else "error"), rows, change.fingerprint
    for verdict in each.report.verdicts:
        if verdict.status == "unproven":
            yield *_unproven(each, verdict, strict), fingerprint_of_verdict(verdict)
        elif verdict.status == "no-documents":
            yield _no_documents(each, verdict, strict), [], fingerprint_of_verdict(verdict)
    for change in each.report.notes:
        yield _at(each, change, "info"), [], change.fingerprint


def _at(each: Compared, change: Change, severity: Severity) -> Finding:
    old, new = _spots(each, change)
    source = line = None
    for spot in (new, old):
        if spot is not None and spot.text is not None and source is None:
            if spot.text.path is None and spot is old:
                break  # not in the working tree: an annotation would have nowhere to be
            source, line = spot.text.path or spot.text.name, spot.line
    return Finding(change.rule, change.message, "", severity, source=source, line=line)


def _change_rows(each: Compared, change: Change, verdicts: tuple[EntryVerdict, ...]) -> Rows:
    old, new = _spots(each, change)
    rows = [("old", str(old) if old else "nothing"), ("new", str(new) if new else "nothing")]
    rows.append(("at", change.place))
    rows.append(("direction", f"{change.direction}, asks for a {change.bump} version"))
    if touched := each.report.touched.get(change.fingerprint):
        rows.append(("touches", counted(touched, "recorded document")))
    if not verdicts:
        return rows
    names = [verdict.entrypoint for verdict in verdicts]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    rows.append(("breaks", ", ".join(names[:3]) + more))
    shown = [each for each in verdicts if each.has_witness and change in each.changes]
    first = min(shown, key=lambda verdict: len(_compact(verdict.witness)), default=None)
    is_schema = change.surface in ("schema", "documents")
    if first is None and is_schema and change.rule != "compat/entrypoint-removed":
        rows.append(("witness", "none: it breaks behind the others"))
    if first is not None:
        failure = _refusal(first, change)
        rows.append(("witness", _cut(_compact(first.witness))))
        rows.append(("refused", f"by {_refuser(each, first, failure)}{_why(failure)}"))
    return rows


def _refusal(verdict: EntryVerdict, change: Change) -> Failure | None:
    """Return the refusal that speaks of a change, where a witness runs into several changes.

    That is the one at the deepest keyword that the change is at or below, and of these the one
    that names what is new; where none is, the first one.
    """
    source, pointer = change.new_source, change.new_pointer
    if verdict.direction == "forward":
        source, pointer = change.old_source, change.old_pointer

    def fits(failure: Failure) -> tuple[int, bool]:
        above = failure["schema"]
        if pointer is None or failure["document"] != source:
            return -1, False
        if not f"{pointer}/".startswith(f"{above}/"):
            return -1, False
        return len(above), any(repr(value) in failure["message"] for value in change.values)

    return max(verdict.failures, key=fits, default=None)


def _refuser(each: Compared, verdict: EntryVerdict, failure: Failure | None) -> str:
    """Return the document that refuses a witness: the one that holds the keyword."""
    reader = each.new if verdict.direction == "backward" else each.old
    text = reader.texts.get(failure["document"] if failure else "")
    return text.name if text else reader.name


def _why(failure: Failure | None) -> str:
    if failure is None:
        return ""
    where = f" at {failure['instance']}" if failure["instance"] else ""
    return _cut(f"{where}: {failure['message']}")


def _unproven(each: Compared, verdict: EntryVerdict, strict: bool) -> tuple[Finding, Rows]:
    finding = Finding(
        "compat/unproven",
        f"{verdict.entrypoint}: neither proved nor refuted, {verdict.direction}",
        "",
        "error" if strict else "warning",
        source=each.new.name,
    )
    rows = [("open", _cut(f"{part.pointer or 'the root'}: {part.reason}")) for part in verdict.open]
    return finding, [*rows, ("tried", f"{counted(verdict.tried, 'document')}, all in vain")]


def _no_documents(each: Compared, verdict: EntryVerdict, strict: bool) -> Finding:
    """Return the finding that a proof would be about nothing; only information where that is as it
    was.
    """
    writer = each.old if verdict.direction == "backward" else each.new
    severity: Severity = "error" if strict else "warning"
    return Finding(
        "compat/no-documents",
        f"{verdict.entrypoint}: {writer.name} allows no document, {verdict.direction}"
        + (": --reading exact looks at all names" if verdict.exact_has_documents else ""),
        "",
        "info" if verdict.harmless else severity,
        source=each.new.name,
    )


def _summary(report: Report, accepted: Acceptance) -> str:
    statuses = [verdict.status for verdict in report.verdicts]
    broken = [verdict for verdict in report.verdicts if verdict.status == "breaking"]
    known = sum(accepted.accepts(verdict) for verdict in broken)
    parts = [f"{statuses.count('compatible')} compatible"]
    if broken:
        parts.append(f"{len(broken)} breaking" + (f" ({known} accepted)" if known else ""))
    if "unproven" in statuses:
        parts.append(f"{statuses.count('unproven')} unproven")
    if "no-documents" in statuses:
        parts.append(f"{statuses.count('no-documents')} without documents")
    added = sum(change.rule == "compat/entrypoint-added" for change in report.notes)
    if added:
        parts.append(f"{added} new")
    if len(report.notes) > added:
        parts.append(counted(len(report.notes) - added, "note"))
    parts += [_replayed(each) for each in report.replays]
    asked = bump_of(report)
    end = f"; asks for a {asked} version" if asked != "none" else ""
    return safe_text(f"{report.old} -> {report.new}: {', '.join(parts)}{end}")


_REPLAYED: Final = {
    "behaviour": ("golden run", "other than it was"),
    "bindings": ("name", "gone"),
    "documents": ("recorded document", "refused"),
}


def _replayed(replay: Replay) -> str:
    noun, bad = _REPLAYED[replay.surface]
    told = f"{replay.differing:,} of {counted(replay.tried, noun)} {bad}"
    return told + (f" ({replay.left_out:,} say nothing)" if replay.left_out else "")


def _compact(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))


def _cut(text: str) -> str:
    return text if len(text) <= _CLIP else text[: _CLIP - 1] + "…"


# --- json ---------------------------------------------------------------------------------------


def _report_json(each: Compared, accepted: Acceptance) -> dict[str, Any]:
    report = each.report
    return {
        "old": report.old,
        "new": report.new,
        "bump": bump_of(report),
        "verdicts": [_verdict_json(each, verdict, accepted) for verdict in report.verdicts],
        "changes": [_change_json(each, change, accepted) for change in report.changes],
        "notes": [_change_json(each, change, accepted) for change in report.notes],
        "replays": [asdict(replay) for replay in report.replays],
    }


def _verdict_json(each: Compared, verdict: EntryVerdict, accepted: Acceptance) -> dict[str, Any]:
    told: dict[str, Any] = {
        "entrypoint": verdict.entrypoint,
        "status": verdict.status,
        "direction": verdict.direction,
        "reading": verdict.reading,
    }
    if verdict.status == "breaking":
        told["accepted"] = accepted.accepts(verdict)
        told["changes"] = [change.fingerprint for change in verdict.changes]
        told["others"] = [change.fingerprint for change in verdict.others]
        if verdict.hidden:
            told["hidden"] = verdict.hidden
    if verdict.has_witness:
        told["witness"] = verdict.witness
        told["refusals"] = [_failure_json(each, verdict, failure) for failure in verdict.failures]
    if verdict.status == "unproven":
        told |= {"open": [part._asdict() for part in verdict.open], "tried": verdict.tried}
    if verdict.status == "no-documents":
        told["harmless"] = verdict.harmless
    return told


def _failure_json(each: Compared, verdict: EntryVerdict, failure: Failure) -> dict[str, str]:
    reader = each.new if verdict.direction == "backward" else each.old
    text = reader.texts.get(failure["document"])
    return {**failure, "document": text.name if text else failure["document"]}


def _change_json(each: Compared, change: Change, accepted: Acceptance) -> dict[str, Any]:
    old, new = _spots(each, change)
    entry = accepted.entry_of(change)
    return {
        "fingerprint": change.fingerprint,
        "rule": change.rule,
        "surface": change.surface,
        "pointer": change.place,
        "message": change.message,
        "direction": change.direction,
        "bump": change.bump,
        "values": list(change.values),
        "old": old.to_wire() if old else None,
        "new": new.to_wire() if new else None,
        "entrypoints": sorted({each.entrypoint for each in each.report.verdicts_of(change)}),
        "touched": each.report.touched.get(change.fingerprint, 0),
        "accepted": entry.reason if entry else None,
    }
