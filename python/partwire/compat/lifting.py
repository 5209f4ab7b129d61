"""All changes that break, not only those of one witness: what is known is lifted, then asked again.

Whoever accepts a break must not accept another one behind it that no witness has shown yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from .comparing import Budget, Comparison, Direction, Reading, Verdict
from .differences import NOTHING
from .explaining import explain, put
from .loading import CompatError, Place
from .report import Change, Pair
from .undoing import Copies, moved

__all__ = ["Explained", "explain_all"]

_HIDDEN: Final = ("compat/property-", "compat/pattern-property-")


class Explained(NamedTuple):
    """The changes behind the verdict of one pair.

    ``complete``: with all of them taken back in copies of the schemas, the engine finds no further
    break. Otherwise there may be more than what is told, and ``reason`` says why it is not known.
    """

    changes: tuple[Change, ...]
    complete: bool
    reason: str = ""


def explain_all(
    pairs: Sequence[Pair],
    verdicts: Sequence[Verdict],
    *,
    budget: Budget | None = None,
    rounds: int = 60,
) -> list[Explained]:
    """Return every change behind some verdicts of one direction and reading, pair by pair.

    ``pairs`` are of one old and one new set. Every round lifts what was found from copies of the
    documents, and compares all pairs that are broken still; so the cost is that of at most
    ``rounds`` further comparisons. Nothing that is given is changed.
    """
    found = [list(explain(pair, verdict)) for pair, verdict in zip(pairs, verdicts, strict=True)]
    reasons = {number: "" for number, changes in enumerate(found) if changes}
    if reasons:
        asking = verdicts[min(reasons)]
        _Lift(pairs, found, reasons, asking.reading, asking.direction, budget).go(rounds)
    return [
        Explained(tuple(changes), number not in reasons, reasons.get(number, ""))
        for number, changes in enumerate(found)
    ]


class _Lift:
    """``reasons`` holds the pairs that are not settled, each with what keeps it open."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        found: list[list[Change]],
        reasons: dict[int, str],
        reading: Reading,
        direction: Direction,
        budget: Budget | None,
    ) -> None:
        self.pairs = pairs
        self.found = found
        self.reasons = reasons
        self.reading: Reading = reading
        self.direction: Direction = direction
        self.budget = budget
        backward = direction == "backward"
        sets = pairs[0].old_set, pairs[0].new_set
        self.copies = Copies(*(sets if backward else sets[::-1]), backward=backward)

    def go(self, rounds: int) -> None:
        """Lift and ask until nothing breaks any more, or nothing more can be lifted."""
        fresh = [change for changes in self.found for change in changes]
        for _ in range(rounds):
            self._reveal()
            if not self.copies.undo(fresh):
                self._give_up("a break that cannot be taken back in a copy of the schema hides it")
                return
            try:
                fresh = self._again()
            except CompatError:
                self._give_up("without what breaks, what is left is no schema any more")
                return
            if not fresh:
                return
        self._give_up(f"there are breaks behind breaks, more than {rounds} times")

    def _give_up(self, reason: str) -> None:
        for number, known in self.reasons.items():
            self.reasons[number] = known or reason

    def _reveal(self) -> None:
        """Add the members that a closed object no longer has: opening it would hide them."""
        for number in self.reasons:
            closed = {
                (change.old_pointer, change.new_pointer)[self.direction == "backward"]
                for change in self.found[number]
                if change.rule in ("compat/additional-closed", "compat/additional-opened")
            }
            if closed:
                verdict = Verdict("breaking", self.reading, self.direction, True, NOTHING)
                hidden = [
                    change
                    for change in explain(self.pairs[number], verdict)
                    if change.rule.startswith(_HIDDEN)
                    and (change.old_pointer, change.new_pointer)[self.direction == "backward"]
                    in closed
                ]
                self._unite(number, hidden)

    def _again(self) -> list[Change]:
        """Compare the copies; return what breaks there, note what does not."""
        backward = self.direction == "backward"
        writer, reader = self.copies.sets()
        old_set, new_set = (writer, reader) if backward else (reader, writer)
        asked = sorted(self.reasons)
        current = [
            replace(
                self.pairs[number],
                old=moved(old_set, self.pairs[number].old),
                new=moved(new_set, self.pairs[number].new),
                old_set=old_set,
                new_set=new_set,
            )
            for number in asked
        ]
        comparison = Comparison(old_set, new_set, [(pair.old, pair.new) for pair in current])
        fresh: list[Change] = []
        for at, (number, pair) in enumerate(zip(asked, current, strict=True)):
            verdict = comparison.verdict(
                at, reading=self.reading, direction=self.direction, budget=self.budget
            )
            if verdict.status in ("compatible", "no-documents"):
                del self.reasons[number]
            elif verdict.status == "unproven":
                reasons = [part.reason for part in verdict.open] or ["no proof and no witness"]
                self.reasons[number] = f"without it the verdict is unproven: {reasons[0]}"
            more = explain(pair, verdict)
            fresh += more
            self._unite(number, [self._restored(self.pairs[number], each) for each in more])
        return fresh

    def _unite(self, number: int, more: Sequence[Change]) -> None:
        known = {change.fingerprint for change in self.found[number]}
        for each in more:
            if each.fingerprint not in known:
                known.add(each.fingerprint)
                self.found[number].append(each)

    def _restored(self, pair: Pair, change: Change) -> Change:
        """Return a change of a copy as one of the schemas that were given."""
        old, new = change.old_pointer, change.new_pointer
        if self.direction == "backward":
            new = self.copies.origin(change.new_source, new)
        else:
            old = self.copies.origin(change.old_source, old)
        restored = replace(
            change,
            old_pointer=_in_full(pair.old, old, change.values),
            new_pointer=_in_full(pair.new, new, change.values),
        )
        return put(pair, restored)


def _in_full(place: Place, pointer: str | None, values: tuple[Any, ...]) -> str | None:
    """Return where a name stands in a list of required ones that has all its names."""
    head, _, _ = (pointer or "").rpartition("/")
    if pointer is None or not head.endswith("/required") or len(values) != 1:
        return pointer
    here: Any = place.resource.root if place.resource.pointer == "" else None
    try:
        for step in head.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            here = here[int(name) if isinstance(here, list) else name]
        return f"{head}/{here.index(values[0])}"
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return pointer
