"""What ``partwire migrate`` refuses: then every file stays as it was."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from partwire.cli.files.atomic import Draft
from tests.cli.runner import run
from tests.convert.migrate_runs import NEW, OLD, UP, files, write
from tests.convert.stored_texts import lifted, message, record, text_lines

pytestmark = pytest.mark.usefixtures("empty_folder")


def test_one_bad_line_and_the_file_stays() -> None:
    bad = text_lines(OLD[:2]) + b"{\n" + text_lines([record({"runId": 1}, "v0.1"), OLD[2]])
    path, good = write("a.jsonl", bad), write("b.jsonl", text_lines(OLD))
    shown = run(*UP, "--in-place", "a.jsonl", "b.jsonl")
    assert shown.exit_code == 1
    heads = [line for line in shown.stdout.splitlines() if line.startswith("a.jsonl:")]
    assert [head.split(":")[1] for head in heads] == ["3", "4", "4", "4", "4"]
    assert (
        "a.jsonl: 5 documents, 3 would change, 2 cannot be migrated; nothing is written\n"
        in shown.stderr
    )
    assert path.read_bytes() == bad
    assert good.read_bytes() == text_lines(NEW)
    assert files() == ["a.jsonl", "b.jsonl"]


def test_strict_refuses_losses() -> None:
    data = text_lines([record({**lifted(1), "messageId": "m"}, "v0.2")])
    path = write("a.jsonl", data)
    shown = run("migrate", "--to", "v0.1", "--strict", "--in-place", "a.jsonl")
    assert shown.exit_code == 1
    assert "a.jsonl:1: The id of the message is left out (message-id)" in shown.stdout
    assert path.read_bytes() == data


def test_losses_are_printed_up_to_a_bound_and_counted_beyond() -> None:
    write("a.jsonl", text_lines([record({**lifted(n), "turnId": "t"}, "v0.2") for n in range(150)]))
    shown = run("migrate", "--to", "v0.1", "--output", "b.jsonl", "a.jsonl")
    assert shown.exit_code == 0
    assert shown.stdout.count("[turn-id]") == 100
    assert shown.stderr == "a.jsonl: 150 documents, 150 changed; losses: turn-id 150\n"


def test_a_line_that_is_no_record_says_what_it_takes() -> None:
    write("a.jsonl", text_lines([message(1)]))
    shown = run(*UP, "a.jsonl")
    assert shown.exit_code == 1
    assert "a.jsonl:1: contract is missing [migrate/invalid-record]" in shown.stderr
    assert "; bare documents need --type and --from\n" in shown.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--to", "v9.9", "a.jsonl"), "No such contract version [usage/unknown-version]"),
        (("--to", "v0.2", "--type", "message.Letter", "--from", "v0.1", "a.jsonl"), "unknown-type"),
        (("--to", "v0.2", "--type", "message.Message", "a.jsonl"), "Bare documents do not say"),
        (("--to", "v0.2", "--from", "v0.1", "a.jsonl"), "Stored records say their version"),
        (("--to", "v0.2", "--in-place", "--output", "b", "a.jsonl"), "exclude each other"),
        (("--to", "v0.2", "--output", "b", "a.jsonl", "c.jsonl"), "--output takes one file"),
        (("--to", "v0.2", "--in-place", "-"), "stdin has no place"),
        (("--to", "v0.2", "--in-place", "gone.jsonl"), "[usage/unreadable-input]"),
        (("--to", "v0.2", "--in-place", "folder"), "[usage/unreadable-input]"),
        (("--to", "v0.2", "--output", "folder", "a.jsonl"), "Only files can be written anew"),
        (("--to", "v0.2", "--output", "gone/b.jsonl", "a.jsonl"), "[usage/unwritable-output]"),
    ],
)
def test_usage(args: tuple[str, ...], words: str) -> None:
    write("a.jsonl", text_lines(OLD))
    write("c.jsonl", text_lines(OLD))
    Path("folder").mkdir()
    shown = run("migrate", *args)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert words in shown.stderr
    assert files() == ["a.jsonl", "c.jsonl", "folder"]


@pytest.mark.parametrize("way", [(), ("--dry-run",)])
@pytest.mark.parametrize("output", ["a.jsonl", "./a.jsonl", "link.jsonl", "hard.jsonl"])
def test_the_output_is_not_the_file_that_is_read(output: str, way: tuple[str, ...]) -> None:
    data = text_lines([record({**lifted(1), "messageId": "m"}, "v0.2")])
    path = write("a.jsonl", data)
    Path("link.jsonl").symlink_to("a.jsonl")
    Path("hard.jsonl").hardlink_to("a.jsonl")
    shown = run("migrate", "--to", "v0.1", *way, "--output", output, "a.jsonl")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "--in-place" in shown.stderr
    assert path.read_bytes() == data
    assert files() == ["a.jsonl", "hard.jsonl", "link.jsonl"]


def test_the_output_is_not_the_file_at_stdin() -> None:
    data = text_lines([record({**lifted(1), "messageId": "m"}, "v0.2")])
    path = write("a.jsonl", data)
    start = "from partwire.cli import main; main()"
    words = ("migrate", "--to", "v0.1", "--output", "a.jsonl", "-")
    with path.open("rb") as file:
        command = [sys.executable, "-c", start, *words]
        done = subprocess.run(command, stdin=file, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"--in-place" in done.stderr
    assert path.read_bytes() == data
    assert files() == ["a.jsonl"]


def test_a_missing_file_hides_no_other() -> None:
    path = write("a.jsonl", text_lines(OLD))
    assert run(*UP, "--in-place", "gone.jsonl", "a.jsonl").exit_code == 2
    assert path.read_bytes() == text_lines(NEW)


def test_a_line_beyond_the_limit() -> None:
    path = write("a.jsonl", text_lines(OLD))
    shown = run("--max-document-bytes", "100", *UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, path.read_bytes()) == (1, text_lines(OLD))
    assert (
        "a.jsonl:1: The line is longer than max_line_bytes [framing/line-too-long]" in shown.stdout
    )


@pytest.mark.parametrize("extra", [1, 1124, 1125, 2248, 5000])
@pytest.mark.parametrize("filling", [b"x", b" "])
@pytest.mark.parametrize("way", [("--in-place",), (), ("--dry-run",), ("--output", "b.jsonl")])
def test_a_line_beyond_the_limit_is_one_line(
    extra: int, filling: bytes, way: tuple[str, ...]
) -> None:
    """It is read in pieces, of which none is a line: those behind it keep their numbers."""
    first, last = text_lines(OLD[:1]), text_lines([record({"runId": 1}, "v0.1")])
    limit = len(first)
    long = filling * (limit + 1024 + extra) + first
    data = first + long + last
    path = write("a.jsonl", data)
    shown = run("--max-document-bytes", str(limit), *UP, *way, "a.jsonl")
    assert shown.exit_code == 1
    told = shown.stdout if way else shown.stderr
    assert "a.jsonl:2: The line is longer than max_line_bytes [framing/line-too-long]" in told
    assert set(re.findall(r"^a\.jsonl:([0-9]+):", told, re.MULTILINE)) == {"2", "3"}
    assert path.read_bytes() == data
    assert files() == ["a.jsonl"]
    if not way:
        assert shown.stdout_bytes == text_lines(NEW[:1])


def test_a_long_line_at_the_end_and_whole_documents() -> None:
    first = text_lines(OLD[:1])
    few = ("--max-document-bytes", str(len(first)), *UP, "--dry-run")
    write("a.jsonl", first + b"x" * 9999)
    assert (
        run(*few, "a.jsonl").stdout.count("a.jsonl:2: The line is longer than max_line_bytes") == 1
    )
    # What its first line shows is not a line, but the beginning of one document.
    for blanks in (b"", b" " * 9999, b"\n" * 9999):
        write("whole", blanks + b'{"x": "' + b"x" * 9999 + b'", "contract": 1}')
        shown = run(*few, "whole")
        assert (shown.exit_code, "[framing/document-too-large]" in shown.stdout) == (1, True)
        shown = run("--max-document-bytes", "99999", *UP, "--dry-run", "whole")
        assert "version is missing [migrate/invalid-record]" in shown.stdout
    write("whole", b" " * 9999 + first + first)
    shown = run(*few, "whole")
    assert (shown.exit_code, "[framing/line-too-long]" in shown.stdout) == (1, True)


def test_a_folder_that_takes_no_files() -> None:
    path = write("a.jsonl", text_lines(OLD))
    # Root writes everywhere: the system's answer is given in its place.
    refusal = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with patch("partwire.cli.files.atomic.os.open", side_effect=refusal):
        shown = run(*UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "Cannot be written: Permission denied [usage/unwritable-output]" in shown.stderr
    assert path.read_bytes() == text_lines(OLD)
    assert files() == ["a.jsonl"]


def test_a_full_disk() -> None:
    data = text_lines([record(message(n), "v0.1") for n in range(2000)])
    path = write("a.jsonl", data)
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from partwire.cli import main; main(sys.argv[1:])"
    )
    assert len(data) > 200_000
    shown = _python(script, *UP, "--in-place", "--checkpoint-bytes", "9999", str(path))
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "Cannot be written: File too large [usage/unwritable-output]" in shown.stderr
    assert path.read_bytes() == data
    assert files() == ["a.jsonl"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 100_000


def _python(script: str, *args: str) -> subprocess.CompletedProcess[str]:
    package = Path(sys.modules["partwire"].__file__ or "").parent.parent
    return subprocess.run(
        [sys.executable, "-c", script, *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(package)},
    )


def test_two_runs_at_once() -> None:
    path = write("a.jsonl", text_lines(OLD))
    with Path(".a.jsonl.partwire-part").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        shown = run(*UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, path.read_bytes()) == (2, text_lines(OLD))
    assert "Cannot be written: another run is writing it" in shown.stderr


def test_what_the_disk_does_not_give_back_is_not_taken() -> None:
    path = write("a.jsonl", text_lines(OLD))
    real = Draft.write
    with patch.object(
        Draft, "write", lambda self, data: real(self, data.replace(b"run_1", b"run_7"))
    ):
        shown = run(*UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, path.read_bytes(), files()) == (1, text_lines(OLD), ["a.jsonl"])
    assert "What was written is not all of it" in shown.stderr
