"""``partwire validate`` beside what people validate JSON Lines with: whole commands, in turn."""

from __future__ import annotations

import importlib.util
import itertools
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from bench.measure import ended
from bench.validate_files import Files, invalid_numbers, make_files
from bench.ways import WAYS

__all__ = ["CONTESTANTS", "OURS", "TODAY", "Cell", "Validated", "measure_validate"]

ROOT: Final = Path(__file__).resolve().parent.parent
_COMMANDS: Final = Path(__file__).resolve().parent / "commands"
_TYPE: Final = ("--type", "message.MessageDelta")
_PARTWIRE: Final = (sys.executable, "-c", "from partwire.cli import main; main()")
_SAMPLE_S: Final = 0.01
_MIB: Final = 1 << 20
_ENVIRONMENT: Final = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": str(ROOT / "python"),
    "NODE_PATH": str(ROOT / "typescript" / "node_modules"),
}


TODAY: Final = {
    ("valid", 1): 7.3, ("valid", 2): 7.2, ("invalid", 1): 6.0, ("invalid", 2): 5.6,
}  # fmt: skip
"""How many times as long as ours jsonschema-rs took before there was a native core, as
docs/bench.md said then: same files, same versions of jsonschema-rs and Python."""


class Contestant(NamedTuple):
    """A command; ``argv`` takes the schema, a file and the number of processes.

    A peer knows one process: two of them take half a file each. ``told`` finds the numbers of
    the invalid lines in what the command prints.
    """

    key: str
    label: str
    argv: Callable[[Path, Path, int], list[str]]
    told: re.Pattern[bytes]
    needs: Callable[[], str | None] = lambda: None

    @property
    def environment(self) -> dict[str, str]:
        """What the command runs in."""
        return {**_ENVIRONMENT, "PARTWIRE_NATIVE": "0"} if self.key == "plain" else _ENVIRONMENT


@dataclass
class Cell:
    """One contestant on one file: wall and processor seconds of each round."""

    key: str
    file: str
    processes: int
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)


@dataclass
class Validated:
    """All that was measured; ``missing`` says why a contestant did not run.

    ``peak_mib`` by way, file and processes, ``start_s`` by way; ``check_per_s`` are documents per
    second of check-jsonschema, ``check_sizes`` the two arrays that it was given. ``load`` is the
    machine's load average at the end, None where it has none.
    """

    count: int
    cells: list[Cell] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    peak_mib: dict[tuple[str, str, int], float] = field(default_factory=dict)
    start_s: dict[str, list[float]] = field(default_factory=dict)
    check_per_s: float | None = None
    check_sizes: tuple[int, int] = (2_000, 10_000)
    load: float | None = None

    def cell(self, key: str, file: str, processes: int) -> Cell | None:
        """Return a cell, None where it was not measured."""
        wanted = (key, file, processes)
        found = (cell for cell in self.cells if (cell.key, cell.file, cell.processes) == wanted)
        return next(found, None)

    def ratio(
        self, key: str, file: str, processes: int, way: str = WAYS[0], *, by_clock: bool = False
    ) -> float | None:
        """Return how many times as long as ours a peer takes: the median of the rounds' ratios.

        By the time of the processors, which hardly depends on what else the machine does.
        """
        own, peer = self.cell(way, file, processes), self.cell(key, file, processes)
        if own is None or peer is None:
            return None
        pairs = ((peer.wall_s, own.wall_s), (peer.cpu_s, own.cpu_s))[not by_clock]
        return statistics.median(p / o for p, o in zip(*pairs, strict=True))

    def check_ratio(self, way: str = WAYS[0]) -> float | None:
        """Return how many times as many documents per second ours takes, as one process."""
        own = self.cell(way, "valid", 1)
        if own is None or self.check_per_s is None:
            return None
        return self.count / statistics.median(own.cpu_s) / self.check_per_s


def _binary() -> Path:
    """Return sourcemeta's own program: the Python script around it is left out."""
    spec = importlib.util.find_spec("sourcemeta_jsonschema")
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    name = f"jsonschema-{platform.system().lower()}-{machine}"
    return Path("" if spec is None or spec.origin is None else spec.origin).parent / name


def _no_module(name: str) -> Callable[[], str | None]:
    return lambda: None if importlib.util.find_spec(name) else f"{name} is not installed"


def _no_ajv() -> str | None:
    if shutil.which("node") is None:
        return "no node on this machine"
    there = (ROOT / "typescript" / "node_modules" / "ajv").is_dir()
    return None if there else "ajv is not installed: npm ci in typescript/"


