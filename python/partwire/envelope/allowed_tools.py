"""The list of allowed tools in a prompt: JSON or YAML, from whoever wrote the prompt.

YAML is read from parser events and never constructed, so that there is nothing for tags and
aliases to do. A list that is refused allows nothing: an error is never "all tools".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..errors import Finding, PartwireError, ReadError, UsageError, clip
from ..json.text import decode_json, value_findings
from .arguments import require_text

__all__ = ["parse_allowed_tools"]

_RULE: Final = "envelope/allowed-tools"
_MAX_CHARS: Final = 65_536
_TEXT_TAG: Final = "tag:yaml.org,2002:str"
_NAME: Final = "the name of a tool, as text"


def parse_allowed_tools(text: str) -> list[str]:
    """Return the names in a list of allowed tools, in its order, as they stand there.

    ``text`` is a JSON list of strings, or a YAML one (``- name`` lines or ``[a, b]``), of at most
    65,536 characters. Of YAML only plain lists are taken: no anchors, aliases, tags, further
    documents, or items without quotes that PyYAML's resolver takes for something else than text
    (``yes``, ``1.0``, ``2025-07-15``, ``12:30``, ``=``: quote them). The resolver is one of YAML
    1.1 that takes ``y`` and ``n`` for text; what YAML 1.2 alone takes for a number (``1e3``,
    ``0o17``) is text as well. A block of Base64 goes through
    :func:`partwire.envelope.decode_prompt_block` first.

    A name is what the contract lets a tool be called: any text but the empty one, blank text and
    control characters too. The same name may stand in the list twice, and comes twice.

    Raises ReadError ``envelope/allowed-tools`` (pointers lead into the list), or what reading
    JSON raises; UsageError ``usage/invalid-argument`` for what is no str, and
    ``usage/missing-extra`` where the text is no JSON and PyYAML, which the extra ``yaml`` brings,
    is not installed. Source: requirements S004-15.
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
        names = list(_yaml_items(text))
        if found := value_findings(names):  # YAML can spell halves of surrogate pairs
            raise ReadError(*found) from None
        return names
    if not isinstance(items, list):
        raise _refusal("The text is JSON, but no list", "a list of tool names", items)
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item:
            raise _refusal("The item is no tool's name", _NAME, item, f"/{index}")
    return items


def _yaml_items(text: str) -> Iterator[str]:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                "The list is no JSON, and reading YAML needs PyYAML",
                expected="PyYAML, as of: pip install 'partwire[yaml]'",
                actual=clip(text),
            )
        ) from None
    resolver: Any = yaml.SafeLoader("")
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
    try:
        _expect(next(events), "StreamStartEvent")
        _expect(next(events), "DocumentStartEvent")
        _expect(next(events), "SequenceStartEvent")
        index = 0
        while type(event := next(events)) is not yaml.SequenceEndEvent:
            _expect(event, "ScalarEvent", _NAME, f"/{index}")
            tag = resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
            yield _yaml_item(event, index, tag)
            index += 1
        _expect(next(events), "DocumentEndEvent")
        _expect(next(events), "StreamEndEvent")
    except PartwireError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        # PyYAML converts code points and version numbers without looking at them.
        said = " ".join(str(error).split())[:200]
        raise _refusal(f"Neither JSON nor YAML: {said}", "a list", text) from None


def _expect(
    event: Any, kind: str, expected: str = "one list of tool names", pointer: str = ""
) -> None:
    """Refuse an event of another kind, or one with an anchor or a tag."""
    name = type(event).__name__
    if name != kind:
        message = f"Not a plain list{_place(event)}"
        raise ReadError(Finding(_RULE, message, pointer, expected=expected, actual=_words(name)))
    for what in ("anchor", "tag"):
        if (given := getattr(event, what, None)) is not None:
            message = f"A plain list has no {what}s{_place(event)}"
            raise _refusal(message, expected, given, pointer)


def _yaml_item(event: Any, index: int, tag: str) -> str:
    name: str = event.value
    if tag == _TEXT_TAG and name:
        return name
    kind = tag.rpartition(":")[2]
    message = f"YAML takes the item for {kind}, not for text{_place(event)}; quote it"
    if tag == _TEXT_TAG:
        message = f"The item is empty{_place(event)}"
    raise _refusal(message, _NAME, name, f"/{index}")


def _place(event: Any) -> str:
    return f" at line {event.start_mark.line + 1} column {event.start_mark.column + 1}"


def _words(name: str) -> str:
    """Return the name of an event class as words: ``a YAML mapping``."""
    words = "".join(f" {char.lower()}" if char.isupper() else char for char in name)
    return f"a YAML{words.removesuffix(' event').removesuffix(' start')}"


def _refusal(message: str, expected: str, actual: object, pointer: str = "") -> ReadError:
    return ReadError(Finding(_RULE, message, pointer, expected=expected, actual=clip(actual)))
