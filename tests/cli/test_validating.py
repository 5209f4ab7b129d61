"""How validate gets through files in any number of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from partwire.cli.files import validation as validating
from partwire.cli.files import workers
from partwire.cli.files.validation import Task, jobs_for
from partwire.cli.files.workers import PipeEnd
from partwire.files import inputs
from partwire.files.inputs import Source
from tests.cli.runner import STREAM, USER, lines, run
from tests.reading.test_verdict import HOSTILE

DELTA = "message.MessageDelta"
VERSION = "v0.2"
VALIDATE = ("validate", "--type", DELTA)
BOM = b"\xef\xbb\xbf"
FORK = sys.platform == "linux"
PYTHON_PATH = str(Path(__file__).parents[2] / "python")

pytestmark = [
    pytest.mark.usefixtures("empty_folder"),
    # Newer Pythons warn of a fork beside threads, such as those of a distributed test run.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


# --- processes ------------------------------------------------------------------------------------


@pytest.fixture
def small_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut files into many tasks: forked workers take over what is patched."""
    if not FORK:
        pytest.skip("a worker that is not forked does not see what is patched")
    monkeypatch.setattr(workers, "_can_fork", lambda: True)
    monkeypatch.setattr(validating, "SPAN_BYTES", 700)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Good, bad, empty, missing and unreadable ones, and stdin."""
    good = lines(STREAM)
    bad = b"".join(line + b"\r\n" for line in HOSTILE.values())
    (tmp_path / "good.jsonl").write_bytes(BOM + good * 9)
    (tmp_path / "bad.jsonl").write_bytes((good + bad + b"\n \n") * 5 + b'{"kind":1}')
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "blank.ndjson").write_bytes(b"\n" * 5000)
    (tmp_path / "one.json").write_text(json.dumps(USER, indent=1))
    (tmp_path / "sniffed").write_bytes(good * 20 + b"{\n")
    (tmp_path / "folder.jsonl").mkdir()
    names = ["bad.jsonl", "good.jsonl", "missing.jsonl", "-", "empty.jsonl", "folder.jsonl"]
    return [*names, "one.json", "blank.ndjson", "sniffed", "*.jsonl", "bad.jsonl"]


@pytest.mark.usefixtures("small_spans")
@pytest.mark.parametrize("output_format", ["text", "json", "github"])
def test_any_number_of_processes_prints_the_same(files: list[str], output_format: str) -> None:
    stdin = lines(STREAM) + b"{}\n" + lines(STREAM)
    args = (*VALIDATE, "--max-shown", "0", "--format", output_format)
    one, *others = [run(*args, "-j", jobs, *files, stdin=stdin) for jobs in "1235"]
    assert one.exit_code == 2
    assert "missing.jsonl" in one.stderr
    assert "<stdin>" in one.stdout
    assert one.stdout.count("bad.jsonl") > 300
    for other in others:
        assert (other.stdout, other.stderr, other.exit_code) == (one.stdout, one.stderr, 2)


@pytest.mark.usefixtures("small_spans")
def test_a_line_beyond_the_limit_ends_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "document_bytes", lambda: 2_000)
    good = lines(STREAM)
    (tmp_path / "long.jsonl").write_bytes(good * 2 + b"{}\n" + b"1" * 5_000 + b"\n" + good * 9)
    (tmp_path / "next.jsonl").write_bytes(b"{}\n" * 800)
    one, two = [run(*VALIDATE, "-j", jobs, "long.jsonl", "next.jsonl") for jobs in "12"]
    assert one.stderr.startswith("long.jsonl:20: The line is longer")
    assert "819 documents in 2 sources: 801 errors, 1 unreadable source" in one.stderr
    assert (two.stdout, two.stderr, two.exit_code) == (one.stdout, one.stderr, one.exit_code)


@pytest.mark.usefixtures("small_spans")
def test_many_findings_of_one_task_come_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_MOST_FINDINGS", 7)
    monkeypatch.setattr(inputs, "CHUNK_BYTES", 20)
    (tmp_path / "x.jsonl").write_bytes(b"1\n" * 3_000)
    report = json.loads(run(*VALIDATE, "-j", "2", "--format", "json", "x.jsonl").stdout)
    assert [each["line"] for each in report["findings"]] == list(range(1, 3_001))


def dying(after: int, end: Callable[[], object]) -> Callable[..., None]:
    """Return the work of a process that ends after so many outcomes."""
    told_by = workers.work

    def work(results: Any, tasks: list[Task], inherited: Any) -> None:
        told_by(results, tasks[:after], inherited)
        end()

    return work


@pytest.mark.usefixtures("small_spans")
@pytest.mark.parametrize(
    ("end", "why"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "signal 9"),
        (lambda: os._exit(3), "exit status 3"),
    ],
    ids=["killed", "ended"],
)
@pytest.mark.parametrize("output_format", ["text", "json"])
def test_a_worker_that_dies_is_told_and_loses_no_other_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: Callable[[], object],
    why: str,
    output_format: str,
) -> None:
    bad = b"{}\n" * 100
    (tmp_path / "a.jsonl").write_bytes(bad)
    (tmp_path / "b.jsonl").write_bytes(bad * 40)
    monkeypatch.setattr(workers, "work", dying(3, end))
    args = (*VALIDATE, "-j", "2", "--format", output_format)
    result = run(*args, "a.jsonl", "b.jsonl", "a.jsonl")
    assert result.exit_code == 2
    assert f"has died ({why})" in result.stderr
    assert "Traceback" not in result.output
    if output_format == "json":
        report = json.loads(result.stdout)
        found = [(each["source"], each["line"]) for each in report["findings"]]
        assert found[:100] == [("a.jsonl", line) for line in range(1, 101)]
        told_of_b = [line for name, line in found[100:] if name == "b.jsonl"]
        assert told_of_b == list(range(1, len(told_of_b) + 1))
        assert report["unreadable"] == 2  # b, and what the dead had of the second a
        assert not report["passed"]


@pytest.mark.usefixtures("small_spans")
def test_a_worker_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.jsonl").write_bytes(b"{}\n" * 4_000)

    def fail() -> None:
        monkeypatch.setattr(sys, "excepthook", lambda kind, *_: os.write(2, f"{kind}".encode()))
        raise OverflowError

    monkeypatch.setattr(workers, "work", dying(3, fail))
    result = run(*VALIDATE, "-j", "3", "b.jsonl")
    assert result.exit_code == 2
    assert "has died (exit status 1)" in result.stderr
    assert capfd.readouterr().err.count("OverflowError") == 2


def test_what_is_cut_off_is_the_end() -> None:
    reader, writer = os.pipe()
    results, sender = PipeEnd(reader, reads=True), PipeEnd(writer, reads=False)
    values = [("x" * 70_000, 1), None]
    thread = threading.Thread(target=lambda: [*map(sender.send, values)])
    thread.start()
    assert [results.recv(), results.recv()] == values
    thread.join()
    os.write(writer, b"\5\0\0\0\0\0\0\0ab")
    sender.close()
    with pytest.raises(EOFError):
        results.recv()
    results.close()
    results.close()


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines(STREAM) * 3_000)
    result = run(*VALIDATE, "-j", "3", "x.jsonl", "x.jsonl", "x.jsonl")
    assert (result.exit_code, result.stderr) == (0, "81,000 documents in 3 sources: valid\n")
    from multiprocessing import active_children  # noqa: PLC0415

    assert active_children() == []


def test_workers_that_are_spawned_do_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_can_fork", lambda: False)
    monkeypatch.setenv("PYTHONPATH", PYTHON_PATH)
    (tmp_path / "x.jsonl").write_bytes((lines(STREAM) + b"{}\n") * 1_000)
    words = (*VALIDATE, "--max-shown", "0")
    one, two = [run(*words, "-j", jobs, "x.jsonl", "x.jsonl") for jobs in "12"]
    assert two.stdout.count("shape/required") == 2_000
    assert (two.stdout, two.stderr, two.exit_code) == (one.stdout, one.stderr, 1)


def test_beside_threads_nothing_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(workers._can_fork).result() is False
    monkeypatch.setattr(threading, "active_count", lambda: 1)  # other tests have threads, too
    assert workers._can_fork() is FORK


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_takes_the_workers_along(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"{}\n" * 400_000)
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from partwire.cli import main; main()"
    )
    args = (*VALIDATE, "-j", "2", "-", "x.jsonl", "x.jsonl")
    with subprocess.Popen(
        [sys.executable, "-c", script, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PYTHON_PATH},
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert b"shape/required" in process.stdout.readline()  # the workers have begun
        process.send_signal(number)
        _, stderr = process.communicate(timeout=120)
    if number == signal.SIGINT:
        assert (process.returncode, stderr.strip()) == (130, b"Aborted!")
    assert_gone(process.pid)


def assert_gone(group: int) -> None:
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a worker lives on")


def test_a_worker_whose_listener_has_gone_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b"{}\n" * 100)
    before = signal.getsignal(signal.SIGINT)
    try:
        ends: tuple[Any, Any] = Pipe(duplex=False)
        reader, writer = ends
        task = Task("x.jsonl", DELTA, VERSION)
        workers.work(writer, [task], [])
        outcome, is_last = reader.recv()
        assert (outcome.documents, len(outcome.findings), is_last) == (100, 100, True)
        reader.close()
        workers.work(writer, [task], [])
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# --- how many processes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "cores", "jobs"),
    [
        ([1 << 10], 8, 1),
        ([31 << 20], 8, 1),
        ([64 << 20], 8, 2),
        ([64 << 20], 1, 1),
        ([1 << 40], 8, 8),
        ([1 << 40], 256, 8),
        ([3_000] * 2_000, 8, 1),
        ([3_000] * 20_000, 8, 6),
        ([], 8, 1),
    ],
)
def test_processes_are_as_many_as_have_enough_to_do(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], cores: int, jobs: int
) -> None:
    monkeypatch.setattr(validating, "_cores", lambda: cores)
    left = iter(sizes)
    monkeypatch.setattr(Source, "size_bytes", lambda _source: next(left))
    assert jobs_for([Source("x")] * len(sizes)) == jobs


def test_the_number_of_cores_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert jobs_for([Source("-")]) == 1
    assert validating._cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert validating._cores() >= 1


@pytest.mark.parametrize("jobs", ["0", "-1", "x"])
def test_a_number_of_processes_is_positive(jobs: str) -> None:
    assert run(*VALIDATE, "-j", jobs, "x.jsonl").exit_code == 2


def test_the_environment_may_name_the_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.jsonl").write_bytes(lines(STREAM))
    asked: list[int] = []
    monkeypatch.setattr(
        "partwire.cli.commands.validate.validate_sources",
        lambda _sources, _asked_of, _report, jobs: asked.append(jobs),
    )
    monkeypatch.setenv("PARTWIRE_JOBS", "5")
    run(*VALIDATE, "x.jsonl")
    monkeypatch.delenv("PARTWIRE_JOBS")
    run(*VALIDATE, "x.jsonl")
    assert asked == [5, 1]
