"""What is published: one flat schema per subject, and what subjects are called."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, NamedTuple

from ..contract.current import LATEST_VERSION
from ..contract.resources import BundleDraft
from ..contract.schemas import describe_types, standalone_schema
from ..contract.versions import parse_type
from ..errors import UsageError, bad_argument
from ..json.text import json_text

__all__ = ["LEVELS", "SUBJECT_FORMAT", "Level", "Wanted", "flat_schema", "wanted_subjects"]

Level = Literal[
    "BACKWARD",
    "BACKWARD_TRANSITIVE",
    "FORWARD",
    "FORWARD_TRANSITIVE",
    "FULL",
    "FULL_TRANSITIVE",
    "NONE",
]
"""A level of compatibility, by which a registry checks what is registered for a subject."""
LEVELS: Final[tuple[Level, ...]] = (
    *("BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE"),
    *("FULL", "FULL_TRANSITIVE", "NONE"),
)
"""The compatibility levels of registries."""

SUBJECT_FORMAT: Final = "partwire.{type}-value"
"""``partwire.message.Message-value``: the values of a topic that is called after the type."""

_FIELDS: Final = ("type", "family", "name", "version", "major")
_LEFT_OUT: Final = frozenset({"x-entrypoint", "x-status"})
_MAX_SUBJECT: Final = 249
"""The longest name that a topic of Kafka may have; some registries have no room for more."""


class Wanted(NamedTuple):
    """A subject, and the schema that it is to have: ``text`` is the JSON of ``schema``."""

    subject: str
    type: str
    version: str
    schema: dict[str, Any]
    text: str


def flat_schema(type_name: str, version: str, draft: BundleDraft = "2020-12") -> dict[str, Any]:
    """Return a type as one schema that refers to nothing outside itself.

    The type is at the root, where readers of registries look; whatever it refers to is
    under ``$defs`` (draft-07: ``definitions``). ``$schema`` is always there: without it some
    registries take draft-07. No version is named, so that a type that did not change stays the
    same from one version of the contract to the next. Raises as
    :func:`partwire.contract.schemas.standalone_schema`.
    """
    whole = standalone_schema(type_name, version, draft)
    keyword = "$defs" if "$defs" in whole else "definitions"
    definitions: dict[str, Any] = {
        name: {key: value for key, value in schema.items() if key not in _LEFT_OUT}
        for name, schema in whole[keyword].items()
    }
    own = whole["$ref"].rpartition("/")[2]
    root = definitions[own]
    used = json.dumps({**definitions, own: root})
    if f'"{whole["$ref"]}"' not in used:
        del definitions[own]
    rest = {keyword: definitions} if definitions else {}
    return {"$schema": whole["$schema"], "title": type_name, **root, **rest}


def wanted_subjects(
    types: Iterable[str] = (),
    *,
    version: str = LATEST_VERSION,
    draft: BundleDraft = "2020-12",
    subject_format: str = SUBJECT_FORMAT,
) -> list[Wanted]:
    """Return the subjects of types, in the order of the schemas; of all public ones where none is
    named. ``message.*`` stands for the public types of a family.

    Raises UsageError ``usage/unknown-type``, ``usage/unknown-version`` or, of the format,
    ``usage/invalid-argument``.
    """
    _check_format(subject_format)
    found: dict[str, Wanted] = {}
    for name in _chosen(tuple(types), version):
        family, _, own = name.partition(".")
        major = version.partition(".")[0]
        subject = subject_format.format(
            type=name, family=family, name=own, version=version, major=major
        )
        if subject in found:
            raise _bad_format(
                f"Two types have one subject: {found[subject].type} and {name}", subject_format
            )
        if not 0 < len(subject) <= _MAX_SUBJECT or not subject.isprintable():
            raise _bad_format("No name for a subject", subject)
        schema = flat_schema(name, version, draft)
        text = json_text(schema)
        found[subject] = Wanted(subject, name, version, schema, text)
    return list(found.values())


def _chosen(types: Sequence[str], version: str) -> list[str]:
    rows = describe_types(version)
    public = [row.type for row in rows if row.public]
    if not types:
        return public
    chosen: set[str] = set()
    for name in types:
        fits = [each for each in public if fnmatchcase(each, name)] if "*" in name else []
        chosen.update(fits or [str(parse_type(name, version))])
    return [row.type for row in rows if row.type in chosen]


def _check_format(text: str) -> None:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise _bad_format(f"No format for subjects: {error}", text) from None
    for _, field, spec, conversion in parts:
        if field is not None and (field not in _FIELDS or spec or conversion):
            raise _bad_format("No such field in the format of subjects", f"{{{field}}}")


def _bad_format(message: str, actual: str) -> UsageError:
    fields = ", ".join(f"{{{field}}}" for field in _FIELDS)
    return bad_argument(
        message, f"text with {fields} that names each type another way, as {SUBJECT_FORMAT}", actual
    )
