"""Flat tables of messages: one row per message, per part, per tool call, per finding.

They are made for questions: names are those of the contract, times are ``timestamp`` in UTC, with
microseconds, and what belongs to all parts of a message is on each of their rows. ``message`` is
the number of a message in what is read, from 0: an id it need not have. What is not here is in the
table of the documents themselves (:mod:`.parquet`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from ...contract.resources import bundle
from ...errors import ReadError
from ...reading.inputs import Document, document_of, text_of, value_of
from ...reading.pipeline import Binding
from .schema import MORE, arrow_module

__all__ = [
    "CALL_KINDS",
    "FLAT_COLUMNS",
    "ToolCalls",
    "findings",
    "flat_schema",
    "messages",
    "parts",
]

FLAT_COLUMNS: Final = {
    "messages": {
        "message": "int64",
        "runId": "string",
        "messageId": "string",
        "turnId": "string",
        "role": "string",
        "author": "string",
        "timestamp": "timestamp",
        "completedAt": "timestamp",
        "latencyMs": "double",
        "modelId": "string",
        "requestId": "string",
        "finishReason": "string",
        "ending": "string",
        "inputTokens": "int64",
        "outputTokens": "int64",
        "totalTokens": "int64",
        "reasoningTokens": "int64",
        "cacheReadTokens": "int64",
        "cacheWriteTokens": "int64",
        "cost": "double",
        "parts": "int64",
        "toolCalls": "int64",
        "more": "strings",
    },
    "parts": {
        "message": "int64",
        "part": "int64",
        "runId": "string",
        "messageId": "string",
        "role": "string",
        "timestamp": "timestamp",
        "kind": "string",
        "text": "string",
        "toolCallId": "string",
        "toolName": "string",
        "arguments": "string",
        "isError": "bool",
        "outcome": "string",
        "content": "string",
        "mimeType": "string",
    },
    "tool_calls": {
        "message": "int64",
        "part": "int64",
        "runId": "string",
        "messageId": "string",
        "timestamp": "timestamp",
        "toolCallId": "string",
        "toolName": "string",
        "arguments": "string",
        "isServer": "bool",
        "resultMessage": "int64",
        "resultTimestamp": "timestamp",
        "isError": "bool",
        "outcome": "string",
        "content": "string",
    },
    "findings": {
        "message": "int64",
        "runId": "string",
        "messageId": "string",
        "severity": "string",
        "rule": "string",
        "pointer": "string",
        "text": "string",
        "expected": "string",
        "actual": "string",
    },
}
"""Table → its columns → their types."""

_CALLS: Final = ("tool_call", "server_tool_call")
_RESULTS: Final = ("tool_result", "server_tool_result")
CALL_KINDS: Final = (*_CALLS, *_RESULTS)
"""The kinds of the parts that :class:`ToolCalls` takes."""
_META: Final = ("modelId", "requestId", "finishReason")
_USAGE: Final = (
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "reasoningTokens",
    "cacheReadTokens",
    "cacheWriteTokens",
    "cost",
)
_PAYLOAD: Final = (
    "text",
    "toolCallId",
    "toolName",
    "arguments",
    "isError",
    "outcome",
    "content",
    "mimeType",
)
_encode: Final = msgspec.json.Encoder().encode
_index: Final = re.compile(r"/[0-9]+(?=/|\Z)")


def flat_schema(table: str) -> Any:
    """Return the ``pyarrow.Schema`` of a flat table: messages, parts, tool_calls or findings."""
    pa = arrow_module()
    types = {
        "string": pa.string(),
        "strings": pa.list_(pa.field("element", pa.string())),
        "int64": pa.int64(),
        "double": pa.float64(),
        "bool": pa.bool_(),
        "timestamp": pa.timestamp("us"),
    }
    return pa.schema({name: types[kind] for name, kind in FLAT_COLUMNS[table].items()})


def messages(table: Any, first: int = 0) -> Any:
    """Return the table ``messages`` of a table of messages, of any version, row by row.

    ``table`` is a ``pyarrow.Table`` as :func:`.parquet.to_table` makes it; ``first`` is the number
    of its first message. ``latencyMs`` is how long the message took, ``ending`` how a stream ended
    that did not end well, ``toolCalls`` how many calls are among the ``parts``. ``more`` are the
    places of what has no column, with ``*`` for any index: members that nobody declared, or values
    of another form than declared. A time that is not one is null.
    """
    pa, pc = arrow_module(), arrow_module("pyarrow.compute")
    given = _Columns(table)
    began, ended = given.times("timestamp"), given.times("meta", "completedAt")
    sizes, kinds = given.part_sizes(), given.part("kind")
    is_call = pc.is_in(pc.cast(kinds, pa.string()), pa.array(_CALLS))
    made = {
        "message": pa.array(range(first, first + table.num_rows), pa.int64()),
        **{name: given.member(name) for name in ("runId", "messageId", "turnId", "role")},
        "author": given.member("author", "name"),
        "timestamp": began,
        "completedAt": ended,
        "latencyMs": pc.divide(
            # Unsafe: a double has not every microsecond of a thousand years.
            pc.cast(pc.microseconds_between(began, ended), pa.float64(), safe=False),
            1000.0,
        ),
        **{name: given.member("meta", name) for name in _META},
        "ending": given.member("meta", "incomplete", "ending"),
        **{name: given.member("meta", "usage", name) for name in _USAGE},
        "parts": sizes,
        "toolCalls": _counted(pa, pc, is_call, sizes),
        "more": _places(pa, given.member(MORE)),
    }
    return _table("messages", made)


def parts(table: Any, first: int = 0) -> Any:
    """Return the table ``parts`` of a table of messages; all else as for :func:`messages`.

    ``part`` is the index of a part in its message, ``text`` what a text or a thought says;
    ``arguments`` of a call and ``content`` of a result are JSON text.
    """
    pa, pc = arrow_module(), arrow_module("pyarrow.compute")
    given = _Columns(table)
    sizes = given.part_sizes()
    owners = pa.array(
        [at for at, size in enumerate(sizes.to_pylist()) for _ in range(size)], pa.int64()
    )
    starts = pc.subtract(pc.cumulative_sum(sizes), sizes)
    made = {
        "message": pc.add(owners, first),
        "part": pc.subtract(pa.array(range(len(owners)), pa.int64()), pc.take(starts, owners)),
        **{name: pc.take(given.member(name), owners) for name in ("runId", "messageId", "role")},
        "timestamp": pc.take(given.times("timestamp"), owners),
        "kind": given.part("kind"),
        **{name: given.part("payload", name) for name in _PAYLOAD},
    }
    return _table("parts", made)


class ToolCalls:
    """Joins the calls of tools with their results, which may be in other messages.

    A call and its result have the run and the ``toolCallId`` in common; of several results the
    first that comes counts, and a result whose call has not come waits for it. What is held are the
    calls and the results that wait.
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
        self._results: dict[tuple[Any, Any], dict[str, Any]] = {}

    def add(self, table: Any) -> Any:
        """Return the calls that have their result now, given the next table ``parts``."""
        pa, pc = arrow_module(), arrow_module("pyarrow.compute")
        asked = pc.is_in(table["kind"], pa.array(CALL_KINDS))
        made: list[dict[str, Any]] = []
        for row in table.filter(asked).to_pylist():
            key = (row["runId"], row["toolCallId"])
            if row["kind"] in _CALLS:
                result = self._results.pop(key, None)
                if result is None:
                    self._calls.setdefault(key, []).append(_call(row))
                else:
                    made.append(_call(row) | result)
            elif key in self._calls:
                result = _result(row)
                made += [call | result for call in self._calls.pop(key)]
            else:
                self._results.setdefault(key, _result(row))
        return pa.Table.from_pylist(made, flat_schema("tool_calls"))

    def end(self) -> Any:
        """Return the calls that have no result."""
        made = [call for calls in self._calls.values() for call in calls]
        return arrow_module().Table.from_pylist(made, flat_schema("tool_calls"))


