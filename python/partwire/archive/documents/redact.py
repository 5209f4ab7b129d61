"""Take credentials out of the documents of an archive, and say what was found where.

Hidden is what recordings hide: what looks like a credential in any text, and what members hold that
are named like one; see :mod:`partwire.model.credentials`. Beside that, what one's patterns find.
Nothing of a line that is put aside is written but its place and length, since it may hold one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from ...contract.versions import parse_type
from ...errors import Finding, ReadError, bad_argument
from ...json.pointer import escape_pointer, names
from ...json.text import decode_json
from ...model.credential_clues import possible_kinds
from ...model.credentials import HIDDEN, is_secret, is_state, keys_in, without_keys
from ...providers.core.opaque import SECRET_QUERY
from ...reading.pipeline import Binding
from .options import Redact
from .rows import Lines

__all__ = ["RedactLines", "Redactor", "check_patterns", "masked"]

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,63}")
_STREAMED: Final = frozenset({"message.MessageDelta", "blocks.StreamChunk"})
_MEMBER: Final = "member"
"""What is found by the name of a member."""
_QUERY: Final = "query"
_STATE: Final = "opaque"
"""The member that holds a provider's state, which has to come back byte for byte."""
_PLACED: Final = ("citations", _STATE)
"""Members that lead into the text beside them by counts of characters."""
_encode: Final = msgspec.json.Encoder().encode


class Found(NamedTuple):
    """A credential that was found."""

    pointer: str
    pattern: str
    text: str

    def to_wire(self) -> dict[str, Any]:
        """Return it as JSON object, which shows no more than how it begins."""
        return {
            "pointer": self.pointer,
            "pattern": self.pattern,
            "sample": masked(self.text),
            "length": len(self.text),
        }


def masked(text: str) -> str:
    """Return how a credential begins: an eighth of it, and four characters at most."""
    return f"{text[: min(4, len(text) // 8)]}…"


def check_patterns(patterns: dict[str, str]) -> dict[str, re.Pattern[str]]:
    """Return regular expressions by name.

    Raises UsageError ``usage/invalid-argument`` for what is not one, has several groups, or finds
    nothing but an empty text.
    """
    made: dict[str, re.Pattern[str]] = {}
    for name, text in patterns.items():
        if not _NAME.fullmatch(name):
            expected = "a letter, and letters, digits, - _ ."
            raise bad_argument("This is not a name of a pattern", expected, name)
        try:
            pattern = re.compile(text)
        except (re.error, OverflowError, RecursionError) as error:
            expected = "a regular expression of Python"
            raise bad_argument(f"The pattern {name} is wrong: {error}", expected, text) from None
        if pattern.groups > 1:
            expected = "one group at most, which is what is hidden; others as (?:…)"
            raise bad_argument(f"The pattern {name} has several groups", expected, text)
        if pattern.search(""):
            expected = "one that does not find an empty text"
            raise bad_argument(f"The pattern {name} finds everything", expected, text)
        made[name] = pattern
    return made


