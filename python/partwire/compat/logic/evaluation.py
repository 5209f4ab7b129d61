"""Whether one value satisfies a literal, and whether it keeps to declared names."""

from __future__ import annotations

from typing import Any

from ..patterns.automata import Undecided, matches
from .shapes import Shapes
from .terms import FALSE, TRUE, Literal, Term, Terms
from .values import Frozen, type_of

__all__ = ["Evaluator"]


class Evaluator:
    """Evaluates literals on frozen values. Methods raise Undecided where nothing can be told."""

    def __init__(self, terms: Terms, shapes: Shapes) -> None:
        self.terms = terms
        self.shapes = shapes
        self._memo: dict[tuple[Literal, Frozen], bool] = {}

    def holds(self, literal: Literal, value: Frozen) -> bool:
        """Whether the value satisfies the literal."""
        if literal < 0:
            return not self.holds(-literal, value)
        if literal == TRUE:
            return True
        key = (literal, value)
        known = self._memo.get(key)
        if known is None:
            if len(self._memo) > 200_000:
                self._memo.clear()
            known = self._memo[key] = self._term(self.terms.terms[literal], value)
        return known

    def _term(self, term: Term, value: Frozen) -> bool:
        kind = term[0]
        if kind == "and":
            return self._all(term[1], value)
        if kind == "xor":
            return sum(self.holds(part, value) for part in term[1]) == 1
        if kind == "type":
            return type_of(value) in term[1]
        if kind == "enum":
            return value in term[1]
        if kind == "ref":
            return self.holds(self.terms.bodies[term[1]], value)
        if kind == "opaque":
            raise Undecided("a keyword that validators read differently")
        here = type_of(value)
        under = self.terms.under(self.terms.make(*term), here)
        if under in (TRUE, FALSE):
            return under == TRUE
        if under < 0:
            return not self.holds(-under, value)
        if here == "number":
            return self._number(term, value)
        if here == "string":
            size = len(value)
            return bool(size >= term[1]) if kind == "minlen" else matches(term[1], value)
        return self._array(term, value[1]) if here == "array" else self._object(term, value[1])

    def _all(self, parts: tuple[Literal, ...], value: Frozen) -> bool:
        """A part that cannot be told does not matter where another part says no."""
        undecided: Undecided | None = None
        for part in parts:
            try:
                if not self.holds(part, value):
                    return False
            except Undecided as error:
                undecided = error
        if undecided is not None:
            raise undecided
        return True

    @staticmethod
    def _number(term: Term, value: Any) -> bool:
        if term[0] == "mult":
            return bool((value / term[1]).denominator == 1)
        return bool(value > term[1] or (value == term[1] and not term[2]))

    def _array(self, term: Term, items: tuple[Frozen, ...]) -> bool:
        kind = term[0]
        if kind == "minitems":
            return bool(len(items) >= term[1])
        if kind == "unique":
            return len(set(items)) == len(items)
        if kind == "item":
            return len(items) <= term[1] or self.holds(term[2], items[term[1]])
        if kind == "items":
            return all(self.holds(term[2], item) for item in items[term[1] :])
        if kind == "contains":
            count = sum(self.holds(term[1], item) for item in items)
            return bool(count >= term[2] and (term[3] is None or count <= term[3]))
        return self._unevaluated_items(term, items)

    def _unevaluated_items(self, term: Term, items: tuple[Frozen, ...]) -> bool:
        whole = ("array", items)
        count, is_open, kinds = term[1]
        for when, more, opens, others in term[2]:
            if self.holds(when, whole):
                count, is_open, kinds = max(count, more), is_open or opens, kinds + others
        return is_open or all(
            self.holds(term[3], item) or any(self.holds(kind, item) for kind in kinds)
            for item in items[count:]
        )

    def _object(self, term: Term, members: tuple[tuple[str, Frozen], ...]) -> bool:
        kind = term[0]
        if kind == "req":
            return any(name == term[1] for name, _ in members)
        if kind == "prop":
            return all(self.holds(term[2], value) for name, value in members if name == term[1])
        if kind == "minprops":
            return bool(len(members) >= term[1])
        if kind == "names":
            return all(self.holds(term[1], name) for name, _ in members)
        if kind == "patprop":
            return all(
                self.holds(term[2], value) for name, value in members if matches(term[1], name)
            )
        names, patterns = term[1], term[2]
        if kind == "uprops":
            names, patterns, is_open = self._evaluated(term, ("object", members))
            if is_open:
                return True
        return all(
            self.holds(term[3], value)
            for name, value in members
            if name not in names and not any(matches(pattern, name) for pattern in patterns)
        )

    def _evaluated(self, term: Term, whole: Frozen) -> tuple[Any, Any, bool]:
        names, patterns, is_open = term[1]
        for when, more, others, opens in term[2]:
            if self.holds(when, whole):
                names, patterns, is_open = names | more, patterns | others, is_open or opens
        return names, patterns, is_open

    # --- the declared reading -----------------------------------------------------------------

    def conforms(self, shapes: frozenset[int], value: Frozen) -> bool:
        """Whether a value has only members that its schema declares, at every location."""
        if not shapes or type_of(value) not in ("object", "array"):
            return True
        applied = self.applied(shapes, value)
        if value[0] == "array":
            return all(
                self.conforms(self.shapes.below_item(applied, n), item)
                for n, item in enumerate(value[1])
            )
        told = self.shapes.declared(applied)
        if told.claimed and any(name in told.claimed for name, _ in value[1]):
            return False
        if not told.is_free:
            for name, _ in value[1]:
                if name not in told.names and not any(matches(p, name) for p in told.patterns):
                    return False
        return all(
            self.conforms(self.shapes.below_member(applied, name, matches), member)
            for name, member in value[1]
        )

    def applied(self, shapes: frozenset[int], value: Frozen) -> frozenset[int]:
        """Return the shapes that count for this very value."""
        always, groups = self.shapes.groups(shapes, declared=True)
        more = {
            index for group in groups if self.holds(group.when, value) for index in group.shapes
        }
        return always | more
