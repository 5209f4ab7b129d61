"""Who puts an archive together: our own command, the floor, and the scripts of peers/."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bench.ways import WAYS, Way

__all__ = ["CONTESTANTS", "SPARK", "Contestant", "why_not"]

ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDER: Final = Path(__file__).resolve().parent
_ENVIRONMENT: Final = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{ROOT}",
}

SPARK: Final = "spark"
"""What keys of our command on Spark begin with: its start alone takes as long as others take."""

Argv = Callable[[Path, list[str]], list[str]]


class Contestant(NamedTuple):
    """A program: its command takes where it is to write, and the files that it is to read."""

    key: str
    label: str
    argv: Argv
    module: str = "msgspec"
    """What has to be installed."""
    program: str | None = None
    """What has to be in PATH."""
    jobs: int = 1
    way: Way | None = None
    """That of the package; None for what knows no ways."""
    is_small: bool = False
    """Whether it holds all that it reads, so that a large archive is not for it."""
    makes: str | None = "archive/messages/*"
    """The files with its messages, in the folder where it writes; None for one that makes none."""

    @property
    def is_peer(self) -> bool:
        """Whether it is somebody else's: it may fail, and may be left out."""
        return self.way is None and self.makes is not None

    @property
    def environment(self) -> Mapping[str, str]:
        """What it runs in."""
        return {**_ENVIRONMENT, "PARTWIRE_NATIVE": "0"} if self.way == "plain" else _ENVIRONMENT


def why_not(contestant: Contestant) -> str | None:
    """Return why it cannot run here; None if it can."""
    if importlib.util.find_spec(contestant.module) is None:
        return f"{contestant.module} is not installed"
    if contestant.program is not None and shutil.which(contestant.program) is None:
        return f"{contestant.program} is not installed"
    return None


def _ours(jobs: int) -> Argv:
    command = (sys.executable, "-c", "from partwire.cli import main; main()")
    options = ("archive", "assemble", "--jobs", str(jobs), "--compress", "none", "--format", "json")
    return lambda out, files: [*command, *options, *files, str(out / "archive")]


def _spark(jobs: int) -> Argv:
    command = (sys.executable, str(_FOLDER / "spark.py"), "archive", "assemble", "--engine", SPARK)
    options = ("--master", f"local[{jobs}]", "--compress", "none", "--format", "json")
    return lambda out, files: [*command, *options, *files, str(out / "archive")]


def _script(name: str) -> Argv:
    program = str(_FOLDER / "peers" / f"{name}.py")
    return lambda out, files: [sys.executable, program, str(out / "messages.jsonl"), *files]


def _floor(_out: Path, files: list[str]) -> list[str]:
    return [sys.executable, str(_FOLDER / "floor.py"), *files]


def _peer(name: str, label: str, module: str, *, is_small: bool) -> Contestant:
    made = "messages.jsonl"
    return Contestant(name, label, _script(name), module, is_small=is_small, makes=made)


CONTESTANTS: Final = (
    Contestant("floor", "the floor: typed decoding of the lines", _floor, makes=None),
    *(
        Contestant(f"{way}, {jobs}", "partwire archive assemble", _ours(jobs), jobs=jobs, way=way)
        for way in WAYS
        for jobs in (1, 2)
    ),
    *(
        Contestant(
            f"{SPARK}, {way}",
            "partwire archive assemble --engine spark",
            _spark(2),
            "pyspark",
            "java",
            jobs=2,
            way=way,
        )
        for way in WAYS
    ),
    _peer("dict_of_lists", "a dict of lists, json", "json", is_small=True),
    _peer("dict_of_bytes", "a dict of lists of lines, msgspec", "msgspec", is_small=True),
    _peer("duckdb_partitions", "DuckDB, partitioned files", "duckdb", is_small=False),
    _peer("duckdb_list", "DuckDB, aggregated lists", "duckdb", is_small=True),
    _peer("polars_group", "Polars, scan and group", "polars", is_small=True),
    _peer("daft_group", "Daft, scan and group", "daft", is_small=True),
)
