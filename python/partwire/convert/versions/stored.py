"""Data at rest: documents that say which contract, version and type they are of.

``{"contract": "partwire", "version": "v0.2", "type": "message.Message", "data": …}``; the schema is
``schemas/stored-record.schema.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeGuard, TypeVar, overload

import msgspec

from partwire.contract.current import LATEST_VERSION
from partwire.contract.versions import parse_type
from partwire.errors import Finding, PartwireError, ReadError, UsageError, clip
from partwire.losses import Loss
from partwire.reading.inputs import Document, document_of, value_of
from partwire.reading.pipeline import binding_of, dump, read, read_value

from .api import Migrated, migrate, type_of
from .errors import MigrationError
from .steps import VERSIONS, position

__all__ = [
    "CONTRACT",
    "StoredRecord",
    "load",
    "migrate_record",
    "read_record",
    "store",
]

T = TypeVar("T")

CONTRACT: Final = "partwire"
_MEMBERS: Final = ("contract", "version", "type", "data")


class StoredRecord(msgspec.Struct, frozen=True):
    """A document with its type and version; ``data`` is a JSON value, not to be changed."""

    contract: Literal["partwire"]
    version: str
    type: str
    data: Any


def store(
    value: Any,
    type: str | type[Any] | None = None,  # noqa: A002
    version: str | None = None,
) -> bytes:
    """Return ``value`` as the JSON text of a stored record, on one line.

    ``value`` is a struct, model or snapshot, stored as its own version; or a JSON value of
    ``type`` (a class or a name) and ``version``. What is stored is valid, and has no unknown
    member. Raises WriteError with what is wrong with it, UsageError for a type or version that is
    not known.
    """
    own = type_of(value)
    name, version = own if own is not None else (type, version)
    known = binding_of(value, name, version).type
    data = msgspec.Raw(dump(value, str(known), known.version))
    return msgspec.json.encode(StoredRecord(CONTRACT, known.version, str(known), data))


@overload
def load(record: Document | StoredRecord) -> Any: ...
@overload
def load(record: Document | StoredRecord, type: type[T]) -> T: ...
@overload
def load(record: Document | StoredRecord, type: str) -> Any: ...
def load(record: Document | StoredRecord, type: str | type[Any] | None = None) -> Any:  # noqa: A002
    """Return what a stored record holds, migrated to the current version if need be.

    ``record`` is JSON text (str or bytes), its JSON value, or a StoredRecord. ``type`` says what is
    expected, and what is returned: a class such as :class:`partwire.types.Message`, or of a certain
    version, which then is that of the result, a model of :mod:`partwire.models`, or a name such as
    ``"message.Message"``; without it the struct of whatever the record holds is returned. Going
    up loses nothing that the older version names; :func:`migrate_record` says what else went.
    Raises as that, and ReadError ``migrate/invalid-record`` for a record of another type.
    """
    if type is None:
        made: StoredRecord = migrate_record(record).value
        return read_value(made.data, made.type)
    wanted = parse_type(type)
    made = migrate_record(record, wanted.version).value
    if made.type != str(wanted):
        raise _invalid("The record holds another type", "/type", str(wanted), made.type)
    return read(msgspec.json.encode(made.data), type)


def migrate_record(record: Any, to: str = LATEST_VERSION, *, strict: bool = False) -> Migrated:
    """Return a record as version ``to`` has it; the value is a StoredRecord.

    Pointers of losses lead into the record. Raises ReadError for what is not a record
    (``migrate/invalid-record``), is of a version that is not known (``migrate/unknown-version``),
    or holds an invalid document, MigrationError as :func:`partwire.convert.versions.migrate`.
    """
    given = record if isinstance(record, StoredRecord) else read_record(record)
    position(to)
    for version in (given.version, to):
        _check_known(version, given.type)
    try:
        made = _migrated(given, to, strict)
    except MigrationError as error:
        losses = [_into_data(loss) for loss in error.losses]
        raise MigrationError(*_inside(error), losses=losses) from None
    except ReadError as error:
        raise ReadError(*_inside(error)) from None
    losses = [_into_data(loss) for loss in made.losses]
    return Migrated(StoredRecord(CONTRACT, to, given.type, made.value), losses, to)


def _migrated(record: StoredRecord, to: str, strict: bool) -> Migrated:
    if not isinstance(record.data, str):
        return migrate(record.data, to, record.type, record.version, strict=strict)
    text = msgspec.json.encode(value_of(record.data))  # a str alone would be taken for JSON text
    made = migrate(text, to, record.type, record.version, strict=strict)
    return made._replace(value=msgspec.json.decode(made.value))


def read_record(record: Any) -> StoredRecord:
    """Return JSON text (str or bytes) or a JSON value as record; its data is not looked into.

    Raises ReadError ``migrate/invalid-record``, ``migrate/unknown-version``, and for text that is
    no JSON as :func:`partwire.json.text.decode_json`.
    """
    record = document_of(record)
    if not _is_object(record):
        raise _invalid("No stored record", "", "an object", record)
    for name in _MEMBERS:
        if name not in record:
            raise _invalid(f"{name} is missing", "", f"a member {name}", None)
    for name in record:
        if name not in _MEMBERS:
            raise _invalid("Unknown member", "", " or ".join(_MEMBERS), name)
    if record["contract"] != CONTRACT:
        raise _invalid("Of another contract", "/contract", CONTRACT, record["contract"])
    _check_known(record["version"], record["type"])
    return StoredRecord(CONTRACT, record["version"], record["type"], record["data"])


def _check_known(version: Any, type_name: Any) -> None:
    if version not in VERSIONS:
        raise ReadError(
            Finding(
                "migrate/unknown-version",
                "The record is of a version that is not known",
                "/version",
                expected=" or ".join(VERSIONS),
                actual=clip(version),
            )
        )
    try:
        parse_type(type_name, version)
    except UsageError as error:
        first = error.findings[0]
        raise _invalid(first.message, "/type", first.expected or "a type", type_name) from None


def _is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)


def _into_data(loss: Loss) -> Loss:
    return loss._replace(pointer=f"/data{loss.pointer}")


def _inside(error: PartwireError) -> list[Finding]:
    return [each._replace(pointer=f"/data{each.pointer}") for each in error.findings]


def _invalid(message: str, pointer: str, expected: str, actual: Any) -> ReadError:
    return ReadError(
        Finding(
            "migrate/invalid-record",
            message,
            pointer,
            expected=expected,
            actual=None if actual is None else clip(actual),
        )
    )
