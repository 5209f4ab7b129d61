"""Our own: ``python -m bench.archive.ours TARGET JOBS FILE…`` prints the counts as JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import msgspec

from partwire.archive.driver import assemble_archive
from partwire.archive.plan import make_plan

_MEMORY: Final = 64 << 20
_LINE: Final = 64 << 20


def main(target: str, jobs: str, files: list[str]) -> None:
    """Assemble an archive, or go on with it."""
    plan = make_plan(files, "assemble", {"on_unknown": "refuse"})
    totals = assemble_archive(plan, Path(target), int(jobs), _MEMORY, _LINE)
    sys.stdout.buffer.write(msgspec.json.encode(totals))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
