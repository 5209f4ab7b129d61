"""A worker's process: jobs come in on stdin, answers go out on stdout, one at a time.

A process and no thread, because only a process can be ended when its time is over, and because
its memory can be bounded. A frame is two lengths (8 bytes each, big endian), JSON of the first
and bytes of the second. Nothing is written but answers: what a client sent goes to no log.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ..errors import Finding, PartwireError
from .problems import too_deep_here

if TYPE_CHECKING:
    from .jobs import Job

__all__ = ["FRAME", "NO_MEMORY", "main", "run_job"]

FRAME: Final = struct.Struct(">QQ")
NO_MEMORY: Final = 77
"""The exit status of a process that has no memory to say so."""
_GRACE_SECONDS: Final = 1.0


def run_job(head: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return what comes of a job: an answer, or findings, or that it has failed."""
    try:
        done = _jobs()[head["job"]](data, head["options"])
        return {"is": "answer", "rules": done.rules}, done.body
    except PartwireError as error:
        return {"is": "refusal", "findings": [each.to_wire() for each in error.findings]}, b""
    except MemoryError:
        return {"is": "memory"}, b""
    except RecursionError:
        return {"is": "refusal", "findings": [too_deep_here().to_wire()]}, b""
    except Exception as error:  # noqa: BLE001 - reported as what it is, without what it says
        return {"is": "failure", "error": type(error).__name__, "at": _place(error)}, b""


@cache
def _jobs() -> Mapping[str, Job]:
    """Return the jobs; what importing them needs of memory counts as the job's."""
    try:
        from .jobs import JOBS  # noqa: PLC0415
    except ImportError as error:
        if error.path is None or error.path.endswith((".py", ".pyc")):
            raise
        raise MemoryError from error  # a shared library that is there could not be mapped
    return JOBS


def findings_of(head: dict[str, Any]) -> list[Finding]:
    """Return the findings of a refusal."""
    return [Finding(**each) for each in head["findings"]]


def _place(error: BaseException) -> str:
    """Return where an exception was raised, innermost last: files and lines, no values."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}")  # noqa: PTH119
        trace = trace.tb_next
    return " ".join(places[-8:])


def _bound_memory(size_bytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not every system can
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (size_bytes, size_bytes))


def _end_with_the_service() -> None:
    """End in the midst of a job where nobody waits for it: the service has been killed."""
    poll = getattr(select, "poll", None)
    if poll is None:  # not everywhere
        return
    hung_up = poll()
    hung_up.register(0, 0)  # only the end of the pipe, not what it brings
    hung_up.poll()
    time.sleep(_GRACE_SECONDS)  # who waits for work ends by itself
    os._exit(1)


def _read(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    lengths = stream.read(FRAME.size)
    if len(lengths) < FRAME.size:
        return None  # the service has ended
    head, data = FRAME.unpack(lengths)
    return json.loads(stream.read(head)), stream.read(data)


def main(size_bytes: int) -> None:
    """Work until stdin ends."""
    try:
        _work(size_bytes)
    except MemoryError:
        os._exit(NO_MEMORY)


def _work(size_bytes: int) -> None:
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever prints, prints nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    threading.Thread(target=_end_with_the_service, daemon=True).start()
    _bound_memory(size_bytes)
    while (frame := _read(sys.stdin.buffer)) is not None:
        told, body = run_job(*frame)
        head = json.dumps(told).encode()
        answers.write(FRAME.pack(len(head), len(body)) + head + body)
        answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
