"""Texts at rest, one by one: stored records, or bare documents of one type."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from partwire.contract.versions import parse_type
from partwire.errors import Finding, ReadError, UsageError, clip
from partwire.losses import Loss
from partwire.reading.pipeline import Binding

from .api import migrate
from .errors import MigrationError
from .steps import VERSIONS, position
from .stored import CONTRACT, StoredRecord, migrate_record, read_record

__all__ = ["MigratedText", "TextMigrator"]


class MigratedText(NamedTuple):
    """JSON text as the target version has it; the very text that was given if nothing changes."""

    text: bytes
    losses: list[Loss]


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    contract: str
    version: str
    type: str
    data: msgspec.Raw


class _Declared(msgspec.Struct):
    schema_version: Any = None


_decode_record: Final = msgspec.json.Decoder(_Record).decode
_decode_declared: Final = msgspec.json.Decoder(_Declared).decode


class TextMigrator:
    """Migrates JSON texts to the version ``to``; what is there already stays byte for byte.

    Without ``type`` every text is a stored record. With it, every text is a bare document of that
    type and of ``version``; queue messages declare their version, and need none. A bare document
    that has members which only ``to`` names has been migrated before, and stays.
    """

    def __init__(
        self,
        to: str,
        type: str | None = None,  # noqa: A002
        version: str | None = None,
        *,
        strict: bool = False,
    ) -> None:
        """Raise UsageError for an unknown version or type, or a version that is not given."""
        position(to)
        self.to = to
        self._strict = strict
        self._type = type
        self._version = version
        self._declares = False
        if type is None:
            if version is not None:
                raise _usage("Stored records say their version", "a type beside the version")
            return
        self._declares = parse_type(type, to).family == "envelope"
        if version is None and not self._declares:
            raise _usage("Bare documents do not say their version", "their version")
        if version is not None:
            position(version)
            parse_type(type, version)

    def run(self, text: bytes) -> MigratedText:
        """Return ``text`` (bytes) at the target; losses have pointers into it.

        Raises ReadError and MigrationError as :func:`.migrate_record`, UsageError
        ``usage/invalid-argument`` for anything but bytes.
        """
        if text.__class__ is not bytes:
            text = _as_bytes(text)
        return self._record(text) if self._type is None else self._bare(text, self._type)

    def _record(self, text: bytes) -> MigratedText:
        record = _raw_record(text) or read_record(text)
        made = migrate_record(record, self.to, strict=self._strict)
        if record.version == self.to:
            return MigratedText(text, made.losses)
        data = made.value.data
        raw = msgspec.Raw(data) if isinstance(data, bytes) else data
        return MigratedText(
            msgspec.json.encode(StoredRecord(CONTRACT, self.to, record.type, raw)), made.losses
        )

    def _bare(self, text: bytes, type_name: str) -> MigratedText:
        version = self._version_of(text)
        try:
            made = migrate(text, self.to, type_name, version, strict=self._strict)
        except (ReadError, MigrationError):
            if version == self.to or not self._is_at_target(text, type_name):
                raise
            return MigratedText(text, [])
        if any(loss.code == "unknown-member" for loss in made.losses) and self._is_at_target(
            text, type_name
        ):
            return MigratedText(text, [])
        return MigratedText(made.value, made.losses)

    def _version_of(self, text: bytes) -> str:
        """Return the version that a text is taken from: a queue message's own, if it is known."""
        if self._declares:
            try:
                declared = _decode_declared(text).schema_version
            except (ValueError, RecursionError):  # reading says what is wrong
                declared = None
            if declared in VERSIONS:
                return str(declared)
        return self._version or self.to

    def _is_at_target(self, text: bytes, type_name: str) -> bool:
        """Tell whether a text is a document of the target, and all its members are the target's."""
        if self._declares:  # then it says so
            return False
        return Binding.of(type_name, self.to).is_clean(text, "warn")


def _raw_record(text: bytes) -> StoredRecord | None:
    """Return the record with its data as JSON text; None for what has to be looked at closely."""
    try:
        raw = _decode_record(text)
    except (ValueError, RecursionError):
        return None
    if raw.contract != CONTRACT or raw.version not in VERSIONS:
        return None
    return StoredRecord(CONTRACT, raw.version, raw.type, bytes(raw.data))


def _as_bytes(text: Any) -> bytes:
    if not isinstance(text, (bytes, bytearray, memoryview)):
        raise _usage("Not the text of a document", "JSON text (bytes)", clip(text))
    return bytes(text)


def _usage(message: str, expected: str, actual: str | None = None) -> UsageError:
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=actual))