class Redactor:
    """Takes credentials out of JSON values: those of the table, and what ``patterns`` find."""

    def __init__(self, patterns: dict[str, re.Pattern[str]]) -> None:
        self._patterns = patterns
        self._is_clean_name = lru_cache(4096)(self._is_clean_text)

    def __call__(self, value: Any) -> tuple[Any, list[Found]]:
        """Return a copy without credentials, and what was found; the value itself if nothing was.

        Of the names of members the same is hidden as of texts.
        """
        if self._is_clean(value):
            return value, []
        found: list[Found] = []
        made = self._walked(value, "", found, hide=False, in_state=False)
        return made, found

    def place(self, pointer: str) -> str:
        """Return a pointer as it may be shown: a name that it leads through may be a credential."""
        shown = (self._hidden(name, "", [], is_placed=False) for name in names(pointer))
        return "".join(f"/{escape_pointer(each)}" for each in shown)

    # --- whether there is anything to look for ----------------------------------------------------

    def _is_clean(self, value: Any) -> bool:
        texts: list[str] = []
        todo = [value]
        while todo:
            each = todo.pop()
            if type(each) is str:
                texts.append(each)
            elif type(each) is list:
                todo += each
            elif type(each) is dict:
                for name in each:
                    if _may_be_secret(name) or not self._is_clean_name(name):
                        return False
                named = each.get("name")
                if "value" in each and type(named) is str and _may_be_secret(named):
                    return False
                todo += each.values()
        if any(pattern.search(text) for pattern in self._patterns.values() for text in texts):
            return False
        joined = "\n".join(texts)
        return not possible_kinds(joined) and not ("=" in joined and SECRET_QUERY.search(joined))

    def _is_clean_text(self, text: str) -> bool:
        return not self._spans(text)

    # --- what is hidden ---------------------------------------------------------------------------

    def _spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return where something is to be hidden, in order; places may overlap."""
        spans = keys_in(text)
        if "=" in text:
            spans += [(each.end(1), each.end(), _QUERY) for each in SECRET_QUERY.finditer(text)]
        for name, pattern in self._patterns.items():
            for match in pattern.finditer(text):
                begin, end = match.span(pattern.groups)
                if begin < end:
                    spans.append((begin, end, name))
        return sorted(spans)

    def _hidden(self, text: str, pointer: str, found: list[Found], *, is_placed: bool) -> str:
        spans = self._spans(text)
        if not spans:
            return text
        made, at = [], 0
        for begin, end, kinds in _joined(spans):
            secret = text[begin:end]
            mark = _mark(end - begin) if is_placed else HIDDEN
            made += [text[at:begin], mark]
            at = end
            if secret not in (mark, HIDDEN):
                found += [Found(pointer, kind, secret) for kind in kinds]
        return "".join([*made, text[at:]])

    def _walked(
        self,
        value: Any,
        place: str,
        found: list[Found],
        *,
        hide: bool,
        in_state: bool,
        is_placed: bool = False,
    ) -> Any:
        if isinstance(value, dict):
            return self._members(value, place, found, hide=hide, in_state=in_state)
        if isinstance(value, list):
            return [
                self._walked(each, f"{place}/{at}", found, hide=hide, in_state=in_state)
                for at, each in enumerate(value)
            ]
        if hide:
            if value is None or isinstance(value, bool) or value == HIDDEN:
                return value
            found.append(Found(place, _MEMBER, str(value)))
            return HIDDEN
        if not isinstance(value, str) or (in_state and is_state(value)):
            return value
        return self._hidden(value, place, found, is_placed=is_placed)

    def _members(
        self, value: dict[str, Any], place: str, found: list[Found], *, hide: bool, in_state: bool
    ) -> dict[str, Any]:
        named = value.get("name")  # a header as a pair: {"name": "X-Api-Key", "value": "…"}
        pair = isinstance(named, str) and is_secret(named, value.get("value"))
        is_placed = any(value.get(name) for name in _PLACED)
        made: dict[str, Any] = {}
        for name, member in value.items():
            shown = self._hidden(name, place, found, is_placed=False)
            while shown in made or (shown != name and shown in value):
                shown += "*"  # another name that was hidden, too
            at = f"{place}/{escape_pointer(shown)}"
            made[shown] = self._walked(
                member,
                at,
                found,
                hide=hide or is_secret(name, member) or (pair and name == "value"),
                in_state=in_state or name == _STATE,
                is_placed=is_placed and name == "text",
            )
        return made


@lru_cache(4096)
def _may_be_secret(name: str) -> bool:
    return is_secret(name, "")


def _joined(spans: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, list[str]]]:
    """Return the spans, of which those that overlap are one: no credential is hidden by half."""
    made: list[tuple[int, int, list[str]]] = []
    for begin, end, name in spans:
        if made and begin < made[-1][1]:
            first, last, names = made[-1]
            made[-1] = (first, max(last, end), names if name in names else [*names, name])
        else:
            made.append((begin, end, [name]))
    return made


def _mark(length: int) -> str:
    """Return a mark that is as long as what it hides."""
    return HIDDEN.ljust(length, "*") if length >= len(HIDDEN) else "*" * length


@dataclass(frozen=True)
class RedactLines:
    """Write each document without credentials; one that has none stays as it is, byte for byte.

    What was valid is valid again: a document that would not be is put aside. Counted are documents
    that have ``changed``, and what was found by pattern (``found key``).
    """

    options: Redact
    keeps_text: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Raise UsageError for a type or patterns that are wrong."""
        given = self.options
        name = str(parse_type(given.type, given.version))
        if name in _STREAMED:
            raise bad_argument(
                "A credential may be in two pieces of a stream, of which neither looks like one",
                "whole documents: partwire archive assemble makes them of a stream",
                name,
            )
        check_patterns(given.patterns)

    @cached_property
    def _binding(self) -> Binding:
        return Binding.of(self.options.type, self.options.version)

    @cached_property
    def _redactor(self) -> Redactor:
        return Redactor(check_patterns(self.options.patterns))

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        redactor = self._redactor
        for at, text in lines.documents():
            try:
                value = decode_json(text)
            except ReadError as error:
                lines.quarantine(at, self._bare(error.findings[0]))
                continue
            made, found = redactor(value)
            if made is value or not found:
                lines.write("documents", text)
                lines.used += 1
                continue
            written = _encode(made)
            why = self._made_invalid(text, written)
            if why is not None:
                lines.quarantine(at, self._bare(why))
                continue
            lines.write("documents", written)
            lines.used += 1
            lines.counts["changed"] += 1
            for each in found:
                lines.counts[f"found {each.pattern}"] += 1
            for each in found[: self.options.max_found]:
                lines.note("found", at, each.to_wire())

    def _made_invalid(self, text: bytes, written: bytes) -> Finding | None:
        """Return why a document is not valid any more; None if it is, or was not before."""
        binding = self._binding
        if binding.is_clean(written):
            return None
        errors = [each for each in binding.findings(written) if each.severity == "error"]
        if not errors or any(each.severity == "error" for each in binding.findings(text)):
            return None
        first = errors[0]
        return first._replace(message=f"Without its credentials it is not valid: {first.message}")

    def _bare(self, finding: Finding) -> Finding:
        """Return a finding without what it shows of the document."""
        place, message = self._redactor.place(finding.pointer), without_keys(finding.message)
        return finding._replace(actual=None, message=message, pointer=place)
