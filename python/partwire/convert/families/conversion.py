"""What all bridges share: reading the source, noting losses, building the result."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from partwire.errors import Finding, PartwireError, ReadError, UsageError, bad_argument
from partwire.losses import Loss, in_order
from partwire.native_core import core
from partwire.reading import unknown_members
from partwire.reading.inputs import message_of, text_of
from partwire.reading.pipeline import Binding, read, read_with_findings
from partwire.reading.plain import plain_value
from partwire.reading.tolerant import items_of, pointer_before, without_items
from partwire.tables.losses import LOSSES, SINCE

from ...contract import times
from ...contract.current import FAMILIES
from ...json.text import json_text
from .context import Context, given_by

__all__ = [
    "BridgeError",
    "BridgeResult",
    "Json",
    "Work",
    "derived_id",
    "is_uuid",
    "losses_for",
    "strictly",
]

Json = dict[str, Any]
T_co = TypeVar("T_co", covariant=True)

_NAMESPACE: Final = uuid.UUID("5f0f3d0e-6a0a-5c55-9b7c-2f8f6d1c7a10")


class BridgeResult(NamedTuple, Generic[T_co]):
    """The converted value, and what the conversion changed, by place."""

    value: T_co
    losses: list[Loss]


class BridgeError(PartwireError, ValueError):
    """A conversion that does not exist, or a lossy one that was asked to be strict.

    ``losses`` are all losses of the refused conversion.
    """

    def __init__(self, *findings: Finding, losses: Sequence[Loss] = ()) -> None:
        super().__init__(*findings)
        self.losses = list(losses)


def losses_for(losses: Iterable[Loss], version: str) -> list[Loss]:
    """Return the losses that ``version`` of the contract knows, in order.

    Who serves a reader of an older version the result as that version has it (see
    :func:`partwire.convert.downgrade`) serves the losses that belong to it: what is new since is
    about members that the older result does not have. Raises UsageError
    ``usage/unknown-version``.
    """
    versions = list(FAMILIES)
    if version not in versions:
        raise bad_argument(
            "No such contract version", ", ".join(versions), version, "usage/unknown-version"
        )
    known = versions[: versions.index(version) + 1]
    return [each for each in losses if SINCE.get(each.code, known[0]) in known]


def derived_id(*parts: object) -> str:
    """Return the UUID (version 5) that always belongs to ``parts``."""
    # What json_text gives for the list, in two thirds of its time.
    texts = (json_text(str(part)) for part in parts)
    return str(uuid.uuid5(_NAMESPACE, f"[{','.join(texts)}]"))


def is_uuid(text: str) -> bool:
    """Tell whether ``text`` is a UUID in the contract's form."""
    try:
        return len(text) == 36 and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


