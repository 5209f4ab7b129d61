"""Take documents and values from one contract version to another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import bundle
from partwire.contract.versions import parse_type
from partwire.contract.versions import type_of as contract_type
from partwire.errors import Finding, ReadError, UsageError, WriteError, bad_argument, clip
from partwire.json.pointer import escape_pointer
from partwire.json.text import decode_json, value_findings
from partwire.losses import Loss, LossLog, in_order
from partwire.native_core import core
from partwire.reading.exact import exact_text
from partwire.reading.inputs import message_of, text_of, value_of
from partwire.reading.pipeline import Binding, Mode, read
from partwire.reading.plain import plain_value
from partwire.tables.losses import MEMBER_CODES, MIGRATION_LOSSES

from .errors import MigrationError, refuse_lossy
from .members import later_members
from .steps import VERSIONS, Step, origin, path, position

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
    text: bytes = b""
    """Its JSON text; empty where it is not that of the value for sure."""
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
    taken, text = _taken_over(document, to, type, version)
    if taken is not None:
        if strict:
            refuse_lossy(taken.losses)
        return taken
    position(to)
    given = _given(document, type, version, text)
    moves = path(given.version, to)
    if given.form == "struct":
        given = given._replace(type=_known_type(given.type, given.version, to))
    family, _, name = given.type.partition(".")
    for move in moves:
        parse_type(given.type, move.target)
    _check_declared(given, family)
    value, text = given.document, given.text
    log, ways = LossLog(MIGRATION_LOSSES), list[Mapping[str, str]]()
    for number, move in enumerate(moves):
        text = text if number == 0 else _text_of(value)
        value, lost, moved = move.run(value, family, name, text)
        for loss in lost:
            log.note(loss.code, origin(loss.pointer, ways))
        ways.append(moved)
    losses = in_order(log.losses)
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


def _known_type(name: str, version: str, to: str) -> str:
    """Return the name that ``to`` has for a struct's type: its union's, if not its own."""
    family, _, own = name.partition(".")
    if own in bundle(family, to)["$defs"]:
        return name
    for union, schema in bundle(family, version)["$defs"].items():
        places = schema.get("discriminator", {}).get("mapping", {}).values()
        if any(place.rpartition("/")[2] == own for place in places):
            return f"{family}.{union}"
    return name


class _OneStep(NamedTuple):
    """Documents of one type, and one step that they are to be taken."""

    source: Binding
    target: Binding
    older: Binding
    step: Step
    later: frozenset[str]
    """Members that the target's type does not name, and the source's does."""
    is_covered: bool
    """Whether the source surely takes what the older version takes and names all of."""

    def takes(self, text: bytes) -> bool:
        """Tell whether both versions take a text, and name all that is in it."""
        return self.older.is_clean(text, "warn") and self.takes_too(text)

    def takes_too(self, text: bytes) -> bool:
        """Tell the same of a text of which the older version takes and names all."""
        return self.is_covered or self.source.is_clean(text, "warn")


@lru_cache(maxsize=256)
def _one_step(kind: str | type[Any], version: str | None, to: str) -> _OneStep | None:
    """Return the step that leads to ``to``; None where it is none, or several."""
    try:
        source = Binding.of(kind, version)
        target = Binding.of(str(source.type), to)
        moves = path(source.type.version, to)
    except UsageError:
        return None
    if len(moves) != 1:
        return None
    step = moves[0].step
    family, name, old = source.type
    later = later_members(family, old, to).get(name, frozenset())
    older = target if target.type.version == step.old else source
    is_covered = source is older or source.covers(older)
    return _OneStep(source, target, older, step, later, is_covered)


def _taken_over(
    document: Any, to: str, type_name: Any, version: Any
) -> tuple[Migrated | None, bytes | None]:
    """Return a document as the version ``to`` has it, if it surely takes it as it is, or without
    the ids that only newer versions name, else None; and its text, where that is sure.

    Most documents are the same in every version: this is many times faster than looking closely.
    """
    is_struct = isinstance(document, msgspec.Struct)
    one = None
    if to.__class__ is not str:
        return None, None
    if is_struct:
        if type_name is None and version is None:
            one = _one_step(document.__class__, None, to)
    elif core() is None:
        return None, None
    elif type_name.__class__ is version.__class__ is str or (
        isinstance(type_name, type) and version is None
    ):
        one = _one_step(type_name, version, to)
    if one is None:
        return None, None
    if core() is None:
        taken = _struct_taken_over(document, one)
        return None if taken is None else Migrated(taken, [], to), None
    family = one.source.type.family
    text = None if is_struct else text_of(document)
    if text is not None:
        may_take = one.step.keeps(family, text) and one.takes(text)
        return Migrated(document, [], to) if may_take else None, None
    may_take = not one.step.changes(family, document)
    if is_struct and may_take:
        text = one.older.clean_text(document, closed=True, holder=one.source.type)
        if text is not None and one.takes_too(text):
            return Migrated(one.target.decode(text), [], to), text
    text = exact_text(document, one.source.type if is_struct else None)
    if text is None or not may_take:
        return None, text
    if not is_struct and one.takes(text):
        return Migrated(document, [], to), text
    return _without_later(document, text, one), text


def _without_later(document: Any, text: bytes, one: _OneStep) -> Migrated | None:
    """Return a document without the members at its root that are only the source's, if the target
    surely takes all others as they are.
    """
    value = document if isinstance(document, dict) else msgspec.to_builtins(document)
    if one.target is not one.older or not isinstance(value, dict):
        return None
    if value.keys().isdisjoint(one.later):
        return None
    kept = {name: member for name, member in value.items() if name not in one.later}
    kept_text = one.target.clean_text(kept, closed=True)
    if kept_text is None or not one.source.is_clean(text):
        return None
    log = LossLog(MIGRATION_LOSSES)
    for name in value.keys() & one.later:
        log.note(MEMBER_CODES[name], f"/{escape_pointer(name)}")
    made = kept if value is document else one.target.decode(kept_text)
    return Migrated(made, in_order(log.losses), one.target.type.version)


def _struct_taken_over(struct: Any, one: _OneStep) -> Any:
    """Return a struct as the older version's, if that takes it as it is; without the core."""
    if one.target is not one.older or one.step.changes(one.source.type.family, struct):
        return None
    try:
        text = msgspec.json.encode(struct)
        if one.source.decode(text) != struct:
            return None
        taken = one.older.decode(text)
    except (TypeError, ValueError, RecursionError):
        return None
    same = msgspec.to_builtins(taken) == msgspec.to_builtins(struct)
    return taken if same and one.older.is_clean(text) and one.source.is_clean(text) else None


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


