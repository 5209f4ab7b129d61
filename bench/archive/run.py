"""Run a program, and measure all of its processes: processor seconds, and the peak of memory."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bench.measure import ended

__all__ = ["Ran", "run_measured"]

_SAMPLE_S: Final = 0.02
_DISK_SAMPLE_S: Final = 0.2
_SET_CHILD_SUBREAPER: Final = 36  # of linux/prctl.h
_TAIL: Final = 400
_PSS: Final = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


class Ran(NamedTuple):
    """What a program took."""

    cpu_s: float
    """Of all its processes, also of those that end after it where there is a /proc."""
    wall_s: float
    peak_mib: float | None
    """Of all its processes together; a page that several share counts once. None without /proc."""
    output: str
    problem: str
    """Why it failed; "" if it did not."""
    disk: int = 0
    """The most bytes that were in the folder at a time."""


def run_measured(
    command: list[str], environment: Mapping[str, str], most_s: float, folder: Path | None = None
) -> Ran:
    """Run a command in a new session, and end all of it after ``most_s`` seconds.

    ``folder`` is the one whose size is watched, if any.
    """
    _adopt_orphans()
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdout=output, stderr=errors, env=dict(environment), start_new_session=True
        )
        watch = _Watch(process.pid, most_s, folder)
        watch.start()
        cpu_s = ended(process)
        wall_s = time.perf_counter() - begin
        cpu_s += _orphans_ended(process.pid)
        watch.done.set()
        watch.join()
        # Nobody learns what a process took whose parent ignores its end, as those of PySpark do.
        cpu_s = max(cpu_s, watch.cpu_s)
        told = []
        for file in (output, errors):
            file.seek(0)
            told.append(file.read().decode("utf-8", "replace").strip())
    problem = ""
    if watch.is_late:
        problem = f"not done after {most_s:g} s"
    elif process.returncode:
        problem = f"exit status {process.returncode}: {told[1][-_TAIL:]}"
    return Ran(cpu_s, wall_s, watch.peak_mib, told[0], problem, watch.disk)


def _adopt_orphans() -> None:
    """Become the parent of processes whose parents end: only a parent learns what they took."""
    if Path("/proc/self/statm").exists():
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _orphans_ended(session: int) -> float:
    """Wait for what is left of a session; return the processor seconds of it.

    A Java machine that a program has started ends after that, and nobody waits for it.
    """
    seconds = 0.0
    while True:
        left = list(_processes(session))
        if not left:
            return seconds
        for number in left:
            try:
                found, _, usage = os.wait4(number, os.WNOHANG)
            except ChildProcessError:  # not ours yet: its parent has not ended
                continue
            if found:
                seconds += usage.ru_utime + usage.ru_stime
        time.sleep(_SAMPLE_S)


class _Watch(threading.Thread):
    """Sample the memory of a session, and the size of a folder, until it is done."""

    def __init__(self, session: int, most_s: float, folder: Path | None) -> None:
        super().__init__(daemon=True)
        self._session = session
        self._folder = folder
        self._disk_at = 0.0
        self.disk = 0
        self._end = time.monotonic() + most_s
        self._peak = 0
        self.done = threading.Event()
        self.is_late = False
        self._seen: dict[int, float] = {}

    @property
    def cpu_s(self) -> float:
        """What the processes had taken when they were seen last."""
        return sum(self._seen.values())

    @property
    def peak_mib(self) -> float | None:
        return self._peak / (1 << 20) if self._peak else None

    def run(self) -> None:
        while not self.done.wait(_SAMPLE_S):
            if time.monotonic() > self._end and not self.is_late:
                self.is_late = True
                for number in _processes(self._session):
                    os.kill(number, signal.SIGKILL)
            # What is shared costs more to find out: only where it can be a new peak.
            numbers = list(_processes(self._session))
            for number in numbers:
                self._seen[number] = max(_cpu_s(number), self._seen.get(number, 0.0))
            if sum(map(_resident, numbers)) > self._peak:
                self._peak = max(self._peak, sum(map(_proportional, numbers)))
            if self._folder is not None and time.monotonic() > self._disk_at:
                self.disk = max(self.disk, _size_of(self._folder))
                self._disk_at = time.monotonic() + _DISK_SAMPLE_S


def _processes(session: int) -> Iterator[int]:
    try:
        names = [entry.name for entry in Path("/proc").iterdir()]
    except OSError:
        return
    for name in names:
        try:
            if name.isdigit() and os.getsid(int(name)) == session:
                yield int(name)
        except OSError:  # it has just ended
            continue


def _size_of(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += Path(place, name).stat().st_size
            except OSError:  # it has just been taken away
                continue
    return size


def _cpu_s(number: int) -> float:
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return 0.0
    user, system = text[text.rindex(")") :].split()[12:14]  # the name may have blanks
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _resident(number: int) -> int:
    try:
        return int(Path(f"/proc/{number}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def _proportional(number: int) -> int:
    try:
        found = _PSS.search(Path(f"/proc/{number}/smaps_rollup").read_bytes())
    except OSError:
        return 0
    return int(found[1]) << 10 if found else 0
