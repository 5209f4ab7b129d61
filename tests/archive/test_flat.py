"""The flat tables of messages: what is in a row, over batches, versions and odd documents."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from partwire import ReadError
from partwire.archive.columns import parquet
from partwire.archive.columns.flat import (
    FLAT_COLUMNS,
    ToolCalls,
    findings,
    flat_schema,
    messages,
    parts,
)
from partwire.archive.columns.flat_files import write_flat
from partwire.archive.columns.parquet import to_table
from partwire.contract.current import FAMILIES
from partwire_testing.strategies import documents
from tests.archive.conversations import conversations

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

MESSAGE = "message.Message"
AT = "2026-03-01T10:00:00Z"


def message(*given: tuple[str, dict[str, Any]], **members: Any) -> dict[str, Any]:
    """A message of parts, each its kind and its payload."""
    told = [{"kind": kind, "payload": payload} for kind, payload in given]
    return {"runId": "r", "role": "assistant", "parts": told, "timestamp": AT, **members}


def call(name: str, **members: Any) -> tuple[str, dict[str, Any]]:
    return ("tool_call", {"toolCallId": name, "toolName": "t", "arguments": {"n": 1}, **members})


def result(name: str, content: Any = "done", **members: Any) -> tuple[str, dict[str, Any]]:
    return (
        "tool_result",
        {"toolCallId": name, "isError": False, "content": content, **members},
    )


def rows_of(table: Any, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in table.select(names).to_pylist()]


# --- messages and parts ---------------------------------------------------------------------------


def test_a_message_is_a_row() -> None:
    given = message(
        ("text", {"text": "Hello", "tone": 1}),
        call("a"),
        ("server_tool_call", {"toolCallId": "b", "toolName": "s", "arguments": {}}),
        messageId="m",
        turnId="t",
        author={"name": "Ada"},
        meta={
            "modelId": "large",
            "requestId": "q",
            "finishReason": "stop",
            "completedAt": "2026-03-01T11:00:01.5+01:00",
            "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3, "cost": 0.5},
            "region": "eu",
        },
    )
    table = messages(to_table([given], MESSAGE), first=7)
    assert table.schema.equals(flat_schema("messages"))
    began = datetime(2026, 3, 1, 10)
    assert table.to_pylist() == [
        {
            "message": 7,
            "runId": "r",
            "messageId": "m",
            "turnId": "t",
            "role": "assistant",
            "author": "Ada",
            "timestamp": began,
            "completedAt": began + timedelta(seconds=1.5),
            "latencyMs": 1500.0,
            "modelId": "large",
            "requestId": "q",
            "finishReason": "stop",
            "ending": None,
            "inputTokens": 1,
            "outputTokens": 2,
            "totalTokens": 3,
            "reasoningTokens": None,
            "cacheReadTokens": None,
            "cacheWriteTokens": None,
            "cost": 0.5,
            "parts": 3,
            "toolCalls": 2,
            "more": ["/meta/region", "/parts/*/payload/tone"],
        }
    ]


def test_parts_are_rows_of_their_message() -> None:
    given = [
        message(("text", {"text": "a"}), call("c")),
        message(),
        message(result("c", {"x": 1}, outcome="timeout"), role="tool", messageId="m"),
    ]
    table = parts(to_table(given, MESSAGE), first=5)
    assert table.schema.equals(flat_schema("parts"))
    names = ("message", "part", "messageId", "role", "kind", "text", "toolCallId")
    assert rows_of(table, *names) == [
        (5, 0, None, "assistant", "text", "a", None),
        (5, 1, None, "assistant", "tool_call", None, "c"),
        (7, 0, "m", "tool", "tool_result", None, "c"),
    ]
    assert rows_of(table, "arguments", "isError", "outcome", "content") == [
        (None, None, None, None),
        ('{"n":1}', None, None, None),
        (None, False, "timeout", '{"x":1}'),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (AT, datetime(2026, 3, 1, 10)),
        ("2026-03-01T10:00:00.123456789-01:30", datetime(2026, 3, 1, 11, 30, 0, 123456)),
        ("2024-02-29T00:00:00+14:00", datetime(2024, 2, 28, 10)),
        ("0001-01-02T00:00:00.5Z", datetime(1, 1, 2, 0, 0, 0, 500000)),
        ("9999-12-31T00:00:00Z", datetime(9999, 12, 31)),
        ("2026-02-29T10:00:00Z", None),
        ("yesterday", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_times_are_those_of_utc(text: Any, expected: datetime | None) -> None:
    given = [message(), message(timestamp=text), message()]
    assert messages(to_table(given, MESSAGE))["timestamp"].to_pylist()[1] == expected


def test_a_message_may_take_a_thousand_years() -> None:
    given = message(timestamp="0019-11-05T01:54:42.500001Z", meta={"completedAt": AT})
    (took,) = messages(to_table([given], MESSAGE))["latencyMs"].to_pylist()
    began, ended = datetime(19, 11, 5, 1, 54, 42, 500001), datetime(2026, 3, 1, 10)
    assert took == pytest.approx((ended - began).total_seconds() * 1000)


def test_a_table_without_rows_or_parts() -> None:
    batches: list[list[dict[str, Any]]] = [[], [{}], [{"parts": []}, {"parts": None}]]
    for given in batches:
        table = to_table(given, MESSAGE)
        assert messages(table).num_rows == len(given)
        assert parts(table).num_rows == 0
        assert messages(table.drop_columns(["parts", "meta"])).num_rows == len(given)


@hypothesis.settings(max_examples=40)
@hypothesis.given(st.sampled_from([*FAMILIES]), st.data())
def test_every_message_has_its_rows(version: str, data: st.DataObject) -> None:
    of_type = documents(MESSAGE, version, unknown_members=True)
    given = data.draw(st.lists(of_type, max_size=3))
    table = to_table(given, MESSAGE, version)
    made, pieces = messages(table), parts(table)
    assert made["runId"].to_pylist() == [each["runId"] for each in given]
    assert made["timestamp"].null_count == 0
    assert made["parts"].to_pylist() == [len(each["parts"]) for each in given]
    kinds = [
        (number, index, part["kind"])
        for number, each in enumerate(given)
        for index, part in enumerate(each["parts"])
    ]
    assert rows_of(pieces, "message", "part", "kind") == kinds


# --- tool calls -----------------------------------------------------------------------------------


def joined(*batches: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """The calls of some batches of messages: id, number of its message and of the result's."""
    calls, first, made = ToolCalls(), 0, []
    for batch in batches:
        made.append(calls.add(parts(to_table(batch, MESSAGE), first)))
        first += len(batch)
    made.append(calls.end())
    assert all(each.schema.equals(flat_schema("tool_calls")) for each in made)
    table = pa.concat_tables(made)
    return rows_of(table, "toolCallId", "message", "resultMessage", "content")


