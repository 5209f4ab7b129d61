"""Ask every implementation the same, and compare: ``python -m tests.differential``.

Exit status: 0 no difference, 1 differences, 2 there are not two drivers to compare.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from partwire_testing.conformance.drawn.run import Counts, Outcome, requests_of, run
from tests.differential.toolchains import LANGUAGES, Language, start

__all__ = ["compare_all", "main", "summary"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run as the command line says; return the exit status."""
    options = _options(argv)
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    there: list[Language] = []
    left_out: dict[str, str] = {}
    for language in LANGUAGES:
        if language.name in options.without:
            left_out[language.name] = "not wanted"
        elif (reason := language.missing(build=not options.no_build)) is not None:
            left_out[language.name] = reason
        else:
            there.append(language)
    asked = (options.documents, options.streams, options.histories, options.golden, options.lists)
    counts = Counts(*asked)
    print(f"seed {seed}: {', '.join(each.name for each in there)}; {counts}", flush=True)
    began = time.perf_counter()
    outcome = compare_all(there, counts, seed, options.jobs) if len(there) > 1 else Outcome()
    for each in outcome.found:
        print(f"\n{outcome.kinds[each.key]:,} x {each}")
    if options.write is not None:
        options.write.write_text("".join(each.line() for each in outcome.found), "ascii")
    print(summary(counts, seed, outcome, left_out, time.perf_counter() - began))
    return 2 if len(there) < 2 else int(bool(outcome.kinds))


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--streams", type=int, default=20_000)
    parser.add_argument("--histories", type=int, default=10_000, help="and as many transitions")
    parser.add_argument("--golden", type=int, default=40_000, help="golden cases, changed")
    parser.add_argument("--lists", type=int, default=20_000, help="lists of tools as YAML")
    parser.add_argument("--seed", type=int, help="default: a new one, printed")
    parser.add_argument("--jobs", type=int, default=2, help="processes, each with all drivers")
    parser.add_argument("--no-build", action="store_true", help="take the drivers as they are")
    parser.add_argument("--write", type=Path, help="where differences go whole, as JSON Lines")
    names = [language.name for language in LANGUAGES]
    parser.add_argument("--without", action="append", default=[], choices=names)
    return parser.parse_args(argv)


def compare_all(languages: Sequence[Language], counts: Counts, seed: int, jobs: int) -> Outcome:
    """Return what ``jobs`` processes see together, each with a share of the cases."""
    if jobs == 1:
        return _share(languages, counts, seed, 0, 1)
    outcome = Outcome()
    with ProcessPoolExecutor(jobs) as pool:
        shares = [pool.submit(_share, languages, counts, seed, each, jobs) for each in range(jobs)]
        for share in shares:
            outcome.add(share.result())
    return outcome


def _share(
    languages: Sequence[Language], counts: Counts, seed: int, shard: int, shards: int
) -> Outcome:
    drivers = [start(language) for language in languages]
    try:
        return run(drivers, requests_of(counts, seed, shard, shards))
    finally:
        for driver in drivers:
            driver.close()


def summary(
    counts: Counts, seed: int, outcome: Outcome, left_out: dict[str, str], seconds: float
) -> str:
    """Return the last lines: what was asked, who answered, who took no part."""
    asked = ", ".join(
        f"{name} {count:,} ({outcome.refused[name]:,} refused)"
        for name, count in sorted(outcome.asked.items())
    )
    answers = ", ".join(
        f"{name} {count:,}"
        + (f" ({outcome.skipped[name]:,} skipped)" if outcome.skipped[name] else "")
        for name, count in sorted(outcome.answered.items())
    )
    missing = "; ".join(f"{name}: {reason}" for name, reason in left_out.items()) or "nobody"
    return (
        f"\nasked     {asked or 'nothing'}\nanswers   {answers or 'none'}\n"
        f"differential: seed {seed}, {counts.documents:,} documents, {counts.streams:,} streams, "
        f"{counts.histories:,} histories, {counts.golden:,} golden cases changed, "
        f"{counts.lists:,} lists, {outcome.kinds.total():,} differences of "
        f"{len(outcome.kinds):,} kinds ({outcome.known.total():,} more are what JavaScript "
        f'cannot know: 1.0 from 1, the place of names such as "0"), {seconds:.0f} s; '
        f"left out: {missing}"
    )


if __name__ == "__main__":
    sys.exit(main())
