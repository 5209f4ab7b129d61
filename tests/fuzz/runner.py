"""Run a check on many mutated inputs; whatever is not a PartwireError is a failure.

A target is a module of this folder with a ``TARGET``. One case is a function of the seed and the
case's number alone: a report names both, and ``--case`` runs that one again.
"""

from __future__ import annotations

import argparse
import random
import time
import traceback
from collections.abc import Callable, Sequence
from typing import NamedTuple

from partwire.errors import PartwireError
from partwire_testing.conformance.drawn.mutate import mutate

_SHOWN_BYTES = 400
_MAX_FAILURES = 5


class Target(NamedTuple):
    """What to fuzz.

    ``check(data, rng)`` passes by returning or by raising PartwireError; an AssertionError or any
    other exception is a failure. ``rng`` is the case's own: cuts, limits and modes come from it.
    ``corpus`` holds good inputs, ``tokens`` what the format is made of. ``module`` is the
    module to run for this target alone. ``weight``: of all the cases asked for, one in so many is
    run, for what takes its time.
    """

    name: str
    check: Callable[[bytes, random.Random], None]
    corpus: Sequence[bytes]
    tokens: Sequence[bytes] = ()
    module: str = "tests.fuzz"
    weight: int = 1


class Failure(NamedTuple):
    """A case that failed: its number, its input, the exception and where it came from."""

    case: int
    data: bytes
    error: Exception


class Result(NamedTuple):
    """How many cases ran, how many of them were refused by a PartwireError, and what failed."""

    cases: int
    refused: int
    failures: list[Failure]


def run_case(target: Target, seed: int, case: int) -> tuple[bytes, Exception | None]:
    """Run one case; return its input and what it raised."""
    rng = random.Random(f"{seed}:{case}")
    data = mutate(rng, target.corpus, target.tokens)
    try:
        target.check(data, rng)
    except Exception as error:  # noqa: BLE001 - to find these is what fuzzing is for
        return data, error
    return data, None


def run(target: Target, cases: Sequence[int], seed: int) -> Result:
    """Run ``cases``; stop at the fifth failure."""
    refused = 0
    failures: list[Failure] = []
    for done, case in enumerate(cases, 1):
        data, error = run_case(target, seed, case)
        if isinstance(error, PartwireError):
            refused += 1
        elif error is not None:
            failures.append(Failure(case, data, error))
            if len(failures) == _MAX_FAILURES:
                return Result(done, refused, failures)
    return Result(len(cases), refused, failures)


def _report(target: Target, failure: Failure, seed: int) -> str:
    trace = "".join(traceback.format_exception(failure.error)).rstrip()
    shown = repr(failure.data[:_SHOWN_BYTES])
    more = len(failure.data) - _SHOWN_BYTES
    return (
        f"{trace}\n  input  {shown}{f' and {more} bytes more' if more > 0 else ''}\n"
        f"  again  python -m {target.module} --seed {seed} --case {failure.case}\n"
    )


def main(targets: Sequence[Target], argv: Sequence[str] | None = None) -> int:
    """Fuzz ``targets`` as the command line says; return 1 if anything failed, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200_000, help="cases per target")
    parser.add_argument("--seed", type=int, help="default: a new one, printed")
    parser.add_argument("--case", type=int, help="run this one case only")
    options = parser.parse_args(argv)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    failed = 0
    for target in targets:
        count = max(options.n // target.weight, 1)
        cases = range(count) if options.case is None else [options.case]
        print(f"{target.name}: seed {seed}, {len(cases):,} cases", flush=True)
        began = time.perf_counter()
        result = run(target, cases, seed)
        for failure in result.failures:
            print(_report(target, failure, seed))
        print(
            f"{target.name}: {result.cases:,} cases, {result.refused:,} refused, "
            f"{len(result.failures)} failed, {time.perf_counter() - began:.1f} s",
            flush=True,
        )
        failed += len(result.failures)
    return 1 if failed else 0
