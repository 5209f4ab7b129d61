"""The data that partwire ships: schemas, bundles, rules, catalogue.

In an installed package it is packed, a file per folder, in ``partwire/_data``; in a checkout the
files are beside ``python/``. Nothing is read at import; what is read once is kept, and is not to be
changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from ..errors import Finding, UsageError, bad_argument
from .current import FAMILIES, LATEST_VERSION
from .packed import SUFFIX, files_of, unpack

__all__ = [
    "BundleDraft",
    "bundle",
    "interface",
    "read_catalog",
    "read_folder",
    "read_loss_texts",
    "read_rules",
    "read_schema",
    "rule_url",
]

BundleDraft = Literal["2020-12", "draft-07"]

_PACKAGE = Path(__file__).resolve().parent.parent
_RULES = "https://partwire.dev/rules"
_BUNDLE_SUFFIX = {"2020-12": ".schema.json", "draft-07": ".draft-07.schema.json"}


@lru_cache(maxsize=2)  # of what is parsed once, the bytes need not stay
def read_folder(folder: str) -> Mapping[str, bytes]:
    """Return name → bytes of a folder of data, sorted by name, as :mod:`.packed` names both.

    Raises UsageError ``usage/missing-resource`` where neither a wheel's nor a checkout's is there,
    or this Python cannot unpack it.
    """
    packed, checkout = _PACKAGE / "_data", _PACKAGE.parent.parent
    if packed.is_dir():
        path = packed / f"{folder}{SUFFIX}"
        try:
            return unpack(path.read_bytes())
        except ImportError:
            raise _missing(
                "This Python was built without lzma, which unpacks the data", path
            ) from None
        except (OSError, ValueError) as error:
            raise _missing(f"{path.name} cannot be read: {error}", path) from None
    # The marker, because a stranger's folder of that name may be two levels up.
    marker = checkout / "schemas" / "catalog.json"
    if not marker.is_file():
        raise _missing("The schemas of partwire are not there", packed)
    try:
        files = {name: path.read_bytes() for name, path in files_of(checkout, folder).items()}
    except OSError as error:
        raise _missing(f"{folder} cannot be read: {error.strerror}", checkout) from None
    if not files:
        raise _missing(f"The folder {folder} of the package's data is not there", checkout)
    return files


@cache
def read_catalog() -> Mapping[str, Mapping[str, Any]]:
    """Return the contract versions: name → ``{status, families}``, the status draft or released.

    A released one has ``released`` (the day), ``digest`` and ``fixturesDigest`` as well.
    """
    return _member("schemas", "catalog.json", "versions")


@cache
def read_rules() -> Mapping[str, Mapping[str, Any]]:
    """Return every rule, id → its row, room by room in the order of the rooms' names.

    A row is ``{severity, summary, requirements, reason, zh, examples}``, as
    ``schemas/rules.schema.json`` says.
    """
    rooms = read_folder("rules")
    return {rule: row for room in rooms for rule, row in _member("rules", room, "rules").items()}


def rule_url(rule: str) -> str:
    """Return the address of a rule's page on the site."""
    return f"{_RULES}/{rule}.html"


@cache
def read_loss_texts() -> Mapping[str, Mapping[str, str]]:
    """Return the Chinese words of losses: table of ``tables/losses.json`` → code → words."""
    document = _read_object("schemas", "tables/losses.json")
    tables = {name: rows for name, rows in document.items() if name.endswith("losses")}
    return {
        name: {code: words for code, (_, _, words) in rows.items()} for name, rows in tables.items()
    }


def read_schema(name: str) -> dict[str, Any]:
    """Return ``config.schema.json`` or another schema of no version, which the caller owns."""
    return _read_object("schemas", name)


def bundle(
    family: str, version: str = LATEST_VERSION, draft: BundleDraft = "2020-12"
) -> dict[str, Any]:
    """Return a family's self-contained schema as a JSON value that the caller owns.

    No reference leaves it. Draft-07 is for editors and older tools; both drafts give the same
    verdict on every document. Raises UsageError ``usage/unknown-version``,
    ``usage/unknown-family``, ``usage/invalid-argument`` (draft) or ``usage/missing-resource``.
    """
    if version not in FAMILIES:
        raise _refusal("usage/unknown-version", "No such contract version", FAMILIES, version)
    families = FAMILIES[version]
    if family not in families:
        raise _refusal("usage/unknown-family", f"No such family in {version}", families, family)
    if draft not in _BUNDLE_SUFFIX:
        raise _refusal("usage/invalid-argument", "No such bundle draft", _BUNDLE_SUFFIX, draft)
    return _read_object(version, f"bundles/{family}{_BUNDLE_SUFFIX[draft]}")


def interface(name: str) -> dict[str, Any]:
    """Return an interface document, such as ``asyncapi``, as a JSON value that the caller owns.

    Raises UsageError ``usage/invalid-argument`` (name) or ``usage/missing-resource``.
    """
    known = [file.removesuffix(".json") for file in read_folder("interfaces")]
    if name not in known:
        raise _refusal("usage/invalid-argument", "No such interface document", known, name)
    return _read_object("interfaces", f"{name}.json")


def _member(folder: str, file: str, name: str) -> Mapping[str, Mapping[str, Any]]:
    member = _read_object(folder, file).get(name)
    if not isinstance(member, dict):
        raise _missing(f"{file} has no object {name!r}", Path(folder, file))
    return member


def _read_object(folder: str, file: str) -> dict[str, Any]:
    path = Path(folder, file)
    data = read_folder(folder).get(file)
    if data is None:
        raise _missing(f"{path.as_posix()} is not there", path)
    try:
        value = json.loads(data)
    except ValueError:
        raise _missing(f"{file} is not JSON", path) from None
    if not isinstance(value, dict):
        raise _missing(f"{file} is not a JSON object", path)
    return value


def _missing(message: str, path: Path) -> UsageError:
    return UsageError(
        Finding(
            rule="usage/missing-resource",
            message=f"{message}; install partwire again, or run `make generate` in a checkout",
            expected=str(path),
            source=path.name,
        )
    )


def _refusal(rule: str, message: str, known: Iterable[str], actual: str) -> UsageError:
    return bad_argument(message, ", ".join(known), actual, rule)
