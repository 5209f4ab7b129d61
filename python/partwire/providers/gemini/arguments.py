"""Function arguments that Gemini streams by path: pieces of values → pieces of JSON text.

A piece says where it belongs (``$.stops[0].name``) and what is there; a string may come in many.
The text is written as the pieces come, which works as long as they come in the order of the
text. A member that is touched again after its text has been closed is written a second time, as a
whole, at the end: of equal keys the last one counts. What cannot be placed leaves the text
without its end, so that nobody takes the arguments for complete.

Source: https://ai.google.dev/api/caching#PartialArg, RFC 9535.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ..core.raw_events import as_json_text

__all__ = ["StreamedArguments"]

_MAX_DEPTH: Final = 100
_MAX_PATH: Final = 4096
_STEP: Final = re.compile(
    r"\.(?!\*(?:[.\[]|\Z))([^.\[\]'\"]+)|\[(\d{1,6})\]|\[(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\]",
    re.DOTALL,
)
_QUOTE: Final = re.compile(r"\\.|\"", re.DOTALL)
_NOTHING: Final = object()

_Path = tuple[str | int, ...]


class _Text:
    """A string value, in the pieces in which it came."""

    __slots__ = ("pieces",)

    def __init__(self, piece: str) -> None:
        self.pieces = [piece]


class StreamedArguments:
    """The arguments of one call.

    ``broken`` says why they cannot be complete; ``again`` names a member that was complete in the
    text when more of it came; ``begun``: the text has a member.
    """

    __slots__ = ("_closers", "_due", "_open", "_quote", "_root", "again", "begun", "broken")

    def __init__(self) -> None:
        self.broken: str | None = None
        self.again: str | None = None
        self.begun = False
        self._due: dict[str, None] = {}  # members to be written whole, at the end
        self._root: dict[str, Any] = {}
        self._open: list[str | int] = []  # path of the innermost container that the text is in
        self._closers: list[str] = []  # brackets that close the containers of that path
        self._quote: _Path | None = None  # of the string whose last quote is still due

    def add(self, piece: dict[str, Any]) -> str:
        """Take one piece; return what it adds to the text."""
        path = _parse(piece.get("jsonPath"))
        value = _value(piece)
        more = piece.get("willContinue") is True
        if path is None:
            return self.refuse("a path that cannot be read")
        place = self._find(path)
        if value is _NOTHING:
            if isinstance(place, _Text):
                return self._end_string() if path == self._quote and not more else ""
            return self.refuse("a piece without a value")
        if isinstance(place, _Text) and isinstance(value, str):
            place.pieces.append(value)
            if path != self._quote:
                return self._again(path)
            return _escaped(value) + ("" if more else self._end_string())
        if place is not _NOTHING and isinstance(place, (dict, list)):
            return self.refuse("a value in place of an object or array")
        if place is not _NOTHING:
            self._put(path, value)
            return self._again(path)
        return self._write(path, value, more)

    def merge(self, given: dict[str, Any]) -> None:
        """Take arguments that came as a whole after, or beside, pieces."""
        if as_json_text(given) is None:
            self.refuse("arguments that have no JSON text")
            return
        for name, value in given.items():
            if name not in self._root or _text_of(self._root[name]) != _text_of(value):
                self._root[name] = value
                self._due[name] = None

    def end(self) -> str:
        """Return what closes the text; of broken arguments what keeps it from being JSON."""
        if self.broken is not None:
            return self.cut()
        if not self.begun and not self._due:
            return ""
        again = ",".join(f"{_text_of(name)}:{_text_of(self._root[name])}" for name in self._due)
        before = self._end_string() + "".join(reversed(self._closers)) if self.begun else "{"
        return f"{before}{',' if again and self.begun else ''}{again}}}"

    def cut(self) -> str:
        """Return what makes sure that arguments which stop here are not JSON."""
        return "" if self.begun else "{"

    # --- inside ----------------------------------------------------------------------------------

    def refuse(self, why: str) -> str:
        """Say that the arguments cannot be completed any more."""
        self.broken = self.broken or why
        return ""

    def _again(self, path: _Path) -> str:
        self.again = str(path[0])
        self._due[self.again] = None
        return ""

    def _end_string(self) -> str:
        if self._quote is None:
            return ""
        self._quote = None
        return '"'

    def _find(self, path: _Path) -> Any:
        """Return what stands at a path, ``_NOTHING`` where nothing does."""
        place: Any = self._root
        for step in path:
            place = _child(place, step)
        return place

    def _put(self, path: _Path, value: Any) -> int | None:
        """Put a value at a path; return how many of its steps were there, None if it does not fit.

        Items come in order: what a missing one may have been cannot be known.
        """
        place: Any = self._root
        there = len(path)
        for at, step in enumerate(path):
            inner = _child(place, step)
            if inner is _NOTHING:
                if not _may_add(place, step):
                    return None
                there = min(there, at)
            if at == len(path) - 1:
                inner = _Text(value) if isinstance(value, str) else value
            elif inner is _NOTHING:
                inner = [] if isinstance(path[at + 1], int) else {}
            _set(place, step, inner)
            place = inner
        return there

    def _write(self, path: _Path, value: Any, more: bool) -> str:
        """Put a new value at its place; return its text, if that can be written now."""
        there = self._put(path, value)
        if there is None:
            return self.refuse("a piece that does not fit the others")
        if tuple(self._open[:there]) != path[:there]:
            return self._again(path)
        text = [self._end_string(), *reversed(self._closers[there:])]
        del self._open[there:], self._closers[there:]
        text.append("," if self.begun else "{")
        self.begun = True
        for at in range(there, len(path)):
            step = path[at]
            text.append(f"{_text_of(step)}:" if isinstance(step, str) else "")
            if at < len(path) - 1:
                is_list = isinstance(path[at + 1], int)
                text.append("[" if is_list else "{")
                self._open.append(step)
                self._closers.append("]" if is_list else "}")
        if isinstance(value, str):
            text.append(f'"{_escaped(value)}')
            self._quote = path
            if not more:
                text.append(self._end_string())
        else:
            text.append(_text_of(value))
        return "".join(text)


def _child(place: Any, step: str | int) -> Any:
    """Return the member or item of a value, ``_NOTHING`` if it has none such."""
    if isinstance(place, dict):
        return place.get(step, _NOTHING)
    if isinstance(place, list) and isinstance(step, int) and step < len(place):
        return place[step]
    return _NOTHING


def _may_add(place: Any, step: str | int) -> bool:
    if isinstance(step, str):
        return isinstance(place, dict)
    return isinstance(place, list) and step == len(place)


def _set(place: Any, step: Any, value: Any) -> None:
    if isinstance(place, list) and step == len(place):
        place.append(value)
    else:
        place[step] = value


def _parse(path: object) -> _Path | None:
    """Return the steps of a path below the root, None if it is none, or too long or deep."""
    if not isinstance(path, str) or not path.startswith("$") or len(path) > _MAX_PATH:
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or len(steps) == _MAX_DEPTH:
            return None
        at = found.end()
        name, index, quoted = found.groups()
        if index is not None:
            steps.append(int(index))
        elif quoted is None or (name := _unquoted(quoted)) is not None:
            steps.append(name)
        else:
            return None
    return tuple(steps) if steps and isinstance(steps[0], str) else None


def _unquoted(text: str) -> str | None:
    """Return the name that a quoted step says."""
    inner = text[1:-1]
    if text[0] == "'":
        inner = _QUOTE.sub(lambda m: {"\\'": "'", '"': '\\"'}.get(m[0], m[0]), inner)
    try:
        return str(json.loads(f'"{inner}"', strict=False))
    except ValueError:
        return None


def _value(piece: dict[str, Any]) -> Any:
    """Return the value of a piece, ``_NOTHING`` if it has none of its declared type."""
    text, flag, number = (piece.get(f"{kind}Value") for kind in ("string", "bool", "number"))
    if isinstance(text, str):
        return text
    if isinstance(flag, bool):
        return flag
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        return number
    none = piece.get("nullValue", _NOTHING)
    # JSON of protocol buffers writes this one as null; beside others null says "not given".
    alone = not any(f"{kind}Value" in piece for kind in ("string", "bool", "number"))
    return None if none == "NULL_VALUE" or (none is None and alone) else _NOTHING


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _text_of(value: Any) -> str:
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), default=lambda text: "".join(text.pieces)
    )
