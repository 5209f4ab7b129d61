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

__all__ = ["COMMAND", "CONTESTANTS", "Contestant", "environment_of", "why_not"]

ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDER: Final = Path(__file__).resolve().parent
_ENVIRONMENT: Final = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": f"{ROOT / 'python'}{os.pathsep}{ROOT}",
    "PYSPARK_SUBMIT_ARGS": "--driver-memory 1g pyspark-shell",
}

COMMAND: Final = (sys.executable, "-c", "from partwire.cli import main; main()", "archive")
"""The command that all of ours begin with."""

_ANY: Final = range(10**12)
_HELD: Final = range(5_000_000)  # lines of an archive that a program can hold
_SPARK: Final = range(1_000_000, 15_000_000)  # of fewer its start is all that is seen

Argv = Callable[[Path, list[str]], list[str]]


class Contestant(NamedTuple):
    """A program: its command takes where it is to write, and the files that it is to read."""

    key: str
    label: str
    argv: Argv
    module: str = "msgspec"
    """What has to be installed …"""
    program: str = ""
    """… and what has to be on the path."""
    jobs: int = 1
    way: Way | None = None
    """That of the package; None for what knows no ways."""
    takes: range = _ANY
    """How many lines an archive has that it is measured with."""
    is_ours: bool = False
    makes: str | None = "archive/messages/*"
    """The files with its messages, in the folder where it writes; None for one that makes none."""

    @property
    def is_peer(self) -> bool:
        """Whether it is somebody else's: it may fail, and may be left out."""
        return not self.is_ours and self.makes is not None


def environment_of(way: Way | None) -> Mapping[str, str]:
    """Return what a program runs in: with the native core where it is, or without."""
    return {**_ENVIRONMENT, "PARTWIRE_NATIVE": "0"} if way == "plain" else _ENVIRONMENT


def why_not(contestant: Contestant) -> str | None:
    """Return why it cannot run here; None if it can."""
    if importlib.util.find_spec(contestant.module) is None:
        return f"{contestant.module} is not installed"
    if contestant.program and shutil.which(contestant.program) is None:
        return f"no {contestant.program} on this machine"
    return None


def _ours(jobs: int, *more: str) -> Argv:
    # The scripts write files that are not compressed, too.
    options = ("assemble", "--jobs", str(jobs), "--compress", "none", "--format", "json", *more)
    return lambda out, files: [*COMMAND, *options, *files, str(out / "archive")]


def _script(name: str) -> Argv:
    program = str(_FOLDER / "peers" / f"{name}.py")
    return lambda out, files: [sys.executable, program, str(out / "messages.jsonl"), *files]


def _floor(_out: Path, files: list[str]) -> list[str]:
    return [sys.executable, str(_FOLDER / "floor.py"), *files]


def _peer(name: str, label: str, module: str, takes: range = _HELD) -> Contestant:
    return Contestant(name, label, _script(name), module, takes=takes, makes="messages.jsonl")


CONTESTANTS: Final = (
    Contestant("floor", "the floor: typed decoding of the lines", _floor, makes=None),
    *(
        Contestant(
            f"{way}, {jobs}", "archive assemble", _ours(jobs), jobs=jobs, way=way, is_ours=True
        )
        for way in WAYS
        for jobs in (1, 2)
    ),
    Contestant(
        "spark", "archive assemble --engine spark, heap of 1 GB", _ours(2, "--engine", "spark"),
        "pyspark", "java", jobs=2, takes=_SPARK, is_ours=True,
    ),
    _peer("dict_of_lists", "a dict of lists, json", "json"),
    _peer("dict_of_bytes", "a dict of lists of lines, msgspec", "msgspec"),
    _peer("duckdb_partitions", "DuckDB, partitioned files", "duckdb", _ANY),
    _peer("duckdb_list", "DuckDB, aggregated lists", "duckdb"),
    _peer("polars_group", "Polars, scan and group", "polars"),
    _peer("daft_group", "Daft, scan and group", "daft"),
)  # fmt: skip
