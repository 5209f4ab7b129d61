"""YAML as JSON text: each document of a YAML stream as the JSON document that it means.

Plain scalars are read by the core schema of YAML 1.2: ``true``, ``false``, ``null``, numbers; all
else is a string, ``yes`` and times too. What JSON cannot say is refused: tags of other types,
``.nan``, keys that are not scalars, and a name that an object has twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from ..errors import Finding, FramingError, ReadError, UsageError, clip
from ..tables.limits import MAX_DEPTH
from .pointer import escape_pointer
from .positions import Position

__all__ = ["ByteReader", "YamlDocument", "yaml_documents"]


class ByteReader(Protocol):
    """Where the bytes of a stream come from."""

    def read(self, size: int = -1, /) -> bytes:
        """Return at most ``size`` bytes; none at the end."""
        ...


class YamlDocument(NamedTuple):
    """A document as JSON text, and where its values are in the YAML, by pointer."""

    data: bytes
    begin: Position
    places: dict[str, Position]

    def position(self, pointer: str) -> Position:
        """Return where a pointer leads: a member's name, an item, or as deep as there is one."""
        while pointer and pointer not in self.places:
            pointer = pointer.rpartition("/")[0]
        return self.places.get(pointer, self.begin)


def yaml_documents(stream: ByteReader, max_bytes: int) -> Iterator[YamlDocument]:
    """Yield the documents of a YAML stream, each when it is whole.

    Raises ReadError ``document/invalid-yaml`` and ``document/too-deep`` with the line and
    ``document/invalid-utf8`` with the byte, FramingError
    ``framing/document-too-large`` for a document beyond ``max_bytes``, as YAML or as JSON, and
    UsageError ``usage/missing-extra``.
    """
    yaml = _pyyaml()
    counted = _Counted(stream, max_bytes)
    # libyaml's parser where it was built: ten times as fast.
    events: Iterator[Any] = yaml.parse(
        counted, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    try:
        while (event := next(events, None)) is not None:
            if type(event) is yaml.DocumentStartEvent:
                counted.size = 0
                yield _Builder(yaml, max_bytes).document(events)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        if _is_encoding(error):
            raise ReadError(_not_utf8(error)) from None
        said = getattr(error, "problem", None) or " ".join(str(error).split())
        raise _invalid(f"not YAML: {said[:200]}", mark) from None


class _Counted:
    """Bytes of a stream, as long as one document does not take too many."""

    def __init__(self, stream: ByteReader, most: int) -> None:
        self._stream = stream
        self._most = most
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        self.size += len(chunk)
        if self.size > self._most + (1 << 20):  # what is read ahead is the next document's
            raise _too_large(self._most)
        return chunk


# --- scalars --------------------------------------------------------------------------------------

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), b"true"),
    **dict.fromkeys(("false", "False", "FALSE"), b"false"),
}
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch
_DECIMAL: Final = re.compile(r"[-+]?[0-9]+").fullmatch
_BASED: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+").fullmatch
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?").fullmatch
_MOST_CHARS: Final = 1000  # of numbers that are written in another way than JSON's
_NO_NUMBER: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)").fullmatch
_STRING_TAG: Final = "tag:yaml.org,2002:str"


def _plain(text: str, mark: Any) -> bytes:
    """Return the JSON text of a scalar without quotes."""
    if text in _NULLS:
        return b"null"
    if (known := _BOOLEANS.get(text)) is not None:
        return known
    if _JSON_NUMBER(text):  # every digit stays
        return text.encode()
    if _NO_NUMBER(text):
        raise _invalid("JSON has no such number", mark, text)
    if _DECIMAL(text):
        digits = text.lstrip("+-").lstrip("0") or "0"
        return f"{'-' * text.startswith('-')}{digits}".encode()
    if len(text) <= _MOST_CHARS:
        if _BASED(text):
            return str(int(text, 0)).encode()
        if _FLOAT(text) and abs(number := float(text)) < float("inf"):
            return repr(number).encode()
    return _string(text, mark)


def _string(text: str, mark: Any) -> bytes:
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        raise _invalid("a character that is half of one", mark) from None


# --- documents ------------------------------------------------------------------------------------


class _Open:
    """A sequence or a mapping whose end has not come."""

    def __init__(self, pointer: str, anchor: str | None, *, is_map: bool) -> None:
        self.pointer = pointer
        self.anchor = anchor
        self.is_map = is_map
        self.texts: list[bytes] = []
        self.key: str | None = None
        self.keys: set[str] = set()


