"""``python -m tests.mutants [PATTERN…]``: every mutant, and the first case that catches it.

Exit status: 0 all are caught, 1 one survives (or nothing fits a pattern).
"""

from __future__ import annotations

import sys
from collections import Counter
from fnmatch import fnmatch

from tests.mutants.catalogue import ALL, cases_for


def main(patterns: list[str]) -> int:
    """Print the table; return the exit status."""
    chosen = [m for m in ALL if not patterns or any(fnmatch(m.name, p) for p in patterns)]
    width = max((len(mutant.name) for mutant in chosen), default=0)
    rooms: Counter[str] = Counter()
    survivors = []
    for mutant in chosen:
        cases = cases_for(mutant)
        rooms[mutant.room] += 1
        first = cases[0] if cases else "SURVIVES"
        print(f"{mutant.name:{width}}  {mutant.failure}  {len(cases):4}  {first}", flush=True)
        if not cases:
            survivors.append(mutant)
    told = ", ".join(f"{count} {room}" for room, count in rooms.items())
    failures = len({mutant.failure for mutant in chosen})
    print(f"\n{len(chosen)} mutants ({told}) of {failures} failures, {len(survivors)} survive")
    for mutant in survivors:
        print(f"{mutant.name} ({mutant.failure}): {mutant.says}")
    return 1 if survivors or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
