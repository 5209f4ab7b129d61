"""Two sources, one report: loads both, pairs what belongs together, asks the engine, explains."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, Literal, cast

from ..errors import PartwireError, clip
from .changes.explanation import explain, notes
from .changes.masked import Explained, explain_all
from .changes.places import canonical, digest
from .report import Change, EntryVerdict, Pair, Report
from .sources.entrypoints import Granularity, entries
from .sources.inputs import Source
from .sources.recognition import api_of
from .sources.schemas import CompatError, Place, SchemaSet
from .verdict import Budget, Comparison, Direction, Reading, Verdict

__all__ = ["Directions", "bound", "check", "check_all"]

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
    also for what is behind the changes that its witness shows, so that one accepted break
    hides no other. Raises CompatError, ReadError and UsageError with file and line: what is not
    a schema gets no verdict.
    """
    old_set, old_places = old.schemas(dialect)
    new_set, new_places = new.schemas(dialect)
    try:
        olds, news = entries((old, old_set, old_places), (new, new_set, new_places), granularity)
    except CompatError as error:
        # The finding names a document that both sources have under one name: the first is at fault
        # if it is refused beside itself.
        raise _at_fault((old, old_set, old_places), new, granularity).placed(error) from None
    pairs = [Pair(key, olds[key], news[key], old_set, new_set) for key in olds if key in news]
    comparison = _compare((old, new), (old_set, new_set), pairs)
    _compare_lonely(old, old_set, [place for key, place in olds.items() if key not in news])
    _compare_lonely(new, new_set, [place for key, place in news.items() if key not in olds])
    told: list[list[EntryVerdict]] = []
    said: list[Change] = []
    for way in _DIRECTIONS[direction]:
        verdicts = [
            comparison.verdict(number, reading=reading, direction=way, budget=budget)
            for number in range(len(pairs))
        ]
        told.append(_explained(pairs, verdicts, budget, thorough))
        said += _left_out(pairs, verdicts)
    removed = [
        _removed(key, place, reading)
        for key, place in olds.items()
        if key not in news and direction != "forward"
    ]
    added = [_added(key, place) for key, place in news.items() if key not in olds]
    in_order = [verdict for both in zip(*told, strict=True) for verdict in both]
    return Report(
        old.name,
        new.name,
        (*removed, *in_order),
        (*_of_apis(new_places.values()), *added, *said, *_calm(pairs)),
    )


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


def _at_fault(side: Any, other: Source, granularity: Granularity) -> Source:
    try:
        entries(side, side, granularity)
    except CompatError:
        return cast(Source, side[0])
    return other


def _compare_lonely(source: Source, schemas: SchemaSet, places: list[Place]) -> None:
    """Refuse what is not a schema on the side that alone has it."""
    try:
        if places:
            Comparison(schemas, schemas, [(place, place) for place in places])
    except PartwireError as error:
        raise source.placed(error) from None


def _explained(
    pairs: list[Pair], verdicts: list[Verdict], budget: Budget | None, thorough: bool
) -> list[EntryVerdict]:
    if thorough:
        every = explain_all(pairs, verdicts, budget=budget)
    else:
        every = [Explained((), True)] * len(pairs)
    return [_told(*each) for each in zip(pairs, verdicts, every, strict=True)]


def _told(pair: Pair, verdict: Verdict, every: Explained) -> EntryVerdict:
    changes = explain(pair, verdict)
    shown = {change.fingerprint for change in changes}
    others = [change for change in every.changes if change.fingerprint not in shown]
    return EntryVerdict(
        pair.entrypoint,
        verdict.status,
        verdict.direction,
        verdict.reading,
        tuple(bound(pair, change) for change in changes),
        verdict.has_witness,
        verdict.witness,
        verdict.failures,
        verdict.open,
        verdict.tried,
        tuple(bound(pair, change) for change in others),
        every.reason,
        verdict.harmless,
        verdict.exact_has_documents,
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


def _of_apis(roots: Iterable[Place]) -> Iterator[Change]:
    """Yield a note for every description of an API: most of it is not compared."""
    for root in roots:
        api = api_of(root.value)
        if api is not None:
            yield Change(
                "compat/components-alone",
                None,
                "",
                f"This is {api.name}: the schemas of its components are compared, one by one as "
                "with --definitions; paths, operations and channels are not",
                (api.name,),
                bump="none",
                new_source=root.resource.document,
            )


def _left_out(pairs: list[Pair], verdicts: list[Verdict]) -> Iterator[Change]:
    """Yield a note for every proof that holds under the declared reading alone."""
    for pair, verdict in zip(pairs, verdicts, strict=True):
        for document in verdict.left_out:
            text = clip(json.dumps(document, ensure_ascii=False))
            yield Change(
                "compat/undeclared-left-out",
                pair.old.pointer,
                pair.new.pointer,
                f"{_called(pair.entrypoint)}: compatible under the declared reading alone, which "
                f"leaves out what is open by declaration: {text}",
                (pair.entrypoint, document),
                verdict.direction,
                "none",
                pair.old.resource.document,
                pair.new.resource.document,
            )


def _called(key: str) -> str:
    return "The schema" if key == "#" else key


def bound(pair: Pair, change: Change) -> Change:
    """Bind a change that no rule names to the schemas: who accepts it accepts no other one."""
    if change.rule not in _UNNAMED:
        return change
    told = (*change.values, _whole(pair.old_set), _whole(pair.new_set))
    return replace(change, values=told)


def _calm(pairs: list[Pair]) -> list[Change]:
    """Return what is worth knowing although it breaks nobody, once for every place that has it."""
    found: dict[tuple[str | None, ...], Change] = {}
    if pairs and pairs[0].old_set.documents == pairs[0].new_set.documents:
        return []
    for pair in pairs:
        for change in notes(pair):
            spot = change.new_source, change.new_pointer
            if change.direction == "backward":
                spot = change.old_source, change.old_pointer
            found.setdefault((change.rule, *spot), change)
    return list(found.values())


def _whole(schemas: SchemaSet) -> str:
    return digest({uri: canonical(root) for uri, root in schemas.documents.items()})
