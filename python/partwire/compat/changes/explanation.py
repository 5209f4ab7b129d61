"""Which changes are behind a verdict: found by its witness, named by rules, judged by nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final
from weakref import WeakKeyDictionary

from ...contract.resources import read_rules
from ...errors import clip
from ..logic.oracle import Oracle
from ..report import Bump, Change, Pair
from ..sources.schemas import Place, SchemaSet
from ..verdict import Direction, Verdict
from .diff import Side, Walk
from .keywords import NOTHING, Candidate
from .places import located, order_of

__all__ = ["explain", "notes", "put"]

_BUMPS: Final[dict[str, Bump]] = {
    "none": "none",
    "patch": "patch",
    "minor": "minor",
    "major": "major",
}
_TYPES_RULE: Final = "compat/type-narrowed"
_oracles: WeakKeyDictionary[SchemaSet, Oracle] = WeakKeyDictionary()


def explain(pair: Pair, verdict: Verdict) -> tuple[Change, ...]:
    """Return the changes that the verdict's witness runs into; () unless it is "breaking".

    There is always one: where no rule fires it is ``compat/semantic-narrowing``, or
    ``compat/semantic-widening``, at the deepest keyword that refuses the witness. Bounded by
    steps, not by a clock: equal questions have equal answers.
    """
    if verdict.status != "breaking" or not verdict.has_witness:
        return ()
    backward = verdict.direction == "backward"
    found, _ = _walked(pair, backward=backward, document=verdict.witness)
    if not found:
        found = [_unnamed(pair, verdict)]
    return tuple(_change(pair, each, verdict.direction) for each in found)


def notes(pair: Pair) -> tuple[Change, ...]:
    """Return what is worth knowing although nobody refuses it, such as a member no longer read.

    A declared member that an open object no longer declares is ignored by readers: renaming it
    shows as one removal and one addition. Both directions are looked at. Where the schemas are too
    much to look at, ``compat/unexplained`` says from where on nothing is named.
    """
    found: list[Change] = []
    cuts: list[tuple[Place, Place]] = []
    directions: tuple[Direction, ...] = ("backward", "forward")
    for direction in directions:
        walked, cut = _walked(pair, backward=direction == "backward", document=NOTHING)
        calm = [each for each in walked if not each.breaks]
        found += [_change(pair, each, direction, bump="minor") for each in calm]
        cuts += [cut] if cut else []
    return (*found, *(_unexplained(pair, *cut) for cut in cuts[:1]))


def _unexplained(pair: Pair, old: Place, new: Place) -> Change:
    change = Change(
        "compat/unexplained",
        old.pointer,
        new.pointer,
        f"{pair.entrypoint}: too much to look at; from here on no change is named",
        (pair.entrypoint,),
        bump="none",
        old_source=old.resource.document,
        new_source=new.resource.document,
    )
    return put(pair, change)


def _walked(
    pair: Pair, *, backward: bool, document: object
) -> tuple[list[Candidate], tuple[Place, Place] | None]:
    """Return what differs, and the places in old and new from where on nobody looked, if any."""
    old, new = _side(pair.old_set), _side(pair.new_set)
    walk = Walk(old, new) if backward else Walk(new, old)
    places = (pair.old, pair.new) if backward else (pair.new, pair.old)
    found = walk.candidates(*places, document)
    cut = walk.cut
    return found, cut if cut is None or backward else (cut[1], cut[0])


def _side(schemas: SchemaSet) -> Side:
    if schemas not in _oracles:
        _oracles[schemas] = Oracle(schemas)
    return Side(schemas, _oracles[schemas])


def _unnamed(pair: Pair, verdict: Verdict) -> Candidate:
    """What no rule has a word for, at the deepest keyword that refuses the witness."""
    writer, reader = pair.old, pair.new
    if verdict.direction == "forward":
        writer, reader = reader, writer
    if not verdict.failures:
        return Candidate("compat/semantic-narrowing", writer, reader)
    schemas = pair.new_set if verdict.direction == "backward" else pair.old_set
    depth = max(failure["instance"].count("/") for failure in verdict.failures)
    places = [
        (order_of(schemas, place), failure["keyword"], place)
        for failure in verdict.failures
        if failure["instance"].count("/") == depth
        for place in (schemas.at(failure["document"], failure["schema"]),)
    ]
    _, keyword, place = min(places, key=lambda each: each[:2])
    return Candidate("compat/semantic-narrowing", writer, place, (), (keyword,))


def _change(pair: Pair, found: Candidate, direction: Direction, bump: Bump | None = None) -> Change:
    rules = read_rules()
    rule = found.rule
    old, new = found.writer, found.reader
    if direction == "forward":
        rule = rules[rule]["mirror"]
        old, new = new, old
    values = (*found.before, *found.after)
    row = rules[rule]
    change = Change(
        rule=rule,
        old_pointer=old.pointer if old else None,
        new_pointer=new.pointer if new else None,
        message=_sentence(row["summary"], found, direction),
        values=values,
        direction=direction,
        bump=bump or _BUMPS[row["bump"][direction]],
        old_source=(old or pair.old).resource.document,
        new_source=(new or pair.new).resource.document,
    )
    return put(pair, change)


def put(pair: Pair, change: Change) -> Change:
    """Return a change with its place by names; its pointers lead into the schemas of the pair."""
    if change.old_pointer is not None:
        return replace(change, at=located(pair.old_set, change.old_source, change.old_pointer))
    if change.new_pointer is not None:
        return replace(change, at=located(pair.new_set, change.new_source, change.new_pointer))
    return change


def _sentence(summary: str, found: Candidate, direction: Direction) -> str:
    """Return the summary with what was before and what is now, in the order of time."""
    sides = found.before, found.after
    old, new = sides if direction == "backward" else sides[::-1]
    if found.rule == _TYPES_RULE:
        told = _types_told(*map(_types_of, (old, new)), is_any=not found.before)
    else:
        told = " became ".join(_told(side) for side in (old, new) if side)
    return f"{summary.rstrip('.')}: {told}" if told else summary


def _told(values: tuple[Any, ...]) -> str:
    return ", ".join(
        " or ".join(map(clip, value)) if isinstance(value, list) else clip(value)
        for value in values
    )


def _types_of(side: tuple[Any, ...]) -> list[str]:
    return list(side[0]) if side else []


def _types_told(old: list[str], new: list[str], *, is_any: bool) -> str:
    """Return which types are gone and which came; ``is_any``: the side without has all of them."""
    if is_any:
        if not old:
            return f"any type was allowed, now only {_listed(new)}"
        return f"only {_listed(old)} was allowed, now any type"
    gone = [each for each in old if each not in new]
    came = [each for each in new if each not in old]
    parts = [f"{_listed(gone)} {'is' if len(gone) == 1 else 'are'} gone"] if gone else []
    parts += [f"{_listed(came)} came"] if came else []
    return ", ".join(parts)


def _listed(types: list[str]) -> str:
    return " and ".join(types)
