"""The session of Spark that a run of the command line uses."""

from __future__ import annotations

import atexit
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ...errors import Finding, PartwireError, UsageError
from ...extras import import_extra
from ..run import unwritable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["carried", "patient", "raised_here", "session"]

_LOCAL: Final = re.compile(r"local(?:\[(\d+|\*)\])?")
_FAILURES: Final = 4
"""How often a task may fail, as on a cluster."""

_SETTINGS: Final = {
    # A batch is held by the JVM and by Python.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
}


def session(master: str | None = None, jobs: int | None = None) -> SparkSession:
    """Return a session with separate settings.

    Unless ``master`` is given, it shares the context that the program has, or that ``spark-submit``
    has begun; without one it runs on this machine with ``jobs`` processes. Raises UsageError
    ``archive/engine-failed`` where Spark does not start.
    """
    sql = import_extra("pyspark.sql", "spark", "--engine spark")
    builder = sql.SparkSession.builder.appName("partwire archive")
    is_ours = sql.SparkSession.getActiveSession() is None
    if is_ours and "PYSPARK_GATEWAY_PORT" not in os.environ:
        master = master or f"local[{jobs or '*'}]"
        builder = builder.config("spark.log.level", "ERROR")
    if master is not None:
        if master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            builder = builder.config("spark.ui.enabled", "false")
        builder = builder.master(patient(master))
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    with raised_here():
        found_session: Any = builder.getOrCreate().newSession()
        if is_ours:
            atexit.register(found_session.stop)
        for name, value in _SETTINGS.items():
            found_session.conf.set(name, value)
    return found_session  # type: ignore[no-any-return]


def patient(master: str) -> str:
    """Return a master that tries tasks again: one of this machine gives up at once."""
    found = _LOCAL.fullmatch(master)
    return master if found is None else f"local[{found[1] or 1},{_FAILURES}]"


# --- errors from one process to the other ---------------------------------------------------------

_MARK: Final = "partwire findings: "
_CARRIED: Final = re.compile(_MARK + r"(\[\{.*?\}\]) :end")
_FAILURE: Final = re.compile(r"most recent failure: Lost task [^:]*: ")
_encode: Final = msgspec.json.Encoder().encode


class _CarriedError(Exception):
    """An error of partwire as text: Spark brings nothing else to the driver."""


@contextmanager
def carried() -> Iterator[None]:
    """Raise an error of partwire such that :func:`raised_here` raises it again on the driver."""
    try:
        yield
    except PartwireError as error:
        found = error
    except ConnectionError:  # that to Spark
        raise
    except OSError as error:
        found = unwritable(error)
    else:
        return
    text = _encode([finding._asdict() for finding in found.findings]).decode()
    raise _CarriedError(f"{_MARK}{text} :end") from None


@contextmanager
def raised_here() -> Iterator[None]:
    """Raise what a worker has raised.

    For whatever else Spark raises: UsageError ``archive/engine-failed``.
    """
    try:
        yield
    except PartwireError:
        raise
    except Exception as error:
        text = str(error)
        found = _CARRIED.search(text)
        if found is not None:
            rows = msgspec.json.decode(found[1], type=list[dict[str, Any]])
            raise UsageError(*(Finding(**row) for row in rows)) from None
        if not _is_of_spark(error):
            raise
        raise UsageError(
            Finding(
                "archive/engine-failed",
                "Spark has given up; what is done is kept, and --resume goes on",
                expected="a job that ends",
                actual=_why(text) or type(error).__name__,
            )
        ) from error


def _why(text: str) -> str:
    """Return the line that says why, of all that Spark says: the error of a task, if one failed."""
    failure = _FAILURE.search(text)
    said = text if failure is None else text[failure.end() :]
    _, _, trace = said.partition("Traceback (most recent call last):\n")
    at_the_margin = (line for line in trace.splitlines() if line[:1].strip())
    return next(at_the_margin, "") or next(filter(None, map(str.strip, said.splitlines())), "")


def _is_of_spark(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("py4j", "pyspark")
