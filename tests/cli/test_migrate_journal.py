"""A migration that was stopped: the next run goes on from its journal, or passes it over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from partwire.cli.files.atomic import Draft
from partwire.convert import TextMigrator
from tests.cli.runner import run
from tests.convert.migrate_runs import NEW, OLD, UP, files
from tests.convert.stored_texts import bare, text_lines

pytestmark = pytest.mark.usefixtures("empty_folder")


def interrupted(every: int = 200) -> Path:
    """Return a file whose migration has been stopped behind a checkpoint."""
    path = Path("a.jsonl")
    path.write_bytes(text_lines(OLD))
    real, seen = TextMigrator.run, []

    def stopped(self: TextMigrator, text: bytes) -> Any:
        seen.append(text)
        if len(seen) > 3:
            raise KeyboardInterrupt
        return real(self, text)

    with patch.object(TextMigrator, "run", stopped):
        assert run(*UP, "--in-place", "--checkpoint-bytes", str(every), "a.jsonl").exit_code == 130
    assert len(files()) == 3
    return path


def runs_of_the_rest(*args: str) -> int:
    """Finish, and return how many documents were migrated by it."""
    with patch.object(TextMigrator, "run", autospec=True, side_effect=TextMigrator.run) as counted:
        assert run(*UP, "--in-place", *args, "a.jsonl").exit_code == 0
    assert Path("a.jsonl").read_bytes().splitlines() == [bare(each) for each in NEW]
    assert files() == ["a.jsonl"]
    return int(counted.call_count)


def test_the_next_run_goes_on() -> None:
    interrupted()
    assert runs_of_the_rest() == 2


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"format": 9}', b"[" * 9999])
def test_a_broken_journal_is_passed_over(text: bytes) -> None:
    interrupted()
    Path(".a.jsonl.partwire-journal").write_bytes(text)
    assert runs_of_the_rest() == 5


GONE = object()


@pytest.mark.parametrize(
    "place",
    [
        *("", "format", "options", "mark", "mark.tally", "mark.tally.losses", "mark.x"),
        *(f"mark.{each}" for each in ("read", "read_sha256", "written", "written_sha256", "line")),
        *(f"mark.tally.{each}" for each in ("documents", "changed", "x", "losses.x")),
    ],
)
def test_a_journal_of_another_shape_is_passed_over(place: str) -> None:
    journal = Path(".a.jsonl.partwire-journal")
    for value in (None, [], {"x": []}, "x", -1, 1.5, True, 10**30, GONE):
        if value is GONE and place.endswith("x"):
            continue  # it never was there
        interrupted()
        whole = {"journal": json.loads(journal.read_bytes())}
        *way, name = f"journal.{place}".rstrip(".").split(".")
        holder = whole
        for each in way:
            holder = holder[each]
        if value is GONE:
            del holder[name]
        else:
            holder[name] = value
        journal.write_text(json.dumps(whole.get("journal")))
        assert runs_of_the_rest() == 5, value


def test_a_journal_of_other_options_is_passed_over() -> None:
    interrupted()
    assert runs_of_the_rest("--strict") == 5


@pytest.mark.parametrize("name", [".a.jsonl.partwire-part", "a.jsonl"])
def test_a_journal_of_other_bytes_is_passed_over(name: str) -> None:
    interrupted()
    data = Path(name).read_bytes()
    Path(name).write_bytes(b" " + data if name == "a.jsonl" else data.replace(b"run_0", b"run_9"))
    before = Path("a.jsonl").read_bytes()
    with patch.object(TextMigrator, "run", autospec=True, side_effect=TextMigrator.run) as counted:
        assert run(*UP, "--in-place", "a.jsonl").exit_code == 0
    assert counted.call_count == 5
    lead = b" " if before.startswith(b" ") else b""
    assert Path("a.jsonl").read_bytes() == lead + text_lines(NEW)


def test_a_part_that_is_cut_is_not_trusted() -> None:
    interrupted()
    part = Path(".a.jsonl.partwire-part")
    part.write_bytes(part.read_bytes()[:10])
    assert runs_of_the_rest() == 5


def test_a_draft_that_is_left_alone_stays_for_the_next_run() -> None:
    with Draft(Path("a.jsonl"), {}) as draft:
        draft.write(b"x")
    assert files() == [".a.jsonl.partwire-part"]
