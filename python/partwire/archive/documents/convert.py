"""Convert the documents of an archive to another family, or from and to the formats of others.

A line may be a whole history: a document of a format, or an array of documents. Where it is one
message of a history, :mod:`.histories` brings these together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from ...contract.current.message import Message
from ...convert.families.context import accepted_codes, given_by
from ...convert.families.conversion import BridgeResult, strictly
from ...convert.families.convert import convert, source_types
from ...errors import PartwireError, ReadError, bad_argument
from ...formats import FORMATS, format_of
from ...formats import read as read_format
from ...formats import write as write_format
from ...json.text import json_text
from ...losses import Loss
from ...reading.inputs import items_of_array
from ...reading.pipeline import read, to_wire
from .keys import LINE, check_key
from .lost import count_losses, lost_between, note_lost
from .options import Convert
from .rows import Lines

__all__ = ["ConvertLines", "Converted", "Converter", "default_key", "source_kind"]

_MESSAGE: Final = "message.Message"
_SOLE: Final = {"message": _MESSAGE, "session": "session.WithParts", "blocks": "blocks.Message"}
_GROUPED: Final = {_MESSAGE: "run", "session.WithParts": "session"}
_INVENTED: Final = "run"
"""The run of messages whose source does not say one."""


class Converted(NamedTuple):
    """What has become of a history."""

    documents: list[bytes]
    losses: list[Loss]
    """Their pointers lead into the history."""
    between: list[Loss]
    """Their pointers lead into the messages on the way, where there are two ways to go."""


def source_kind(name: str) -> str:
    """Return the type or the format that a name means.

    Raises UsageError ``usage/invalid-argument`` for what nothing is converted from, by line.
    """
    if (found := format_of(name)) is not None:
        FORMATS[found].check("read")
        if FORMATS[found].is_session:
            expected = "the messages that partwire convert makes of the files of its sessions"
            raise bad_argument(f"A line of {found} is not a document", expected, name)
        return found
    found = _SOLE.get(name, name)
    known = [*_SOLE, *source_types("envelope"), *source_types("message.ToolResult")]
    if found not in (*_SOLE.values(), *known):
        raise bad_argument(
            "Nothing is converted from this", f"{', '.join(known)}; or {', '.join(FORMATS)}", name
        )
    return found


def default_key(source: str) -> str:
    """Return which lines of a source are one history, unless somebody says so."""
    return _GROUPED.get(source, LINE)


class Converter:
    """Converts histories. Raises UsageError for options that do not go together."""

    def __init__(self, options: Convert) -> None:
        self._options = options
        self.accepted = accepted_codes(options.accept)
        self._source = source_kind(options.source)
        self._format = format_of(self._source)
        self._target = format_of(options.to)
        check_key(options.by)
        if self._format and options.by != LINE:
            raise bad_argument("A line of a format is a whole history", LINE, options.by)
        given: Any = options.context
        self._context: Any = given_by(given)
        kind = _MESSAGE if self._format else self._source
        if self._target:
            FORMATS[self._target].check("write")
            FORMATS[self._target].version_of(options.to_version)
        elif options.to_version is not None:
            raise bad_argument("A family has no version to write", "a format", options.to)
        family = "message" if self._target else options.to
        self._is_last = kind == _MESSAGE and family in ("message", _MESSAGE)
        if not self._is_last:
            convert([], family, type=kind, **self._context)
        elif not self._format and not self._target:
            raise bad_argument(
                "Messages are what is converted", "another family, or a format", family
            )

    def of_line(self, text: bytes) -> Converted:
        """Convert what a line holds: a document, or an array of those of a history."""
        if self._format is not None:
            made = read_format(self._format, text, **self._of_reading())
            losses = self._checked(made.losses)
            return self._onward(_with_runs(made.messages, losses, text), [losses])
        if self._is_last and text.lstrip().startswith(b"["):
            return self._messages(items_of_array(text))
        if self._is_last:
            return self._onward([read(text, Message)], [], is_sole=True)
        return self._onward(text, [])

    def of_lines(self, texts: Sequence[bytes]) -> Converted:
        """Convert a history of which each line holds a document."""
        if self._is_last:
            return self._messages(texts)
        return self._onward(list(texts), [])

    def _messages(self, texts: Sequence[Any]) -> Converted:
        messages = []
        for number, text in enumerate(texts):
            try:
                messages.append(read(text, Message))
            except ReadError as error:
                raise ReadError(
                    *(e._replace(pointer=f"/{number}{e.pointer}") for e in error.findings)
                ) from None
        return self._onward(messages, [])

    def _of_reading(self) -> dict[str, Any]:
        return {name: self._context.get(name) for name in ("run_id", "timestamp")}

    def _onward(self, values: Any, losses: list[list[Loss]], *, is_sole: bool = False) -> Converted:
        """Take values to the target, by a family, a format or both.

        ``losses`` are those of each conversion until now: the first leads into the history.
        """
        if not self._is_last:
            family = "message" if self._target else self._options.to
            kind = _MESSAGE if self._format else self._source
            made = convert(values, family, type=kind, **self._context)
            values = made.value if isinstance(made.value, list) else [made.value]
            losses.append(self._checked(made.losses))
        if self._target is None:
            lines = [to_wire(each) for each in values]
        else:
            written = write_format(self._target, values, version=self._options.to_version)
            found = self._checked(written.losses)
            if is_sole:  # as a document that is not in a list
                found = [each._replace(pointer=_below(each.pointer)) for each in found]
            losses.append(found)
            is_lines = FORMATS[self._target].is_lines
            lines = written.document if is_lines else [written.document]
        first, *others = losses or [[]]
        return Converted(list(map(_text, lines)), first, [each for one in others for each in one])

    def _checked(self, losses: Sequence[Loss]) -> list[Loss]:
        """Return losses; with ``strict`` raises BridgeError for those that are not accepted."""
        if self._options.strict:
            strictly(BridgeResult(None, list(losses)), self.accepted)
        return list(losses)


def _text(value: Any) -> bytes:
    return json_text(value).encode()


def _below(pointer: str) -> str:
    _, slash, rest = pointer[1:].partition("/")
    return slash + rest


def _with_runs(messages: list[Message], losses: Sequence[Loss], text: bytes) -> list[Message]:
    """Give the messages of a line another run than other lines, where it is made up."""
    if all(loss.code != "run-id-invented" for loss in losses):
        return messages
    made = f"run_{hashlib.blake2b(text.strip(), digest_size=12).hexdigest()}"
    return [
        msgspec.structs.replace(each, run_id=made + each.run_id[len(_INVENTED) :])
        if each.run_id.partition(".")[0] == _INVENTED
        else each
        for each in messages
    ]


@dataclass(frozen=True)
class ConvertLines:
    """Write what each line becomes: a document, or as many as a history has."""

    options: Convert
    keeps_text: ClassVar[bool] = True

    @cached_property
    def _converter(self) -> Converter:
        return Converter(self.options)

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        converter = self._converter
        for at, text in lines.documents():
            try:
                made = converter.of_line(text)
            except PartwireError as error:
                lines.quarantine(at, error.findings[0])
                continue
            for document in made.documents:
                lines.write("documents", document)
            lines.used += 1
            note_lost(lines, at, text, made.losses, converter.accepted)
            count_losses(lines.counts, made.between)
            for row in lost_between(made.between, converter.accepted):
                lines.note("lost", at, row)
