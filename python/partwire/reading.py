"""Read, validate and write documents of the contract.

Valid documents take one typed decode plus the checks that types cannot do (the generated
``residual`` functions); only a document that this refuses is looked at in full, by the generated
``checks``. Source: requirements C-03, S004-27, S004-28.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

import msgspec

from .contract import LATEST_VERSION, TypeName, generated_module, parse_type
from .documents import decode_json, needs_a_look, value_findings
from .errors import Finding, PartwireError, ReadError, UsageError, WriteError, clip
from .tolerant import Schemas, Unknown

__all__ = [
    "Binding",
    "Mode",
    "ReadResult",
    "Unknown",
    "dump",
    "read",
    "read_with_findings",
    "to_wire",
    "validate",
]

Mode = Literal["strict", "tolerant"]
_MODES = ("strict", "tolerant")


class ReadResult(NamedTuple):
    """What reading gives: the value, and what was found that is no error."""

    value: Any
    findings: list[Finding]


class Binding:
    """One type of one version, bound to its generated code; made once each by :meth:`of`."""

    def __init__(self, type_name: TypeName) -> None:
        family, name, version = type_name
        residual = generated_module(version, "residual", family)
        self.type = type_name
        self._struct_type = getattr(generated_module(version, "structs", family), name)
        # A variant alone: msgspec would take it without its tag.
        decoded = residual.DECODED_AS.get(name, self._struct_type)
        self.decode: Callable[[bytes], Any] = msgspec.json.Decoder(decoded).decode
        self._residual: Callable[[Any], bool] | None = residual.RESIDUAL.get(name)
        self._check: Callable[..., list[Finding]] = generated_module(
            version, "checks", family
        ).check

    @staticmethod
    def of(name: str, version: str = LATEST_VERSION) -> Binding:
        """Return the binding of a type; raises UsageError as :func:`parse_type`."""
        return _binding(parse_type(name, version))

    def decode_valid(self, data: bytes) -> Any:
        """Return the struct that ``data`` holds if nothing at all is found, else None.

        None says nothing about validity: integral floats and warnings go the slow path too.
        """
        try:
            value = self.decode(data)
        except (ValueError, RecursionError):
            return None
        if self._residual is not None and not self._residual(value):
            return None
        return None if needs_a_look(data) else value

    def check(self, value: Any) -> list[Finding]:
        """Return all findings of a JSON value."""
        return self._check(self.type.name, value)

    def findings(self, data: bytes) -> list[Finding]:
        """Return all findings of a JSON text."""
        try:
            return self.check(decode_json(data))
        except ReadError as error:
            return list(error.findings)

    def build(self, value: Any) -> Any:
        """Return a JSON value without error findings as struct."""
        try:
            return msgspec.convert(value, self._struct_type)
        except ValueError:  # integral floats, unknown variants
            return Schemas.of(self.type).build(value, self.type.name)


@cache
def _binding(type_name: TypeName) -> Binding:
    return Binding(type_name)


def validate(document: Any, type: str, version: str = LATEST_VERSION) -> list[Finding]:  # noqa: A002
    """Return what is wrong with ``document`` as a ``type``, such as ``message.Message``.

    ``document`` is JSON text (bytes), a JSON value, or one of partwire's structs and models; a
    str is the JSON string, not JSON text. Findings come in document order, errors and warnings
    (``severity``); an empty list means valid. Raises UsageError for an unknown type or version,
    never for a document.
    """
    binding = Binding.of(type, version)
    if isinstance(document, (bytes, bytearray, memoryview)):
        data = bytes(document)
        return [] if binding.decode_valid(data) is not None else binding.findings(data)
    try:
        value, _ = _json_value(document)
    except PartwireError as error:
        return list(error.findings)
    return value_findings(value) or binding.check(value)


def read(
    data: Any,
    type: str,  # noqa: A002
    mode: Mode = "strict",
    version: str = LATEST_VERSION,
) -> Any:
    """Return ``data`` (JSON text as bytes, or a JSON value) as the generated struct of ``type``.

    ``strict`` refuses unknown tags and enum values; ``tolerant`` takes what a newer peer wrote,
    see :func:`read_with_findings`. Unknown members are ignored in both. Raises ReadError with all
    findings, UsageError for an unknown type, version or mode.
    """
    return read_with_findings(data, type, mode, version).value


def read_with_findings(
    data: Any,
    type: str,  # noqa: A002
    mode: Mode = "strict",
    version: str = LATEST_VERSION,
) -> ReadResult:
    """Read as :func:`read`, and say what was found beside errors.

    In ``tolerant`` mode an unknown enum value becomes the enum's safe default and its raw value is
    in the finding; a variant of an unknown tag becomes :class:`Unknown`; null for an optional
    member is absent. A known tag with a bad body stays an error. Source: requirements S004-27,
    S004-28.
    """
    if mode not in _MODES:
        raise UsageError(
            Finding(
                "usage/unknown-mode",
                "No such reading mode",
                expected=" or ".join(_MODES),
                actual=clip(mode),
            )
        )
    binding = Binding.of(type, version)
    if isinstance(data, (bytes, bytearray, memoryview)):
        text = bytes(data)
        value = binding.decode_valid(text)
        if value is not None:
            return ReadResult(value, [])
        document = decode_json(text)
    else:
        document, _ = _json_value(data)
        if found := value_findings(document):
            raise ReadError(*found)
    if mode == "tolerant":
        return _read_tolerant(document, binding)
    return _read_checked(document, binding, [])


def _read_checked(document: Any, binding: Binding, notes: list[Finding]) -> ReadResult:
    found = binding.check(document)
    if any(finding.severity == "error" for finding in found):
        raise ReadError(*found)
    return ReadResult(binding.build(document), notes + found)


def _read_tolerant(document: Any, binding: Binding) -> ReadResult:
    schemas = Schemas.of(binding.type)
    relaxed, notes = schemas.relax(document, binding.type.name)
    unknown = _unknown_places(notes)
    if not unknown:
        return _read_checked(relaxed, binding, notes)
    if isinstance(relaxed, Unknown):
        return ReadResult(relaxed, notes)
    found = [each for each in binding.check(relaxed) if each.pointer not in unknown]
    if any(finding.severity == "error" for finding in found):
        raise ReadError(*found)
    return ReadResult(schemas.build(relaxed, binding.type.name), notes + found)


def _unknown_places(notes: list[Finding]) -> set[str]:
    """Return where Unknown values stand, and where the checks speak of them."""
    tags = {note.pointer for note in notes if note.rule == "read/unknown-variant"}
    return tags | {pointer.rpartition("/")[0] for pointer in tags}


# --- writing ------------------------------------------------------------------------------------


def dump(value: Any, type: str | None = None, version: str = LATEST_VERSION) -> bytes:  # noqa: A002
    """Return ``value`` as JSON text: wire names, no null for absent, no unknown member.

    ``value`` is a struct or model of the contract, a snapshot, or (with ``type``) a JSON value.
    What is written is valid: anything else raises WriteError with the findings; warnings do not
    stop a document. An :class:`Unknown` is written back verbatim. Source: requirements S004-27.
    """
    if hasattr(value, "to_message"):
        value = value.to_message()
    if isinstance(value, Unknown):
        return _encode(value.document)
    binding = _binding_of(value, type, version)
    if isinstance(value, msgspec.Struct):
        data = _encoded(value)
        # NaN and None are both written as null; the typed decode lets it pass in free objects.
        if b"null" not in data and binding.decode_valid(data) is not None:
            return data
    document, holds_unknown = _json_value(value, containers=True)
    return _encode(_checked_document(document, binding, holds_unknown))


def to_wire(value: Any, type: str | None = None, version: str = LATEST_VERSION) -> Any:  # noqa: A002
    """Return ``value`` as the JSON value that :func:`dump` writes; raises as dump does."""
    return msgspec.json.decode(dump(value, type, version))


def _checked_document(document: Any, binding: Binding, holds_unknown: bool) -> Any:
    """Return ``document`` without unknown members; raise WriteError if it is not valid."""
    if found := value_findings(document):
        raise WriteError(*found)
    relaxed, notes = Schemas.of(binding.type).relax(document, binding.type.name)
    kept = _unknown_places(notes) if holds_unknown else set()
    found = [
        finding
        for finding in binding.check(document)
        if finding.severity == "error" and finding.pointer not in kept
    ]
    if found:
        raise WriteError(*found)
    return relaxed


def _unknown_document(value: Any) -> Any:
    if isinstance(value, Unknown):
        return value.document
    raise NotImplementedError(f"a Python {value.__class__.__name__} is no JSON value")


_encode = msgspec.json.Encoder(enc_hook=_unknown_document).encode


def _encoded(value: msgspec.Struct) -> bytes:
    try:
        return _encode(value)
    except (TypeError, ValueError, NotImplementedError, RecursionError):
        return b"null"  # the slow path says what is wrong, and where


def _json_value(value: Any, *, containers: bool = False) -> tuple[Any, bool]:
    """Return ``value`` as plain JSON value, and whether it holds an Unknown.

    With ``containers``, lists and dicts may hold structs as well. Raises WriteError.
    """
    if hasattr(value, "to_message"):
        value = value.to_message()
    if hasattr(value, "model_dump_json"):
        return decode_json(value.model_dump_json().encode()), False
    kinds = (msgspec.Struct, Unknown, list, dict) if containers else (msgspec.Struct, Unknown)
    if not isinstance(value, kinds):
        return value, False
    unknown: list[Any] = []

    def hook(node: Any) -> Any:
        unknown.append(node)
        return _unknown_document(node)

    try:
        return msgspec.to_builtins(value, enc_hook=hook), bool(unknown)
    except (TypeError, ValueError, NotImplementedError, RecursionError) as error:
        raise WriteError(
            Finding("shape/type", f"Cannot be written as JSON: {error}", actual=clip(value))
        ) from None


def _binding_of(value: Any, name: str | None, version: str) -> Binding:
    """Return the binding that was asked for, or that the class of ``value`` belongs to."""
    if name is not None:
        return Binding.of(name, version)
    package, _, rest = value.__class__.__module__.partition(".")
    parts = rest.split(".")
    if package != __package__ or len(parts) != 3 or parts[1] not in ("structs", "models"):
        raise UsageError(
            Finding(
                "usage/unknown-type",
                "The type of a plain value has to be named",
                expected="a type such as message.Message",
                actual=clip(value),
            )
        )
    return Binding.of(f"{parts[2]}.{value.__class__.__name__}", parts[0].replace("_", "."))
