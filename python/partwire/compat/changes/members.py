"""What differs in the parts of objects and arrays: which parts to compare, and which are alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..patterns.automata import Undecided, matches
from ..sources.schemas import Place
from .keywords import NOTHING, Candidate
from .places import canonical, plain
from .view import Said, View

__all__ = ["Nested", "nested"]

Wrong = Callable[[tuple[Place, ...], Any], bool]
Places = tuple[Place, ...]


class Nested(NamedTuple):
    """Two parts to compare, with the values that are there; NOTHING where any may."""

    writer: Places
    reader: Places
    values: tuple[Any, ...]


Found = Iterator[Candidate | Nested]


def nested(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    """Yield the parts of one location to compare, and the changes that no part of the other has.

    ``value`` is a document of the writer's that the reader refuses, or NOTHING.
    """
    if value is NOTHING or isinstance(value, dict):
        yield from _members(mine, yours, value)
        yield from _claimed(mine, yours, value, wrong)
        yield from _by_pattern(mine, yours, value, wrong)
        yield from _others(mine, yours, value, wrong)
        yield from _names(mine, yours, value, wrong)
        yield from _dependent(mine, yours, value, wrong)
    if value is NOTHING or isinstance(value, list):
        yield from _items(mine, yours, value, wrong)
        yield from _contains(mine, yours, value, wrong)
    yield from _excluded(mine, yours, value, wrong)
    yield from _conditions(mine, yours, value, wrong)


def _hit(pattern: str, name: str) -> bool:
    try:
        return matches(pattern, name)
    except Undecided:
        return False


def _one(view: View, keyword: str) -> Place | None:
    said = view.all(keyword)
    return said[0].place if said else None


def _is_open(places: Places) -> bool:
    return all(place.value is True or place.value == {} for place in places)


def _told(places: Places) -> tuple[Any, ...]:
    """What schemas say, as values of a change: another schema is another change."""
    return tuple(canonical(place.value) for place in places)


def _rest(view: View) -> Places:
    """The schemas of members that are not declared."""
    said = view.all("additionalProperties") or view.all("unevaluatedProperties")
    return tuple(each.place for each in said if isinstance(each.value, (dict, bool)))


def _patterned(view: View, name: str) -> Places:
    return tuple(
        place
        for pattern, places in view.mapped("patternProperties").items()
        if _hit(pattern, name)
        for place in places
    )


def _declared(view: View) -> set[str]:
    """Every name that is declared here, also under a condition."""
    found = set(view.mapped("properties"))
    for keyword in ("if", "then", "else"):
        for said in view.all(keyword):
            if isinstance(said.value, dict):
                found |= set(said.value.get("properties", ()))
    for places in view.mapped("dependentSchemas").values():
        for place in places:
            if isinstance(place.value, dict):
                found |= set(place.value.get("properties", ()))
    return found


def _members(mine: View, yours: View, value: Any) -> Found:
    theirs, closed, rest = yours.mapped("properties"), yours.closed, _rest(yours)
    declared = _declared(yours)
    for name, places in mine.mapped("properties").items():
        if any(place.value is False for place in places):
            continue
        there = value is NOTHING or name in value
        parts = (NOTHING,) if value is NOTHING else (value[name],) if there else ()
        patterned = _patterned(yours, name)
        if name in theirs:
            yield Nested(places, (*theirs[name], *patterned), parts)
        elif patterned:
            yield Nested(places, patterned, parts)
        elif name in declared:
            continue
        elif closed is None and not _is_open(rest):
            yield Nested(places, rest, parts)
        elif there and (closed is not None or value is NOTHING):
            spot = closed.place if closed else yours.place
            yield Candidate(
                "compat/property-removed", places[0], spot, (name,), breaks=closed is not None
            )


def _claimed(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    """Members that the reader declares and the writer does not."""
    known = mine.mapped("properties")
    for name, places in yours.mapped("properties").items():
        if name in known or "object" not in mine.types:
            continue
        before = _patterned(mine, name) or _rest(mine)
        if any(place.value is False for place in before) or mine.closed:
            continue
        if not _is_open(before):
            there = value is NOTHING or name in value
            part = NOTHING if value is NOTHING else value.get(name)
            yield Nested(before, places, (part,) if there else ())
        elif _is_open(places):
            continue
        elif value is NOTHING or (name in value and wrong(places, value[name])):
            told = (name, *_told(places))
            yield Candidate("compat/property-claimed", None, places[0], (), told)


def _by_pattern(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    before, after = mine.mapped("patternProperties"), yours.mapped("patternProperties")
    rest = _rest(mine)
    for pattern, places in after.items():
        hits = [] if value is NOTHING else [n for n in value if _hit(pattern, n)]
        parts = (NOTHING,) if value is NOTHING else tuple(value[name] for name in hits)
        if pattern in before:
            yield Nested(before[pattern], places, parts)
        elif rest and not _is_open(rest) and not mine.closed:
            yield Nested(rest, places, parts)
        elif mine.closed or _is_open(places):
            continue
        elif value is NOTHING or any(wrong(places, part) for part in parts):
            spot = _one(mine, "patternProperties")
            told = (pattern, *_told(places))
            yield Candidate("compat/pattern-property-narrowed", spot, places[0], (), told)
    closed, declared = yours.closed, _declared(yours)
    for pattern, places in before.items():
        if closed is None or pattern in after:
            continue
        lost = () if value is NOTHING else (n for n in value if _hit(pattern, n))
        if value is NOTHING or any(n not in declared and not _patterned(yours, n) for n in lost):
            yield Candidate("compat/pattern-property-removed", places[0], closed.place, (pattern,))


def _others(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    rest, before = _rest(yours), _rest(mine)
    if not rest or _is_open(rest) or mine.closed or "object" not in mine.types:
        return
    known = _declared(yours)
    names: list[str] = []
    if value is not NOTHING:
        names = [n for n in value if n not in known and not _patterned(yours, n)]
    if yours.closed:
        told = set(mine.mapped("properties"))
        fresh = [name for name in names if name not in told and not _patterned(mine, name)]
        if value is NOTHING or fresh:
            spot = before[0] if before else None
            yield Candidate("compat/additional-closed", spot, yours.closed.place)
    elif before and not _is_open(before):
        parts = (NOTHING,) if value is NOTHING else tuple(value[name] for name in names)
        yield Nested(before, rest, parts)
    elif value is NOTHING or any(wrong(rest, value[name]) for name in names):
        spot = before[0] if before else None
        yield Candidate("compat/additional-narrowed", spot, rest[0], (), _told(rest))


def _places(said: list[Said]) -> Places:
    return tuple(each.place for each in said)


def _names(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    before, after = _places(mine.all("propertyNames")), _places(yours.all("propertyNames"))
    if not after:
        return
    parts = (NOTHING,) if value is NOTHING else tuple(value)
    if before:
        yield Nested(before, after, parts)
    elif value is NOTHING or any(wrong(after, name) for name in value):
        yield Candidate("compat/names-narrowed", None, after[0], (), _told(after))


def _dependent(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    before = mine.mapped("dependentSchemas")
    for name, places in yours.mapped("dependentSchemas").items():
        if value is not NOTHING and name not in value:
            continue
        if name in before:
            yield Nested(before[name], places, (value,))
        elif value is NOTHING or wrong(places, value):
            told = (name, *_told(places))
            yield Candidate("compat/dependency-added", None, places[0], (), told)


# --- arrays -----------------------------------------------------------------------------------


def _first(view: View) -> list[Place]:
    for said in view.all("prefixItems"):
        return [view.schemas.child(said.place, n) for n in range(len(said.value))]
    return []


def _items(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    heads = _first(mine), _first(yours)
    rests = [_places(view.all("items") or view.all("unevaluatedItems")) for view in (mine, yours)]
    count = max(len(heads[0]), len(heads[1]))
    for position in range(count + 1):
        before, after = (
            (head[position],) if position < len(head) else rest
            for head, rest in zip(heads, rests, strict=True)
        )
        if not after or _is_open(after) or "array" not in mine.types:
            continue
        if value is NOTHING:
            parts: tuple[Any, ...] = (NOTHING,)
        else:
            parts = tuple(value[position:] if position == count else value[position : position + 1])
        if any(place.value is False for place in before):
            continue
        if any(place.value is False for place in after):
            if parts:
                spot = before[0] if before else None
                yield Candidate("compat/items-closed", spot, after[0])
        elif before and not _is_open(before):
            yield Nested(before, after, parts)
        elif value is NOTHING or any(wrong(after, part) for part in parts):
            spot = before[0] if before else None
            yield Candidate("compat/items-narrowed", spot, after[0], (), _told(after))


def _contains(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    before = [_demand(said) for said in mine.all("contains")]
    for said in yours.all("contains"):
        if _demand(said) in before:
            continue
        least, most = said.beside.value.get("minContains", 1), said.beside.value.get("maxContains")
        if value is not NOTHING:
            hits = sum(not wrong((said.place,), item) for item in value)
            if hits >= least and (most is None or hits <= most):
                continue
        rule, spot = _changed("contains", before), _one(mine, "contains")
        yield Candidate(rule, spot, said.place, tuple(before), (_demand(said),))


def _demand(said: Said) -> dict[str, Any]:
    """What an array has to contain, and how often."""
    beside = said.beside.value
    told = {"contains": canonical(said.value)}
    if beside.get("minContains", 1) != 1:
        told["minContains"] = beside["minContains"]
    return told | ({"maxContains": beside["maxContains"]} if "maxContains" in beside else {})


def _changed(name: str, before: Any) -> str:
    return f"compat/{name}-changed" if before else f"compat/{name}-added"


# --- logic ------------------------------------------------------------------------------------


def _excluded(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    before = {plain(canonical(said.value)): canonical(said.value) for said in mine.all("not")}
    for said in yours.all("not"):
        if plain(canonical(said.value)) in before:
            continue
        if value is NOTHING or not wrong((said.place,), value):
            told = _told((said.place,))
            spot = _one(mine, "not")
            rule, values = _changed("exclusion", before), tuple(before.values())
            yield Candidate(rule, spot, said.place, values, told)


def _conditions(mine: View, yours: View, value: Any, wrong: Wrong) -> Found:
    before = {plain(canonical(said.value)): said for said in mine.all("if")}
    for said in yours.all("if"):
        known = before.get(plain(canonical(said.value)))
        for keyword in ("then", "else"):
            if keyword not in said.beside.value:
                continue
            place = yours.schemas.child(said.beside, keyword)
            applies = value is NOTHING or wrong((said.place,), value) is (keyword == "else")
            if not applies:
                continue
            if known is not None and keyword in known.beside.value:
                old = mine.schemas.child(known.beside, keyword)
                yield Nested((old,), (place,), (value,))
            elif value is NOTHING or wrong((place,), value):
                told = _told((said.place, place))
                spot = _one(mine, "if")
                yield Candidate(_changed("condition", before), spot, place, (), told)
