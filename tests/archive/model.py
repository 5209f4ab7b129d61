"""What has to become of each line of an archive, by the table of the semantics and nothing else.

A second writing of the rules, as short as it can be: the whole archive in memory, standard library
alone, nothing of what the package does. It knows the deltas that ``made`` makes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = ["Line", "Truth", "message_of", "truth_of"]


class Line(NamedTuple):
    """One line, and where it is."""

    source: int
    number: int
    text: bytes


Message = tuple[str, str, str, str | None]
"""Run, message ("" for none), its text, and how it ends: a finish reason, truncated or error."""


class Truth(NamedTuple):
    """What has to become of the lines."""

    messages: Counter[Message]
    quarantine: set[tuple[int, int]]
    """Source and line."""
    lines: int
    blank: int
    used: int
    repeats: int


def truth_of(lines: Iterable[Line], on_unknown: str) -> Truth:
    """Return what has to become of all lines of an archive, in the order of storing."""
    streams: dict[tuple[str, str], list[tuple[int, int, Line, Any]]] = defaultdict(list)
    truth = Truth(Counter(), set(), 0, 0, 0, 0)
    routes: dict[str, _Route] = defaultdict(_Route)
    unclear: set[tuple[str, str]] = set()
    count = blank = used = repeats = 0
    for count, line in enumerate(lines, 1):
        if not line.text.strip():
            blank += 1
            continue
        delta = _object(line.text)
        run = delta.get("runId") if delta else None
        if not isinstance(run, str) or not run:
            truth.quarantine.add((line.source, line.number))
            continue
        for stream, each, value in routes[run].take(line, delta):
            if stream is None:
                truth.quarantine.add((each.source, each.number))
                unclear.update((run, one) for one in routes[run].open)
            else:
                streams[run, stream].append((value.get("seq", 0), count, each, value))
    for run, route in routes.items():
        for each, value in route.waiting:
            streams[run, ""].append((value["seq"], 0, each, value))
    for (run, name), of_stream in streams.items():
        of_stream.sort(key=lambda row: (row[0], row[2].source, row[2].number))
        if (run, name) in unclear:
            truth.quarantine.update((line.source, line.number) for _, _, line, _ in of_stream)
            continue
        fold = _Fold(on_unknown)
        for seq, _, line, delta in of_stream:
            if fold.take(seq, delta) == "quarantined":
                truth.quarantine.add((line.source, line.number))
        used += fold.used
        repeats += fold.repeats
        if fold.used:
            truth.messages[run, name, fold.text, fold.ending or "truncated"] += 1
    return truth._replace(lines=count, blank=blank, used=used, repeats=repeats)


def _object(text: bytes) -> dict[str, Any]:
    """Return what a line says; bytes that are not UTF-8 may be behind the names, and harm it."""
    try:
        found = json.loads(text.decode("utf-8", "replace"))
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return found if "\ufffd" not in text.decode("utf-8", "replace") else {**found, "payload": None}


class _Route:
    """The streams of a run, by the order of storing."""

    def __init__(self) -> None:
        self.open: set[str] = set()
        self._ended: set[str] = set()
        self._last: str | None = None
        self.waiting: list[tuple[Line, Any]] = []

    def take(self, line: Line, delta: Any) -> list[tuple[str | None, Line, Any]]:
        """Return the lines whose stream is clear now; None for one that may be of several."""
        name, kind = delta.get("messageId") or None, delta.get("kind")
        if name is None and kind != "start":
            if len(self.open) > 1:
                return [(None, line, delta)]
            name = next(iter(self.open), self._last)
            if name is None:
                self.waiting.append((line, delta))
                return []
        name = name or ""
        rows = [(line, delta)]
        if kind == "start":
            rows += self.waiting
            self.waiting = []
        for _, each in rows:
            self._note(name, each.get("kind"))
        return [(name, *row) for row in rows]

    def _note(self, name: str, kind: Any) -> None:
        if kind in ("done", "error"):
            self.open.discard(name)
            self._ended.add(name)
        elif name not in self._ended:
            self.open.add(name)
        if kind == "start" or self._last is None:
            self._last = name


_KINDS = frozenset({"start", "text", "done", "error"})


class _Fold:
    """The lines of one stream, in the order of seq."""

    def __init__(self, on_unknown: str) -> None:
        self._on_unknown = on_unknown
        self._is_refused = False
        self._counted: tuple[int, Any] = -1, None
        self.used = self.repeats = 0
        self.text = self.ending = ""

    def take(self, seq: int, delta: Any) -> str:
        """Say what becomes of the next line."""
        kind = delta.get("kind")
        is_known = kind in _KINDS
        if self._is_refused or (not is_known and kind and self._on_unknown == "drop"):
            return "quarantined"
        is_whole = isinstance(delta.get("payload"), dict) and "timestamp" in delta
        if not is_whole or (not is_known and (not kind or self._on_unknown == "refuse")):
            return self._refuse()
        said = {name: value for name, value in delta.items() if name != "providerRaw"}
        if seq == self._counted[0]:
            if said != self._counted[1]:
                return "quarantined"
            self.repeats += 1
            return "repeat"
        if self.ending:
            return "quarantined"
        if is_known and (kind == "start") != (self.used == 0):
            return self._refuse()
        if not is_known and self.used == 0:
            return self._refuse()
        self._counted = seq, said
        self.used += 1
        payload = delta["payload"]
        if kind == "text":
            self.text += payload["textDelta"]
        elif kind in ("done", "error"):
            self.ending = payload["finishReason"] if kind == "done" else "error"
        return "used"

    def _refuse(self) -> str:
        self._is_refused = not self.ending
        return "quarantined"


def message_of(text: bytes) -> Message:
    """Return what of a message the model knows."""
    found: dict[str, Any] = json.loads(text)
    said = "".join(part["payload"]["text"] for part in found["parts"])
    meta = found.get("meta") or {}
    ending = (meta.get("incomplete") or {}).get("ending") or meta.get("finishReason")
    return found["runId"], found.get("messageId", ""), said, ending
