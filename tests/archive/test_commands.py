"""The commands that make data sets: a pipeline, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from partwire.archive import ArchiveRun, Migrate, Sample, Validate, read_table
from partwire.cli import main
from partwire.errors import UsageError

from .archives import message

KEY = "sk-proj-abcdefgh1234567890XYZabc"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["archive", *args], catch_exceptions=False)


def totals(*args: str) -> dict[str, Any]:
    done = run(*args)
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["totals"]
    return {name: count for name, count in found.items() if count}


def test_a_data_set_is_made_in_steps_with_their_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        message(
            f"run-{at // 2}",
            f"{at} {KEY if at == 5 else ''}",
            at=at,
            role=("user", "assistant")[at % 2],
        )
        for at in range(40)
    ]
    Path("logs").mkdir()
    Path("logs/a.jsonl").write_bytes(b"\n".join([*lines, b"{", b""]))
    Path("logs/b.jsonl").write_bytes(b"\n".join(lines[30:]))
    found = totals("dedupe", "logs", "once")
    assert found == {"lines": 51, "used": 40, "quarantined": 1, "repeats": 10, "made": 40}
    found = totals("redact", "--type", "message.Message", "once/documents", "clean")
    assert found["counts"] == {"changed": 1, "found key": 1}
    found = totals("split", "--into", "train=0.8", "--into", "test=0.2", "clean/documents", "parts")
    assert found["used"] == 40
    made = 0
    for part in ("train", "test"):
        options = ["--accept", "run-id", "--accept", "timestamp"]
        made += totals(
            "convert",
            "--from",
            "message",
            "--to",
            "finetune",
            *options,
            f"parts/{part}",
            f"ft-{part}",
        )["made"]
    assert made == 20
    assert totals("sample", "--rate", "1/2", "logs", "some")["left_out"] > 0
    found = totals(
        "migrate",
        "--type",
        "message.Message",
        "--from",
        "v0.3",
        "--to",
        "v0.1",
        "once/documents",
        "old",
    )
    assert found["used"] == 40


@pytest.mark.parametrize(
    "args",
    [
        ("sample", "--rate", "2"),
        ("sample", "--rate", "0.1", "--by", "no"),
        ("split", "--into", "train"),
        ("split", "--into", "a=0.5", "--into", "a=0.5"),
        ("split", "--into", "a=0.9", "--into", "b=0.2"),
        ("dedupe", "--ignore", "timestamp"),
        ("redact", "--type", "no.Type"),
        ("redact", "--type", "message.MessageDelta"),
        ("redact", "--type", "message.Message", "--pattern", "a=("),
        ("redact", "--type", "message.Message", "--patterns", "no-such-file"),
        ("migrate", "--to", "v9"),
        ("migrate", "--to", "v0.3", "--type", "message.Message"),
        ("migrate", "--to", "v0.3", "--from", "v0.1"),
        ("convert", "--from", "message", "--to", "no"),
        ("convert", "--from", "no", "--to", "message"),
        ("validate", "--type", "no.Type"),
        ("statistics", "--type", "no.Type"),
        ("to-parquet", "--type", "message.ToolResult", "--flat"),
    ],
)
def test_nothing_is_written_where_it_is_refused(args: tuple[str, ...], tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(message("r") + b"\n")
    done = run(*args, str(given), str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_run_with_wrong_options_is_not_begun(tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(message("r") + b"\n")
    for options in (Sample(rate="2"), Migrate(to="v9"), Validate(type="no.Type")):
        with pytest.raises(UsageError):
            ArchiveRun(options, [str(given)], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_patterns_come_from_a_file(tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(message("r", "I am C-1 and a@b") + b"\n")
    patterns = tmp_path / "patterns"
    patterns.write_text("# customers\n\ncustomer=C-[0-9]\n", "utf-8")
    args = ["--patterns", str(patterns), "--pattern", r"mail=\w@(\w)"]
    out = tmp_path / "out"
    found = totals("redact", "--type", "message.Message", *args, str(given), str(out))
    assert found["counts"] == {"changed": 1, "found customer": 1, "found mail": 1}
    (row,) = read_table(out, "documents")
    assert b"I am [redacted] and a@[redacted]" in row
