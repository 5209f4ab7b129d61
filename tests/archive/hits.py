"""How each rule of archives is hit that takes a cluster or an object store: without them.

That they are hit there too is in ``test_spark*.py`` and ``test_store.py``.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from unittest.mock import patch

from partwire.archive import ArchiveRun, Assemble
from partwire.archive.remote import Remote
from partwire.archive.spark.run import _refuse_unshared
from partwire.archive.spark.session import raised_here
from partwire.archive.steps import Totals
from partwire.errors import PartwireError

__all__ = ["ARCHIVE_HITS"]


def lost_line() -> set[str]:
    with TemporaryDirectory() as folder:
        source = Path(folder) / "a.jsonl"
        source.write_text("{}\n")
        run = ArchiveRun(Assemble(), [str(source)], f"{folder}/out", jobs=1)
        with patch.object(Totals, "lost", 1):
            return rules_of(run.go)


def place_of_nobody() -> set[str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("AZURE")}
    with patch.dict(os.environ, others, clear=True):
        return rules_of(lambda: Remote("az://box/folder"))


def engine_that_gives_up() -> set[str]:
    from pyspark.errors import PySparkRuntimeError  # noqa: PLC0415 - only here

    def give_up() -> None:
        with raised_here():
            raise PySparkRuntimeError("no more")

    return rules_of(give_up)


def folder_of_one_machine() -> set[str]:
    def look() -> None:
        with raised_here():
            _refuse_unshared(Path("no-such-folder"), 0)

    return rules_of(look)


def rules_of(call: object) -> set[str]:
    assert callable(call)
    try:
        call()
    except PartwireError as error:
        return {finding.rule for finding in error.findings}
    return set()


ARCHIVE_HITS: Final = {
    "archive/engine-failed": engine_that_gives_up,
    "archive/lines-lost": lost_line,
    "archive/store-failed": place_of_nobody,
    "archive/work-not-shared": folder_of_one_machine,
}
"""Rule id → what finds it."""
