"""The fuzz runner finds what is wrong, says how to see it again, and passes what is right."""

from __future__ import annotations

import random

import pytest

from partwire.errors import Finding, FramingError
from partwire_testing.conformance.drawn.mutate import MAX_INPUT_BYTES, mutate
from tests.fuzz import framing
from tests.fuzz.__main__ import targets
from tests.fuzz.runner import Target, main, run, run_case


def _refuse_x_and_break_on_nul(data: bytes, rng: random.Random) -> None:
    if b"\0" in data:
        raise ZeroDivisionError("nul")
    if b"x" in data:
        raise FramingError(Finding("framing/invalid-utf8", "x"))


BROKEN = Target("broken", _refuse_x_and_break_on_nul, [b"abc"], [b"x", b"\0"])


def test_a_foreign_exception_is_a_failure_and_ours_is_a_refusal() -> None:
    result = run(BROKEN, range(2000), seed=1)
    assert len(result.failures) == 5  # then it stops
    assert 0 < result.refused < result.cases < 2000
    for failure in result.failures:
        data, error = run_case(BROKEN, 1, failure.case)
        assert data == failure.data
        assert isinstance(error, ZeroDivisionError)


def test_the_report_names_seed_and_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([BROKEN], ["--n", "2000", "--seed", "1"]) == 1
    case = run(BROKEN, range(2000), seed=1).failures[0].case
    report = capsys.readouterr().out
    assert f"--seed 1 --case {case}\n" in report
    assert "ZeroDivisionError: nul" in report
    assert main([BROKEN], ["--seed", "1", "--case", str(case)]) == 1


def test_mutation_reaches_every_token_and_stays_small() -> None:
    rng = random.Random(1)
    seen = [mutate(rng, framing.TARGET.corpus, framing.TARGET.tokens) for _ in range(5000)]
    assert all(any(token in data for data in seen) for token in framing.TARGET.tokens)
    assert 1000 < max(map(len, seen)) <= MAX_INPUT_BYTES
    assert len(set(seen)) > 4000


def test_framing_holds_and_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert framing.TARGET in targets()
    assert main([framing.TARGET], ["--n", "2000"]) == 0, capsys.readouterr().out
    assert "2,000 cases" in capsys.readouterr().out