OURS: Final = tuple(
    Contestant(
        way,
        f"partwire validate, {way}",
        lambda _schema, file, jobs: [
            # Every finding on a line of its own: like ones are not shown as one.
            *(*_PARTWIRE, "validate", *_TYPE, "--max-shown", "0", "--jobs", str(jobs), str(file)),
        ],
        re.compile(rb"^\S.*?\.jsonl:(\d+)(?::\d+)?: ", re.MULTILINE),
    )
    for way in WAYS
)
_NUMBERED: Final = re.compile(rb"^(\d+): ", re.MULTILINE)


def _script(decoder: str) -> Callable[[Path, Path, int], list[str]]:
    program = str(_COMMANDS / "jsonschema_rs_lines.py")
    return lambda schema, file, _jobs: [sys.executable, program, str(schema), str(file), decoder]


CONTESTANTS: Final = (
    *OURS,
    Contestant(
        "jsonschema-rs", "jsonschema-rs, a script", _script("json"), _NUMBERED,
        _no_module("jsonschema_rs"),
    ),
    Contestant(
        "jsonschema-rs-msgspec", "jsonschema-rs, lines decoded by msgspec", _script("msgspec"),
        _NUMBERED, _no_module("jsonschema_rs"),
    ),
    Contestant(
        "ajv", "ajv, compiled, node",
        lambda schema, file, _jobs: [
            *("node", str(_COMMANDS / "ajv_lines.cjs"), str(schema.with_suffix(".cjs")), str(file)),
        ],
        _NUMBERED, _no_ajv,
    ),
    Contestant(
        "sourcemeta", "sourcemeta jsonschema validate --fast",
        lambda schema, file, _jobs: [
            *(str(_binary()), "validate", "--fast", "--continue", str(schema), str(file)),
        ],
        re.compile(rb"^fail: .*\(entry #(\d+)\)", re.MULTILINE),
        lambda: None if _binary().is_file() else "sourcemeta-jsonschema is not installed",
    ),
)  # fmt: skip


def measure_validate(count: int, rounds: int) -> Validated:
    """Make the files, run all contestants in turn, and compare what they find."""
    found = Validated(count)
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="bench-validate-") as folder:
        files = make_files(Path(folder), count)
        running = []
        for contestant in CONTESTANTS:
            why = contestant.needs()
            if why is None:
                running.append(contestant)
            else:
                found.missing[contestant.label] = why
        if any(contestant.key == "ajv" for contestant in running):
            compiled = str(files.schema.with_suffix(".cjs"))
            command = ["node", str(_COMMANDS / "ajv_compile.cjs"), str(files.schema), compiled]
            subprocess.run(command, check=True, env=_ENVIRONMENT)
        _warm_up(files)
        for turn in range(rounds):
            for contestant in (*running[turn % len(running) :], *running[: turn % len(running)]):
                _round(contestant, files, found)
        _check_jsonschema(files, found)
        _measure_memory(files, found)
        _measure_start(Path(folder), found, 15 if rounds > 1 else 1)
    if hasattr(os, "getloadavg"):
        found.load = os.getloadavg()[1]
    return found


def _warm_up(files: Files) -> None:
    """Let byte code be written, and programs and files be read."""
    small = files.schema.with_name("small.jsonl")
    with files.valid[0].open("rb") as lines:
        small.write_bytes(next(lines))
    for contestant in CONTESTANTS:
        if contestant.needs() is None:
            _run(contestant, [contestant.argv(files.schema, small, 1)], files.schema.parent)


def _round(contestant: Contestant, files: Files, found: Validated) -> None:
    for file in ("valid", "invalid"):
        whole, *halves = getattr(files, file)
        for processes in (1, 2):
            if contestant in OURS or processes == 1:
                commands = [contestant.argv(files.schema, whole, processes)]
            else:
                commands = [contestant.argv(files.schema, half, 1) for half in halves]
            wall_s, cpu_s, told, failed = _run(contestant, commands, files.schema.parent)
            cell = found.cell(contestant.key, file, processes)
            if cell is None:
                cell = Cell(contestant.key, file, processes)
                found.cells.append(cell)
            cell.wall_s.append(wall_s)
            cell.cpu_s.append(cpu_s)
            _compare(contestant, file, told, found, failed=failed)