ASKED, ANSWERED = message(call("a")), message(result("a"), role="tool")


@pytest.mark.parametrize(
    ("batches", "expected"),
    [
        ([[ASKED, ANSWERED]], [("a", 0, 1, '"done"')]),
        ([[ASKED], [ANSWERED]], [("a", 0, 1, '"done"')]),
        ([[ANSWERED], [ASKED]], [("a", 1, 0, '"done"')]),
        ([[ASKED]], [("a", 0, None, None)]),
        ([[ANSWERED]], []),
        ([[ANSWERED, message(result("a", "again"))], [ASKED]], [("a", 2, 0, '"done"')]),
        ([[ANSWERED], [ASKED], [ASKED]], [("a", 1, 0, '"done"'), ("a", 2, None, None)]),
        ([[ASKED], [{**ANSWERED, "runId": "other"}]], [("a", 0, None, None)]),
        ([[ASKED, ANSWERED, message(result("a", "again"))]], [("a", 0, 1, '"done"')]),
        ([[ASKED, ANSWERED, ASKED, ANSWERED]], [("a", 0, 1, '"done"'), ("a", 2, 3, '"done"')]),
        ([[ASKED, ASKED, ANSWERED]], [("a", 0, 2, '"done"'), ("a", 1, 2, '"done"')]),
        (
            [[message(call("a"), call("b"))], [message(result("b")), message(result("a"))]],
            [("b", 0, 1, '"done"'), ("a", 0, 2, '"done"')],
        ),
    ],
)
def test_calls_are_joined_with_their_results(
    batches: list[list[dict[str, Any]]], expected: list[tuple[Any, ...]]
) -> None:
    assert joined(*batches) == expected


# --- findings -------------------------------------------------------------------------------------


def test_findings_are_rows() -> None:
    bad = {**message(("text", {"text": 5})), "messageId": "m"}
    given: list[Any] = [message(("text", {"text": ""})), bad, b"{", {**message(), "extra": 1}, {}]
    table = findings(given, first=3)
    assert table.schema.equals(flat_schema("findings"))
    found = rows_of(table, "message", "runId", "messageId", "severity", "rule", "pointer")
    assert found[:2] == [
        (4, "r", "m", "error", "shape/type", "/parts/0/payload/text"),
        (5, None, None, "error", "document/invalid-json", ""),
    ]
    assert (6, "r", None, "warning", "shape/unknown-member", "/extra") in found
    assert {row[0] for row in found} == {4, 5, 6, 7}
    assert all(row["text"] for row in table.to_pylist())


# --- files ----------------------------------------------------------------------------------------


def test_files_hold_what_the_functions_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [*conversations(30), {**message(), "role": "nobody"}]
    monkeypatch.setattr(parquet, "_BATCH_ROWS", 7)
    counts = write_flat(given, tmp_path)
    tables = {name: pq.read_table(tmp_path / f"{name}.parquet") for name in FLAT_COLUMNS}
    assert counts == {name: table.num_rows for name, table in tables.items()}
    for name, table in tables.items():
        assert table.schema.equals(flat_schema(name))
    whole = to_table(given, MESSAGE)
    assert tables["messages"].equals(messages(whole))
    assert tables["parts"].equals(parts(whole))
    assert tables["findings"].equals(findings(given))
    calls = ToolCalls()
    at_once = pa.concat_tables([calls.add(parts(whole)), calls.end()])
    order = [("message", "ascending"), ("part", "ascending")]
    assert tables["tool_calls"].sort_by(order).equals(at_once.sort_by(order))
    assert 0 < at_once["resultMessage"].null_count < at_once.num_rows


def test_what_is_not_a_message_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as refused:
        write_flat([message(), b"[]"], tmp_path)
    assert [each.pointer for each in refused.value.findings] == ["/1"]
