"""Read, validate and write documents of the contract.

Valid documents take a quick look (:mod:`.verdict`); only a document that this refuses is looked at
in full, by the generated ``checks``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_origin, overload

import msgspec

from ..bindings.check import Check, Level, run_within
from ..contract.versions import (
    TypeName,
    generated_module,
    is_model_class,
    parse_type,
    type_of_class,
)
from ..errors import Finding, ReadError, WriteError, bad_argument
from ..json.pointer import escape_pointer
from ..json.text import decode_json, value_findings
from .as_model import model_of
from .inputs import Document, document_of, items_of_array, message_of, text_of, value_of
from .plain import plain_value
from .tolerant import Mode, SafeDefault, Schemas, Unknown, items_of, pointer_before, without_items
from .undeclared import UnknownMembers, check_choice, find_unknown_members
from .verdict import Verdict

__all__ = [
    "Binding",
    "Document",
    "Mode",
    "ReadResult",
    "SafeDefault",
    "Unknown",
    "binding_of",
    "check_mode",
    "dump",
    "read",
    "read_value",
    "read_with_findings",
    "to_wire",
    "unknown_members",
    "validate",
    "validate_value",
]

_MODES = ("strict", "tolerant")


T = TypeVar("T")


class ReadResult(NamedTuple, Generic[T]):
    """What reading gives: the value, and what was found that is not an error."""

    value: T
    findings: list[Finding]


class Binding:
    """One type of one version, bound to its generated code; made once each by :meth:`of`."""

    def __init__(self, type_name: TypeName) -> None:
        family, name, version = type_name
        self.type = type_name
        self._verdict = Verdict(type_name)
        self.decode_valid: Callable[[bytes], Any] = self._verdict.decode_valid
        """Returns the struct that a JSON text holds if nothing at all is found, else None: that
        says nothing about validity."""
        self.text_of: Callable[[Any], bytes | None] = self._verdict.text_of
        """Returns the JSON text that says exactly what a value says; None for what takes more."""
        self.clean_text: Callable[..., bytes | None] = self._verdict.clean_text
        """Returns that text if the native core finds nothing in it, with ``closed`` not even an
        unknown member; None says nothing about the value."""
        checks = generated_module(version, "checks", family)
        self._check: Callable[..., list[Finding]] = checks.check
        self._check_one: Check = checks.CHECKS[name]

    @staticmethod
    def of(name: str | type[Any], version: str | None = None) -> Binding:
        """Return the binding of a type; raises UsageError as :func:`parse_type`."""
        return _binding(parse_type(name, version))

    def is_clean(self, data: bytes, unknown: UnknownMembers = "ignore") -> bool:
        """Tell whether nothing is found in ``data``; False says nothing, as in ``decode_valid``."""
        return self._verdict.is_clean(data, closed=unknown != "ignore")

    def covers(self, other: Binding) -> bool:
        """Tell whether what ``other`` takes, and names all of, is surely that here, too."""
        return self._verdict.covers(other._verdict)

    def refused(self, documents: Sequence[bytes], unknown: UnknownMembers = "warn") -> list[int]:
        """Return the indexes of the JSON texts that may have findings, ascending.

        None of the others has any, not even a warning or, unless these are ignored, a member that
        its type does not name.
        """
        return self._verdict.refused(documents, closed=unknown != "ignore")

    @property
    def decode(self) -> Callable[[bytes], Any]:
        """What returns the struct that a JSON text holds in which nothing is found."""
        found: Callable[[bytes], Any] = self._verdict.decode
        return found

    def check(self, value: Any) -> list[Finding]:
        """Return all findings of a JSON value."""
        return self._check(self.type.name, value)

    def check_within(
        self,
        value: Any,
        most: int | None,
        level: Level = "all",
        unknown: UnknownMembers = "ignore",
    ) -> tuple[list[Finding], bool]:
        """Return the first ``most`` findings of a JSON value, and whether there are more.

        None means all. Findings that are cut off hold an error if the value has one: if the
        first ones are warnings, the first error takes the last one's place. Members that the type
        does not name come last.
        """
        more = find_unknown_members(value, self.type, unknown)
        if most is None:
            return [*self._check(self.type.name, value, level), *more], False
        found, is_cut = run_within(self._check_one, value, most, level)
        found, is_cut_here = _cut([*found, *islice(more, most - len(found) + 1)], most)
        return found, is_cut or is_cut_here

    def check_beside(self, value: Any, unknown: set[str]) -> list[Finding]:
        """Return all findings but those of the variants at ``unknown``, which no rule looks at."""
        if not unknown:
            return self.check(value)
        shape = [
            finding
            for finding in self._check(self.type.name, value, "shape")
            if not {finding.pointer, finding.pointer.rpartition("/")[0]} & unknown
        ]
        # Rules that compare the items of an array hold for those that are known.
        items = items_of(value, unknown)
        meaning = [
            _moved_back(finding, items)
            for finding in self.check(without_items(value, items))
            if not finding.rule.startswith(("shape/", "document/"))
        ]
        return shape + meaning

    def check_kept(self, value: Any, unknown: set[str]) -> list[Finding]:
        """Return all findings of a JSON value in which an Unknown or SafeDefault stood at
        ``unknown``: they may stand only where a reader would keep aside what they keep.
        """
        if not unknown:
            return self.check(value)
        _, notes = Schemas.of(self.type).relax(value, self.type.name)
        return self.check_beside(value, unknown & _kept_places(notes))

    def findings(self, data: bytes) -> list[Finding]:
        """Return all findings of a JSON text."""
        return self.findings_within(data, None)[0]

    def findings_within(
        self,
        data: bytes,
        most: int | None,
        level: Level = "all",
        unknown: UnknownMembers = "ignore",
    ) -> tuple[list[Finding], bool]:
        """Return the first ``most`` findings of a JSON text as :meth:`check_within` does."""
        try:
            value = decode_json(data)
        except ReadError as error:
            return list(error.findings[:most]), len(error.findings[:most]) < len(error.findings)
        if unknown != "ignore" and self.decode_valid(data) is not None:
            more = find_unknown_members(value, self.type, unknown)  # nothing else is found
            return _cut(list(islice(more, most and most + 1)), most)
        return self.check_within(value, most, level, unknown)

    def build(self, value: Any) -> Any:
        """Return a JSON value without error findings as struct."""
        return Schemas.of(self.type).build(value, self.type.name)


def _cut(found: list[Finding], most: int | None) -> tuple[list[Finding], bool]:
    """Return the first ``most`` findings as :meth:`Binding.check_within` does."""
    if most is None:
        return found, False
    told, left = found[:most], found[most:]
    if left and all(finding.severity != "error" for finding in told):
        told[-1:] = [next((each for each in left if each.severity == "error"), told[-1])]
    return told, bool(left)


def _moved_back(finding: Finding, items: set[str]) -> Finding:
    """Return ``finding`` with the pointers of the document that still has ``items``."""
    words, at, pointer = finding.message.partition(" at /")
    said = words + at + pointer_before(f"/{pointer}", items)[1:] if at else words
    return finding._replace(message=said, pointer=pointer_before(finding.pointer, items))


@cache
def _binding(type_name: TypeName) -> Binding:
    return Binding(type_name)


@lru_cache(maxsize=1024)
def _binding_of_class(kind: type) -> Binding | None:
    """Return the binding of a generated class, or of the one that a class is derived from; None for
    any other. Raises UsageError for a generated class that is of no type that has a name.
    """
    own = type_of_class(kind)
    return None if own is None else Binding.of(str(own), own.version)


def validate(
    document: Document,
    type: str | type[Any],  # noqa: A002
    version: str | None = None,
    *,
    max_findings: int | None = None,
    unknown_members: UnknownMembers = "ignore",
) -> list[Finding]:
    """Return what is wrong with ``document`` as a ``type``.

    ``document`` is JSON text (str or bytes), a JSON value (a mapping, a list, …), or a struct or
    model. ``type`` is a class such as :class:`partwire.types.Message`, a name such as
    ``"message.Message"``, or ``list[Message]`` for a list of documents, whose findings have
    pointers with the index before (``/0/role``). A class knows its version; of a name it is
    ``version``, or the current one. Findings come in document order, errors and warnings
    (``severity``); an empty list means valid.

    The check stops at ``max_findings``, if that is given: as many may mean that there are more.
    They hold an error if the document has one. ``unknown_members`` says whether a member that the
    type does not name is passed over, as by :func:`read`, or is a finding
    ``shape/unknown-member``, a warning or an error. Raises UsageError for an unknown type or
    version, for an argument with another value than these, and for what is not a document at all,
    such as a path or an open file; never for what a document holds.
    """
    asked = _asked(type, version)
    _check_bound(max_findings)
    check_choice(unknown_members)
    try:
        if not asked.many:
            return _validate(document, asked.binding, max_findings, unknown_members)
        items = items_of_array(document)
    except ReadError as error:
        return list(error.findings[:max_findings])
    found: list[Finding] = []
    for index, item in enumerate(items):
        left = None if max_findings is None else max_findings - len(found)
        if left == 0:
            break
        found += _moved(index, _validate_item(item, asked.binding, left, unknown_members))
    return found


def validate_value(
    value: Any,
    type: str | type[Any],  # noqa: A002
    version: str | None = None,
) -> list[Finding]:
    """Return what is wrong with a value that was decoded before: a str is the JSON string.

    All else is as for :func:`validate`, which takes a str as JSON text.
    """
    binding = Binding.of(type, version)
    value = message_of(value)
    if binding.clean_text(value) is not None:
        return []
    try:
        return binding.check(value_of(value))
    except ReadError as error:
        return list(error.findings)


def _validate_item(
    item: Any, binding: Binding, most: int | None, unknown: UnknownMembers
) -> list[Finding]:
    try:
        return _validate(item, binding, most, unknown)
    except ReadError as error:
        return list(error.findings[:most])


def _validate(
    document: Any, binding: Binding, most: int | None, unknown: UnknownMembers
) -> list[Finding]:
    data = text_of(document)
    if data is not None:
        if binding.is_clean(data, unknown):
            return []
        return binding.findings_within(data, most, unknown=unknown)[0]
    value = message_of(document)
    if binding.clean_text(value, closed=unknown != "ignore") is not None:
        return []
    return binding.check_within(value_of(value, most), most, unknown=unknown)[0]


def _check_bound(bound: Any) -> None:
    if (bound is not None and not (isinstance(bound, int) and bound >= 1)) or bound is True:
        raise bad_argument(
            "max_findings is not a bound", "an integer of at least 1, or None", bound
        )


class _Asked(NamedTuple):
    """The type that a caller asks for: what checks it, and what comes out."""

    binding: Binding
    model: type[Any] | None
    """The class of pydantic models to make; None for structs."""
    many: bool
    """Whether a list of documents is meant."""


def _asked(kind: Any, version: str | None) -> _Asked:
    if isinstance(kind, str):
        return _Asked(Binding.of(kind, version), None, False)
    if version is None and isinstance(kind, type):
        return _asked_of_class(kind)
    many = get_origin(kind) is list
    if many:
        (kind,) = get_args(kind)
    binding = Binding.of(kind, version)
    return _Asked(binding, kind if is_model_class(kind) else None, many)


@lru_cache(maxsize=256)  # classes are few; whoever makes them as he goes gets no more kept
def _asked_of_class(kind: type[Any]) -> _Asked:
    return _Asked(Binding.of(kind), kind if is_model_class(kind) else None, False)


def _moved(index: int, found: list[Finding]) -> list[Finding]:
    return [each._replace(pointer=f"/{index}{each.pointer}") for each in found]


@overload
def read(
    data: Document,
    type: type[T],
    mode: Mode = "strict",
    version: str | None = None,
) -> T: ...
@overload
def read(
    data: Document,
    type: str,
    mode: Mode = "strict",
    version: str | None = None,
) -> Any: ...
def read(
    data: Document,
    type: str | type[Any],  # noqa: A002
    mode: Mode = "strict",
    version: str | None = None,
) -> Any:
    """Return ``data`` as the ``type`` that is asked for.

    ``data`` is JSON text (str or bytes), a JSON value (a mapping, a list, …), or a struct or
    model. ``type`` is a class such as :class:`partwire.types.Message`, which is what is returned;
    a class of :mod:`partwire.models`, or one derived from it, gives that model; a name such as
    ``"message.Message"`` gives the struct; ``list[Message]`` reads a list of documents. A class
    knows its version; of a name it is ``version``, or the current one.

    ``strict`` refuses unknown tags and enum values; ``tolerant`` takes what a newer peer wrote,
    see :func:`read_with_findings`. Unknown members are ignored in both. Raises ReadError with all
    findings, UsageError for an unknown type, version or mode, and for what is not a document at
    all, such as a path or an open file.
    """
    return read_with_findings(data, type, mode, version).value


@overload
def read_with_findings(
    data: Document,
    type: type[T],
    mode: Mode = "strict",
    version: str | None = None,
) -> ReadResult[T]: ...
@overload
def read_with_findings(
    data: Document,
    type: str,
    mode: Mode = "strict",
    version: str | None = None,
) -> ReadResult[Any]: ...
def read_with_findings(
    data: Document,
    type: str | type[Any],  # noqa: A002
    mode: Mode = "strict",
    version: str | None = None,
) -> ReadResult[Any]:
    """Read as :func:`read`, and say what was found beside errors.

    In ``tolerant`` mode an unknown enum value becomes the enum's :class:`SafeDefault`, which keeps
    what came; a variant of an unknown tag becomes :class:`Unknown`; null for an optional
    member is absent. A known tag with a bad body stays an error. Models have no place for these:
    they are read strictly.
    """
    check_mode(mode)
    asked = _asked(type, version)
    if asked.model is not None and mode == "tolerant":
        raise bad_argument(
            "A model has no place for what this version does not know",
            "a struct, such as partwire.types.Message, or the mode strict",
            mode,
        )
    if not asked.many:
        return _read(data, asked, mode)
    made: ReadResult[list[Any]] = ReadResult([], [])
    refused: list[Finding] = []
    for index, item in enumerate(items_of_array(data)):
        try:
            value, found = _read(item, asked, mode)
        except ReadError as error:
            refused += _moved(index, list(error.findings))
        else:
            made.value.append(value)
            made.findings.extend(_moved(index, found))
    if refused:
        raise ReadError(*refused)
    return made


def read_value(
    value: Any,
    type: str | type[Any],  # noqa: A002
    mode: Mode = "strict",
    version: str | None = None,
) -> Any:
    """Return a value that was decoded before as its struct: a str is the JSON string.

    All else is as for :func:`read`, which takes a str as JSON text.
    """
    check_mode(mode)
    return _read_value(message_of(value), Binding.of(type, version), mode).value


def _read(data: Any, asked: _Asked, mode: Mode) -> ReadResult[Any]:
    binding, text = asked.binding, text_of(data)
    if asked.model is not None:
        return _read_model(data, text, binding, asked.model)
    if text is None:
        return _read_value(message_of(data), binding, mode)
    value = binding.decode_valid(text)
    if value is not None:
        return ReadResult(value, [])
    return _read_document(decode_json(text), binding, mode)


def _read_value(value: Any, binding: Binding, mode: Mode) -> ReadResult[Any]:
    """Read a value that is not JSON text."""
    text = binding.clean_text(value)
    if text is not None:
        return ReadResult(binding.decode(text), [])
    return _read_document(value_of(value), binding, mode)


def _read_document(document: Any, binding: Binding, mode: Mode) -> ReadResult[Any]:
    if mode == "tolerant":
        return _read_tolerant(document, binding)
    return _read_checked(document, binding, [])


def _read_model(
    data: Any, text: bytes | None, binding: Binding, model: type[Any]
) -> ReadResult[Any]:
    document = value_of(data) if text is None else decode_json(text)
    found = [] if text is not None and binding.is_clean(text) else binding.check(document)
    if any(finding.severity == "error" for finding in found):
        raise ReadError(*found)
    return ReadResult(model_of(model, document), found)


def check_mode(mode: object) -> None:
    """Raise UsageError ``usage/unknown-mode`` for what is not a reading mode."""
    if mode not in _MODES:
        raise bad_argument("No such reading mode", " or ".join(_MODES), mode, "usage/unknown-mode")


def unknown_members(
    document: Document,
    type: str | type[Any],  # noqa: A002
    version: str | None = None,
) -> list[str]:
    """Return pointers to the members of ``document`` that ``type`` does not name, in its order.

    Reading leaves them out. ``document`` and ``type`` are as for :func:`validate`; the document
    need not be valid. A variant of an unknown tag is kept whole: nothing in it counts. Raises
    ReadError for what is not JSON, UsageError for an unknown type or version.
    """
    asked = _asked(type, version)
    if not asked.many:
        return _unknown_members(document, asked.binding)
    return [
        f"/{index}{pointer}"
        for index, item in enumerate(items_of_array(document))
        for pointer in _unknown_members(item, asked.binding)
    ]


def _unknown_members(document: Any, binding: Binding) -> list[str]:
    found = Schemas.of(binding.type).unnamed(document_of(document), binding.type.name)
    return [f"{each.pointer}/{escape_pointer(each.name)}" for each in found]


def _read_checked(document: Any, binding: Binding, notes: list[Finding]) -> ReadResult[Any]:
    found = binding.check(document)
    if any(finding.severity == "error" for finding in found):
        raise ReadError(*found)
    return ReadResult(binding.build(document), notes + found)


def _read_tolerant(document: Any, binding: Binding) -> ReadResult[Any]:
    schemas = Schemas.of(binding.type)
    relaxed, notes = schemas.relax(document, binding.type.name)
    if not _kept_places(notes):
        return _read_checked(relaxed, binding, notes)
    found = binding.check_beside(relaxed, _unknown_places(notes))
    if any(finding.severity == "error" for finding in found):
        raise ReadError(*found)
    return ReadResult(schemas.build_relaxed(relaxed, binding.type.name), notes + found)


def _unknown_places(notes: list[Finding]) -> set[str]:
    """Return where the variants of unknown tags stand; the notes name the tags."""
    return {
        note.pointer.rpartition("/")[0] for note in notes if note.rule == "read/unknown-variant"
    }


def _kept_places(notes: list[Finding]) -> set[str]:
    """Return where an Unknown or a SafeDefault stands."""
    defaults = {note.pointer for note in notes if note.rule == "read/unknown-enum-value"}
    return _unknown_places(notes) | defaults


# --- writing ------------------------------------------------------------------------------------


def dump(
    value: Any,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> bytes:
    """Return ``value`` as JSON text: wire names, no null for absent, no unknown member.

    ``value`` is a struct or model of the contract, a snapshot, or (with ``type``, a class or a
    name) a JSON value; with ``list[Message]`` it is a list of them, and the text an array.
    What is written is valid: anything else raises WriteError with the findings; warnings do not
    stop a document. An :class:`Unknown` is written back verbatim, and so is what a
    :class:`SafeDefault` was read from.
    """
    if type is not None and get_origin(type) is list:
        return _dump_many(value, _asked(type, version).binding)
    value = message_of(value)
    if type is None and isinstance(value, Unknown):
        return _encoded(_json_document(value.document))
    return _dump(value, binding_of(value, type, version))


def _dump(value: Any, binding: Binding) -> bytes:
    data = binding.clean_text(value, closed=True)
    if data is None and isinstance(value, msgspec.Struct):
        data = _fast_encoded(value, binding)
    return _encoded(_checked_document(value, binding)) if data is None else data


def _dump_many(values: Any, binding: Binding) -> bytes:
    if not isinstance(values, (list, tuple)):
        raise bad_argument("Not a list of documents", "a list", values)
    texts: list[bytes] = []
    for index, value in enumerate(values):
        try:
            texts.append(_dump(message_of(value), binding))
        except WriteError as error:
            raise WriteError(*_moved(index, list(error.findings))) from None
    return b"[" + b",".join(texts) + b"]"


def to_wire(
    value: Any,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> Any:
    """Return ``value`` as the JSON value that :func:`dump` writes; raises as dump does."""
    return msgspec.json.decode(dump(value, type, version))


def _checked_document(value: Any, binding: Binding) -> Any:
    """Return ``value`` as document without unknown members; raise WriteError if it is not valid."""
    document, unknown = plain_value(value)
    _json_document(document)
    found = binding.check_kept(document, unknown)
    errors = [finding for finding in found if finding.severity == "error"]
    if errors:
        raise WriteError(*errors)
    return Schemas.of(binding.type).relax(document, binding.type.name)[0]


def _json_document(document: Any) -> Any:
    if found := value_findings(document):
        raise WriteError(*found)
    return document


def _plain_of(value: Any) -> Any:
    """Return what is written for a value that msgspec does not know."""
    if isinstance(value, Unknown):
        return value.document
    if isinstance(value, SafeDefault):
        return value.raw
    # What is derived from a JSON value is one; its own methods are not asked.
    for kind, plain in _PLAIN.items():
        if isinstance(value, kind):
            return plain(value)
    raise NotImplementedError(f"a Python {value.__class__.__name__} is not a JSON value")


_PLAIN: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
}
_encode = msgspec.json.Encoder(enc_hook=_plain_of).encode


def _fast_encoded(value: msgspec.Struct, binding: Binding) -> bytes | None:
    """Return ``value`` as JSON text if that text is valid, reads back as the same value, and is
    what that value is written as.

    It does not where msgspec writes what is not JSON, NaN as null or a tuple as an array, and where
    an extensible object holds 1.0 for an integer or a member that a closed object does not name.
    """
    try:
        data = _encode(value)
        read_back = binding.decode_valid(data)
        return data if read_back == value and _encode(read_back) == data else None
    except (TypeError, ValueError, BufferError, NotImplementedError, RecursionError):
        return None  # the slow path says what is wrong, and where


def _encoded(document: Any) -> bytes:
    try:
        return _encode(document)
    except RecursionError:
        message = "Nested too deep to be written from here"
        raise WriteError(Finding("document/too-deep", message)) from None


def binding_of(value: Any, name: str | type[Any] | None, version: str | None) -> Binding:
    """Return the binding that was asked for, or that the class of ``value`` belongs to."""
    if name is not None:
        return Binding.of(name, version)
    binding = _binding_of_class(value.__class__)
    if binding is None:
        is_list = isinstance(value, (list, tuple))
        raise bad_argument(
            f"The type of {'a list' if is_list else 'a plain value'} has to be named",
            "a type such as list[Message]" if is_list else "a type such as message.Message",
            value,
            "usage/unknown-type",
        )
    return binding
