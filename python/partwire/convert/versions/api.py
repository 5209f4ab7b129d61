"""Take documents and values from one contract version to another."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec

from partwire.contract.current import LATEST_VERSION
from partwire.contract.versions import parse_type
from partwire.contract.versions import type_of as contract_type
from partwire.errors import Finding, ReadError, UsageError, WriteError, bad_argument, clip
from partwire.json.text import decode_json, value_findings
from partwire.losses import Loss
from partwire.reading.inputs import text_of, value_of
from partwire.reading.pipeline import Binding, Mode, read
from partwire.reading.plain import plain_value

from .errors import MigrationError, refuse_lossy
from .steps import VERSIONS, path, position

__all__ = ["Migrated", "declared_version", "downgrade", "migrate", "type_of", "upgrade_value"]


class Migrated(NamedTuple):
    """What a migration gives.

    ``value`` has the form of what was given: a struct for a struct (or model, or snapshot), a JSON
    value for a JSON value, JSON text for JSON text (a str for a str). ``losses`` are ordered by
    place; their pointers lead into what was given. ``version`` is that of ``value``.
    """

    value: Any
    losses: list[Loss]
    version: str


class _Given(NamedTuple):
    """A document on its way: its JSON value, type and version, and the form it came in."""

    document: Any
    type: str
    version: str
    form: str
    text: bytes | None = None
    unknown: frozenset[str] = frozenset()
    """Where variants stand that the version does not know: a struct may hold them."""


def migrate(
    document: Any,
    to: str = LATEST_VERSION,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
    *,
    strict: bool = False,
) -> Migrated:
    """Return ``document`` as version ``to`` has it, older or newer, step by step.

    ``document`` is a struct or model of the contract, a snapshot, a JSON value or JSON text
    (str or bytes). What a struct holds of variants that its version does not know stays as it is.
    Structs know their ``type`` and ``version``; of others the type has to be named (such
    as ``message.Message``), and the version too, but for queue messages, which declare it; a class
    of structs says both. A
    document that is at ``to`` already is given back as it is, once it was found valid. What is
    given is not changed; the result may share parts with it.

    Raises ReadError where ``document`` is not valid in its version; MigrationError
    ``migrate/version-mismatch`` where it declares another version, and with ``strict``
    ``migrate/lossy`` where something would be lost; UsageError for an unknown version or type.
    """
    position(to)
    if version is None and type is None and (taken := _taken_over(document, to)) is not None:
        return Migrated(taken, [], to)
    given = _given(document, type, version)
    moves = path(given.version, to)
    family, _, name = given.type.partition(".")
    for move in moves:
        parse_type(given.type, move.target)
    _check_declared(given, family)
    value, losses, text = given.document, list[Loss](), given.text
    for move in moves:
        value, lost = move.run(value, family, name, text)
        losses += lost
        text = None
    if strict:
        refuse_lossy(losses)
    own = type_of(document)
    if not moves and (own is None or own[1] == to):
        return Migrated(document, losses, to)
    if given.form == "struct":
        mode: Mode = "tolerant" if given.unknown else "strict"
        return Migrated(read(value, given.type, mode, to), losses, to)
    if value is given.document or value == given.document:
        return Migrated(document, losses, to)
    if given.form == "text":
        value = msgspec.json.encode(value)
        value = value.decode() if isinstance(document, str) else value
    return Migrated(value, losses, to)


def _taken_over(struct: Any, to: str) -> Any:
    """Return a struct as the older version's, where that takes it as it is; else None.

    Most deltas are the same in every version: this is many times faster than looking closely.
    """
    own = type_of(struct)
    if own is None or not isinstance(struct, msgspec.Struct):
        return None
    moves = path(own[1], to)
    if len(moves) != 1 or moves[0].target != moves[0].step.old:
        return None
    try:
        text = msgspec.json.encode(struct)
        if Binding.of(*own).decode_valid(text) != struct:
            return None
        value = msgspec.to_builtins(struct)
        older = Binding.of(own[0], to).decode_valid(text)
    except (TypeError, ValueError, RecursionError, UsageError):
        return None
    same = older is not None and msgspec.to_builtins(older) == value
    return older if same and not moves[0].step.changes(own[0].partition(".")[0], value) else None


def downgrade(
    value: Any,
    to: str = VERSIONS[0],
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
    *,
    strict: bool = False,
) -> Migrated:
    """Return ``value`` for a reader of the older version ``to``; see :func:`migrate`.

    Without ``version``, a JSON value is taken to be of the version that this package writes. For
    a stream of deltas use :class:`DeltaDowngrade`, which keeps ``seq`` without gaps.
    Raises as :func:`migrate`, and UsageError where ``to`` is newer than ``value``.
    """
    own = type_of(value)
    source = version or (LATEST_VERSION if own is None else own[1])
    if position(to) > position(source):
        raise bad_argument("Downgrading leads to an older version", f"at most {source}", to)
    return migrate(value, to, type, source if own is None else version, strict=strict)


def upgrade_value(value: Any) -> Any:
    """Return a struct of any version as the current version's struct; raises as :func:`migrate`.

    Going up loses nothing that the older version knows.
    """
    return migrate(value, LATEST_VERSION).value


def declared_version(document: Any, type_name: str) -> str | None:
    """Return the version that a queue message declares; None where nothing is declared."""
    if type_name.startswith("envelope.") and isinstance(document, dict):
        declared = document.get("schema_version")
        return declared if isinstance(declared, str) else None
    return None


# --- what is given -------------------------------------------------------------------------------


def _given(document: Any, type_name: str | type[Any] | None, version: str | None) -> _Given:
    text = text_of(document)
    if text is not None:
        return _checked(decode_json(text), type_name, version, "text", text)
    own = type_of(document)
    if own is None:
        value_of(document)  # raises for what is not JSON
        value, unknown = plain_value(document)
        return _checked(value, type_name, version, "json", None, unknown)
    _same("type", str(parse_type(type_name)) if isinstance(type_name, type) else type_name, own[0])
    _same("version", version, own[1])
    if hasattr(document, "to_message"):
        document = document.to_message()
    try:
        value, unknown = plain_value(document)
    except WriteError as error:
        raise ReadError(*error.findings) from None
    if found := value_findings(value):
        raise ReadError(*found)
    # A queue message that was read is a struct of this version, whichever its sender writes.
    declared = declared_version(value, own[0])
    older = declared in VERSIONS and position(declared) < position(own[1])
    return _checked(value, own[0], declared if older else own[1], "struct", None, unknown)


def _checked(
    value: Any,
    type_name: Any,
    version: str | None,
    form: str,
    text: bytes | None = None,
    unknown: Collection[str] = (),
) -> _Given:
    if isinstance(type_name, type):
        known = parse_type(type_name, version)
        type_name, version = str(known), known.version
    if not isinstance(type_name, str):
        raise bad_argument(
            "The type of a plain value has to be named",
            "a type such as message.Message",
            value if type_name is None else type_name,
            "usage/unknown-type",
        )
    version = version or declared_version(value, type_name)
    if version is None:
        raise UsageError(
            Finding(
                "usage/unknown-version",
                "The version of a plain value has to be named",
                expected=", ".join(VERSIONS),
            )
        )
    position(version)
    binding = Binding.of(type_name, version)
    if binding.decode_valid(_text_of(value) if text is None else text) is None:
        found = binding.check_beside(value, set(unknown))
        if errors := [each for each in found if each.severity == "error"]:
            raise ReadError(*errors)
    return _Given(value, str(binding.type), version, form, text, frozenset(unknown))


def _text_of(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except RecursionError:
        return b""  # the checks say what is wrong with it


def type_of(value: Any) -> tuple[str, str] | None:
    """Return type and version of a struct, model or snapshot; None for anything else."""
    if hasattr(value, "to_message") and not isinstance(value, type):
        return "message.Message", LATEST_VERSION
    own = contract_type(value)
    return None if own is None else (str(own), own.version)


def _same(name: str, given: str | None, own: str) -> None:
    if given not in (None, own):
        raise bad_argument(f"The {name} is not that of the value", own, given)


def _check_declared(given: _Given, family: str) -> None:
    declared = declared_version(given.document, f"{family}.")
    if declared not in (None, given.version):
        raise MigrationError(
            Finding(
                "migrate/version-mismatch",
                "The message declares another version than it is to be taken from",
                "/schema_version",
                expected=given.version,
                actual=clip(declared),
            )
        )
