"""Recorded documents: what was really written under the old schemas, against the new ones.

They refute or support, and never prove. A document is looked at under every entry point whose old
schema allows it; one that none allows says nothing.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ..errors import Finding, ReadError, UsageError
from ..json.text import decode_json
from .changes.explanation import explain, put
from .comparison import bound
from .logic.oracle import Oracle
from .report import Change, EntryVerdict, Pair, Replay, Report
from .sources.entrypoints import Granularity, entries
from .sources.inputs import Source, file_bytes
from .verdict import Reading, Verdict

__all__ = ["Recorded", "read_recorded", "replay_documents"]

_LINES: Final = (".jsonl", ".ndjson")
_SUFFIXES: Final = (".json", *_LINES)
_SHOWN: Final = 3


@dataclass(frozen=True)
class Recorded:
    """One document: where it is, and the entry point that it belongs to, if that is known."""

    value: Any
    name: str
    line: int | None = None
    entrypoint: str | None = None

    @property
    def place(self) -> str:
        """The file, with the line where it has several documents."""
        return self.name if self.line is None else f"{self.name}:{self.line}"


def read_recorded(paths: Iterable[str]) -> list[Recorded]:
    """Return the documents of files, of all JSON files of folders, and of globs, in order.

    ``.jsonl`` and ``.ndjson`` hold one document per line, other files one. Raises UsageError
    ``usage/unreadable-input`` for what is not there, and ReadError for what is not JSON.
    """
    return [document for path in paths for file in _files(path) for document in _documents(file)]


def _files(path: str) -> list[Path]:
    whole = Path(path)
    if whole.is_dir():
        found = [each for each in whole.rglob("*") if each.suffix in _SUFFIXES and each.is_file()]
    elif whole.exists():
        return [whole]
    else:
        found = [Path(each) for each in glob.glob(path, recursive=True)]  # noqa: PTH207
        found = [each for each in found if each.is_file()]
    if not found:
        message = "No recorded document is there"
        raise UsageError(Finding("usage/unreadable-input", message, source=path))
    return sorted(found)


def _documents(path: Path) -> Iterator[Recorded]:
    try:
        data = file_bytes(path)
    except OSError as error:
        why = f"Cannot read recorded documents: {error.strerror}"
        raise UsageError(Finding("usage/unreadable-input", why, source=str(path))) from None
    if path.suffix not in _LINES:
        yield Recorded(_decoded(data, path, None), str(path))
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield Recorded(_decoded(line, path, number), str(path), number)


def _decoded(data: bytes, path: Path, line: int | None) -> Any:
    try:
        return decode_json(data)
    except ReadError as error:
        found = [each._replace(source=str(path), line=line) for each in error.findings]
        raise ReadError(*found) from None


def replay_documents(  # what is compared, and how
    old: Source,
    new: Source,
    report: Report,
    documents: Sequence[Recorded],
    *,
    reading: Reading = "declared",
    granularity: Granularity = "auto",
    dialect: str = "2020-12",
) -> Report:
    """Return ``report`` with what the documents say: breaks, and how many each of them touches.

    A document that old allows and new refuses makes its entry point's verdict breaking, with the
    document as witness. ``touched`` counts documents by change, ``replays`` all of them. Raises as
    :func:`partwire.compat.comparison.check`.
    """
    old_set, old_places = old.schemas(dialect)
    new_set, new_places = new.schemas(dialect)
    olds, news = entries((old, old_set, old_places), (new, new_set, new_places), granularity)
    pairs = {key: Pair(key, olds[key], news[key], old_set, new_set) for key in olds if key in news}
    work = _Work(report, pairs, Oracle(old_set), Oracle(new_set), reading)
    for document in documents:
        work.look(document, [(key, olds[key]) for key in _keys(olds, document.entrypoint)])
    return work.report()


def _keys(olds: Iterable[str], known: str | None) -> list[str]:
    """Return the entry points that a document may belong to."""
    if known is None:
        return list(olds)
    if known in olds:
        return [known]
    family, _, name = known.rpartition(".")  # where every definition is one
    return [key for key in olds if key.startswith(f"{family}/") and key.endswith(f"#{name}")]


class _Work:
    """One replay: verdicts as they become, and counts."""

    def __init__(
        self, report: Report, pairs: dict[str, Pair], old: Oracle, new: Oracle, reading: Reading
    ) -> None:
        self._report = report
        self._pairs = pairs
        self._old, self._new = old, new
        self._reading: Reading = reading
        self._verdicts = {
            verdict.entrypoint: verdict
            for verdict in report.verdicts
            if verdict.direction == "backward"
        }
        self._proved = {key for key, each in self._verdicts.items() if each.status == "compatible"}
        self._touched: dict[str, int] = {}
        self._tried = self._refused = 0
        self._left_out: list[Recorded] = []

    def look(self, document: Recorded, places: Sequence[tuple[str, Any]]) -> None:
        """Look at a document under every entry point that allows it."""
        allowed = [key for key, place in places if self._old.agree(place, document.value)]
        if not allowed:
            self._left_out.append(document)
            return
        self._tried += 1
        touched: set[str] = set()
        for key in allowed:
            touched |= self._fingerprints(key, document)
        self._refused += bool(touched)
        for fingerprint in touched:
            self._touched[fingerprint] = self._touched.get(fingerprint, 0) + 1

    def _fingerprints(self, key: str, document: Recorded) -> set[str]:
        """Return which changes of an entry point a document runs into."""
        verdict = self._verdicts.get(key)
        if key not in self._pairs:
            return {change.fingerprint for change in verdict.changes} if verdict else set()
        pair = self._pairs[key]
        if verdict is None or self._new.agree(pair.new, document.value) is not False:
            return set()
        failures = tuple(self._new.failures(pair.new, document.value))
        shown = Verdict("breaking", self._reading, "backward", True, document.value, failures)
        changes = explain(pair, shown)
        if key in self._proved:  # the proof is about other documents
            changes = (_refused(pair, document),)
        changes = tuple(bound(pair, change) for change in changes)
        self._verdicts[key] = _with(verdict, changes, shown)
        return {change.fingerprint for change in changes}

    def report(self) -> Report:
        """Return the report with all that was seen."""
        verdicts = tuple(
            self._verdicts[each.entrypoint] if each.direction == "backward" else each
            for each in self._report.verdicts
        )
        counts = Replay("documents", self._tried, self._refused, len(self._left_out))
        notes = (*self._report.notes, *_left_out(self._left_out))
        return replace(
            self._report,
            verdicts=verdicts,
            notes=notes,
            replays=(*self._report.replays, counts),
            touched={**self._report.touched, **self._touched},
        )


def _with(verdict: EntryVerdict, changes: tuple[Change, ...], shown: Verdict) -> EntryVerdict:
    """Return a verdict with what a document shows; its own witness stays, if it has one."""
    known = {change.fingerprint for change in (*verdict.changes, *verdict.others)}
    more = [change for change in changes if change.fingerprint not in known]
    if verdict.status == "breaking":
        return replace(verdict, changes=(*verdict.changes, *more))
    return replace(
        verdict,
        status="breaking",
        changes=changes,
        has_witness=True,
        witness=shown.witness,
        failures=shown.failures,
        open=(),
    )


def _refused(pair: Pair, document: Recorded) -> Change:
    """Return the change for a document that no proof is about: it holds undeclared names."""
    change = Change(
        "compat/document-refused",
        pair.old.pointer,
        pair.new.pointer,
        f"A recorded document is refused, which no proof is about: {document.place}",
        (pair.entrypoint,),
        old_source=pair.old.resource.document,
        new_source=pair.new.resource.document,
    )
    return put(pair, change)


def _left_out(documents: Sequence[Recorded]) -> Iterator[Change]:
    """Yield one note per file with documents that no old schema allows."""
    files: dict[str, list[Recorded]] = {}
    for each in documents:
        files.setdefault(each.name, []).append(each)
    for name, found in files.items():
        lines = [each.line for each in found if each.line is not None]
        first = ", ".join(map(str, lines[:_SHOWN])) + (", …" if len(lines) > _SHOWN else "")
        at = f", lines {first}" if lines else ""
        yield Change(
            "compat/document-invalid",
            "",
            None,
            f"No old schema allows {len(found)} of the documents in {name}{at}",
            (len(found),),
            bump="none",
            old_source=name,
        )