def findings(documents: Iterable[Document], version: str | None = None, first: int = 0) -> Any:
    """Return the table ``findings``: what is wrong with messages, in their order.

    Members that the contract does not declare are among it, as warnings. ``pointer`` is a JSON
    Pointer into the message, ``text`` says what is wrong.
    """
    rows: list[dict[str, Any]] = []
    binding = Binding.of("message.Message", version)
    texts = list(map(_text, documents))
    for number in binding.refused(texts, "warn"):
        names = _names(texts[number])
        for each in binding.findings_within(texts[number], None, unknown="warn")[0]:
            told = each.to_wire()
            rows.append({**told, **names, "message": first + number, "text": each.message})
    return arrow_module().Table.from_pylist(rows, flat_schema("findings"))


def _text(document: Document) -> bytes:
    text = text_of(document)
    return _encode(value_of(document)) if text is None else text


def _names(document: Document) -> dict[str, Any]:
    try:
        value = document_of(document)
    except ReadError:
        return {}
    names = (
        {name: value.get(name) for name in ("runId", "messageId")}
        if isinstance(value, dict)
        else {}
    )
    return {name: value for name, value in names.items() if isinstance(value, str)}


def _call(row: dict[str, Any]) -> dict[str, Any]:
    names = ("message", "part", "runId", "messageId", "timestamp", "toolCallId", "toolName")
    made = {name: row[name] for name in (*names, "arguments")}
    return {**made, "isServer": row["kind"] == "server_tool_call"}


