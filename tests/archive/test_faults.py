"""Lines that are broken, disks that are full, processes that die: nothing is lost unsaid."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.archive.operations import Assemble
from partwire.archive.outputs import best_compression
from partwire.archive.pool import Work, run_tasks
from partwire.archive.readers import read_table, tables
from partwire.archive.run import ArchiveRun, Summary
from partwire.archive.streams.exact import OnUnknown
from partwire.archive.streams.spill import Spilled
from partwire.errors import UsageError
from tests.archive.disks import small_disk
from tests.archive.driver import begin, end, end_by, environment, workers_of
from tests.archive.made import Rows, assembled, expected, lines_of, make, run, stream, write
from tests.archive.model import Line, Truth, message_of, truth_of
from tests.patience import until

# --- lines ----------------------------------------------------------------------------------------


def _outcome(source: Path, target: Path, summary: Summary) -> Truth:
    """Return what has become of all lines, as the run and its tables say."""
    places = {str(path): number for number, path in enumerate(sorted(source.iterdir()))}
    rows = [json.loads(row) for row in read_table(target, "quarantine")]
    quarantine = {(places[row["source"]], row["line"]) for row in rows}
    assert len(rows) == len(quarantine) == summary.totals.quarantined
    messages = Counter(map(message_of, read_table(target, "messages")))
    assert messages.total() == summary.totals.made
    totals = summary.totals
    return Truth(
        messages, quarantine, totals.lines, totals.blank, totals.used, repeats=totals.repeats
    )


@settings(max_examples=10)
@given(
    seed=st.integers(0, 10_000),
    streams=st.integers(1, 60),
    files=st.integers(1, 4),
    task_bytes=st.sampled_from([500, 4096, 1 << 20]),
    memory=st.sampled_from([1, 256 << 20]),
    on_unknown=st.sampled_from(["refuse", "tolerate", "drop"]),
)
def test_each_line_counts_once_whatever_tasks_files_and_memory(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    streams: int,
    files: int,
    task_bytes: int,
    memory: int,
    on_unknown: OnUnknown,
) -> None:
    base = tmp_path_factory.mktemp("law")
    source = write(base / "source", make(seed, streams), files)
    options = {"task_bytes": task_bytes, "memory": memory, "on_unknown": on_unknown}
    summary = run(source, base / "out", **options)
    assert assembled(base / "out") == expected(source, base, on_unknown)
    truth = truth_of((Line(*row) for row in lines_of(source)), on_unknown)
    assert _outcome(source, base / "out", summary) == truth
    assert truth.lines == truth.blank + truth.used + len(truth.quarantine) + truth.repeats


@pytest.mark.parametrize("task_bytes", [3000, 1 << 20])
def test_memory_that_is_next_to_none(
    tmp_path: Path, task_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Segments of some lines, all streams odd, sorted files of sorted files.
    monkeypatch.setattr("partwire.archive.streams.sorting._MOST_FILES", 3)
    monkeypatch.setattr("partwire.archive.streams.fold._LEAST_DUE", 1)
    monkeypatch.setattr("partwire.archive.run._LEAST_BYTES", 3000)
    source = write(tmp_path / "source", make(50, 150))
    run(source, tmp_path / "out", task_bytes=task_bytes, memory=1)
    assert assembled(tmp_path / "out") == expected(source, tmp_path)


_GOOD = stream("good", "good", ["a", "b"])


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        (b'{"kind":"text","runId":"run-', "document/invalid-json"),
        (b"\xff\xfe{}", "document/invalid-utf8"),
        (b'{"kind":"text","runId":"r","seq":1,"payload":{"textDelta":"\xff"}}', None),
        (b'{"kind":"text","seq":1,"payload":{"textDelta":"x"}}', None),
        (b'{"kind":"text","runId":"","seq":1,"payload":{"textDelta":"x"}}', None),
        (b"[" * 5000, None),
        (b"\0" * 100, None),
        (_GOOD[0] + _GOOD[1], None),
    ],
)
def test_line_that_cannot_be_used_is_put_aside(
    tmp_path: Path, line: bytes, rule: str | None
) -> None:
    source = write(tmp_path / "source", [*_GOOD[:2], line, *_GOOD[2:]], files=1)
    summary = run(source, tmp_path / "out")
    assert (summary.totals.made, summary.totals.quarantined) == (1, 1)
    (row,) = map(json.loads, read_table(tmp_path / "out", "quarantine"))
    assert (row["source"], row["line"]) == (str(source / "000.jsonl"), 3)
    assert rule in (None, row["rule"])
    kept = row["text"].encode() if "text" in row else base64.b64decode(row["base64"])
    assert kept == line


@pytest.mark.parametrize("ending", ["done", "error"])
@pytest.mark.parametrize("harm", [(b'"payload"', b'"payLoad"'), (b'"kind": "', b'"kind": "x-')])
def test_line_behind_the_end_that_is_broken_refuses_no_other(
    tmp_path: Path, ending: str, harm: tuple[bytes, bytes]
) -> None:
    lines = stream("r", "m", ["a"], ending)
    last, late = lines[-1], lines[1].replace(b'"seq": 2', b'"seq": 9')
    source = write(tmp_path / "source", [*lines, last.replace(*harm), last, late], files=1)
    totals = run(source, tmp_path / "out").totals
    assert (totals.made, totals.used, totals.repeats, totals.quarantined) == (1, 3, 1, 2)
    broken, behind = map(json.loads, read_table(tmp_path / "out", "quarantine"))
    assert (broken["line"], broken["rule"].partition("/")[0]) == (4, "shape")
    assert (behind["line"], behind["rule"]) == (6, "stream/after-terminal")
    (message,) = map(message_of, read_table(tmp_path / "out", "messages"))
    assert message[2:] == ("a", {"done": "stop"}.get(ending, ending))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read in /proc")
@pytest.mark.parametrize(
    ("size", "limit"),
    [
        pytest.param(24 << 20, 1 << 20, id="24MB"),
        pytest.param(1 << 30, 64 << 20, id="1GB", marks=pytest.mark.slow),
    ],
)
def test_line_that_is_too_long(tmp_path: Path, size: int, limit: int) -> None:
    source = tmp_path / "a.jsonl"
    with source.open("wb") as file:
        file.write(b"".join(line + b"\n" for line in _GOOD[:2]))
        file.write(b'{"kind":"text"')
        file.seek(size, os.SEEK_CUR)  # zeros that take no place on the disk
        file.write(b"}\n" + b"".join(line + b"\n" for line in _GOOD[2:]))
    code = f"""if True:
        import sys
        from partwire.archive.operations import Assemble
        from partwire.archive.run import ArchiveRun
        ArchiveRun(Assemble(max_line_bytes={limit}), [sys.argv[1]], sys.argv[2], jobs=1).go()
        status = open("/proc/self/status").read()
        print(status.partition("VmHWM:")[2].split()[0])
    """
    command = [sys.executable, "-c", code, str(source), str(tmp_path / "out")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    peak = int(done.stdout) << 10
    assert peak < (80 << 20) + 2 * limit
    summary = tables(tmp_path / "out")
    assert (summary["messages"].rows, summary["quarantine"].rows) == (1, 1)
    (row,) = map(json.loads, read_table(tmp_path / "out", "quarantine"))
    assert (row["rule"], row["line"]) == ("framing/line-too-long", 3)
    assert row["length"] == size + 16


@pytest.mark.parametrize("name", ["_MOST_HELD", "_MOST_HELD_BYTES"])
def test_stream_out_of_order_that_is_not_held_at_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"partwire.archive.streams.exact.{name}", 3)
    lines = stream("r", "m", list("abcdef"))
    source = write(tmp_path / "source", lines[::-1], files=1)
    totals = run(source, tmp_path / "out").totals
    assert (totals.made, totals.used) == (1, len(lines))
    (message,) = map(message_of, read_table(tmp_path / "out", "messages"))
    assert message[2:] == ("abcdef", "stop")


def test_lines_that_were_given_on_and_not_taken_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "source", make(44, 40))
    with monkeypatch.context() as patch:
        patch.setattr(Spilled, "_all", lambda _self: iter(()))
        with pytest.raises(UsageError) as caught:
            run(source, tmp_path / "out")
    assert caught.value.rule == "archive/lines-lost"


# --- disks ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rows]:
    """An archive, and what has to come of it."""
    base = tmp_path_factory.mktemp("faults")
    source = write(base / "source", make(40, 400))
    return source, expected(source, base)


def _fill(folder: Path, left: int) -> Path:
    status = os.statvfs(folder)
    file = folder / "ballast"
    file.write_bytes(bytes(status.f_bavail * status.f_frsize - left))
    return file


@pytest.mark.parametrize(
    ("full", "left", "jobs"),
    [(full, left, 1) for full in ("work", "target", "both") for left in (0, 40_000, 150_000)]
    + [("both", 100_000, 2)],
)
def test_disk_without_space(
    archive: tuple[Path, Rows], tmp_path: Path, full: str, left: int, jobs: int
) -> None:
    source, want = archive
    disk, other = tmp_path / "disk", tmp_path / "other"
    target = (other if full == "work" else disk) / "out"
    work = {"work": disk / "work", "target": other / "work", "both": None}[full]
    with small_disk(disk, 8 << 20):
        ballast = _fill(disk, left)
        with pytest.raises(UsageError) as caught:
            run(source, target, work=work, jobs=jobs)
        assert caught.value.rule == "usage/unwritable-output"
        assert "No space left on device" in str(caught.value)
        ballast.unlink()
        run(source, target, work=work, jobs=jobs)
        assert assembled(target) == want
        left_over = [str(path) for path in disk.rglob("*") if path.name.startswith((".", "work-"))]
        assert left_over == []


def test_disk_without_room_for_one_more_file(tmp_path: Path) -> None:
    source = write(tmp_path / "source", make(42, 30), files=1)
    want = expected(source, tmp_path)
    disk, target = tmp_path / "disk", tmp_path / "disk" / "out"
    options = {"task_bytes": 40 << 10}
    missing: list[str] = []  # which file it was, with each more that there is room for
    is_done = False
    while not is_done:
        with small_disk(disk, 8 << 20, files=2 + len(missing)):
            try:
                run(source, target, **options)
                is_done = True
            except UsageError as error:
                missing.append(str(error))
                subprocess.run(["mount", "-o", "remount,nr_inodes=1000", disk], check=True)
                run(source, target, **options)
            assert assembled(target) == want
        disk.rmdir()
    assert all("No space left on device" in said for said in missing)
    assert all("[usage/unwritable-output]" in said for said in missing)
    for each in ("/plan.json", ".streams", ".spill", "/split-", "/messages-", "/summary.json"):
        assert any(each in said for said in missing), (each, missing)


@pytest.mark.skipif(sys.platform != "linux", reason="names are looked for in /proc")
def test_lines_that_are_given_on_last_as_long_as_what_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def sync(file: int) -> None:
        synced.append(Path(f"/proc/self/fd/{file}").readlink().name)

    monkeypatch.setattr(os, "fsync", sync)
    run(write(tmp_path / "source", make(43, 40)), tmp_path / "out")
    kept = (tmp_path / "out" / "_partwire").glob("split-*/*.json")
    spilled = {json.loads(path.read_bytes())["spill"] for path in kept} - {None}
    assert spilled
    assert spilled <= set(synced)


@pytest.mark.parametrize("compress", ["none", "gzip", "zstd"])
def test_file_that_is_too_large_for_the_disk(tmp_path: Path, compress: str) -> None:
    source = write(tmp_path / "source", make(41, 300, faults=False), files=1)
    # With the limit of one process on the size of its files, which needs no rights.
    code = f"""if True:
        import resource, sys
        from partwire.archive.operations import Assemble
        from partwire.archive.run import ArchiveRun
        from partwire.errors import UsageError
        run = ArchiveRun(Assemble(compress={compress!r}), [sys.argv[1]], sys.argv[2], jobs=1)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.RLIM_INFINITY))
        try:
            run.go()
        except UsageError as error:
            print(error.rule)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        print(run.go().totals.made)
    """
    command = [sys.executable, "-c", code, str(source), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert (done.stdout.split(), done.stderr) == (["usage/unwritable-output", "300"], "")


# --- processes ------------------------------------------------------------------------------------


# At the top of the module: where an object store was used, processes are not forked.


def _dies_at_two(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_worker_that_dies_each_time_stops_the_run() -> None:
    done: list[tuple[int, int]] = []
    with pytest.raises(UsageError) as caught:
        done.extend(run_tasks(_dies_at_two, range(4), 2))
    assert caught.value.rule == "archive/worker-died"
    assert caught.value.findings[0].actual == "signal 9"
    assert (2, 2) not in done


def _dies_once(folder: Path, number: int) -> int:
    mark = folder / f"{number}"
    if not mark.exists():
        mark.touch()
        os._exit(3)
    return number


def test_worker_that_dies_once_is_replaced(tmp_path: Path) -> None:
    done = run_tasks(partial(_dies_once, tmp_path), range(5), 2)
    assert sorted(done) == [(at, at) for at in range(5)]


class _Odd(Exception):
    def __init__(self, one: int, two: int) -> None:  # cannot be unpickled
        super().__init__(one)


def _plainly(_number: int) -> int:
    raise ValueError("mine")


def _oddly(_number: int) -> int:
    raise _Odd(1, 2)


@pytest.mark.parametrize("work", [_plainly, _oddly])
def test_error_of_a_worker_says_where_it_was(work: Work) -> None:
    with pytest.raises(Exception) as caught:
        list(run_tasks(work, range(3), 2))
    said = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert f"in {work.__name__}" in said


_CGROUP = Path("/sys/fs/cgroup")


@contextmanager
def _little_memory(size: int) -> Iterator[Path]:
    """Give the file of a group that may take so much memory: who is written there is in it."""
    base = _CGROUP / "memory" if (_CGROUP / "memory").is_dir() else _CGROUP
    group = base / f"partwire-{os.getpid()}"
    try:
        group.mkdir()
        name = "memory.limit_in_bytes" if base != _CGROUP else "memory.max"
        (group / name).write_text(str(size))
    except OSError as error:
        if group.is_dir():
            group.rmdir()
        pytest.skip(f"no right to limit memory: {error}")
    try:
        yield group / "cgroup.procs"
    finally:
        until(lambda: not (group / "cgroup.procs").read_text().strip(), "an empty group")
        group.rmdir()


def _greedy(group: Path, number: int) -> int:
    if number == 1:
        group.write_text(str(os.getpid()))
        return len(os.urandom(1 << 20) * 512)
    return number


def test_worker_that_is_out_of_memory() -> None:
    with _little_memory(64 << 20) as group, pytest.raises(UsageError) as caught:
        list(run_tasks(partial(_greedy, group), range(3), 2))
    assert caught.value.rule == "archive/worker-died"
    assert caught.value.findings[0].actual == "signal 9"


# --- readers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", ["zstd", "gzip", "none"])
def test_tables_are_the_same_however_compressed(
    archive: tuple[Path, Rows], tmp_path: Path, compress: str
) -> None:
    source, want = archive
    options = Assemble(compress=compress)  # type: ignore[arg-type]
    found = ArchiveRun(options, [str(source)], tmp_path / "out", jobs=1).go()
    assert assembled(tmp_path / "out") == want
    suffix = {"zstd": ".zst", "gzip": ".gz", "none": ".jsonl"}[compress]
    assert all(name.endswith(suffix) for name in found.tables["messages"].files)
    for table in found.tables.values():
        files = [tmp_path / "out" / name for name in table.files]
        assert sum(file.stat().st_size for file in files) == table.stored
    texts = list(read_table(tmp_path / "out", "messages"))
    assert sum(len(text) + 1 for text in texts) == found.tables["messages"].size


@pytest.mark.parametrize("compress", ["zstd", "gzip", "none"])
@pytest.mark.parametrize("module", ["duckdb", "polars"])
def test_tables_are_read_by_others(
    archive: tuple[Path, Rows], tmp_path: Path, compress: str, module: str
) -> None:
    reader = pytest.importorskip(module, reason=f"no {module}")
    source, want = archive
    options = Assemble(compress=compress)  # type: ignore[arg-type]
    found = ArchiveRun(options, [str(source)], tmp_path / "out", jobs=1).go()
    files = [str(tmp_path / "out" / name) for name in found.tables["messages"].files]
    if module == "duckdb":
        rows = reader.sql(f"SELECT count(*) FROM read_json({files}, format = 'nd')").fetchall()
        count = rows[0][0]
    else:
        count = len(reader.scan_ndjson(files, infer_schema_length=None).collect())
    assert count == want.messages.total()


def test_best_compression_is_one_that_can_be_had() -> None:
    assert best_compression() in ("zstd", "none")


@pytest.mark.parametrize("what", ["nothing", "a run that has not ended"])
def test_results_that_are_not_whole_are_not_read(
    archive: tuple[Path, Rows], tmp_path: Path, what: str
) -> None:
    if what != "nothing":
        run(archive[0], tmp_path / "out")
        (tmp_path / "out/_partwire/summary.json").unlink()
    with pytest.raises(UsageError) as caught:
        list(read_table(tmp_path / "out", "messages"))
    assert caught.value.rule == "archive/not-ended"


def test_worker_that_is_killed_leaves_no_trace(archive: tuple[Path, Rows], tmp_path: Path) -> None:
    source, want = archive
    first = begin(source, tmp_path / "out", task_bytes=16 << 10)
    for pid in workers_of(first):
        end_by(pid)
    assert end(first) == (0, "")
    assert assembled(tmp_path / "out") == want
