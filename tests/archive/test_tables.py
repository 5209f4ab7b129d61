"""Tables of an archive as Parquet, and documents out of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from partwire.archive.columns.flat_files import write_flat
from partwire.archive.documents.options import FromParquet, Redact, ToParquet
from partwire.cli import main

from .archives import message, over
from .conversations import conversations

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

MESSAGES = list(conversations(60))
LINES = [json.dumps(each).encode() for each in MESSAGES]
OPTIONS = ToParquet(type="message.Message")


def run(*args: str) -> Result:
    return CliRunner().invoke(main, ["archive", *args], catch_exceptions=False)


def tables(folder: Path, table: str) -> Any:
    return pa.concat_tables(pq.read_table(each) for each in sorted((folder / table).iterdir()))


def test_documents_are_equal_on_the_way_back(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    made = over(OPTIONS, [LINES[:50], LINES[50:]], tmp_path / "a", task_bytes=20_000)
    assert (made.totals.used, made.totals.made) == (len(LINES), len(LINES))
    back = tmp_path / "back"
    made_of = str(tmp_path / "a/target/documents")
    done = run("from-parquet", "--compress", "none", made_of, str(back))
    assert done.exit_code == 0
    rows = [
        json.loads(row)
        for file in sorted((back / "documents").iterdir())
        for row in file.read_bytes().splitlines()
    ]
    assert rows == MESSAGES


def test_what_is_not_a_row_is_put_aside_with_its_place(tmp_path: Path) -> None:
    lines = [LINES[0], b"{", b"", LINES[1], b"[1]", b" ", LINES[2]]
    made = over(OPTIONS, [lines, [b"{}", b"nul"]], tmp_path)
    placed = [
        (Path(row["source"]).name, row["line"], row["text"]) for row in made.rows("quarantine")
    ]
    assert placed == [("in-0.jsonl", 2, "{"), ("in-0.jsonl", 5, "[1]"), ("in-1.jsonl", 2, "nul")]
    assert (made.totals.used, made.totals.blank) == (4, 2)
    assert tables(tmp_path / "target", "documents").num_rows == 4


def test_any_operation_reads_tables(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    over(OPTIONS, [LINES], tmp_path / "a")
    options = Redact(type="message.Message", patterns={"city": "Oslo"})
    out = tmp_path / "out"
    source = str(tmp_path / "a/target/documents")
    said = ("--type", "message.Message", "--pattern", "city=Oslo", "--compress", "none")
    done = run("redact", *said, source, str(out))
    expected = over(options, [LINES], tmp_path / "b")
    (file,) = (out / "documents").iterdir()
    assert [json.loads(row) for row in file.read_bytes().splitlines()] == expected.rows("documents")
    assert json.loads(done.stdout)["totals"]["counts"] == expected.totals.counts


@pytest.mark.parametrize("task_bytes", [5_000, 1 << 20])
def test_flat_tables_are_those_of_one_file(task_bytes: int, tmp_path: Path) -> None:
    options = ToParquet(type="message.Message", flat=True)
    over(options, [LINES[:99], LINES[99:]], tmp_path, task_bytes=task_bytes)
    (tmp_path / "whole").mkdir()
    write_flat(LINES, tmp_path / "whole")
    numbers: dict[int, int] = {}
    for table in ("messages", "parts", "findings", "tool_calls"):
        rows = tables(tmp_path / "target", table).to_pylist()
        if table == "messages":
            numbers = {row["message"]: at for at, row in enumerate(rows)}
            assert len(numbers) == len(LINES)
            assert list(numbers) == sorted(numbers)
        for row in rows:
            for name in ("message", "resultMessage"):
                if row.get(name) is not None:
                    row[name] = numbers[row[name]]
        expected = pq.read_table(tmp_path / "whole" / f"{table}.parquet").to_pylist()
        assert sorted(rows, key=str) == sorted(expected, key=str)


def test_a_call_finds_its_result_in_another_file(tmp_path: Path) -> None:
    call = {"toolCallId": "c", "toolName": "t", "arguments": {}}
    result = {"toolCallId": "c", "isError": True, "content": "no"}
    lines = [
        [message("r", parts=[{"kind": "tool_result", "payload": result}])],
        [message("s", at=9, parts=[{"kind": "tool_call", "payload": call}])] * 2,
        [message("r", at=9, parts=[{"kind": "tool_call", "payload": call}])],
    ]
    over(ToParquet(type="message.Message", flat=True), lines, tmp_path, task_bytes=1)
    rows = tables(tmp_path / "target", "tool_calls").to_pylist()
    assert sorted((row["runId"], row["isError"]) for row in rows if row["isError"]) == [("r", True)]
    assert [row["isError"] for row in rows if row["runId"] == "s"] == [None, None]


def test_a_table_without_rows_is_there(tmp_path: Path) -> None:
    over(ToParquet(type="message.Message", flat=True), [[message("r")]], tmp_path)
    assert tables(tmp_path / "target", "tool_calls").num_rows == 0
    assert tables(tmp_path / "target", "findings").num_rows == 0
    assert tables(tmp_path / "target", "parts").num_rows == 1


@pytest.mark.parametrize(
    "args",
    [
        ("to-parquet", "--type", "no.Type"),
        ("to-parquet", "--type", "message.MessageDelta", "--flat"),
        ("statistics", "--type", "no.Type"),
        ("statistics", "--type", "message.Message", "--contract", "v9"),
    ],
)
def test_nothing_is_written_where_it_is_refused(args: tuple[str, ...], tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(message("r") + b"\n")
    done = run(*args, str(given), str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("data", [b"no", b"PAR1"])
def test_what_is_not_a_table_of_documents_is_refused(data: bytes, tmp_path: Path) -> None:
    given = tmp_path / "in.parquet"
    given.write_bytes(data)
    if data == b"PAR1":
        pq.write_table(pa.table({"a": [1]}), given)
    done = run("from-parquet", str(given), str(tmp_path / "out"))
    assert done.exit_code == 2
    assert str(given) in done.stderr
    assert "Traceback" not in done.stderr


def test_options_are_in_the_plan(tmp_path: Path) -> None:
    made = over(FromParquet(), [LINES[:3]], tmp_path)
    assert made.tables == {"documents": LINES[:3]}
