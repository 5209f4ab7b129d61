"""Arguments while they arrive: the best-effort value of a JSON object text that is cut anywhere.

A pushdown automaton over runs, not characters: every piece is scanned once, with compiled
expressions, and what is finished is never looked at again. The stack is explicit.

For display only: whether arguments are valid, and what they are, is decided by parsing the
whole text once when the call ends.
"""

from __future__ import annotations

import json
import re
import sys
import sysconfig
from collections.abc import Callable
from math import isfinite
from typing import Any, NoReturn

from msgspec import UNSET

__all__ = ["FrozenDict", "FrozenList", "PartialJSON"]

_LONG_DIGITS = 309  # fewer digits are never beyond the largest double
_FOLD_PIECES = 1024  # a kept piece costs about 75 bytes beside its text

_WHITE_SPACE = " \t\n\r"
_PLAIN = r'[^"\\\x00-\x1f\ud800-\udfff]'
_HEX = "[0-9a-fA-F]"
_LOW_HALF = ("[dD]", "[c-fC-F]", _HEX, _HEX)
_ESCAPES = (
    ("\\\\", r'["\\/bfnrt]'),
    ("\\\\", "u", "[0-9a-ceA-CEfF]", _HEX, _HEX, _HEX),
    ("\\\\", "u", "[dD]", "[0-7]", _HEX, _HEX),
    ("\\\\", "u", "[dD]", "[89abAB]", _HEX, _HEX, "\\\\", "u", *_LOW_HALF),
)


def _begun(atoms: tuple[str, ...]) -> str:
    """Return a pattern for every prefix of ``atoms``, the empty one included."""
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"(?:{atom}{pattern})?"
    return pattern


# Possessive (*+, ++): nothing is ever scanned twice.
_SPACES_AT = re.compile(f"[{_WHITE_SPACE}]*+").match
_STRING_AT = re.compile(f'"({_PLAIN}*+)"').match
_KEY_AT = re.compile(f'"({_PLAIN}*+)"[{_WHITE_SPACE}]*+:[{_WHITE_SPACE}]*+').match
_SEGMENT_AT = re.compile(f"(?:{_PLAIN}++|{'|'.join(map(''.join, _ESCAPES))})*+").match
_ESCAPE_BEGUN = re.compile("|".join(_begun(atoms[:-1]) for atoms in _ESCAPES)).fullmatch

_EXPONENT = "[eE](?:[+-]?[0-9]*+)"
_SCALAR_RUN_AT = re.compile(r"[0-9A-Za-z+.\-]*+").match
_SCALAR = re.compile(
    r"true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
).fullmatch
_SCALAR_BEGUN = re.compile(
    rf"-?(?:(?:0|[1-9][0-9]*+)(?:\.(?:[0-9]++(?:{_EXPONENT})?)?|{_EXPONENT})?)?"
    f"|{_begun(tuple('true'))}|{_begun(tuple('false'))}|{_begun(tuple('null'))}"
).fullmatch
# "-12.34e5" and "-1.3e5" are continued alike: only the first digit of a run matters.
_squeeze = re.compile("(?<=[0-9])[0-9]+").sub

_LITERALS = {"true": True, "false": False, "null": None}
_decode_string = json.JSONDecoder().raw_decode