class Work:
    """One conversion: the source as a list of JSON objects, and the losses so far.

    Raises ReadError where a source is not a valid document of ``type_name``: it is read tolerantly.
    Variants of unknown tags are taken out; they, and members that the type does not name, are
    noted. Raises UsageError for a wrong context.
    """

    def __init__(self, values: Any, type_name: str, context: Context) -> None:
        self.context = given_by(context)
        self.single = not isinstance(values, (list, tuple))
        plain: list[Any] = []
        unknown: set[str] = set()
        left_out: list[str] = []
        # One by one: in a list, the deepest documents would stand a level too deep.
        for number, each in enumerate([values] if self.single else values):
            try:
                value, found, members = _opened(each, Binding.of(type_name))
            except ReadError as error:
                place = "" if self.single else f"/{number}"
                raise ReadError(*_below(place, error.findings)) from None
            plain.append(value)
            unknown |= {f"/{number}{pointer}" for pointer in found}
            left_out += [f"/{number}{pointer}" for pointer in members]
        self._gone = items_of(plain, unknown)
        self.source: list[Json] = without_items(plain, self._gone)
        self._losses: list[Loss] = []
        for pointer in sorted(self._gone):
            self._add("unknown-variant", pointer)
        for pointer in left_out:
            self._add("unknown-member", pointer)

    def note(self, code: str, pointer: str) -> None:
        """Note a loss at a place of :attr:`source`."""
        self._add(code, pointer_before(pointer, self._gone) if self._gone else pointer)

    def _add(self, code: str, pointer: str) -> None:
        severity, detail = LOSSES[code]
        if self.single:
            _, slash, rest = pointer[1:].partition("/")  # a member may have the empty name
            pointer = slash + rest
        self._losses.append(Loss(pointer, code, severity, detail))

    def note_text(self, payload: Json, place: str) -> None:
        """Note what neither a session nor blocks say of a text, whose payload is at ``place``."""
        for code, name in (("citation", "citations"), ("text-format", "format")):
            if name in payload:
                self.note(code, f"{place}/{name}")

    def given(self, name: str, pointer: str, code: str, invented: Any) -> Any:
        """Return the caller's value, or ``invented``; both are noted."""
        value = self.context.get(name)
        self.note(code if value is None else "given", pointer)
        return invented if value is None else value

    def ms(self, text: str, pointer: str) -> int:
        """Return a timestamp in milliseconds, and note what is lost."""
        instant = times.instant_of(text)
        ms = min(max(instant.ms, 0), times.LAST_MS)
        if ms != instant.ms:
            self.note("timestamp-range", pointer)
        elif not instant.exact:
            self.note("timestamp-precision", pointer)
        elif not instant.usual:
            self.note("timestamp-form", pointer)
        return ms

    def text(self, ms: int, pointer: str) -> str:
        """Return milliseconds as timestamp, and note what is lost."""
        if ms > times.LAST_MS:
            self.note("timestamp-range", pointer)
        return times.text_of(min(ms, times.LAST_MS))

    def finish(self, made: list[Json], type_name: str) -> BridgeResult[list[Any]]:
        """Return the result as structs: what is not a valid document does not leave."""
        try:
            values = [read(document, type_name) for document in made]
        except ReadError as error:
            raise _refused(error) from None
        return BridgeResult(values, in_order(self._losses))


def strictly(result: BridgeResult[Any], accepted: Collection[str]) -> None:
    """Raise BridgeError unless all lossy losses are of the codes ``accepted``."""
    lossy = [e for e in result.losses if e.severity == "lossy" and e.code not in accepted]
    if lossy:
        findings = [
            Finding("bridge/lossy", f"{each.detail} ({each.code})", each.pointer) for each in lossy
        ]
        raise BridgeError(*findings, losses=result.losses)


def _opened(value: Any, binding: Binding) -> tuple[Json, set[str], list[str]]:
    """Return a document, read tolerantly, as JSON value, the pointers of what its version does not
    know, and those of members that its type does not name.
    """
    text = text_of(value)
    if text is None:
        text = binding.clean_text(message_of(value), closed=True)
    elif core() is None or not binding.is_clean(text, "warn"):
        text = None
    if text is not None:
        return msgspec.to_builtins(binding.decode(text)), set(), []
    name = str(binding.type)
    made, unknown = plain_value(read_with_findings(value, name, "tolerant").value, defaults=True)
    return made, unknown, unknown_members(value, name)


def _below(place: str, findings: Iterable[Finding]) -> list[Finding]:
    return [each._replace(pointer=f"{place}{each.pointer}") for each in findings]


def _refused(error: ReadError) -> PartwireError:
    """Say why the result's type refuses it: its depth, or an id that the caller made."""
    first = error.findings[0]
    if error.rule == "document/too-deep":  # the result may nest the source deeper than it was
        message = f"The result would not be valid: {first.message}"
        return BridgeError(first._replace(rule="bridge/unsupported", message=message))
    return UsageError(
        Finding(
            "usage/invalid-argument",
            f"The context does not fit: {first.message} at {first.pointer} [{first.rule}]",
            expected=first.expected,
            actual=first.actual,
        )
    )
