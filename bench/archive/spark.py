"""``partwire`` with Spark of this machine and a heap of 1 GB: all of its processes are waited for.

Spark leaves the processes that it has started to themselves, and the time of a process counts when
somebody has waited for it. The arguments are those of ``partwire``.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import Final

_PARTWIRE: Final = (sys.executable, "-c", "from partwire.cli import main; main()")
_HEAP: Final = "--driver-memory 1g pyspark-shell"
_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER


def main(arguments: list[str]) -> int:
    """Run it; return its exit status when all that it has started has ended."""
    if sys.platform == "linux":  # elsewhere what is left behind does not count
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": _HEAP, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run([*_PARTWIRE, *arguments], env=environment, check=False)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
