"""``partwire migrate`` and ``partwire negotiate`` from the command line."""

from __future__ import annotations

import json
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from partwire.convert import load
from partwire.reading.pipeline import to_wire
from tests.cli.runner import run
from tests.convert.migrate_runs import NEW, OLD, UP, files, write
from tests.convert.stored_texts import bare, lifted, message, record, text_lines

pytestmark = pytest.mark.usefixtures("empty_folder")

BARE = (*UP, "--type", "message.Message", "--from", "v0.1")


def shown_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def written(path: Path) -> tuple[int, int, int]:
    """Which file this is and when it was written: reading it changes neither."""
    seen = path.stat()
    return seen.st_ino, seen.st_mode, seen.st_mtime_ns


# --- in place -------------------------------------------------------------------------------------


def test_records_are_replaced_with_their_permissions() -> None:
    path = write("a.jsonl", text_lines(OLD))
    path.chmod(0o640)
    shown = run(*UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert shown.stderr == "a.jsonl: 5 documents, 5 changed\n"
    assert path.read_bytes() == text_lines(NEW)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert files() == ["a.jsonl"]


def test_what_is_there_already_is_not_touched() -> None:
    path = write("a.jsonl", text_lines(NEW))
    before = written(path)
    shown = run(*UP, "--in-place", "a.jsonl")
    assert (shown.exit_code, shown.stderr) == (0, "a.jsonl: 5 documents, 0 changed\n")
    assert written(path) == before
    assert files() == ["a.jsonl"]


def test_down_again_is_the_same_file() -> None:
    path = write("a.jsonl", text_lines(OLD))
    assert run(*UP, "--in-place", "a.jsonl").exit_code == 0
    assert run("migrate", "--to", "v0.1", "--in-place", "a.jsonl").exit_code == 0
    assert path.read_bytes() == text_lines(OLD)


def test_line_ends_blank_lines_and_lines_that_stay_are_kept_byte_for_byte() -> None:
    spaced = json.dumps(NEW[1]).encode()  # there already, with spaces
    pieces = (b"\xef\xbb\xbf", bare(OLD[0]), b"\r\n\r\n  ", spaced, b" \n\n\t", bare(OLD[2]))
    path = write("a.jsonl", b"".join(pieces))
    assert run(*UP, "--in-place", "a.jsonl").exit_code == 0
    made = [bare(NEW[0]) if p == bare(OLD[0]) else p for p in pieces[:-1]] + [bare(NEW[2])]
    assert path.read_bytes() == b"".join(made)


@pytest.mark.parametrize("name", ["a.jsonl", "a.log"])
@pytest.mark.parametrize("first", [b"\n", b" \r\n"], ids=["alone", "blank"])
def test_a_mark_of_the_byte_order_may_have_a_line_of_its_own(first: bytes, name: str) -> None:
    head = b"\xef\xbb\xbf" + first
    path = write(name, head + text_lines(OLD))
    shown = run(*UP, "--in-place", "--checkpoint-bytes", "1", name)
    assert (shown.exit_code, shown.stderr) == (0, f"{name}: 5 documents, 5 changed\n")
    assert path.read_bytes() == head + text_lines(NEW)
    again = run(*UP, "--in-place", name)
    assert (again.exit_code, again.stderr) == (0, f"{name}: 5 documents, 0 changed\n")


def test_bare_documents_and_a_second_run() -> None:
    path = write("a.ndjson", text_lines([message(1), message(2, state=False)]))
    shown = run(*BARE, "--in-place", "a.ndjson")
    assert (shown.exit_code, shown.stderr) == (0, "a.ndjson: 2 documents, 1 changed\n")
    assert path.read_bytes() == text_lines([lifted(1), lifted(2, state=False)])
    again = run(*BARE, "--in-place", "a.ndjson")
    assert (again.exit_code, again.stderr) == (0, "a.ndjson: 2 documents, 0 changed\n")
    assert path.read_bytes() == text_lines([lifted(1), lifted(2, state=False)])


def test_queue_messages_say_their_version() -> None:
    head = {"message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8", "sent_at": "2025-07-15T02:03:04Z"}
    body = {"task_id": head["message_id"], "payload": {}, "retry_count": 0, "max_attempts": 3}
    old = {**head, "schema_version": "v0.1", **body}
    new = {**head, "schema_version": "v0.2", **body, "message_type": "TaskEvent"}
    path = write("a.jsonl", text_lines([old, new]))
    up = (*UP, "--type", "envelope.TaskEvent", "--in-place", "a.jsonl")
    assert run(*up).stderr == "a.jsonl: 2 documents, 1 changed\n"
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == [new, new]
    write("b.jsonl", text_lines([{**old, "schema_version": "v0.9"}]))
    shown = run(*UP, "--type", "envelope.TaskEvent", "--from", "v0.1", "--dry-run", "b.jsonl")
    assert (shown.exit_code, "[migrate/version-mismatch]" in shown.stdout) == (1, True)


def test_types_and_version_by_path() -> None:
    write(
        "pyproject.toml",
        b'[tool.partwire]\ncontract = "v0.1"\n'
        b'[[tool.partwire.paths]]\nglob = "logs/*.jsonl"\ntype = "message.Message"\n',
    )
    Path("logs").mkdir()
    path = write("logs/a.jsonl", text_lines([message(1)]))
    write("a.jsonl", text_lines(OLD))
    assert run(*UP, "--in-place", "logs/a.jsonl", "a.jsonl").exit_code == 0
    assert path.read_bytes() == text_lines([lifted(1)])
    assert Path("a.jsonl").read_bytes() == text_lines(NEW)
    # A row's own version comes before the configuration's.
    write(
        "partwire.toml",
        b'contract = "v0.2"\n'
        b'[[paths]]\nglob = "logs/*"\ntype = "message.Message"\nversion = "v0.1"\n',
    )
    Path("pyproject.toml").unlink()
    write("logs/a.jsonl", text_lines([message(1)]))
    assert run(*UP, "--in-place", "logs/a.jsonl").exit_code == 0
    assert path.read_bytes() == text_lines([lifted(1)])


def test_whole_documents_keep_their_layout() -> None:
    for name, indent in (("a.json", 2), ("b.json", 4), ("c.json", None)):
        write(name, json.dumps(OLD[0], indent=indent, ensure_ascii=False).encode() + b"\n")
        assert run(*UP, "--in-place", name).exit_code == 0
        expected = bare(NEW[0])
        if indent is not None:
            expected = json.dumps(NEW[0], indent=indent, ensure_ascii=False).encode()
        assert Path(name).read_bytes() == expected + b"\n"


def test_an_array_is_as_many_documents() -> None:
    path = write("a.json", json.dumps(OLD, indent=2).encode())
    shown = run(*UP, "--in-place", "a.json")
    assert (shown.exit_code, shown.stderr) == (0, "a.json: 5 documents, 5 changed\n")
    assert json.loads(path.read_bytes()) == NEW
    bad = [OLD[0], {**OLD[1], "version": "v0.9"}]
    path = write("b.json", json.dumps(bad).encode())
    shown = run(*UP, "--in-place", "b.json")
    assert (shown.exit_code, path.read_bytes()) == (1, json.dumps(bad).encode())
    assert "  at        /1/version\n" in shown.stdout


def test_files_of_another_name_are_what_their_first_line_shows() -> None:
    lines_ = write("a.log", b"\n" + text_lines(OLD))
    whole = write("b.txt", json.dumps(OLD[0], indent=2).encode())
    empty = write("c.txt", b"")
    assert run(*UP, "--in-place", "a.log", "b.txt", "c.txt").exit_code == 0
    assert lines_.read_bytes() == b"\n" + text_lines(NEW)
    assert json.loads(whole.read_bytes()) == NEW[0]
    assert empty.read_bytes() == b""


def test_links_are_followed() -> None:
    path = write("a.jsonl", text_lines(OLD))
    Path("link.jsonl").symlink_to("a.jsonl")
    assert run(*UP, "--in-place", "link.jsonl").exit_code == 0
    assert Path("link.jsonl").is_symlink()
    assert path.read_bytes() == text_lines(NEW)


# --- elsewhere ------------------------------------------------------------------------------------


def test_without_a_place_documents_go_to_stdout() -> None:
    write("a.jsonl", text_lines(OLD))
    shown = run(*UP, "a.jsonl")
    assert (shown.exit_code, shown.stdout_bytes) == (0, text_lines(NEW))
    assert shown.stderr == "a.jsonl: 5 documents, 5 changed\n"
    piped = run(*UP, "-", stdin=text_lines(OLD))
    assert (piped.exit_code, piped.stdout_bytes) == (0, text_lines(NEW))


def test_a_dry_run_reports_and_writes_nothing() -> None:
    path = write("a.jsonl", text_lines([record({**lifted(1), "turnId": "t"}, "v0.2")]))
    before = written(path)
    shown = run("migrate", "--to", "v0.1", "--dry-run", "--format", "json", "a.jsonl")
    assert (shown.exit_code, shown.stderr) == (0, "")
    loss, summary = shown_lines(shown.stdout)
    assert (loss["code"], loss["pointer"], loss["line"]) == ("turn-id", "/data/turnId", 1)
    assert summary == {
        "source": "a.jsonl",
        "documents": 1,
        "changed": 1,
        "losses": {"turn-id": 1},
        "bad": 0,
        "written": False,
    }
    assert written(path) == before
    assert files() == ["a.jsonl"]


def test_output_elsewhere() -> None:
    source = write("a.jsonl", text_lines(OLD))
    shown = run(*UP, "--output", "b.jsonl", "a.jsonl")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert Path("b.jsonl").read_bytes() == text_lines(NEW)
    assert stat.S_IMODE(Path("b.jsonl").stat().st_mode) == stat.S_IMODE(source.stat().st_mode)
    assert source.read_bytes() == text_lines(OLD)
    assert run(*UP, "--output", "b.jsonl", "b.jsonl").exit_code == 2  # that is --in-place
    assert Path("b.jsonl").read_bytes() == text_lines(NEW)
    piped = run(*UP, "--output", "c.jsonl", "-", stdin=text_lines(OLD))
    assert (piped.exit_code, Path("c.jsonl").read_bytes()) == (0, text_lines(NEW))
    assert files() == ["a.jsonl", "b.jsonl", "c.jsonl"]


# --- records and negotiation ----------------------------------------------------------------------


def test_what_was_migrated_is_read() -> None:
    write("a.jsonl", text_lines(OLD))
    run(*UP, "--in-place", "a.jsonl")
    for line, new in zip(Path("a.jsonl").read_bytes().splitlines(), NEW, strict=True):
        assert to_wire(load(line)) == new["data"]


def test_negotiate() -> None:
    assert run("negotiate", "v0.1", "v0.2").stdout == "v0.2\n"
    assert run("negotiate", "v0.2;q=0.1, v0.1").stdout == "v0.1\n"
    shown = run("negotiate", "--supported", "v0.1", "--format", "json", "v0.2", "v0.1")
    assert json.loads(shown.stdout) == {"version": "v0.1"}
    none = run("negotiate", "v7.0")
    assert (none.exit_code, none.stdout) == (1, "")
    assert "[negotiate/no-common-version]" in none.stderr
    assert run("negotiate", "latest").exit_code == 2
    assert run("negotiate", "--supported", "new", "v0.1").exit_code == 2


def test_memory_does_not_grow_with_the_lines() -> None:
    def peak_of(count: int) -> int:
        write("a.jsonl", text_lines([record(message(n % 9), "v0.1") for n in range(count)]))
        tracemalloc.start()
        try:
            assert run(*UP, "--in-place", "--checkpoint-bytes", "100000", "a.jsonl").exit_code == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak_of(500)
    assert peak_of(5000) < few + 200_000  # of 1.7 MB
