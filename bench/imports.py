"""What an import costs: time of the processor, in fresh interpreters."""

from __future__ import annotations

import importlib
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from bench.measure import ended

__all__ = ["PACKAGE", "ImportRow", "measure_import"]

PACKAGE: Final = "import partwire"


class ImportRow(NamedTuple):
    """Median milliseconds of an import beyond those of a bare interpreter."""

    code: str
    ms: float
    bare_ms: float


def measure_import(rounds: int) -> Iterator[ImportRow]:
    """Yield a row for the package alone, for the names that most programs use, and for all."""
    package = importlib.import_module("partwire")
    where = str(Path(str(package.__file__)).parent.parent)
    environment = {**os.environ, "PYTHONPATH": where}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start(code: str) -> float:
        process = subprocess.Popen([sys.executable, "-c", code], env=environment)
        seconds = ended(process)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, code)
        return seconds

    codes = ("pass", PACKAGE, "from partwire import adapt, assemble", "from partwire import *")
    start(codes[-1])  # writes the byte code
    taken = zip(*([start(code) for code in codes] for _ in range(rounds)), strict=True)
    bare, *full = (statistics.median(column) * 1e3 for column in taken)
    for code, figure in zip(codes[1:], full, strict=True):
        yield ImportRow(code, figure - bare, bare)
