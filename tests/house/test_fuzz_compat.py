"""The fuzz of schema changes draws what it says, and finds a wrong proof and a wrong break."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from partwire.compat import Status, Verdict, compare
from partwire.errors import PartwireError
from tests.compat.drawn import DRAFTS, documents, pair
from tests.compat.pairs import PAIRS
from tests.fuzz import compat
from tests.fuzz.__main__ import targets
from tests.fuzz.runner import main, run

CLASSES = {
    "draft-04": jsonschema.Draft4Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-07": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}


def test_drawn_schemas_are_schemas_of_every_draft() -> None:
    seen: Counter[str] = Counter()
    keywords: Counter[str] = Counter()
    for seed in range(600):
        drawn = pair(random.Random(seed))
        assert drawn == pair(random.Random(seed))
        seen[drawn.dialect] += 1
        for schema in (drawn.old, drawn.new):
            CLASSES[drawn.dialect].check_schema(schema)
            keywords.update(part for part in json.dumps(schema).split('"') if part.isalpha())
    assert set(seen) == set(DRAFTS)
    expected = {"contains", "oneOf", "not", "if", "patternProperties", "unevaluatedProperties"}
    assert expected <= set(keywords)


def test_verdicts_of_all_kinds_are_drawn() -> None:
    told: Counter[str] = Counter()
    for seed in range(120):
        drawn = pair(random.Random(seed))
        told[compare(drawn.old, drawn.new, reading="exact", dialect=drawn.dialect).status] += 1
        assert len(list(documents(random.Random(seed), drawn, 5))) == 5
    assert told["compatible"] > 20
    assert told["breaking"] > 20


def test_a_text_that_is_a_pair_is_compared() -> None:
    each = PAIRS[0]
    data = json.dumps([each.dialect, each.old, each.new]).encode()
    assert data in compat.TARGET.corpus
    rng = random.Random(1)
    rng.random = lambda: 0.9  # type: ignore[method-assign]
    compat.check(data, rng)
    with pytest.raises(PartwireError):
        compat.check(b'["2020-12", {"type": "no"}, {}]', rng)


def test_what_stands_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert compat.TARGET in targets()
    assert main([compat.TARGET], ["--n", "2000", "--seed", "5"]) == 0, capsys.readouterr().out
    assert "100 cases" in capsys.readouterr().out


def _wrong(status: Status, **told: Any) -> Any:
    def answer(old: Any, new: Any, **options: Any) -> Verdict:
        return replace(compare(old, new, **options), status=status, **told)

    return answer


@pytest.mark.parametrize(
    "wrong",
    [_wrong("compatible"), _wrong("breaking", witness={"z": 9}, has_witness=True)],
    ids=["proof", "break"],
)
def test_what_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    monkeypatch.setattr(compat, "compare", wrong)
    result = run(compat.TARGET, range(200), seed=1)
    assert len(result.failures) == 5
    assert all(isinstance(failure.error, AssertionError) for failure in result.failures)
