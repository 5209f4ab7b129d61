"""What publishing would change, and what that means for readers and writers. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from ..compat.comparison import Directions, check
from ..compat.report import SINGLE, Report
from ..compat.sources.inputs import Source, Text
from ..compat.verdict import Reading
from ..errors import Finding, PartwireError, UsageError, clip
from ..json.text import decode_json
from ..severities import SEVERITIES
from .client import Registered, Registry
from .naming import Level, Wanted

__all__ = ["Action", "Compared", "Planned", "plan"]

Action = Literal["new", "same", "changed", "older", "foreign"]
"""``older``: the schema is registered, but is not the newest version; ``foreign``: what is
registered is not a JSON Schema that is complete."""

_DIRECTIONS: Final[dict[str, Directions]] = {
    "BACKWARD": "backward",
    "FORWARD": "forward",
    "FULL": "full",
}


@dataclass(frozen=True)
class Compared:
    """What our checker says of the new schema, held against a registered version."""

    version: int
    old: Source
    new: Source
    report: Report


@dataclass(frozen=True)
class Planned:
    """What is to become of one subject.

    ``level`` is what holds when the schema is published, None where the registry keeps no levels;
    ``set_level`` what has to be set for it. ``registry_accepts`` is what the registry says of the
    schema by its present level, None where it was not asked or cannot say.
    """

    wanted: Wanted
    action: Action
    latest: Registered | None = None
    level: str | None = None
    set_level: str | None = None
    compared: tuple[Compared, ...] = ()
    registry_accepts: bool | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def subject(self) -> str:
        """The name of the subject."""
        return self.wanted.subject

    @property
    def changes(self) -> bool:
        """Whether publishing would write anything."""
        return self.set_level is not None or self.action in ("new", "changed", "foreign")


def plan(
    registry: Registry,
    subjects: Iterable[Wanted],
    *,
    level: Level | None = None,
    reading: Reading = "declared",
    thorough: bool = False,
) -> list[Planned]:
    """Return what publishing would change, subject by subject.

    ``level`` is to hold for each; None leaves levels as they are. A changed schema is compared
    with the newest version, by a transitive level with all, in the level's direction; where the
    level is NONE or unknown, backward. ``reading`` and ``thorough`` as in a comparison of schemas.
    Raises RegistryUnusable, or UsageError ``usage/missing-extra``.
    """
    common = registry.level(None)
    return [_planned(registry, wanted, common, level, (reading, thorough)) for wanted in subjects]


def _planned(
    registry: Registry,
    wanted: Wanted,
    common: str | None,
    level: Level | None,
    options: tuple[Reading, bool],
) -> Planned:
    latest = registry.latest(wanted.subject)
    own = registry.level(wanted.subject)
    holds = level or own or common
    to_set = level if level not in (None, own) and not registry.is_mock else None
    made = Planned(wanted, "new", latest, holds, to_set)
    if latest is None:
        return made
    if _is_same(latest, wanted):
        return replace(made, action="same")
    found = registry.find(wanted.subject, wanted.text)
    if found is not None:
        return replace(made, action="older", findings=(_older(found, latest),))
    every = [latest]
    if (holds or "").endswith("_TRANSITIVE"):
        every = registry.versions(wanted.subject)
    compared = [_compared(each, wanted, holds, options) for each in every]
    foreign = tuple(each for each in compared if isinstance(each, Finding))
    if foreign:
        return replace(made, action="foreign", findings=foreign)
    return replace(
        made,
        action="changed",
        compared=tuple(each for each in compared if isinstance(each, Compared)),
        registry_accepts=registry.accepts(wanted.subject, wanted.text),
    )


def _is_same(latest: Registered, wanted: Wanted) -> bool:
    """Return whether the newest version is the schema, however the registry spells it."""
    if latest.kind != "JSON" or latest.references:
        return False
    return latest.text == wanted.text or _parsed(latest) == wanted.schema


def _parsed(registered: Registered) -> object:
    try:
        return decode_json(registered.text.encode("utf-8", "surrogatepass"))
    except PartwireError:
        return None  # comparing says what is wrong with it


def _compared(
    old: Registered, wanted: Wanted, level: str | None, options: tuple[Reading, bool]
) -> Compared | Finding:
    """Compare with a registered version; a finding where that is nothing to compare with."""
    if old.kind != "JSON":
        return _foreign(old, f"a schema of kind {old.kind}")
    if old.references:
        return _foreign(old, "a schema that refers to other subjects")
    sides = (
        _source(f"{wanted.subject} version {old.version}", old.text),
        _source(f"{wanted.type} {wanted.version}", wanted.text),
    )
    reading, thorough = options
    try:
        report = check(
            *sides,
            direction=_DIRECTIONS.get((level or "").partition("_")[0], "backward"),
            reading=reading,
            granularity="entrypoints",
            dialect="draft-07",  # what registries take a schema for that does not name its draft
            thorough=thorough,
        )
    except UsageError:
        raise
    except PartwireError as error:
        return _foreign(old, f"no schema: {error.findings[0].message}")
    return Compared(old.version, *sides, report)


def _source(name: str, text: str) -> Source:
    data = text.encode("utf-8", "surrogatepass")
    return Source(name, {SINGLE: Text(SINGLE, name, data)}, single=True)


def _older(found: Registered, latest: Registered) -> Finding:
    return Finding(
        "registry/older-version",
        "The schema is registered, but newer versions follow it: registries do not go back",
        severity=SEVERITIES["registry/older-version"],
        expected=f"version {latest.version}, the newest one",
        actual=f"version {found.version}",
        source=found.subject,
    )


def _foreign(registered: Registered, what: str) -> Finding:
    return Finding(
        "registry/foreign-schema",
        "What is registered here cannot be compared with: it is somebody else's",
        expected="a JSON Schema that refers to nothing else, or its own subject",
        actual=clip(f"version {registered.version}: {what}"),
        source=registered.subject,
    )
