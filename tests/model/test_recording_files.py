"""The file of a RecordingModel: whose it is, when it is written, and what a crash leaves."""

from __future__ import annotations

import io
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from partwire import PartwireError
from partwire.model import RecordingModel, ReplayModel
from tests.fixture_cases import ROOT
from tests.model.recordings import CALL, LONG, TEXT, Scripted, ask, outcome, refusal, rows
from tests.providers.provider_streams import fixed_clock


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    before = os.umask(0)
    try:
        RecordingModel(ReplayModel(TEXT), path).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    RecordingModel(ReplayModel(TEXT), path, overwrite=True).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_exists_stays_unless_it_may_go(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("precious\n")
    assert refusal(RecordingModel, ReplayModel(TEXT), path) == "usage/unwritable-output"
    assert path.read_text() == "precious\n"
    RecordingModel(ReplayModel(TEXT), path, overwrite=True).close()
    assert len(rows(path)) == 1


@pytest.mark.parametrize("file", [None, 5, io.StringIO(), [], object()])
def test_files_that_are_none_are_refused(file: Any) -> None:
    assert refusal(RecordingModel, ReplayModel(TEXT), file) == "usage/invalid-argument"


@pytest.mark.parametrize("option", ["clock", "seconds"])
def test_clocks_that_are_none_are_refused(option: str, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    wrong: dict[str, Any] = {option: "now"}
    assert refusal(RecordingModel, ReplayModel(TEXT), path, **wrong) == "usage/invalid-argument"
    assert not path.exists()


def test_paths_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "r.jsonl", "nul\0byte"):
        assert refusal(RecordingModel, ReplayModel(TEXT), path) == "usage/unwritable-output"
    assert refusal(RecordingModel, "no model", tmp_path / "r") == "usage/invalid-argument"


def test_a_binary_file_is_taken_and_stays_open(tmp_path: Path) -> None:
    out = io.BytesIO()
    with RecordingModel(ReplayModel(TEXT), out) as recording:
        ask(recording)
    path = tmp_path / "r.jsonl"
    path.write_bytes(out.getvalue())
    assert ask(ReplayModel(path)).parts


def test_a_line_that_cannot_be_written_ends_the_stream(tmp_path: Path) -> None:
    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            if self.tell() > 1000:
                raise OSError(28, "No space left on device")
            return super().write(data)

    inner = Scripted("a" * 500, "b" * 500, "c" * 500)
    recording = RecordingModel(inner, Full())
    assert refusal(ask, recording) == "usage/unwritable-output"
    assert inner.closed == 1
    with RecordingModel(ReplayModel(TEXT), tmp_path / "r.jsonl") as closed:
        pass
    assert refusal(ask, closed) == "usage/unwritable-output"


def test_a_file_that_takes_a_few_bytes_at_a_time_gets_all_of_them(tmp_path: Path) -> None:
    class Slow(io.BytesIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data[:7]))

    out = Slow()
    ask(RecordingModel(ReplayModel(TEXT), out))
    (tmp_path / "r.jsonl").write_bytes(out.getvalue())
    assert ask(ReplayModel(tmp_path / "r.jsonl")).parts


KILLED = """
import sys, anyio
from partwire.model import RecordingModel, ReplayModel
recording = RecordingModel(ReplayModel(sys.argv[1]), sys.argv[2])
async def main():
    count = 0
    async for delta in recording.stream([]):
        count += 1
        if count == 30:
            print("now", flush=True)
            await anyio.sleep_forever()
anyio.run(main)
"""


def test_what_a_killed_process_leaves_plays(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(LONG), str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"now\n"
        process.send_signal(signal.SIGKILL)
    assert len(rows(path)) >= 30
    error, partial, _ = outcome(ReplayModel(path))
    assert error.error_code == "truncated_stream"
    assert partial.parts[0].payload.text.startswith("The user wants")


def test_every_cut_of_a_file_plays_or_is_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    with RecordingModel(ReplayModel([TEXT, CALL], clock=fixed_clock), whole) as recording:
        ask(recording)
        ask(recording)
    data = whole.read_bytes()
    path = tmp_path / "cut.jsonl"
    header = data.index(b"\n")
    played = 0
    refused: set[tuple[str, int]] = set()
    for at in range(header + 1, len(data), 7):
        path.write_bytes(data[:at])
        try:
            model = ReplayModel(path)
        except PartwireError as error:
            refused.add((error.rule, data[:at].count(b"\n")))
        else:
            while model.remaining:
                outcome(model)
                played += 1
    assert played > 100
    assert refused == {("usage/invalid-argument", 1)}  # where no stream has begun