def _result(row: dict[str, Any]) -> dict[str, Any]:
    made = {name: row[name] for name in ("isError", "outcome", "content")}
    return {**made, "resultMessage": row["message"], "resultTimestamp": row["timestamp"]}


class _Columns:
    """The columns of a table of messages, by where they are in a message."""

    def __init__(self, table: Any) -> None:
        self._pa, self._pc = arrow_module(), arrow_module("pyarrow.compute")
        self._size = table.num_rows
        self._columns = {
            name: _whole(self._pa, column)
            for name, column in zip(table.schema.names, table.columns, strict=True)
        }
        version = (table.schema.metadata or {}).get(b"partwire.version")
        types = bundle("message", *([version.decode()] if version else []))["$defs"]
        self._time = types["Timestamp"]["pattern"]

    def member(self, name: str, *names: str) -> Any:
        """Return the values at a place in the messages; null where nothing is."""
        return self._inside(self._columns.get(name), names, self._size)

    def part(self, *names: str) -> Any:
        """Return the values at a place in the parts of all messages, one after the other."""
        lists = self._columns.get("parts")
        if lists is None:
            return self._pa.nulls(0)
        return self._inside(
            lists.flatten(), names, int(self._pc.sum(self.part_sizes()).as_py() or 0)
        )

    def part_sizes(self) -> Any:
        """Return how many parts each message has."""
        lists = self._columns.get("parts")
        if lists is None:
            return self._pa.array([0] * self._size, self._pa.int64())
        return self._pc.cast(
            self._pc.fill_null(self._pc.list_value_length(lists), 0), self._pa.int64()
        )

    def times(self, *names: str) -> Any:
        """Return the times at a place, null for what is not one."""
        pc, texts = self._pc, self.member(*names)
        if texts.null_count == len(texts):
            return self._pa.nulls(self._size, self._pa.timestamp("us"))
        is_time = pc.match_substring_regex(texts, self._time)
        texts = pc.if_else(is_time, texts, None)
        texts = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
        return pc.cast(pc.cast(texts, self._pa.timestamp("us", "UTC")), self._pa.timestamp("us"))

    def _inside(self, array: Any, names: tuple[str, ...], size: int) -> Any:
        for name in names:
            if array is None or array.type.get_field_index(name) < 0:
                return self._pa.nulls(size)  # older versions have fewer members
            array = array.flatten()[array.type.get_field_index(name)]
        return self._pa.nulls(size) if array is None else array


def _counted(pa: Any, pc: Any, marks: Any, sizes: Any) -> Any:
    """Return how many marks are set in each of the stretches of these sizes."""
    sums = pa.concat_arrays(
        [
            pa.array([0], pa.int64()),
            pc.cumulative_sum(pc.cast(pc.fill_null(marks, False), pa.int64())),
        ]
    )
    ends = pc.cumulative_sum(sizes)
    return pc.subtract(pc.take(sums, ends), pc.take(sums, pc.subtract(ends, sizes)))


def _places(pa: Any, texts: Any) -> Any:
    made: list[list[str] | None] = [None] * len(texts)
    if texts.null_count < len(texts):
        for at, text in enumerate(texts.to_pylist()):
            if text is not None:
                pointers = msgspec.json.decode(text)
                made[at] = sorted({_index.sub("/*", each) for each in pointers})
    return pa.array(made, pa.list_(pa.field("element", pa.string())))


def _whole(pa: Any, column: Any) -> Any:
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def _table(name: str, made: dict[str, Any]) -> Any:
    pa, schema = arrow_module(), flat_schema(name)
    arrays = [made[field.name].cast(field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)