def _refuse(*_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError(
        "a partial value is shared with later ones and refuses changes; "
        "copy it first: dict(value), list(value), copy.deepcopy(value)"
    )


class FrozenDict(dict[str, Any]):
    """A JSON object that refuses changes; ``dict(x)`` and ``copy.deepcopy(x)`` are plain again."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return dict, (dict(self),)


class FrozenList(list[Any]):
    """A JSON array that refuses changes; ``list(x)`` and ``copy.deepcopy(x)`` are plain again."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type, tuple[list[Any]]]:
        return list, (list(self),)


_CHANGES = {
    FrozenDict: "__setitem__ __delitem__ __ior__ clear pop popitem setdefault update",
    FrozenList: "__setitem__ __delitem__ __iadd__ __imul__ append clear extend insert pop remove"
    " reverse sort",
}
for _type, _names in _CHANGES.items():
    for _name in _names.split():
        setattr(_type, _name, _refuse)

_NOTHING = FrozenDict()
_Open = dict[str, Any] | list[Any]


class PartialJSON:
    """Follow a JSON object text that arrives in pieces, and show what is known of it.

    What :meth:`value` shows depends on the text so far alone, never on how it was cut, and
    only ever grows: a string by whole characters (an escape or a surrogate pair shows when it
    is complete), an array by items and an object by members at the end, of which the last one
    grows. A number, ``true``, ``false`` and ``null`` show once a delimiter follows, so ``12``
    is never shown as ``1``; a key shows once its value does. The one exception: a repeated key
    takes its new value, in its old place, as soon as that value shows (the last one wins).

    :attr:`broken` turns true with the first character that no continuation can make part of a
    valid text; that character and all after it add nothing, and nothing is ever raised. Broken
    is also: nesting deeper than ``max_depth`` (the object itself is 1), a lone surrogate,
    raw or escaped, a number beyond a double's range, an integer of more than 4,300 digits.

    ``feed`` costs what is fed. ``value`` costs the depth of what is open; where the caller kept an
    earlier result, or a part of it, also the width of the containers still open in it and the
    string still open. Complete parts are shared.

    With ``of_any`` the text is that of any JSON value, and :meth:`value` is UNSET as long as
    nothing of it is known, and from :attr:`broken` on. Source: semantics, the assembler.
    """

    # fmt: off
    __slots__ = (
        "_broken", "_fold_at", "_given", "_head", "_held", "_in_value", "_key", "_max_depth",
        "_of_any", "_outer", "_pieces", "_plain", "_root", "_shown", "_step", "_text", "_top",
    )
    # fmt: on

    def __init__(self, max_depth: int = 128, *, of_any: bool = False) -> None:
        self._max_depth = max_depth
        self._of_any = of_any
        self._broken = False
        # All containers are frozen, for others: here they are changed by their base classes, as
        # long as nobody else holds them. The outermost is an array of ours, for at most one item:
        # the value. An open container is in the one around it already.
        self._root: list[Any] = []
        self._top: _Open = self._root
        self._key = ""
        self._outer: list[tuple[_Open, str]] = []
        self._given = False  # a result was given out, and nothing was changed since
        # The open string (value or key) or number: text so far, then its pieces.
        self._in_value = False
        self._shown = False  # the beginning of the open string is in its container
        self._text = ""
        self._pieces: list[str] = []
        self._fold_at = _FOLD_PIECES
        self._plain: list[str] | None = None  # the pieces, while plain text may just be added
        self._held = ""  # an escape begun: at most 11 characters, scanned again with the rest
        self._head = ""  # a number or literal begun, squeezed to at most 7 characters
        # A function, not a bound method: no reference cycle, freed without the collector.
        self._step: _Step = PartialJSON._value if of_any else PartialJSON._start

    @property
    def broken(self) -> bool:
        """Whether the text so far can no longer become a valid JSON object, or value."""
        return self._broken

    def feed(self, text: str) -> None:
        """Take the next piece; it may end anywhere between two code points."""
        pieces = self._plain
        if pieces is not None:
            if '"' not in text and "\\" not in text and text.isprintable():
                pieces.append(text)
                if len(pieces) >= self._fold_at:
                    self._fold()
                return
            self._plain = None
        if self._held:
            text = self._held + text
            self._held = ""
        position, end = 0, len(text)
        while position < end:
            position = self._step(self, text, position)

    def value(self) -> Any:
        """Return the object as far as it is known; ``{}`` at the start, and if it is not an object.

        The result never changes: it and all in it refuse changes (``TypeError``), because its
        complete parts are shared with later results. ``copy.deepcopy`` gives one to change.
        """
        if self._in_value and (self._pieces or not self._shown):
            if self._shown:
                self._place("")  # only who is alone with a text can let it grow in place
            self._place(self._fold())
            self._shown = True
        self._given = True
        if self._of_any:
            return self._root[0] if self._root and not self._broken else UNSET
        return self._root[0] if self._root else _NOTHING

    def _place(self, value: Any) -> None:
        """Add a value to the container that is being filled, or put it where its beginning is."""
        if self._given:
            self._own()
        top = self._top
        if isinstance(top, dict):
            dict.__setitem__(top, self._key, value)
        elif self._shown:
            list.__setitem__(top, -1, value)
        else:
            list.append(top, value)

    def _own(self) -> None:
        """Let copies take the place of the open containers that somebody else sees."""
        self._given = False
        is_seen = _COPIES
        for depth in range(1, len(self._outer) + 1):
            # Who holds a container sees all in it.
            is_seen = is_seen or self._references(depth) > _OURS
            if is_seen:
                around, key = self._outer[depth - 1]
                inner = self._container(depth)
                copy = FrozenList(inner) if isinstance(inner, list) else FrozenDict(inner)
                if isinstance(around, dict):
                    dict.__setitem__(around, key, copy)
                else:
                    list.__setitem__(around, -1, copy)
                if depth < len(self._outer):
                    self._outer[depth] = (copy, self._outer[depth][1])
                else:
                    self._top = copy

    def _container(self, depth: int) -> _Open:
        return self._outer[depth][0] if depth < len(self._outer) else self._top

    def _references(self, depth: int) -> int:
        return sys.getrefcount(self._container(depth))

    def _fold(self) -> str:
        """Join the open string's pieces to its text, and return it.

        The local name is the only reference unless the caller holds a result, so CPython grows
        it in place. Elsewhere it is copied: the threshold grows with the text, so that the
        copies made while feeding stay proportional to the text in any case.
        """
        text = self._text
        self._text = ""
        text += "".join(self._pieces)
        self._pieces.clear()
        self._text = text
        self._fold_at = max(_FOLD_PIECES, len(text) >> 6)
        return text

    def _take_text(self) -> str:
        text = self._fold() if self._text else "".join(self._pieces)
        self._pieces.clear()
        self._text = ""
        self._fold_at = _FOLD_PIECES
        return text

    # Steps: each reads at ``position`` (never the end) and returns where to go on.

    def _ignore(self, text: str, _position: int) -> int:
        return len(text)

    def _break(self, text: str) -> int:
        self._broken = True
        self._step = PartialJSON._ignore
        if not self._in_value:
            self._take_text()
        return len(text)

    def _space_or_break(self, text: str, position: int) -> int:
        if text[position] not in _WHITE_SPACE:
            return self._break(text)
        spaces = _SPACES_AT(text, position)
        return spaces.end() if spaces else position + 1

    def _start(self, text: str, position: int) -> int:
        if text[position] == "{":
            return self._open(FrozenDict(), text, position)
        return self._space_or_break(text, position)

    def _open(self, container: _Open, text: str, position: int) -> int:
        if len(self._outer) >= self._max_depth:
            return self._break(text)
        self._place(container)
        self._outer.append((self._top, self._key))
        self._top = container
        is_list = isinstance(container, list)
        self._step = PartialJSON._first_item if is_list else PartialJSON._first_key
        return position + 1

    def _close(self, position: int) -> int:
        self._top, self._key = self._outer.pop()
        self._step = PartialJSON._after if self._outer else PartialJSON._space_or_break
        return position + 1

    def _put(self, value: Any, position: int) -> int:
        self._place(value)
        self._shown = False
        self._step = PartialJSON._after if self._outer else PartialJSON._space_or_break
        return position

    def _after(self, text: str, position: int) -> int:
        char = text[position]
        in_list = isinstance(self._top, list)
        if char == ",":
            self._step = PartialJSON._value if in_list else PartialJSON._next_key
            return position + (2 if text.startswith(" ", position + 1) else 1)
        if char == ("]" if in_list else "}"):
            return self._close(position)
        return self._space_or_break(text, position)

    def _first_key(self, text: str, position: int) -> int:
        if text[position] == "}":
            return self._close(position)
        return self._next_key(text, position)

    def _next_key(self, text: str, position: int) -> int:
        if text[position] != '"':
            return self._space_or_break(text, position)
        if whole := _KEY_AT(text, position):
            self._key = whole[1]
            self._step = PartialJSON._value
            return whole.end()
        self._step = PartialJSON._string
        return position + 1

    def _colon(self, text: str, position: int) -> int:
        if text[position] == ":":
            self._step = PartialJSON._value
            return position + 1
        return self._space_or_break(text, position)

    def _first_item(self, text: str, position: int) -> int:
        if text[position] == "]":
            return self._close(position)
        return self._value(text, position)

    def _value(self, text: str, position: int) -> int:
        char = text[position]
        if char == '"':
            if whole := _STRING_AT(text, position):
                return self._put(whole[1], whole.end())
            self._in_value = True
            self._step = PartialJSON._string
            return position + 1
        if char == "{":
            return self._open(FrozenDict(), text, position)
        if char == "[":
            return self._open(FrozenList(), text, position)
        if char in _WHITE_SPACE:
            # An array that has had white space may still be empty: its step stays.
            return self._space_or_break(text, position)
        self._step = PartialJSON._scalar
        return position

    def _string(self, text: str, position: int) -> int:
        segment = _SEGMENT_AT(text, position)
        end = segment.end() if segment else position
        if end > position:
            run = text[position:end]
            self._pieces.append(_decode_string(f'"{run}"')[0] if "\\" in run else run)
        if end == len(text):
            self._plain = self._pieces
            if len(self._pieces) >= self._fold_at:
                self._fold()
            return end
        if text[end] == '"':
            return self._close_string(end + 1)
        if text[end] == "\\" and _ESCAPE_BEGUN(text, end):
            self._held = text[end:]
            return len(text)
        return self._break(text)

    def _close_string(self, position: int) -> int:
        complete = self._take_text()
        if self._in_value:
            self._in_value = False
            return self._put(complete, position)
        self._key = complete
        self._step = PartialJSON._colon
        return position

    def _scalar(self, text: str, position: int) -> int:
        run = _SCALAR_RUN_AT(text, position)
        end = run.end() if run else position
        token = self._head + text[position:end]
        if end == len(text):
            if not _SCALAR_BEGUN(token):
                return self._break(text)
            self._pieces.append(text[position:end])
            self._head = _squeeze("", token)
            if len(self._pieces) >= self._fold_at:
                self._fold()
            return end
        closer = "]" if isinstance(self._top, list) else "}"
        if text[end] not in f"{_WHITE_SPACE},{closer}" or not _SCALAR(token):
            return self._break(text)
        whole = text[position:end]
        if self._head:
            self._head = ""
            self._pieces.append(whole)
            whole = self._take_text()
        try:
            return self._put(_LITERALS[whole] if whole in _LITERALS else _number(whole), end)
        except ValueError:
            return self._break(text)


_Step = Callable[[PartialJSON, str, int], int]


# References are counted where that is exact, and a container that has more than it has in a parser
# nobody looks at is held by somebody.
_COPIES = not hasattr(sys, "getrefcount") or bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def _references_of_ours() -> int:
    parser = PartialJSON()
    parser.feed('{"a":[')
    return min(parser._references(1), parser._references(2))


_OURS = 0 if _COPIES else _references_of_ours()


def _number(token: str) -> int | float:
    """Return the number that json.loads makes of it; raise ValueError where JSON cannot hold it."""
    if "." not in token and "e" not in token and "E" not in token:
        if len(token) >= _LONG_DIGITS and not isfinite(float(token)):
            raise ValueError("beyond the range of a double")
        return int(token)
    number = float(token)
    if not isfinite(number):
        raise ValueError("beyond the range of a double")
    return number
