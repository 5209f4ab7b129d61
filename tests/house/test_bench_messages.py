"""Commands over made messages: each is measured, held against validate, and judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.archive import messages
from bench.measure import Settings
from bench.results import Results
from bench.targets import judge
from partwire import validate


def test_made_messages_are_valid_and_the_same_in_every_run(tmp_path: Path) -> None:
    sizes = [messages.make_messages(tmp_path / name, 30) for name in ("a", "b")]
    text = (tmp_path / "a").read_bytes()
    assert text == (tmp_path / "b").read_bytes()
    assert sizes[0] == sizes[1] < len(text)
    lines = text.splitlines()
    assert len(lines) == len(set(lines)) == 30
    assert not [found for line in lines for found in validate(line, "message.Message")]


def test_each_command_has_a_row_and_a_failure_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    commands = {
        label: argv
        for label, argv in messages._COMMANDS.items()
        if label in (messages._VALIDATE, messages.TABLE)
    }
    commands["broken"] = lambda _, _files: ["false"]
    monkeypatch.setattr(messages, "_COMMANDS", commands)
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    monkeypatch.setattr(messages, "WAYS", ("plain",))
    problems: list[str] = []
    first, table = messages.measure_messages(100, 1, problems)
    assert problems == ["archive, broken, plain: exit status 1: "]
    assert (first.what, first.ratio, first.size) == ("partwire validate", 1, None)
    assert table.ratio > 1
    assert table.size
    assert table.us_per_message == pytest.approx(table.cpu_s * 1e4)
    assert not list((tmp_path / ".cache").iterdir())


def test_messages_are_judged_by_their_targets() -> None:
    def row(what: str, count: int, ratio: float, size: float | None = None) -> messages.MessagesRow:
        return messages.MessagesRow(what, "plain", count, 8.0, ratio, 1, 1, None, size)

    found = [
        row("archive validate", 200_000, 1.1),
        row("archive validate", 2_000, 9),
        row("archive statistics", 200_000, 2.5),
        row(messages.TABLE, 200_000, 5, 0.9),
    ]
    results = Results(Settings(), archive_messages=found)
    worst = {
        verdict.target.sentence: (verdict.worst.value, verdict.met)
        for verdict in judge(results)
        if verdict.worst is not None
    }
    assert worst == {
        "archive validate, against partwire validate": (1.1, True),
        "archive statistics, against partwire validate": (2.5, False),
        "archive to-parquet, per message": (8.0, True),
        "archive to-parquet, against zst NDJSON, size": (0.9, True),
    }
