"""Schema pairs of public test suites and histories of real protocols, with the true answers.

They are not part of the project: found by PARTWIRE_COMPAT, or as ``../shared/compat`` beside the
checkout. Run as a program (``python -m tests.compat.corpus``) it prints the table of scores.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from partwire.compat import Comparison, Direction, Reading, SchemaSet, Verdict, compare
from partwire.errors import PartwireError

__all__ = ["Change", "Score", "changes", "compare_versions", "corpus_dir", "questions", "score"]

_ROOT = Path(__file__).resolve().parents[2]
OUTCOMES: Final = (
    "right",
    "false compatible",
    "false breaking",
    "unproven",
    "error",
    "crash",
)
_TRUTHS: Final[tuple[tuple[str, Direction], ...]] = (
    ("truth", "backward"),
    ("truth_forward", "forward"),
)
_READINGS: Final[tuple[Reading, ...]] = ("exact", "declared")


def corpus_dir() -> Path | None:
    """Return the folder of the corpus, or None where there is none."""
    named = os.environ.get("PARTWIRE_COMPAT")
    folder = Path(named) if named else _ROOT.parent / "shared" / "compat"
    return folder if (folder / "cases.json").is_file() else None


class Question(NamedTuple):
    """One pair in one direction and reading; ``truth`` None: no tool could tell."""

    case: dict[str, Any]
    reading: Reading
    direction: Direction
    truth: bool | None
    is_invalid: bool


def questions() -> Iterator[Question]:
    """Yield every question of the corpus."""
    folder = corpus_dir()
    assert folder is not None
    for case in json.loads((folder / "cases.json").read_bytes()):
        invalid = any(case[key].get("invalid_schema") for key, _ in _TRUTHS)
        for reading in _READINGS:
            for key, direction in _TRUTHS:
                told = case[key] if reading == "exact" else case[key].get("declared")
                if told is not None:
                    subset = told["subset"]
                    truth = None if subset == "unknown" else subset
                    yield Question(case, reading, direction, truth, invalid)


@dataclass
class Score:
    """Outcomes and times of one column."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.outcomes.values())

    def row(self, name: str) -> str:
        """Return the column as a line of the table."""
        times = sorted(self.seconds)
        shown = [f"{self.outcomes[outcome]:>7}" for outcome in OUTCOMES]
        timing = (
            f"{1000 * times[len(times) // 2]:8.2f} {1000 * times[len(times) * 99 // 100]:8.1f} "
            f"{1000 * times[-1]:8.0f}"
        )
        return (
            f"{name:<18} {100 * self.outcomes['right'] / self.total:7.2f} {''.join(shown)} {timing}"
        )


def outcome_of(question: Question) -> tuple[str, Verdict | PartwireError | Exception]:
    """Ask the checker, and say how its answer compares with the truth."""
    case = question.case
    try:
        verdict = compare(
            case["old"],
            case["new"],
            reading=question.reading,
            direction=question.direction,
            dialect=case["draft"],
        )
    except PartwireError as error:
        return ("right" if question.is_invalid else "error"), error
    except Exception as error:  # noqa: BLE001  # counted, and shown by the test
        return "crash", error
    if question.is_invalid:
        return f"false {verdict.status}", verdict
    if verdict.status == "unproven":
        return "unproven", verdict
    # Where there is no document nothing can be refused: that is true of the empty set as well.
    answer = verdict.status in ("compatible", "no-documents")
    # Where no tool could tell, a proof or a confirmed witness is right.
    right = question.truth is None or answer is question.truth
    return ("right" if right else f"false {verdict.status}"), verdict


@cache
def score() -> dict[str, Score]:
    """Return one column per reading and direction."""
    columns: dict[str, Score] = {}
    for question in questions():
        column = columns.setdefault(f"{question.reading} {question.direction}", Score())
        start = time.perf_counter()
        outcome, answer = outcome_of(question)
        column.seconds.append(time.perf_counter() - start)
        column.outcomes[outcome] += 1
        if outcome != "right":
            column.wrong.append(f"{outcome}: {question.case['id']}: {answer}"[:300])
    return columns


def table() -> str:
    """Return the table of scores."""
    heads = "".join(f"{name.split()[0][:3] + name.split()[-1][:4]:>7}" for name in OUTCOMES)
    head = f"{'':<18} {'right %':>7} {heads} {'median':>8} {'p99':>8} {'max ms':>8}"
    return "\n".join([head, *(column.row(name) for name, column in score().items())])


# --- histories --------------------------------------------------------------------------------


class Change(NamedTuple):
    """What a changelog claims of two versions."""

    series: str
    old: str
    new: str
    label: str
    expected: dict[str, dict[str, bool | None]]

    @property
    def name(self) -> str:
        return f"{self.series}-{self.old}-{self.new}"


def changes() -> list[Change]:
    """Return every change that a changelog speaks of; none without the corpus."""
    folder = corpus_dir()
    if folder is None:
        return []
    rows = json.loads((folder / "histories" / "known_changes.json").read_bytes())
    return [
        Change(row["series"], row["old"], row["new"], row["human_label"], row["expect_declared"])
        for row in rows
    ]


def version_of(series: str, version: str) -> Any:
    """Return the schema of a version."""
    folder = corpus_dir()
    assert folder is not None
    index = json.loads((folder / "histories" / "index.json").read_bytes())
    (row,) = [row for row in index[series]["versions"] if row["version"] == version]
    return json.loads((folder / "histories" / row["file"]).read_bytes())


def compare_versions(
    series: str, old: str, new: str, reading: Reading = "declared"
) -> dict[tuple[str, Direction], Verdict]:
    """Compare two versions, definition by definition, and as a whole: "(root)"."""
    sets = SchemaSet(dialect="draft-07"), SchemaSet(dialect="draft-07")
    documents = [version_of(series, version) for version in (old, new)]
    roots = [schemas.add(document) for schemas, document in zip(sets, documents, strict=True)]
    keys = ["$defs" if "$defs" in document else "definitions" for document in documents]
    names = [
        name for name in documents[0].get(keys[0], {}) if name in documents[1].get(keys[1], {})
    ]
    pairs = [
        (sets[0].child(roots[0], keys[0], name), sets[1].child(roots[1], keys[1], name))
        for name in names
    ]
    comparison = Comparison(*sets, [(roots[0], roots[1]), *pairs])
    directions: tuple[Direction, ...] = ("backward", "forward")
    return {
        (name, direction): comparison.verdict(number, reading=reading, direction=direction)
        for number, name in enumerate(["(root)", *names])
        for direction in directions
    }


if __name__ == "__main__":
    if corpus_dir() is None:
        raise SystemExit("There is no corpus: name its folder in PARTWIRE_COMPAT")
    print(table())
    for column in score().values():
        for line in column.wrong:
            print("  ", line)
