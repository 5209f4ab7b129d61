"""The data that partwire ships: schemas, bundles, rules, catalogue and fixtures.

In an installed package the data stands in ``partwire/_data``, and the fixtures in a package of
their own, ``partwire-fixtures``; in a checkout all of it stands beside ``python/``. Nothing is read
at import; what is read once is kept, and is not to be changed.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from ..errors import Finding, UsageError, bad_argument
from .current import LATEST_VERSION

__all__ = [
    "BundleDraft",
    "bundle",
    "bundle_path",
    "fixtures_dir",
    "interface",
    "read_catalog",
    "read_loss_texts",
    "read_rules",
    "schemas_dir",
]

BundleDraft = Literal["2020-12", "draft-07"]

_PACKAGE = Path(__file__).resolve().parent.parent
_FIXTURES = "partwire_fixtures"
_BUNDLE_SUFFIX = {"2020-12": ".schema.json", "draft-07": ".draft-07.schema.json"}


@cache
def schemas_dir() -> Path:
    """Return the folder that holds ``catalog.json``, ``rules/`` and one folder per version.

    Raises UsageError ``usage/missing-resource`` where neither a wheel's nor a checkout's is there.
    """
    return _data_dir("schemas", marker="catalog.json")


@cache
def fixtures_dir() -> Path:
    """Return the folder that holds ``case.schema.json`` and a folder or archive per version.

    Raises UsageError ``usage/missing-resource`` where this is no checkout and the extra
    ``testing`` is not installed.
    """
    marker, checkout = "case.schema.json", _PACKAGE.parent.parent / "fixtures"
    # An installed partwire never takes a stranger's folder of that name two levels up.
    if not (_PACKAGE / "_data").is_dir() and (checkout / marker).is_file():
        return checkout
    found = importlib.util.find_spec(_FIXTURES)
    for folder in (found.submodule_search_locations or ()) if found else ():
        if (Path(folder) / marker).is_file():
            return Path(folder)
    raise UsageError(
        Finding(
            rule="usage/missing-resource",
            message="The fixtures are not installed; run: pip install 'partwire[testing]'",
            expected="the package partwire-fixtures, of the version of partwire",
            source=_FIXTURES,
        )
    )


@cache
def read_catalog() -> Mapping[str, Mapping[str, Any]]:
    """Return the contract versions: name → ``{status, families}``, the status draft or released.

    A released one has ``released`` (the day), ``digest`` and ``fixturesDigest`` as well.
    """
    return _member(schemas_dir() / "catalog.json", "versions")


@cache
def read_rules() -> Mapping[str, Mapping[str, Any]]:
    """Return every rule, id → its row, room by room in the order of the rooms' names.

    A row is ``{severity, summary, requirements, reason, zh, examples}``, as
    ``schemas/rules.schema.json`` says.
    """
    folder = schemas_dir() / "rules"
    rooms = sorted(folder.glob("*.json"))
    if not rooms:
        raise _missing("The rules of partwire are not there", folder)
    return {rule: row for room in rooms for rule, row in _member(room, "rules").items()}


@cache
def read_loss_texts() -> Mapping[str, Mapping[str, str]]:
    """Return the Chinese words of losses: table of ``tables/losses.json`` → code → words."""
    document = _read_object(schemas_dir() / "tables" / "losses.json")
    tables = {name: rows for name, rows in document.items() if name.endswith("losses")}
    return {
        name: {code: words for code, (_, _, words) in rows.items()} for name, rows in tables.items()
    }


def bundle_path(family: str, version: str = LATEST_VERSION, draft: BundleDraft = "2020-12") -> Path:
    """Return the file of a family's self-contained schema (no reference leaves it).

    Raises UsageError ``usage/unknown-version``, ``usage/unknown-family``,
    ``usage/invalid-argument`` (draft) or ``usage/missing-resource``.
    """
    versions = read_catalog()
    if version not in versions:
        raise _refusal("usage/unknown-version", "No such contract version", versions, version)
    families = versions[version]["families"]
    if family not in families:
        raise _refusal("usage/unknown-family", f"No such family in {version}", families, family)
    if draft not in _BUNDLE_SUFFIX:
        raise _refusal("usage/invalid-argument", "No such bundle draft", _BUNDLE_SUFFIX, draft)
    room = _PACKAGE / version.replace(".", "_")
    path = room / "bundles" / f"{family}{_BUNDLE_SUFFIX[draft]}"
    if not path.is_file():
        raise _missing(f"The bundle of {version} {family} ({draft}) is not there", path)
    return path


def bundle(
    family: str, version: str = LATEST_VERSION, draft: BundleDraft = "2020-12"
) -> dict[str, Any]:
    """Return a family's self-contained schema as a JSON value that the caller owns.

    Draft-07 is for editors and older tools; both drafts give the same verdict on every document.
    Raises as :func:`bundle_path`.
    """
    return _read_object(bundle_path(family, version, draft))


def interface(name: str) -> dict[str, Any]:
    """Return an interface document, such as ``asyncapi``, as a JSON value that the caller owns.

    Raises UsageError ``usage/invalid-argument`` (name) or ``usage/missing-resource``.
    """
    folder = _PACKAGE / "interfaces"
    known = sorted(path.stem for path in folder.glob("*.json"))
    if name not in known:
        raise _refusal("usage/invalid-argument", "No such interface document", known, name)
    return _read_object(folder / f"{name}.json")


def _data_dir(name: str, marker: str) -> Path:
    installed = _PACKAGE / "_data" / name
    checkout = _PACKAGE.parent.parent / name
    for folder in (installed, checkout):
        # The marker, because a stranger's folder of that name may stand two levels up.
        if (folder / marker).is_file():
            return folder
    raise _missing(f"The {name} of partwire are not there", installed / marker)


def _member(path: Path, name: str) -> Mapping[str, Mapping[str, Any]]:
    member = _read_object(path).get(name)
    if not isinstance(member, dict):
        raise _missing(f"{path.name} has no object {name!r}", path)
    return member


def _read_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise _missing(f"{path.name} cannot be read: {error.strerror}", path) from None
    except ValueError:
        raise _missing(f"{path.name} is not JSON", path) from None
    if not isinstance(value, dict):
        raise _missing(f"{path.name} is not a JSON object", path)
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