def _compare(
    contestant: Contestant, file: str, told: Sequence[bytes], found: Validated, *, failed: bool
) -> None:
    """Hold the invalid lines that a command named against those that were made invalid."""
    numbers = [{int(number) for number in contestant.told.findall(text)} for text in told]
    named = set(numbers[0])
    for half in numbers[1:]:  # the second half begins with line 1 again
        named |= {number + found.count // 2 for number in half}
    due = invalid_numbers(found.count) if file == "invalid" else set()
    if file == "valid" and failed:
        found.problems.append(f"{contestant.label}: fails on valid lines: {told[0][:200]!r}")
    if named != due:
        wrong = f"{len(due - named)} not found, {len(named - due)} too many"
        found.problems.append(f"{contestant.label}, {file} lines: {wrong}")


def _run(
    contestant: Contestant, commands: Sequence[list[str]], folder: Path
) -> tuple[float, float, list[bytes], bool]:
    """Run commands of a contestant side by side.

    Return seconds of the clock and of the processors, what each printed, and whether any failed.
    """
    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in commands]
        begin = time.perf_counter()
        processes = [
            subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=contestant.environment,
                cwd=folder,
            )
            for command, output in zip(commands, outputs, strict=True)
        ]
        cpu_s = sum(ended(process) for process in processes)
        wall_s = time.perf_counter() - begin
        told = []
        for output in outputs:
            output.seek(0)
            told.append(output.read())
    return wall_s, cpu_s, told, any(process.returncode for process in processes)


def _check_jsonschema(files: Files, found: Validated) -> None:
    """Give it arrays of two sizes, for it reads no JSON Lines: the difference is without start."""
    if importlib.util.find_spec("check_jsonschema") is None:
        found.missing["check-jsonschema"] = "check_jsonschema is not installed"
        return
    small, large = found.check_sizes = tuple(  # type: ignore[assignment]
        min(size, files.lines // part) for size, part in zip(found.check_sizes, (5, 1), strict=True)
    )
    seconds = []
    for size in (small, large):
        path = files.array.with_name(f"{size}.json")
        with files.valid[0].open("rb") as lines:
            rows = [line.rstrip(b"\n") for _, line in zip(range(size), lines, strict=False)]
        path.write_bytes(b"[" + b",\n".join(rows) + b"]")
        command = [sys.executable, "-m", "check_jsonschema", "--schemafile", str(files.array)]
        runs = [_run(OURS[0], [[*command, str(path)]], files.schema.parent) for _ in range(2)]
        if any(b"ok -- validation done" not in told[0] for _, _, told, _ in runs):
            found.problems.append("check-jsonschema: refuses valid documents")
        seconds.append(min(cpu_s for _, cpu_s, *_ in runs))
    # Of few documents the start is all that is seen.
    found.check_per_s = (large - small) / max(seconds[1] - seconds[0], 1e-3)


def _measure_memory(files: Files, found: Validated) -> None:
    """Sample the resident memory of all processes of our command, shared pages in each."""
    if not Path("/proc/self/statm").exists():
        return
    cases = itertools.product(OURS, ("valid", "invalid"), (1, 2))
    for contestant, file, jobs in cases:
        process = subprocess.Popen(
            contestant.argv(files.schema, getattr(files, file)[0], jobs),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=contestant.environment,
            cwd=files.schema.parent,
            start_new_session=True,
        )
        peak, done = [0.0], threading.Event()
        sampler = threading.Thread(target=_sample, args=(process.pid, peak, done))
        sampler.start()
        process.wait()
        done.set()
        sampler.join()
        found.peak_mib[contestant.key, file, jobs] = peak[0] / _MIB


def _sample(session: int, peak: list[float], done: threading.Event) -> None:
    page = os.sysconf("SC_PAGESIZE")
    while not done.wait(_SAMPLE_S):
        peak[0] = max(peak[0], sum(_resident(session)) * page)


def _resident(session: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.getsid(int(entry.name)) == session:
                yield int((entry / "statm").read_text().split()[1])
        except (OSError, IndexError):  # it has just ended
            continue


def _measure_start(folder: Path, found: Validated, rounds: int) -> None:
    """Time the command on one small invalid document, until it has ended."""
    (folder / "small.json").write_text('{"kind": "text"}', encoding="utf-8")
    argv = [*_PARTWIRE, "validate", *_TYPE, "small.json"]
    for _, contestant in itertools.product(range(rounds), OURS):
        wall_s, _, told, _ = _run(contestant, [argv], folder)
        found.start_s.setdefault(contestant.key, []).append(wall_s)
        if b"[shape/" not in told[0]:
            found.problems.append(f"{contestant.label}: no finding in an invalid document")
