"""The checker of schema changes on pairs and histories of others: how often it is right, and fast.

The pairs are no part of the project: see ``tests/compat/corpus.py`` for where they are looked for.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from partwire.compat import Verdict
from tests.compat.corpus import (
    Question,
    changes,
    compare_versions,
    corpus_dir,
    outcome_of,
    questions,
)

__all__ = ["BASELINES", "BIGGEST", "Baseline", "CompatRow", "History", "measure_compat"]

BIGGEST: Final = ("acp", "v1.1.0", "v1.2.0")
"""Two versions of one real protocol's schema, of about 150 KB each."""


class Baseline(NamedTuple):
    """What another tool scored on 1,909 pairs, of which the pairs here are a part."""

    tool: str
    correct: float
    answered: float
    false_compatible: int
    false_breaking: int
    errors: int


BASELINES: Final = (
    Baseline("jsoncompat 0.4.2 (npm)", 92.8, 94.2, 49, 60, 29),
    Baseline("jsoncompat 0.3.1 (PyPI)", 89.6, 90.8, 24, 149, 26),
    Baseline("jsonsubschema 0.0.8", 85.9, 96.5, 39, 21, 210),
    Baseline("json-schema-diff 1.0.0", 81.4, 83.4, 229, 81, 46),
    Baseline("karapace's checks", 68.9, 70.5, 136, 415, 43),
    Baseline("json-schema-diff-validator 0.4.2", 49.3, 49.3, 10, 957, 0),
)


@dataclass
class CompatRow:
    """Outcomes and times of the questions of one suite, or of one reading and direction."""

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many questions were asked."""
        return sum(self.outcomes.values())

    @property
    def errors(self) -> int:
        """Questions without a verdict that have one, crashes included."""
        return self.outcomes["error"] + self.outcomes["crash"]

    @property
    def answered(self) -> int:
        """Questions with a verdict that says yes or no."""
        return self.total - self.errors - self.outcomes["unproven"]

    def take(self, outcome: str, seconds: float) -> None:
        """Count one answer."""
        self.outcomes[outcome] += 1
        self.seconds.append(seconds)

    def percentile(self, share: float) -> float:
        """Return the time in seconds that this share of the answers took at most."""
        times = sorted(self.seconds)
        return times[min(len(times) - 1, int(len(times) * share))]

    @property
    def median(self) -> float:
        """The median time of an answer, in seconds."""
        return statistics.median(self.seconds)


@dataclass
class History:
    """What changelogs claim of real protocols' versions, and how long a large file takes."""

    claims: int = 0
    confirmed: int = 0
    wrong: list[str] = field(default_factory=list)
    versions: int = 0
    unproven: int = 0
    definitions: int = 0
    biggest: float = 0.0
    """Seconds for one comparison of large files, all definitions, both directions."""


def measure_compat() -> tuple[list[CompatRow], History] | None:
    """Return a row per suite (exact, backward), then one per reading and direction; and histories.

    None where there are no pairs.
    """
    if corpus_dir() is None:
        return None
    suites: dict[str, CompatRow] = {}
    ways: dict[str, CompatRow] = {}
    for question in questions():
        begin = time.perf_counter()
        outcome, _ = outcome_of(question)
        seconds = time.perf_counter() - begin
        way = f"all, {question.reading}, {question.direction}"
        for name, table in _columns(question, way, suites, ways):
            table.setdefault(name, CompatRow(name)).take(outcome, seconds)
    rows = sorted(suites.values(), key=lambda row: -row.total)
    return [*rows, *ways.values()], _histories()


def _columns(
    question: Question, way: str, suites: dict[str, CompatRow], ways: dict[str, CompatRow]
) -> Iterator[tuple[str, dict[str, CompatRow]]]:
    yield way, ways
    if (question.reading, question.direction) == ("exact", "backward"):
        yield _suite(question.case), suites


def _suite(case: dict[str, Any]) -> str:
    """Return the name of the project whose tests a pair is from."""
    repository: str = case["source"]["repo"]
    return "/".join(repository.split(" ", maxsplit=1)[0].split("/")[-2:])


def _histories() -> History:
    found = History()
    for change in changes():
        compared = compare_versions(change.series, change.old, change.new)
        verdicts: dict[tuple[str, str], Verdict] = dict(compared.items())
        found.versions += 1
        found.definitions += len(verdicts)
        found.unproven += sum(v.status == "unproven" for v in verdicts.values())
        for name, claims in change.expected.items():
            for direction, claim in claims.items():
                verdict = verdicts.get((name, direction))
                if claim is None or verdict is None:
                    continue
                found.claims += 1
                if (verdict.status == "compatible") is claim:
                    found.confirmed += 1
                else:
                    found.wrong.append(f"{change.name}, {name}, {direction}: {verdict.status}")
    begin = time.perf_counter()
    compare_versions(*BIGGEST)
    found.biggest = time.perf_counter() - begin
    return found