class _Builder:
    """Makes one document of its events."""

    def __init__(self, yaml: Any, max_bytes: int) -> None:
        self._most = max_bytes
        self._size = self._kept = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, bytes] = {}
        self._places: dict[str, Position] = {}
        self._root: bytes | None = None
        self._begin: Position | None = None
        self._do: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.SequenceStartEvent: self._sequence,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
        }
        self._last = yaml.DocumentEndEvent

    def document(self, events: Iterator[Any]) -> YamlDocument:
        for event in events:
            if type(event) is self._last:
                break
            if self._begin is None:
                self._begin = _position(event.start_mark)
            self._do[type(event)](event)
        assert self._root is not None
        assert self._begin is not None
        return YamlDocument(self._root, self._begin, self._places)

    def _scalar(self, event: Any) -> None:
        is_plain, tag = event.implicit[0], event.tag
        if not is_plain and tag not in (None, "!", _STRING_TAG):
            raise _invalid("JSON has no values of this type", event.start_mark, tag)
        if self._takes_key():
            self._name(event.value, event)
            return
        mark = event.start_mark
        is_word = is_plain and tag is None and event.style in (None, "")
        text = _plain(event.value, mark) if is_word else _string(event.value, mark)
        self._size += len(text)
        self._put(text, event)

    def _alias(self, event: Any) -> None:
        text = self._anchors.get(event.anchor)
        if text is None:
            raise _invalid("an alias of nothing that is whole", event.start_mark, event.anchor)
        if self._takes_key():
            raise _invalid("a name of an object is a scalar", event.start_mark, event.anchor)
        self._size += len(text)
        self._put(text, event, anchor=None)

    def _sequence(self, event: Any) -> None:
        self._begins(event, is_map=False)

    def _mapping(self, event: Any) -> None:
        self._begins(event, is_map=True)

    def _begins(self, event: Any, *, is_map: bool) -> None:
        mark = event.start_mark
        if not event.implicit and event.tag not in (None, "!"):
            raise _invalid("JSON has no values of this type", mark, event.tag)
        if self._takes_key():
            raise _invalid("a name of an object is a scalar", mark)
        if len(self._open) >= MAX_DEPTH:
            expected = f"at most {MAX_DEPTH} levels"
            raise ReadError(_finding("document/too-deep", "Nested too deep", mark, expected))
        pointer = self._pointer()
        self._places.setdefault(pointer, _position(mark))
        self._open.append(_Open(pointer, event.anchor, is_map=is_map))

    def _end(self, event: Any) -> None:
        done = self._open.pop()
        body = b",".join(done.texts)
        self._put(b"{%s}" % body if done.is_map else b"[%s]" % body, event, done.anchor)

    def _takes_key(self) -> bool:
        return bool(self._open) and self._open[-1].is_map and self._open[-1].key is None

    def _name(self, name: str, event: Any) -> None:
        here = self._open[-1]
        if name == "<<" and event.style in (None, ""):
            raise _invalid("merge keys are not read: write the members out", event.start_mark, name)
        if name in here.keys:
            raise _invalid("a name is twice in one object", event.start_mark, name)
        here.keys.add(name)
        self._size += len(name)
        here.key = name
        self._places[self._pointer()] = _position(event.start_mark)

    def _pointer(self) -> str:
        """Return the pointer of the value that comes next."""
        if not self._open:
            return ""
        here = self._open[-1]
        step = escape_pointer(here.key) if here.key is not None else str(len(here.texts))
        return f"{here.pointer}/{step}"

    def _put(self, text: bytes, event: Any, anchor: str | None = "") -> None:
        """Put a value where the next one belongs."""
        name = event.anchor if anchor == "" else anchor
        if name is not None:
            self._anchors[name] = text
            self._kept += len(text)
        if max(self._size, self._kept) > self._most:  # aliases of aliases, for instance
            raise _too_large(self._most)
        if not self._open:
            self._root = text
            return
        self._places.setdefault(self._pointer(), _position(event.start_mark))
        here = self._open[-1]
        if here.key is not None:
            text = b"%s:%s" % (_string(here.key, event.start_mark), text)
            here.key = None
        here.texts.append(text)


# --- findings -------------------------------------------------------------------------------------


def _position(mark: Any) -> Position:
    return Position(mark.line + 1, mark.column + 1)


def _finding(
    rule: str, message: str, mark: Any, expected: str, actual: str | None = None
) -> Finding:
    line = None if mark is None else mark.line + 1
    return Finding(rule, message, expected=expected, actual=actual, line=line)


def _invalid(why: str, mark: Any, actual: str | None = None) -> ReadError:
    shown = None if actual is None else clip(actual)
    expected = "YAML that means a JSON document"
    message = f"The YAML cannot be read: {why}"
    return ReadError(_finding("document/invalid-yaml", message, mark, expected, shown))


def _is_encoding(error: Exception) -> bool:
    """Return whether bytes are not UTF-8, as PyYAML and libyaml say it."""
    said = getattr(error, "encoding", None), getattr(error, "reason", "")
    return said[0] == "utf-8" or "UTF-8" in said[1]


def _not_utf8(error: Any) -> Finding:
    at = getattr(error, "position", getattr(error, "start", None))
    return Finding("document/invalid-utf8", f"Not UTF-8 at byte {at}", expected="UTF-8")


def _too_large(most: int) -> FramingError:
    message = "The document is larger than the limit for what is read as a whole"
    return FramingError(
        Finding("framing/document-too-large", message, expected=f"at most {most} bytes")
    )


def _pyyaml() -> Any:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                "Reading YAML needs PyYAML",
                expected="PyYAML, as of: pip install 'partwire[yaml]'",
                actual="not installed",
            )
        ) from None
    return yaml
