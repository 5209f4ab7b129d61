"""The list of allowed tools in a prompt: JSON or YAML, from whoever wrote the prompt.

YAML is read from parser events and never constructed, so that there is nothing for tags and
aliases to do. What is taken is the part of YAML that the libraries of three languages read alike.
A list that is refused allows nothing: an error is never "all tools".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ..errors import Finding, ReadError, UsageError, clip
from ..json.text import decode_json
from .arguments import require_text

__all__ = ["parse_allowed_tools"]

_RULE: Final = "envelope/allowed-tools"
_MAX_CHARS: Final = 65_536
_NAME: Final = "the name of a tool, as text"
_LIST: Final = "one list of tool names"

# What readers of YAML do not take alike: tabs and control characters, other line ends than LF and
# CRLF, directives, marks of a document's end.
_UNPORTABLE: Final = re.compile(
    r"[^\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
    r"|\r(?!\n)|^(?:%|\.\.\.)",
    re.MULTILINE,
)
# Text without quotes that is text in YAML 1.1 as in 1.2, in a block as between brackets: words, one
# space between two of them.
_BEYOND: Final = r"\xa1-\U0010ffff"
_CHAR: Final = rf"\w./@+=~$()*{_BEYOND}-"
_WORDS: Final = re.compile(
    rf"[A-Za-z_{_BEYOND}](?:(?:[:{_CHAR}]|(?<!:) (?! |-(?!-?[A-Za-z])))*[{_CHAR}])?", re.ASCII
)
_NOT_TEXT: Final = frozenset(("yes", "no", "true", "false", "on", "off", "null"))
_NESTED: Final = re.compile(r"[ \r\n]*\[[ \r\n]*[\[{]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BLOCK: Final = ("|", ">")
_STRIPPED: Final = re.compile("[|>][1-9]?-")
_STUCK_COMMENT: Final = re.compile(r"^[^#\n]*[^\s#]#", re.MULTILINE)


def parse_allowed_tools(text: str) -> list[str]:
    """Return the names in a list of allowed tools, in its order, as they are written.

    ``text`` is a JSON list of strings, or a YAML one (``- name`` lines or ``[a, b]``), of at most
    65,536 characters. Of YAML only plain lists are taken: no anchors, aliases, tags, directives,
    further documents, tabs or control characters. An item is in quotes, on one line, or it is words
    with one space between two of them: a letter, ``_`` or a character beyond ASCII, then such
    characters, digits and ``./:@+=~$()*-``, without ``:`` at the end of a word, and with a letter
    behind one or two ``-`` that begin it; none of ``yes``, ``no``, ``true``, ``false``, ``on``,
    ``off`` and ``null`` in any case. Quote all else. A block of Base64 goes through
    :func:`partwire.envelope.decode_prompt_block` first.

    A name is what the contract lets a tool be called: any text but the empty one, blank text and
    control characters too. The same name may be in the list twice, and comes twice.

    Raises ReadError ``envelope/allowed-tools``, or what reading JSON raises; UsageError
    ``usage/invalid-argument`` for what is not a str, and ``usage/missing-extra`` where the text is
    not JSON and PyYAML, which the extra ``yaml`` brings, is not installed. The pointer leads to an
    item of JSON, or to the first ``- `` item of YAML that is refused when its lines are read alone;
    otherwise the list is refused as a whole.
    """
    require_text("text", text)
    if len(text) > _MAX_CHARS:
        raise _refusal("The list is too long", f"at most {_MAX_CHARS:,} characters", len(text))
    if not text.strip():
        raise _refusal("There is no list; one that allows nothing is []", "a list", text)
    try:
        items = decode_json(text.encode("utf-8", "surrogatepass"))
    except ReadError as error:
        # Text that is too deep may be JSON or not.
        if error.rule not in ("document/invalid-json", "document/too-deep"):
            raise
        return _yaml_names(text)
    if not isinstance(items, list):
        raise _refusal("The text is JSON, but no list", "a list of tool names", items)
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item:
            raise _refusal("The item is not a tool's name", _NAME, item, f"/{index}")
    return items


def _yaml_names(text: str) -> list[str]:
    """Return the names of a plain YAML list; refuse all else, an item where it is to blame."""
    if _UNPORTABLE.search(text):
        message = "Neither JSON nor plain YAML: a tab, a control character, a directive or '...'"
        raise _refusal(message, _LIST, text)
    if _NESTED.match(text):
        raise _refusal("A plain list has no lists or mappings", _NAME, text, "/0")
    try:
        return _plain_list(text)
    except _NotPlainError as error:
        whole = _refusal(str(error), _LIST, text)
    for index, item in enumerate(_item_texts(text)):
        try:
            _plain_list(item)
        except _NotPlainError as error:
            raise _refusal(str(error), _NAME, item, f"/{index}") from None
    raise whole


def _item_texts(text: str) -> list[str]:
    """Return the lines of each item of a block list, as far as they are a block list."""
    items: list[str] = []
    indent: str | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        content = line.lstrip(" ")
        is_ignored = content == "" or content.startswith("#")
        if indent is None:
            if is_ignored or content == "---":
                continue
            if not content.startswith("-"):
                break
            indent = line[: len(line) - len(content)]
        if f"{line} ".startswith(f"{indent}- "):
            items.append(f"{line}\n")
        elif items and (is_ignored or line.startswith(f"{indent} ")):
            items[-1] += f"{line}\n"
        else:
            break
    return items


class _NotPlainError(Exception):
    """A text that is not a plain YAML list; its one argument says why."""


def _plain_list(text: str) -> list[str]:
    """Return the names of a plain YAML list; raise _NotPlainError at the first other event."""
    yaml = _pyyaml(text)
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
    names: list[str] = []
    around, end = "", 0
    try:
        for kind in ("StreamStart", "DocumentStart", "SequenceStart"):
            _expect(event := next(events), kind)
        column = event.start_mark.column
        while type(event := next(events)) is not yaml.SequenceEndEvent:
            _expect(event, "Scalar")
            if event.style in _BLOCK and not (
                event.start_mark.column > column and _STRIPPED.match(text, event.start_mark.index)
            ):
                raise _NotPlainError("A block of text begins as >- or |-, deeper than the list")
            names.append(_name(event))
            around += text[end : event.start_mark.index] + ("\n" if event.style in _BLOCK else "x")
            end = event.end_mark.index
        for kind in ("DocumentEnd", "StreamEnd"):
            _expect(next(events), kind)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML converts code points without looking at them.
        said = " ".join(str(error).split())[:200]
        raise _NotPlainError(f"Neither JSON nor YAML: {said}") from None
    if _STUCK_COMMENT.search(around + text[end:]):  # PyYAML takes it, readers of YAML 1.2 do not
        raise _NotPlainError("Neither JSON nor YAML: a comment has a space before it")
    return names


def _pyyaml(text: str) -> Any:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                "The list is not JSON, and reading YAML needs PyYAML",
                expected="PyYAML, as of: pip install 'partwire[yaml]'",
                actual=clip(text),
            )
        ) from None
    return yaml


def _expect(event: Any, kind: str) -> None:
    """Refuse an event of another kind, or one with an anchor or a tag."""
    name = type(event).__name__.removesuffix("Event")
    if name != kind:
        words = re.sub("(?=[A-Z])", " ", name.removesuffix("Start")).lower()
        raise _NotPlainError(f"Not a plain list: a YAML{words}")
    for what in ("anchor", "tag"):
        if getattr(event, what, None) is not None:
            raise _NotPlainError(f"A plain list has no {what}s")


def _name(event: Any) -> str:
    name: str = event.value
    if event.style not in ("'", '"'):
        if not _WORDS.fullmatch(name) or name.lower() in _NOT_TEXT:
            raise _NotPlainError("The item is not words, or not text in every YAML; quote it")
        if " " in name and event.start_mark.line != event.end_mark.line:
            raise _NotPlainError("The item ends on the line on which it begins, or is one word")
    elif not name:
        raise _NotPlainError("The item is empty")
    elif event.start_mark.line != event.end_mark.line:
        raise _NotPlainError("Quotes end on the line on which they begin")
    elif not name.isascii() and _SURROGATE.search(name):
        raise _NotPlainError("Escapes of YAML spell whole characters")
    return name


def _refusal(message: str, expected: str, actual: object, pointer: str = "") -> ReadError:
    return ReadError(Finding(_RULE, message, pointer, expected=expected, actual=clip(actual)))
