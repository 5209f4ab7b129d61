"""Two sources, one report: loads both, pairs what belongs together, asks the engine, explains."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final, Literal

from ..errors import PartwireError
from .comparing import Budget, Comparison, Direction, Reading, Verdict
from .entrypoints import Granularity, entries
from .loading import CompatError, Place, SchemaSet
from .oracle import Failure
from .report import Change, EntryVerdict, Explain, Pair, Report
from .sources import Source

__all__ = ["Directions", "check", "check_all"]

Directions = Literal["backward", "forward", "full"]

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
    explain: Explain | None = None,
) -> Report:
    """Return the verdict of every entry point of ``old`` and ``new``, and what explains them.

    ``dialect`` is the draft of documents without ``$schema``. Raises CompatError, ReadError and
    UsageError with the file and the line: what is no schema gets no verdict.
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
            verdicts.append(_told(pair, verdict, explain or _explain))
    notes = tuple(_added(key, place) for key, place in news.items() if key not in olds)
    return Report(old.name, new.name, tuple(verdicts), notes)


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


def _told(pair: Pair, verdict: Verdict, explain: Explain) -> EntryVerdict:
    changes: tuple[Change, ...] = ()
    if verdict.status == "breaking":
        changes = explain(pair, verdict) or _explain(pair, verdict)
    return EntryVerdict(
        pair.entrypoint,
        verdict.status,
        verdict.direction,
        verdict.reading,
        changes,
        verdict.has_witness,
        verdict.witness,
        verdict.failures,
        verdict.open,
        verdict.tried,
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


def _explain(pair: Pair, verdict: Verdict) -> tuple[Change, ...]:
    """Explain a verdict by nothing but its witness: the deepest place that refuses it.

    The values hold both sets of schemas: whoever accepts this break accepts no other one.
    """
    backward = verdict.direction == "backward"
    reader, writer = (pair.new, pair.old) if backward else (pair.old, pair.new)
    sets = (pair.old_set, pair.new_set) if backward else (pair.new_set, pair.old_set)
    failure: Failure = verdict.failures[0] if verdict.failures else {}
    source, pointer = _found(sets[1], reader, failure)
    same_document = source == reader.resource.document
    beside = _as_deep(sets[0], writer, pointer) if same_document else writer.pointer
    names = ("OLD", "NEW") if backward else ("NEW", "OLD")
    where = failure.get("instance", "") or "the root"
    message = f"{names[1]} refuses what {names[0]} allows, at {where} of a document"
    if failure:
        message += f" ({failure['keyword']})"
    pointers = (beside, pointer) if backward else (pointer, beside)
    sources = (writer.resource.document, source) if backward else (source, writer.resource.document)
    digests = (_digest(pair.old_set), _digest(pair.new_set))
    return (
        Change(
            "compat/semantic-narrowing" if backward else "compat/semantic-widening",
            *pointers,
            message,
            (pair.entrypoint, failure.get("schema", ""), *digests),
            verdict.direction,
            "major" if backward else "minor",
            *sources,
        ),
    )


def _document(schemas: SchemaSet, place: Place) -> Any:
    resource = schemas.resources.get(place.resource.document)
    return resource.root if resource is not None else place.resource.root


def _found(schemas: SchemaSet, reader: Place, failure: Failure) -> tuple[str, str]:
    """Return document and pointer of a failure: the reader's place if it does not lead there."""
    pointer = failure.get("schema", reader.pointer)
    if _walk(_document(schemas, reader), pointer) == pointer:
        return reader.resource.document, pointer
    return reader.resource.document, reader.pointer


def _as_deep(schemas: SchemaSet, place: Place, pointer: str) -> str:
    """Return the pointer as far as it leads in a document, but not above ``place``."""
    reached = _walk(_document(schemas, place), pointer)
    below = reached == place.pointer or reached.startswith(f"{place.pointer}/")
    return reached if below else place.pointer


def _walk(value: Any, pointer: str) -> str:
    reached = ""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            break
        reached += f"/{token}"
    return reached


def _digest(schemas: SchemaSet) -> str:
    told = {uri: each.root for uri, each in schemas.resources.items() if each.pointer == ""}
    text = json.dumps(told, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
