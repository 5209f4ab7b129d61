"""Made archives: what is written is what the truth says, and scripts are held against it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard

from bench import report, targets
from bench.archive import (
    FAULTS,
    HARMLESS,
    Options,
    Truth,
    make_archive,
    outcome_of,
    rows,
    scaled,
)
from bench.archive.contestants import CONTESTANTS, Contestant
from bench.archive.planned import PlannedRow
from bench.archive.run import run_measured
from bench.archive.scaled import simulated
from bench.measure import Settings
from bench.results import Results
from bench.targets import judge
from tests.fixture_cases import ROOT

PEERS = ROOT / "bench" / "archive" / "peers"
MANY = dict.fromkeys(HARMLESS, 0.1)


def lines_of(folder: Path, truth: Truth) -> list[bytes]:
    text = b""
    for name in truth.files:
        data = (folder / name).read_bytes()
        if name.endswith(".gz"):
            data = gzip.decompress(data)
        elif name.endswith(".zst"):
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        text += data
    assert len(text) == truth.size
    assert not text.endswith(b"\n") or text.endswith(b"\n\n")
    return text.removesuffix(b"\n").split(b"\n")


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_each_line_of_an_archive_is_counted(fault: str, tmp_path: Path) -> None:
    faults = {fault: 1.0} if fault else {}
    options = Options(faults=faults, blank=0.01, garbage=0.01, keeps_messages=True)
    truth = make_archive(tmp_path, 2_000, 1, options)
    lines = lines_of(tmp_path, truth)
    assert len(lines) == truth.lines
    assert sum(not line.strip() for line in lines) == truth.blank > 0
    taken = truth.in_messages + truth.quarantined + truth.repeats
    assert taken + truth.blank == truth.lines
    assert list(truth.streams) == [fault]
    assert truth.messages == (0 if fault == "headless" else truth.streams[fault])
    made = outcome_of([tmp_path / "expected.jsonl"])
    assert made == (truth.messages, truth.digest)
    assert json.loads((tmp_path / "truth.json").read_bytes())["digest"] == truth.digest


MARKS = {"wrong": b'"textDelta":5', "bad_utf8": b"\xff\xfe", "unknown": b'"kind":"heartbeat"'}


@pytest.mark.parametrize("fault", FAULTS)
def test_lines_that_are_in_no_message_are_those_that_the_law_names(
    fault: str, tmp_path: Path
) -> None:
    truth = make_archive(tmp_path, 2_000, 1, Options(faults={fault: 1.0}, blank=0, garbage=0))
    lines = lines_of(tmp_path, truth)
    assert truth.repeats == len(lines) - len(set(lines))
    streams: dict[bytes, list[bytes]] = {}
    for line in lines:
        # Each line has its run, and all runs but the agents' have one message.
        names = line.partition(b'"runId":')[2].partition(b'"seq"')[0].partition(b',"turnId"')[0]
        streams.setdefault(names, []).append(line)
    if fault in MARKS:
        due = sum(
            len(each) - next(at for at, line in enumerate(each) if MARKS[fault] in line)
            for each in streams.values()
        )
    elif fault == "headless":
        due = len(lines)
    else:
        due = 0 if fault in HARMLESS else truth.streams[fault]
    assert truth.quarantined == due


def test_an_archive_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    options = Options(files=3, compressions=("", "gz", "zst"))
    made = []
    for number, seed in enumerate((1, 1, 2)):
        folder = tmp_path / str(number)
        truth = make_archive(folder, 3_000, seed, options)
        assert [Path(name).suffix for name in truth.files] == [".jsonl", ".gz", ".zst"]
        made.append([(folder / name).read_bytes() for name in truth.files])
    assert made[0] == made[1] != made[2]


def test_all_lines_may_be_in_any_order(tmp_path: Path) -> None:
    found = []
    for shuffled in (False, True):
        folder = tmp_path / str(shuffled)
        truth = make_archive(folder, 3_000, 1, Options(faults=MANY, shuffled=shuffled))
        found.append((truth, lines_of(folder, truth)))
    (ordered, before), (shuffled_truth, after) = found
    assert Counter(before) == Counter(after)
    places = {line: at for at, line in enumerate(before)}
    ascents = sum(places[one] < places[other] for one, other in pairwise(after))
    assert 0.4 < ascents / len(after) < 0.6
    assert shuffled_truth == ordered


def test_one_run_may_have_a_third_of_all_streams(tmp_path: Path) -> None:
    truth = make_archive(tmp_path, 20_000, 1, Options(hot=0.3, faults={}, garbage=0))
    runs = Counter(json.loads(line)["runId"] for line in lines_of(tmp_path, truth) if line.strip())
    assert 0.2 < max(runs.values()) / truth.lines < 0.4


@pytest.mark.parametrize("name", [each.key for each in CONTESTANTS if each.is_peer])
def test_scripts_make_the_messages_that_are_due(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (contestant,) = [each for each in CONTESTANTS if each.key == name]
    pytest.importorskip(contestant.module)
    monkeypatch.syspath_prepend(PEERS)
    spec = importlib.util.spec_from_file_location(name, PEERS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    truth = make_archive(tmp_path, 5_000, 1, Options(faults=MANY, garbage=0, blank=0.01))
    made = tmp_path / "made.jsonl"
    script.main(str(made), [str(tmp_path / name) for name in truth.files])
    assert outcome_of([made]) == (truth.messages, truth.digest)


def test_all_processes_of_a_program_are_measured() -> None:
    child = "held = b'x' * (60 << 20); import time; time.sleep(0.3); sum(range(10**6))"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    found = run_measured([sys.executable, "-c", program], {}, 60)
    assert not found.problem
    assert found.cpu_s > 0
    if Path("/proc/self/smaps_rollup").exists():
        assert found.peak_mib is not None
        assert 60 < found.peak_mib < 200


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and a parent of orphans")
def test_what_outlives_a_program_counts_too(tmp_path: Path) -> None:
    # As a Java machine does that a program has started.
    child = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}])"
    write = f"import pathlib; pathlib.Path({str(tmp_path / 'made')!r}).write_bytes(bytes(5000))"
    found = run_measured([sys.executable, "-c", f"{start}; {write}"], {}, 60, tmp_path)
    assert not found.problem
    assert found.cpu_s > 0.3
    assert found.disk == 5000


@pytest.mark.parametrize(
    ("steps", "processes", "seconds"),
    [
        ([], 4, 1.0),
        ([[3.0, 1.0, 2.0]], 1, 7.0),
        ([[3.0, 1.0, 2.0]], 2, 4.0),  # 3 beside 1 and 2
        ([[1.0, 1.0, 3.0]], 2, 5.0),  # in their order: the long one comes last
        ([[2.0, 2.0], [4.0]], 8, 7.0),  # no step begins before the one before has ended
    ],
)
def test_more_processes_are_simulated(
    steps: list[list[float]], processes: int, seconds: float
) -> None:
    assert simulated(steps, 1.0, processes) == seconds


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_a_process_that_nobody_waits_for_is_measured() -> None:
    child = "import time; end = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
    program = f"""if True:
        import os, signal, subprocess, sys
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        subprocess.Popen([sys.executable, '-c', {child!r}]).wait()
    """
    assert run_measured([sys.executable, "-c", program], {}, 60).cpu_s > 0.4


@pytest.mark.parametrize(
    ("program", "most_s", "problem"),
    [
        ("raise SystemExit('no room')", 60, "exit status 1: no room"),
        ("import time; time.sleep(60)", 0.2, "not done after 0.2 s"),
    ],
)
def test_a_program_that_fails_is_no_figure(program: str, most_s: float, problem: str) -> None:
    assert run_measured([sys.executable, "-c", program], {}, most_s).problem == problem


def test_what_is_made_is_held_against_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor, *_, script = [each for each in CONTESTANTS if each.key in ("floor", "dict_of_bytes")]

    def cheat(out: Path, files: list[str]) -> list[str]:
        return script.argv(out, files[:1])

    def decoy(out: Path, files: list[str]) -> list[str]:
        return floor.argv(out, files[:1])

    tried = (
        floor,
        script,
        script._replace(key="cheat", label="a cheat", argv=cheat),
        script._replace(key="absent", label="an absent one", module="there_is_none"),
        script._replace(key="bare", label="one without its program", program="there-is-none"),
        Contestant("ours", "ours", decoy, way="plain", is_ours=True, makes="*"),
    )
    monkeypatch.setattr(rows, "CONTESTANTS", tried)
    monkeypatch.setattr(rows, "ROOT", tmp_path)
    made = rows.Found({}, [])
    rows.measure_archive([rows.Archive("tiny", 2_000)], 1, made)
    assert [row.key for row in made.rows] == ["floor", "dict_of_bytes"]
    assert made.rows[0].ratio == 1
    assert made.missing.keys() == {"an absent one", "one without its program", "a cheat, tiny"}
    assert made.missing["a cheat, tiny"].startswith("other messages: ")
    (problem,) = made.problems
    assert problem.startswith("archive, ours, tiny: other messages: 0 for ")
    assert not list((tmp_path / ".cache").iterdir())


def test_our_command_is_planned_and_its_tasks_are_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = [each for each in CONTESTANTS if each.key in ("floor", "plain, 1")]
    monkeypatch.setattr(rows, "CONTESTANTS", chosen)
    monkeypatch.setattr(rows, "ROOT", tmp_path)
    for module in (rows, scaled):
        monkeypatch.setattr(module, "WAYS", ("plain",))
    made = rows.Found({}, [])
    rows.measure_archive([rows.Archive("tiny", 2_000, is_scaled=True)], 1, made)
    assert (made.missing, made.problems) == ({}, [])
    assert [row.key for row in made.rows] == ["floor", "plain, 1"]
    planned = {row.what: row for row in made.planned}
    # All of a small archive is tried.
    assert planned["million lines"].ratio == 1
    assert planned["results, MiB"].ratio == 1
    assert planned["CPU s"].planned > 0
    times = [row.simulated_s for row in made.scaled]
    assert [row.processes for row in made.scaled] == [1, 2, 4, 8, 16, 32, 64]
    assert times == sorted(times, reverse=True)
    assert [row.measured_s for row in made.scaled] == [made.rows[1].wall_s, *[None] * 6]


def test_archives_are_judged_by_their_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "WAYS", ("native", "plain"))

    def row(key: str, what: str, cpu_s: float, peak: float, **more: object) -> rows.ArchiveRow:
        made = rows.ArchiveRow("mid", 2_000_000, key, what, None, 1, 1.0, cpu_s, cpu_s, 1.0, peak)
        return made._replace(**more)  # type: ignore[arg-type]

    found = [
        row("floor", "floor", 1, 30),
        row("plain, 1", "ours", 5, 100, way="plain"),
        row("plain, 1", "ours", 9, 400, way="plain", archive="mid, shuffled"),
        row("plain, 1", "ours", 9, 400, way="plain", lines=1_000, archive="small"),
        row("dict_of_lists", "a dict", 30, 3_000),
        row("spark", "Spark", 30, 900),
        row("spark", "Spark", 34, 900, lines=3_000_000, archive="large"),
    ]
    planned = [
        PlannedRow("mid", "plain", "CPU s", 4, 5, 0.8),
        PlannedRow("mid", "plain", "lines", 6, 5, 1.2),
        PlannedRow("small", "plain", "CPU s", 1, 5, 0.2),
    ]
    results = Results(Settings(), archive=found, archive_planned=planned)
    worst = {
        verdict.target.sentence: verdict.worst.value
        for verdict in judge(results)
        if verdict.worst is not None
    }
    assert worst == {
        "archive assemble, per line": 5,
        "archive assemble, peak memory of all processes": 100,
        "archive assemble, peak memory with all lines shuffled": 400,
        "archive plan, against the run, whichever is more": 1.25,
        "archive assemble on Spark, each further line": 4,
    }
    titles = [table.title for table in report.tables(results)]
    assert titles[:3] == ["Targets", "Archives: targets", "Archives"]
