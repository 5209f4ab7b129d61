"""What a reader's keywords refuse that a writer's do not: those that hold no schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

from ..logic.values import exact, freeze
from ..patterns.automata import Undecided, matches
from ..sources.schemas import Place
from .places import plain
from .view import ALL_TYPES, Said, View

__all__ = ["NOTHING", "Candidate", "Test", "differences", "kind_of", "shown_types"]


NOTHING: Final = object()
"""Stands for "no document": every change is named, not only what one runs into."""


class Candidate(NamedTuple):
    """A change that may explain a break, named by the rule of its backward direction.

    ``writer`` and ``reader`` are where both sides say it, None where a side says nothing.
    ``breaks`` is False for what is worth a note only.
    """

    rule: str
    writer: Place | None
    reader: Place | None
    before: tuple[Any, ...] = ()
    after: tuple[Any, ...] = ()
    breaks: bool = True


Test = Callable[[Any], bool]
"""Whether a document of the location is refused for the change."""

_SIZES: Final[dict[str, tuple[bool, type[Any]]]] = {
    "minLength": (True, str),
    "maxLength": (False, str),
    "minItems": (True, list),
    "maxItems": (False, list),
    "minProperties": (True, dict),
    "maxProperties": (False, dict),
}


def kind_of(value: Any) -> str:
    """Return the type of a JSON value; whole numbers are integers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if exact(value).denominator == 1 else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def differences(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    """Yield every change of one location, with what a document must be to show it."""
    if reader.false is not None:
        if writer.false is None:
            yield Candidate("compat/value-forbidden", writer.place, reader.false), lambda _: True
        return
    yield from _types(writer, reader)
    yield from _values(writer, reader)
    yield from _required(writer, reader)
    yield from _sizes(writer, reader)
    yield from _ranges(writer, reader)
    yield from _patterns(writer, reader)
    yield from _dependent(writer, reader)
    if _unique(reader) and not _unique(writer):
        spot = _unique(reader)[0].place
        yield Candidate("compat/unique-items-required", None, spot), _has_repeats


def _spot(view: View, keyword: str) -> Place | None:
    said = view.all(keyword)
    return said[0].place if said else None


def _types(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    before, after = writer.types, reader.types
    gone = before - after
    if not reader.all("type") or not gone or not before:
        return
    values = writer.values
    if values is not None and not {kind_of(value) for value in values} & gone:
        return
    told = () if before == ALL_TYPES else (shown_types(before),)
    spots = _spot(writer, "type"), _spot(reader, "type")
    narrowed = Candidate("compat/type-narrowed", *spots, told, (shown_types(after),))
    yield narrowed, lambda value: kind_of(value) not in after


def shown_types(types: frozenset[str]) -> list[str]:
    """Return types in order; an integer is a number."""
    return sorted(types - {"integer"} if "number" in types else types)


def _values(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    after = reader.values
    if after is None:
        return
    known = {plain(value) for value in after}
    before = writer.values
    spots = _spot(writer, "enum"), _spot(reader, "enum")
    if before is None:
        if writer.types == {"null"} and plain(None) in known:
            return
        added = Candidate("compat/enum-added", *spots, (), tuple(sorted(after, key=plain)))
        yield added, lambda value: plain(value) not in known
        return
    for gone, value in sorted(
        ((plain(value), value) for value in before), key=lambda both: both[0]
    ):
        if gone not in known:
            removed = Candidate("compat/enum-value-removed", *spots, (value,))
            yield removed, _is_value(gone)


def _required(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    before = writer.required
    if "object" not in writer.types:
        return
    for name, spot in reader.required.items():
        if name not in before:
            added = Candidate("compat/required-added", _spot(writer, "required"), spot, (), (name,))
            yield added, _lacks(name)


def _bound(view: View, keyword: str, is_lower: bool) -> tuple[Fraction, bool, Said] | None:
    """The tightest bound of a side: number, whether it is excluded, and who says it."""
    names = [keyword]
    if keyword in ("minimum", "maximum"):
        names.append(f"exclusiveM{keyword[1:]}")
    found = [
        (exact(said.value), name != keyword, said)
        for name in names
        for said in view.all(name)
        if isinstance(said.value, (int, float))
    ]
    if not found:
        return None
    return max(found, key=lambda each: (each[0] if is_lower else -each[0], each[1]))


def _is_tighter(before: Any, after: Any, is_lower: bool) -> bool:
    if before is None:
        return True
    new, old = (after[0], before[0]) if is_lower else (-after[0], -before[0])
    return bool(new > old or (new == old and after[1] and not before[1]))


def _bounds(
    writer: View, reader: View, keyword: str, is_lower: bool
) -> tuple[Candidate, Fraction, bool] | None:
    before, after = _bound(writer, keyword, is_lower), _bound(reader, keyword, is_lower)
    if after is None or not _is_tighter(before, after, is_lower):
        return None
    told = Candidate(
        "compat/bound-tightened",
        before[2].place if before else None,
        after[2].place,
        _bound_values(before),
        _bound_values(after),
    )
    return told, after[0], after[1]


def _bound_values(bound: tuple[Fraction, bool, Said] | None) -> tuple[Any, ...]:
    if bound is None:
        return ()
    return (bound[2].place.pointer.rpartition("/")[2], bound[2].value)


def _sizes(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    for keyword, (is_lower, kind) in _SIZES.items():
        found = _bounds(writer, reader, keyword, is_lower)
        if found is None or (found[1] <= 0 and is_lower):
            continue
        limit = found[1]

        def outside(
            value: Any, kind: Any = kind, limit: Any = limit, is_lower: bool = is_lower
        ) -> bool:
            if not isinstance(value, kind):
                return False
            return bool(len(value) < limit if is_lower else len(value) > limit)

        yield found[0], outside


def _ranges(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    for keyword, is_lower in (("minimum", True), ("maximum", False)):
        found = _bounds(writer, reader, keyword, is_lower)
        if found is not None:
            candidate, limit, excluded = found

            def outside(
                value: Any,
                limit: Any = limit,
                excluded: bool = excluded,
                is_lower: bool = is_lower,
            ) -> bool:
                if kind_of(value) not in ("integer", "number"):
                    return False
                number = exact(value)
                beyond = number < limit if is_lower else number > limit
                return bool(beyond or (excluded and number == limit))

            yield candidate, outside
    before = {exact(said.value) for said in writer.all("multipleOf")}
    for said in reader.all("multipleOf"):
        step = exact(said.value)
        if any((each / step).denominator == 1 for each in before):
            continue
        told = tuple(sorted({each.value for each in writer.all("multipleOf")}))
        added = Candidate(
            "compat/multiple-added", _spot(writer, "multipleOf"), said.place, told, (said.value,)
        )
        yield added, _no_multiple(step)


def _patterns(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    before = sorted({said.value for said in writer.all("pattern")})
    for said in reader.all("pattern"):
        if said.value in before:
            continue
        rule = "compat/pattern-changed" if before else "compat/pattern-added"
        spot = _spot(writer, "pattern")
        changed = Candidate(rule, spot, said.place, tuple(before), (said.value,))
        yield changed, _unmatched(said.value)


def _dependent(writer: View, reader: View) -> Iterator[tuple[Candidate, Test]]:
    before: dict[str, set[str]] = {}
    for said in writer.all("dependentRequired"):
        for name, needed in said.value.items():
            before.setdefault(name, set()).update(needed)
    for said in reader.all("dependentRequired"):
        for name, needed in said.value.items():
            for other in needed:
                if other in before.get(name, ()) or other in writer.required:
                    continue
                added = Candidate(
                    "compat/dependency-added",
                    _spot(writer, "dependentRequired"),
                    said.place,
                    (),
                    (name, other),
                )
                yield added, _lonely(name, other)


def _unique(view: View) -> list[Said]:
    return [said for said in view.all("uniqueItems") if said.value is True]


def _has_repeats(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    frozen = [freeze(item) for item in value]
    return len(set(frozen)) < len(frozen)


# --- what a document must be to show a change --------------------------------------------------


def _is_value(text: str) -> Test:
    return lambda value: plain(value) == text


def _lacks(name: str) -> Test:
    return lambda value: isinstance(value, dict) and name not in value


def _lonely(name: str, other: str) -> Test:
    return lambda value: isinstance(value, dict) and name in value and other not in value


def _no_multiple(step: Fraction) -> Test:
    def test(value: Any) -> bool:
        is_number = kind_of(value) in ("integer", "number")
        return is_number and (exact(value) / step).denominator != 1

    return test


def _unmatched(pattern: str) -> Test:
    def test(value: Any) -> bool:
        try:
            return isinstance(value, str) and not matches(pattern, value)
        except Undecided:
            return True  # the validators have refused the value; this may be why

    return test
