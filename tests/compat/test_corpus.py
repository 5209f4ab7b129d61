"""The reach of the checker on pairs and histories of others, where they are to be had."""

from __future__ import annotations

import pytest

from tests.compat.corpus import (
    Change,
    changes,
    compare_versions,
    corpus_dir,
    score,
    table,
    version_of,
)
from tests.cost import costs_at_most

pytestmark = [
    pytest.mark.skipif(corpus_dir() is None, reason="no corpus: PARTWIRE_COMPAT names its folder"),
    pytest.mark.usefixtures("untraced"),
]

COLUMNS = [
    f"{reading} {way}" for reading in ("exact", "declared") for way in ("backward", "forward")
]


@pytest.mark.parametrize("column", COLUMNS)
def test_no_answer_is_wrong_and_few_are_open(column: str) -> None:
    found = score()[column]
    print(table())
    details = "\n".join(found.wrong)
    assert found.outcomes["false compatible"] == 0, details
    assert found.outcomes["false breaking"] == 0, details
    assert found.outcomes["crash"] == 0, details
    assert found.outcomes["right"] / found.total > 0.99, details
    assert found.outcomes["unproven"] / found.total < 0.005, details


@pytest.mark.parametrize("column", COLUMNS)
def test_answers_come_soon(column: str) -> None:
    times = sorted(score()[column].seconds)
    assert times[len(times) // 2] < 0.020
    assert times[-1] < 10


@pytest.mark.parametrize("change", changes(), ids=lambda change: change.name)
def test_changelogs_are_confirmed(change: Change) -> None:
    verdicts = compare_versions(change.series, change.old, change.new)
    for name, claims in change.expected.items():
        for direction, claim in claims.items():
            if claim is not None and (name, direction) in verdicts:
                assert (verdicts[name, direction].status == "compatible") is claim, (  # type: ignore[index]
                    name,
                    direction,
                )
    assert not [key for key, verdict in verdicts.items() if verdict.status == "unproven"]
    broken = {name for (name, way), v in verdicts.items() if v.status != "compatible"}
    if change.series == "acp" and change.label == "additive":
        backward = {
            name
            for (name, way), verdict in verdicts.items()
            if way == "backward" and verdict.status != "compatible"
        }
        assert backward == set()
    if change.label == "breaking" and change.old != "v0.6.0":
        assert broken


def test_a_stricter_meta_breaks_every_type_that_has_one() -> None:
    """v0.9.0 demands an object: everything that may hold it, backward only."""
    verdicts = compare_versions("acp", "v0.8.0", "v0.9.0")
    document = version_of("acp", "v0.8.0")
    for name, schema in document["$defs"].items():
        if (name, "backward") in verdicts and "_meta" in schema.get("properties", {}):
            verdict = verdicts[name, "backward"]
            assert verdict.status == "breaking", name
            assert verdicts[name, "forward"].status == "compatible", name


def test_a_large_file_takes_no_time() -> None:
    with costs_at_most(5):
        compare_versions("acp", "v1.3.0", "v1.7.0")
