"""Two sources, one report: loads both, pairs what belongs together, asks the engine, explains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, Literal

from ..errors import PartwireError
from .comparing import Budget, Comparison, Direction, Reading, Verdict
from .differences import NOTHING
from .entrypoints import Granularity, entries
from .explaining import explain, notes
from .loading import CompatError, Place, SchemaSet
from .naming import canonical, digest
from .report import Change, EntryVerdict, Pair, Report
from .sources import Source

__all__ = ["Directions", "check", "check_all"]

Directions = Literal["backward", "forward", "full"]

_UNNAMED: Final = frozenset({"compat/semantic-narrowing", "compat/semantic-widening"})
_DIRECTIONS: Final[dict[str, tuple[Direction, ...]]] = {
    "backward": ("backward",),
    "forward": ("forward",),
    "full": ("backward", "forward"),
}


def check(
    old: Source,
    new: Source,
    *,
    direction: Directions = "backward",
    reading: Reading = "declared",
    granularity: Granularity = "auto",
    dialect: str = "2020-12",
    budget: Budget | None = None,
    thorough: bool = False,
) -> Report:
    """Return the verdict of every entry point of ``old`` and ``new``, and what explains them.

    ``dialect`` is the draft of documents without ``$schema``; ``thorough`` asks of what breaks
    also for what its witness does not show, so that one accepted break hides no other. Raises
    CompatError, ReadError and UsageError with file and line: what is no schema gets no verdict.
    """
    old_set, old_places = old.schemas(dialect)
    new_set, new_places = new.schemas(dialect)
    olds, news = entries((old, old_set, old_places), (new, new_set, new_places), granularity)
    pairs = [Pair(key, olds[key], news[key], old_set, new_set) for key in olds if key in news]
    comparison = _compare((old, new), (old_set, new_set), pairs)
    _compare_lonely(old, old_set, [place for key, place in olds.items() if key not in news])
    _compare_lonely(new, new_set, [place for key, place in news.items() if key not in olds])
    verdicts: list[EntryVerdict] = []
    for key, place in olds.items():
        if key not in news and direction != "forward":
            verdicts.append(_removed(key, place, reading))
    for number, pair in enumerate(pairs):
        for way in _DIRECTIONS[direction]:
            verdict = comparison.verdict(number, reading=reading, direction=way, budget=budget)
            verdicts.append(_told(pair, verdict, thorough))
    added = tuple(_added(key, place) for key, place in news.items() if key not in olds)
    return Report(old.name, new.name, tuple(verdicts), added)


def check_all(versions: Sequence[Source], **options: Any) -> Iterator[Report]:
    """Yield the report of every pair of versions, the older first; options as of :func:`check`.

    Every pair, because compatibility in steps says nothing about the first and the last.
    """
    for old, new in combinations(versions, 2):
        yield check(old, new, **options)


def _compare(
    sources: tuple[Source, Source], sets: tuple[SchemaSet, SchemaSet], pairs: list[Pair]
) -> Comparison:
    try:
        return Comparison(*sets, [(pair.old, pair.new) for pair in pairs])
    except CompatError as error:
        # The finding names a document, which both sources may have: ask each by itself.
        for source, side in zip(sources, (0, 1), strict=True):
            places = [(pair.old, pair.new)[side] for pair in pairs]
            try:
                Comparison(sets[side], sets[side], [(place, place) for place in places])
            except PartwireError as own:
                raise source.placed(own) from None
        raise error from None


def _compare_lonely(source: Source, schemas: SchemaSet, places: list[Place]) -> None:
    """Refuse what is no schema on the side that alone has it."""
    try:
        if places:
            Comparison(schemas, schemas, [(place, place) for place in places])
    except PartwireError as error:
        raise source.placed(error) from None


def _told(pair: Pair, verdict: Verdict, thorough: bool) -> EntryVerdict:
    changes: tuple[Change, ...] = ()
    others: tuple[Change, ...] = ()
    if verdict.status == "breaking":
        changes = explain(pair, verdict)
        others = _others(pair, verdict, changes) if thorough else ()
    return EntryVerdict(
        pair.entrypoint,
        verdict.status,
        verdict.direction,
        verdict.reading,
        tuple(_bound(pair, change) for change in changes),
        verdict.has_witness,
        verdict.witness,
        verdict.failures,
        verdict.open,
        verdict.tried,
        tuple(_bound(pair, change) for change in others),
    )


def _removed(key: str, place: Place, reading: Reading) -> EntryVerdict:
    change = Change(
        "compat/entrypoint-removed",
        place.pointer,
        None,
        f"{_called(key)} is gone: its documents have no reader any more",
        (key,),
        old_source=place.resource.document,
    )
    return EntryVerdict(key, "breaking", "backward", reading, (change,))


def _added(key: str, place: Place) -> Change:
    return Change(
        "compat/entrypoint-added",
        None,
        place.pointer,
        f"{_called(key)} is new: nobody who does not know it has to read it",
        (key,),
        direction="forward",
        bump="minor",
        new_source=place.resource.document,
    )


def _called(key: str) -> str:
    return "The schema" if key == "#" else key


def _bound(pair: Pair, change: Change) -> Change:
    """Bind a change that no rule names to the schemas: who accepts it accepts no other one."""
    if change.rule not in _UNNAMED:
        return change
    told = (*change.values, _whole(pair.old_set), _whole(pair.new_set))
    return replace(change, values=told)


def _others(pair: Pair, verdict: Verdict, known: tuple[Change, ...]) -> tuple[Change, ...]:
    """Return differences that could break as well, but that the witness does not run into."""
    calm = {change.fingerprint for change in notes(pair)}
    shown = calm | {change.fingerprint for change in known}
    every = explain(pair, replace(verdict, witness=NOTHING))
    return tuple(each for each in every if each.fingerprint not in shown)


def _whole(schemas: SchemaSet) -> str:
    return digest({uri: canonical(root) for uri, root in schemas.documents.items()})