def _given(
    document: Any, type_name: str | type[Any] | None, version: str | None, sure: bytes | None
) -> _Given:
    """Return what is given; ``sure`` is the text of a value, where it is known already."""
    text = text_of(document)
    if text is not None:
        return _checked(decode_json(text), type_name, version, "text", text)
    own = type_of(document)
    if own is None:
        text = exact_text(document) if sure is None else sure
        if text is not None:
            return _checked(document, type_name, version, "json", text)
        value_of(document)  # raises for what is not JSON
        value, unknown = plain_value(document)
        return _checked(value, type_name, version, "json", None, unknown)
    _same("type", str(parse_type(type_name)) if isinstance(type_name, type) else type_name, own[0])
    _same("version", version, own[1])
    document = message_of(document)
    value, text, beside = _opened(document, Binding.of(*own), sure)
    # A queue message that was read is a struct of this version, whichever its sender writes.
    declared = declared_version(value, own[0])
    older = declared in VERSIONS and position(declared) < position(own[1])
    return _checked(value, own[0], declared if older else own[1], "struct", text, beside)


def _opened(
    document: Any, binding: Binding, sure: bytes | None
) -> tuple[Any, bytes | None, Collection[str]]:
    """Return a struct or model as JSON value, its text where that is sure, and what is unknown."""
    text = binding.text_of(document) if sure is None else sure
    if text is not None:
        return msgspec.to_builtins(document), text, ()
    try:
        value, unknown = plain_value(document)
    except WriteError as error:
        raise ReadError(*error.findings) from None
    if found := value_findings(value):
        raise ReadError(*found)
    return value, None, unknown


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
    text = _text_of(value) if text is None else text
    if not binding.is_clean(text):
        found = binding.check_kept(value, set(unknown))
        if errors := [each for each in found if each.severity == "error"]:
            raise ReadError(*errors)
    return _Given(value, str(binding.type), version, form, text, frozenset(unknown))


def _text_of(value: Any) -> bytes:
    """Return the JSON text of a value; empty where there is none, or it takes a closer look, as a
    class derived from str does.
    """
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError):
        return b""  # the checks say what is wrong with it, if anything is


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
