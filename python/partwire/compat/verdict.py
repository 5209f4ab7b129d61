"""Two schemas, one verdict: compatible by proof, breaking by witness, or honestly unproven."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, Literal, NamedTuple

from ..errors import Finding, bad_argument
from .logic.alignment import align
from .logic.compiler import Compiler, endless
from .logic.linker import link
from .logic.oracle import Failure, Oracle, check_schema
from .logic.shapes import Shapes
from .logic.solver import BudgetSpent, Open, Solver
from .logic.strings import EMPTY, UNKNOWN
from .logic.terms import TRUE, Enum, Terms
from .logic.values import Frozen, freeze, is_writable, thaw
from .logic.witnesses import Material, shrink, variations
from .patterns.automata import Undecided
from .sources.schemas import CompatError, Place, SchemaSet

__all__ = ["Budget", "Comparison", "Direction", "Reading", "Status", "Verdict", "compare"]

Reading = Literal["declared", "exact"]
"""Which documents count: with declared names only, or all that the schema allows."""
Direction = Literal["backward", "forward"]
"""Who reads whom: new readers old documents, or old readers new ones."""
Status = Literal["compatible", "breaking", "unproven", "no-documents"]
"""What a comparison came to; see ``Verdict``."""


class Budget(NamedTuple):
    """How much one verdict may cost: steps of the prover, seconds, documents tried after it."""

    steps: int = 60_000
    seconds: float = 6.0
    documents: int = 1_500


@dataclass(frozen=True)
class Verdict:
    """The answer for one pair, direction and reading.

    "no-documents": the reading leaves the writer no document at all, so that a proof would be about
    nothing. ``harmless`` then says that whatever the writer's schema allows, in any reading, is
    read as before: the exact reading leaves documents, and the reader's schema allows them all, or
    both allow nothing. ``exact_has_documents`` says that the exact reading leaves some.
    ``left_out`` is a document for which a compatible verdict would be another one in the exact
    reading: it holds a name that the writer's schema leaves open by declaration, and the reader's
    declares.

    ``witness`` is a document that the writer's schema allows and the reader's refuses, as
    ``failures`` say (deepest first, ``schema`` pointers into the reader's schema); it is there
    exactly where ``status`` is "breaking". ``open`` says what could not be proved, and ``tried``
    how many documents were looked at in vain, where it is "unproven".
    """

    status: Status
    reading: Reading
    direction: Direction
    has_witness: bool = False
    witness: Any = None
    failures: tuple[Failure, ...] = ()
    open: tuple[Open, ...] = ()
    tried: int = 0
    steps: int = 0
    harmless: bool = False
    left_out: tuple[Any, ...] = ()
    exact_has_documents: bool = False


@dataclass
class _Side:
    """One schema of a pair, in every form that is needed."""

    place: Place
    oracle: Oracle
    literal: int = TRUE
    shape: int = -1


_REFUSED: Final = 12
_OVERTIME: Final = 1.5
"""How many times its seconds a verdict may take in all, with the documents that are tried."""
_DEPTH: Final = 8_000


class Comparison:
    """Compares places of two sets of documents; what pairs share is compiled and proved once.

    ``pairs`` are places of ``old`` and ``new``. Raises CompatError ``compat/invalid-schema`` or
    ``compat/dangling-reference``: what is not a schema gets no verdict.
    """

    def __init__(
        self,
        old: SchemaSet,
        new: SchemaSet,
        pairs: Iterable[tuple[Place, Place]],
    ) -> None:
        self.terms = Terms()
        self.shapes = Shapes(self.terms)
        self.solver = Solver(self.terms, self.shapes)
        oracles = {id(old): Oracle(old), id(new): Oracle(new)}
        self.pairs = [
            (_Side(one, oracles[id(old)]), _Side(other, oracles[id(new)])) for one, other in pairs
        ]
        self._check((old, new))
        self._compile((old, new))

    def _check(self, sets: tuple[SchemaSet, SchemaSet]) -> None:
        for schemas in sets:
            for place in schemas.to_check():
                check_schema(place)

    def _compile(self, sets: tuple[SchemaSet, SchemaSet]) -> None:
        compilers = [Compiler(schemas, self.terms, self.shapes) for schemas in sets]
        sides = [side for pair in self.pairs for side in pair]
        try:
            for pair in self.pairs:
                for compiler, side in zip(compilers, pair, strict=True):
                    side.literal, side.shape = compiler.compile(side.place)
            self._refuse_loops()
            bodies = {**compilers[0].bodies, **compilers[1].bodies}
            roots = link(self.terms, self.shapes, bodies, [side.literal for side in sides])
        except RecursionError:
            raise _too_deep() from None
        for side, root in zip(sides, roots, strict=True):
            side.literal = root
        align(self.shapes, [(one.shape, other.shape) for one, other in self.pairs])

    def _refuse_loops(self) -> None:
        loop = self.shapes.find_loop()
        if loop is not None:
            raise endless(loop.place)

    def verdict(
        self,
        number: int = 0,
        *,
        reading: Reading = "declared",
        direction: Direction = "backward",
        budget: Budget | None = None,
    ) -> Verdict:
        """Return the verdict of one pair."""
        old, new = self.pairs[number]
        writer, reader = (old, new) if direction == "backward" else (new, old)
        case = _Case(self, writer, reader, reading, budget or Budget())
        with _room():
            status, answer, tried = case.decide()
            steps = self.solver.steps
            if status == "compatible":
                return self._weighed(number, case, steps, direction)
        if status == "breaking":
            document = thaw(answer)
            failures = tuple(reader.oracle.failures(reader.place, document))
            return Verdict(
                status, reading, direction, True, document, failures, tried=tried, steps=steps
            )
        reasons = tuple(self.solver.reasons)
        return Verdict(status, reading, direction, open=reasons, tried=tried, steps=steps)

    def _weighed(self, number: int, case: _Case, steps: int, direction: Direction) -> Verdict:
        """Return the verdict of a proof: it says nothing where there are no documents."""
        if case.has_documents() is not False:
            left_out = case.left_out()
            return Verdict("compatible", case.reading, direction, steps=steps, left_out=left_out)
        if case.reading == "exact":
            harmless, has_any = case.has_documents(case.reader) is False, False
        else:
            every = self.verdict(number, reading="exact", direction=direction, budget=case.budget)
            harmless = every.status == "compatible" or every.harmless
            has_any = every.status != "no-documents"
        return Verdict(
            "no-documents",
            case.reading,
            direction,
            steps=steps,
            harmless=harmless,
            exact_has_documents=has_any,
        )


@dataclass
class _Case:
    """One direction and reading of one pair."""

    comparison: Comparison
    writer: _Side
    reader: _Side
    reading: Reading
    budget: Budget
    refused: list[Frozen] = field(default_factory=list)
    started: float = field(default_factory=monotonic)

    def decide(self) -> tuple[Status, Any, int]:
        solver = self.comparison.solver
        solver.allow(self.budget.steps, self.budget.seconds)
        self.shapes = frozenset((self.writer.shape,) if self.reading == "declared" else ())
        terms = self.comparison.terms
        literals = {self.writer.literal, -self.reader.literal}
        for _ in range(_REFUSED):
            answer = self._ask(literals)
            if answer is EMPTY:
                if self.refused:
                    break
                return "compatible", None, 0
            if answer is UNKNOWN:
                break
            if self.is_witness(answer):
                return "breaking", self._smallest(answer), len(self.refused) + 1
            # Mathematics and the validators differ, or the reading does: try another document.
            self.refused.append(answer)
            literals.add(-terms.make(Enum(frozenset((answer,)))))
        return self._search()

    def has_documents(self, side: _Side | None = None) -> bool | None:
        """Whether a side, else the writer's, has documents in the reading; None: nobody knows."""
        self.comparison.solver.allow(self.budget.steps // 4, self.budget.seconds / 4)
        answer = self._ask({(side or self.writer).literal})
        return None if answer is UNKNOWN else answer is not EMPTY

    def left_out(self) -> tuple[Any, ...]:
        """Return a document that the reading leaves out, and the reader refuses, if it matters.

        Asked only where an object is open by declaration: all else that is not declared is left out
        without a word.
        """
        shapes = self.comparison.shapes
        if self.reading == "exact" or not shapes.has_claims(self.writer.shape):
            return ()
        budget = Budget(self.budget.steps // 4, self.budget.seconds / 4, 0)
        every = _Case(self.comparison, self.writer, self.reader, "exact", budget)
        status, answer, _ = every.decide()
        return (thaw(answer),) if status == "breaking" else ()

    def _ask(self, literals: set[int]) -> Any:
        solver = self.comparison.solver
        try:
            answer = solver.ask(frozenset(literals), self.shapes)
        except (BudgetSpent, RecursionError) as error:
            if isinstance(error, RecursionError):
                solver.open("the schemas are nested too deeply to follow")
            return UNKNOWN
        if answer is EMPTY or answer is UNKNOWN or is_writable(answer):
            return answer
        return solver.open("what was found is too large for anybody to write or read")

    def refutes(self, value: Frozen) -> bool:
        """Whether a document looks like a witness, by our own evaluation."""
        evaluator = self.comparison.solver.evaluator
        try:
            return (
                evaluator.holds(self.writer.literal, value)
                and evaluator.conforms(self.shapes, value)
                and not evaluator.holds(self.reader.literal, value)
            )
        except (Undecided, RecursionError):
            return False

    def is_witness(self, value: Frozen) -> bool:
        """Whether both validators confirm a document, and it keeps to the reading."""
        document = thaw(value)
        return (
            self.refutes(freeze(document))
            and self.reader.oracle.agree(self.reader.place, document) is False
            and self.writer.oracle.agree(self.writer.place, document) is True
        )

    def _smallest(self, value: Frozen) -> Frozen:
        value = freeze(thaw(value))
        smaller = shrink(value, self.refutes)
        return smaller if smaller == value or self.is_witness(smaller) else value

    def _search(self) -> tuple[Status, Any, int]:
        """Try documents, where proof and construction both came to no end."""
        comparison = self.comparison
        material = Material(comparison.terms, [self.writer.literal, self.reader.literal])
        seeds = list(self.refused)
        before = dict(comparison.solver.reasons)
        comparison.solver.allow(self.budget.steps // 4, self.budget.seconds / 4)
        start = self._ask({self.writer.literal})
        comparison.solver.reasons = before
        if start is not EMPTY and start is not UNKNOWN:
            seeds.append(start)
        tried = len(self.refused)
        end = self.started + _OVERTIME * self.budget.seconds
        for value in variations(seeds, material, self.budget.documents):
            if monotonic() > end:  # a validator that gives up may take its time to do so
                break
            tried += 1
            if self.refutes(value) and self.is_witness(value):
                return "breaking", self._smallest(value), tried
        if self.refused:
            comparison.solver.open("a document was found that the validators do not agree on")
        return "unproven", None, tried


@contextmanager
def _room() -> Iterator[None]:
    """Let the calls of this thread nest as deeply as schemas may."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _too_deep() -> CompatError:
    return CompatError(
        Finding(
            "compat/invalid-schema",
            "The schemas are nested too deeply to follow",
            expected="schemas that a reader can follow",
        )
    )


def compare(
    old: Any,
    new: Any,
    *,
    reading: Reading = "declared",
    direction: Direction = "backward",
    dialect: str = "2020-12",
    budget: Budget | None = None,
) -> Verdict:
    """Return whether documents of ``old`` are documents of ``new`` (backward), or the reverse.

    Both are parsed JSON Schema documents; ``dialect`` is the draft of one without ``$schema``.
    Raises CompatError ``compat/invalid-schema`` or ``compat/dangling-reference``, UsageError
    ``usage/missing-extra`` or ``usage/invalid-argument``.
    """
    if reading not in ("declared", "exact") or direction not in ("backward", "forward"):
        raise bad_argument(
            "No such reading or direction",
            "declared or exact, backward or forward",
            f"{reading}, {direction}",
        )
    old_set, new_set = SchemaSet(dialect=dialect), SchemaSet(dialect=dialect)
    pair = (old_set.add(old), new_set.add(new))
    comparison = Comparison(old_set, new_set, [pair])
    return comparison.verdict(reading=reading, direction=direction, budget=budget)
