"""Documents as rows of a table: what is written is read back, whatever it is."""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partwire
from partwire import ReadError, StreamFailed, UsageError
from partwire.archive.columns import parquet
from partwire.archive.columns import schema as columns_module
from partwire.archive.columns.parquet import (
    GROUP_BYTES,
    from_table,
    read_parquet,
    to_batches,
    to_table,
    write_parquet,
)
from partwire.archive.columns.schema import WHOLE, Column, List, Object, arrow_schema, columns_of
from partwire.archive.columns.shown import COLUMN_FORMS, show_columns
from partwire.contract.current import FAMILIES, LATEST_VERSION
from partwire.contract.resources import bundle
from partwire.contract.schemas import describe_types
from partwire.json.equality import same_json
from partwire.types import Message
from partwire_testing.strategies import documents, json_objects
from tests.archive.conversations import conversations
from tests.cli.runner import run
from tests.providers import recordings as recorded

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PUBLIC = [
    (row.type, version) for version in FAMILIES for row in describe_types(version) if row.public
]
MESSAGE = "message.Message"
KEPT = Path(__file__).with_name("columns.txt")
LATE = "2026-03-01T00:00:00Z"


def text_of(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


# --- the columns ----------------------------------------------------------------------------------


def row_of(kind: str, version: str) -> str:
    """A line that says which columns a type has, in short."""
    shown = show_columns(kind, "arrow", version)
    return f"{version} {kind} {hashlib.sha256(shown.encode()).hexdigest()[:16]}\n"


def test_columns_stay_as_they_are() -> None:
    """Files are kept for years: a version's columns change as its schemas do, which is never.

    After a change of the version that is not released yet, write them anew:
    ``python -m tests.archive.test_columns``.
    """
    assert "".join(row_of(*each) for each in PUBLIC) == KEPT.read_text("utf-8")


def test_no_two_variants_differ_about_a_member(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = columns_module._joined
    differing: list[tuple[Column, Column]] = []

    def watched(one: Column, other: Column) -> Column:
        made = joined(one, other)
        if type(one) is not type(other) or (one != other and not isinstance(one, (List, Object))):
            differing.append((one, other))
        return made

    monkeypatch.setattr(columns_module, "_joined", watched)
    for kind, version in PUBLIC:
        family, _, name = kind.partition(".")
        columns_module._Schemas(bundle(family, version)["$defs"]).of_type(name, ())
    assert not differing
    assert watched(columns_module.Leaf("text"), columns_module.Leaf("integer")).kind == "json"  # type: ignore[union-attr]


def test_one_type_alone_is_text_as_a_whole() -> None:
    whole = {kind for kind, version in PUBLIC if WHOLE in columns_of(kind, version).members}
    assert whole == {"message.ToolChoice"}


def test_what_contains_itself_ends_in_json() -> None:
    tree = {
        "properties": {"name": {"type": "string"}, "inner": {"$ref": "#/$defs/Tree"}},
        "type": "object",
    }
    found = columns_module._Schemas({"Tree": tree}).of_type("Tree", ())
    assert isinstance(found, Object)
    assert found.members == {
        "name": columns_module.Leaf("text"),
        "inner": columns_module.Leaf("json"),
    }


def test_a_schema_says_whose_it_is() -> None:
    schema = arrow_schema(MESSAGE, "v0.2")
    assert schema.metadata == {b"partwire.type": b"message.Message", b"partwire.version": b"v0.2"}
    assert arrow_schema(Message) == arrow_schema(MESSAGE)
    assert schema.names[-1] == "_more"


@pytest.mark.parametrize("form", COLUMN_FORMS)
def test_every_type_is_shown_in_every_form(form: Any, tmp_path: Path) -> None:
    for kind, version in PUBLIC:
        if WHOLE in columns_of(kind, version).members and form != "arrow":
            with pytest.raises(UsageError, match="not objects"):
                show_columns(kind, form, version)
            continue
        shown = show_columns(kind, form, version)
        for name in columns_of(kind, version).members:
            assert name in shown


def lines_of(folder: Path) -> list[tuple[str, str, str]]:
    """A file of one line of each type: what it is of, and where it is."""
    made = []
    for kind, version in PUBLIC:
        if version == LATEST_VERSION and WHOLE not in columns_of(kind, version).members:
            path = folder / f"{version}-{kind}.jsonl"
            first = next(iter(columns_of(kind, version).members))
            path.write_text(json.dumps({first: None, "extra": {}}) + "\n")
            made.append((kind, version, str(path)))
    return made


def test_duckdb_reads_lines_by_the_columns(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    for kind, version, path in lines_of(tmp_path):
        shown = show_columns(kind, "duckdb", version)
        found = duckdb.sql(f"SELECT * FROM read_json('{path}', columns = {shown})")
        assert found.columns == [*columns_of(kind, version).members]
        assert found.fetchall() == [(None,) * len(found.columns)]


def test_polars_reads_lines_by_the_columns(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    for kind, version, path in lines_of(tmp_path):
        shown = eval(show_columns(kind, "polars", version), {"pl": pl})
        found = pl.read_ndjson(path, schema=shown)
        assert found.columns == [*columns_of(kind, version).members]
        assert found.rows() == [(None,) * len(found.columns)]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("message.Mesage", "arrow"), "usage/unknown-type"),
        ((MESSAGE, "arrow", "v9.9"), "usage/unknown-version"),
        ((MESSAGE, "hive"), "usage/invalid-argument"),
        (("message.ToolChoice", "duckdb"), "usage/invalid-argument"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments: tuple[Any, ...], rule: str) -> None:
    with pytest.raises(UsageError) as refused:
        show_columns(*arguments)
    assert [each.rule for each in refused.value.findings] == [rule]


def test_the_command_shows_columns() -> None:
    shown = run("schema", "show", MESSAGE, "--as", "arrow", "--contract", "v0.1").stdout
    assert shown == show_columns(MESSAGE, "arrow", "v0.1") + "\n"
    assert "  kind: string\n  payload: struct\n    text: string\n" in shown
    assert shown.endswith("\n_more: string (JSON text)\n")
    refused = run("schema", "show", "message.ToolChoice", "--as", "spark")
    assert refused.exit_code == 2
    assert "usage/invalid-argument" in refused.stderr


# --- there and back -------------------------------------------------------------------------------


def there_and_back(values: list[Any], kind: str, version: str | None = None) -> list[Any]:
    """What is read of a table of the documents."""
    table = to_table(map(text_of, values), kind, version)
    table.validate(full=True)
    assert table.schema.equals(arrow_schema(kind, version), check_metadata=True)
    return list(from_table(table))


@given(st.data())
def test_every_document_is_read_back(data: st.DataObject) -> None:
    kind, version = data.draw(st.sampled_from(PUBLIC))
    of_type = documents(kind, version, unknown_members=data.draw(st.booleans()))
    values = data.draw(st.lists(of_type, max_size=2))
    assert same_json(there_and_back(values, kind, version), values)


ANYTHING: st.SearchStrategy[Any] = json_objects.map(
    lambda drawn: drawn.get("", drawn)
) | st.sampled_from(
    [
        *(None, True, False, "", "x", 0, 1.0, 1.5, -0.0, 1e300),
        *(2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**30, -(10**30)),
        *([], {}, [None], [1], ["x"], [{}], [[]], {"kind": None}, {"_more": None}),
        *({"a/b~c": [None]}, {"": 1}, [{"kind": "text", "payload": None}]),
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A message in which one value is another one, or an object has a member more."""
    value: Any = draw(documents(MESSAGE))
    holder: Any = value
    while True:
        places = [*holder] if isinstance(holder, dict) else [*range(len(holder))]
        place = draw(st.sampled_from([*places, "_more"] if isinstance(holder, dict) else places))
        inner = holder.get(place) if isinstance(holder, dict) else holder[place]
        if isinstance(inner, (dict, list)) and inner and draw(st.integers(0, 3)):
            holder = inner
        else:
            holder[place] = draw(ANYTHING)
            return value


@settings(max_examples=60)
@given(st.lists(damaged(), min_size=1, max_size=3))
def test_what_does_not_fit_is_read_back(values: list[Any]) -> None:
    assert same_json(there_and_back(values, MESSAGE), values)


DEEP = {"runId": "r", "parts": [{"payload": {"arguments": json.loads("[" * 490 + "]" * 490)}}]}
SPECIAL: list[dict[str, Any]] = [
    {},
    {"meta": {}},
    {"meta": {"usage": {}}, "parts": []},
    {"meta": {"usage": {"cost": 3, "inputTokens": 2.0}}},
    {"parts": [{"kind": "text", "payload": {"text": "😀 naïve 東京\u0000"}}, {}]},
    {"parts": [{"kind": "new", "payload": {"text": 1, "spin": {"up": None}}}, {"payload": []}]},
    {"author": {"agentPath": ["a", "b"]}, "_more": "mine", "": {"/": "~"}},
    {"author": {"agentPath": ["a", None]}},
    {"author": {"agentPath": ["a", 1]}},
    {"parts": [5, {"kind": "text", "payload": {"tone": 1}}]},
    {"meta": {"a/b~1": 1, "~0": 2, "/": {"~": 3}}},
    {"meta": {"usage": {"inputTokens": 2**63, "outputTokens": -(2**63), "cost": 2**53 + 1}}},
    {"meta": {"usage": {"inputTokens": 1e20, "outputTokens": 1.5, "cost": 2**53}}},
    {"meta": {"usage": {"inputTokens": True, "outputTokens": 2**63 - 1, "cost": False}}},
    {"timestamp": None, "role": {"kind": "user"}},
    DEEP,
]


@pytest.mark.parametrize("together", [True, False])
def test_parquet_gives_back_what_was_written(together: bool, tmp_path: Path) -> None:
    values = [*SPECIAL, *conversations(40)]
    path = tmp_path / "messages.parquet"
    most = GROUP_BYTES if together else 1
    assert write_parquet(map(text_of, values), path, MESSAGE, group_bytes=most) == len(values)
    assert same_json(list(read_parquet(path)), values)
    table = pq.read_table(path)
    assert table.schema.equals(arrow_schema(MESSAGE), check_metadata=True)
    assert table.equals(to_table(map(text_of, values), MESSAGE))


def test_many_batches_and_row_groups(tmp_path: Path) -> None:
    values = list(conversations(700))
    assert len(values) > 2 * 1024
    path = tmp_path / "messages.parquet"
    write_parquet(values, path, MESSAGE, group_bytes=1 << 18)
    assert pq.ParquetFile(path).metadata.num_row_groups > 1
    assert same_json(list(read_parquet(path)), values)


def test_a_file_is_no_larger_than_compressed_lines(tmp_path: Path) -> None:
    texts = [*map(text_of, conversations(2000))]
    path = tmp_path / "messages.parquet"
    write_parquet(texts, path, MESSAGE)
    lines = pa.Codec("zstd", 3).compress(b"\n".join(texts), asbytes=True)
    assert path.stat().st_size <= len(lines)


def test_recorded_messages_are_read_back(recordings: Path, tmp_path: Path) -> None:
    values = []
    for each in recorded.load().values():
        with suppress(StreamFailed):  # some are of streams that failed
            made = partwire.assemble(partwire.adapt(each.dialect, [each.sse]))
            values.append(partwire.to_wire(made))
    assert len(values) > 100
    path = tmp_path / "messages.parquet"
    write_parquet(values, path, MESSAGE)
    assert same_json(list(read_parquet(path)), values)


def test_null_is_not_absent() -> None:
    given = {"messageId": None, "meta": {"modelId": None, "region": None}}
    table = to_table([text_of(given)], MESSAGE)
    assert json.loads(table["_more"][0].as_py()) == {
        "/messageId": None,
        "/meta/modelId": None,
        "/meta/region": None,
    }
    assert list(from_table(table)) == [given]


def test_json_text_stays_as_it_was_written() -> None:
    part = b'{"kind":"tool_call","payload":{"arguments":{"a": 1.00,"b":12345678901234567890123}}}'
    text = b'{"parts":[%s]}' % part
    table = to_table([text], MESSAGE)
    (part,) = table["parts"][0].as_py()
    assert part["payload"]["arguments"] == '{"a": 1.00,"b":12345678901234567890123}'


def test_values_structs_and_text_are_taken_alike() -> None:
    value = {
        "runId": "r",
        "role": "user",
        "parts": [{"kind": "text", "payload": {"text": "Hello"}}],
        "timestamp": LATE,
    }
    text = json.dumps(value, indent=2)
    struct = partwire.read(value, Message)
    table = to_table([value, text, text.encode(), struct], Message)
    assert list(from_table(table)) == [value] * 4


def test_no_documents_are_a_table_too(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    assert write_parquet([], path, MESSAGE) == 0
    assert list(read_parquet(path)) == []
    assert pq.read_schema(path).equals(arrow_schema(MESSAGE), check_metadata=True)


def test_some_columns_and_other_forms_of_text_are_read() -> None:
    table = to_table(SPECIAL, MESSAGE).select(["meta", "_more"])
    assert list(from_table(table))[1:4] == [{"meta": {}}, {"meta": {"usage": {}}}, SPECIAL[3]]
    wide = pa.table({"runId": pa.array(["r", None], pa.large_string())})
    assert list(from_table(wide, MESSAGE)) == [{"runId": "r"}, {}]
    part = to_table(SPECIAL, MESSAGE).slice(4, 2)
    assert list(from_table(part)) == SPECIAL[4:6]


@pytest.mark.parametrize(
    ("document", "rule", "pointer"),
    [
        (b"", "document/empty", "/1"),
        (b'{"runId": }', "document/invalid-json", "/1"),
        (b"[]", "shape/type", "/1"),
        (b"null", "shape/type", "/1"),
        (b'{"runId":"\xff"}', "document/invalid-utf8", "/1"),
        (b'{"x":"\xff"}', "document/invalid-utf8", "/1"),
        (b'{"parts":[{"payload":{"content":"\xff"}}]}', "document/invalid-utf8", "/1"),
        (rb'{"x":"\ud83d"}', "document/lone-surrogate", "/1/x"),
        (
            rb'{"parts":[{"payload":{"content":"\ud83d"}}]}',
            "document/lone-surrogate",
            "/1/parts/0/payload/content",
        ),
        (
            b'{"parts":[{"payload":{"content":1e999}}]}',
            "document/not-finite",
            "/1/parts/0/payload/content",
        ),
        (
            b'{"parts":[{"payload":{"content":NaN}}]}',
            "document/not-finite",
            "/1/parts/0/payload/content",
        ),
        (b'{"meta":{"usage":{"cost":NaN}}}', "document/not-finite", "/1/meta/usage/cost"),
        (
            b'{"parts":[{"payload":{"content":%s}}]}' % (b"[" * 509 + b"]" * 509),
            "document/too-deep",
            "/1",
        ),
        ({"meta": {"usage": {"cost": float("nan")}}}, "document/not-finite", "/1/meta/usage/cost"),
        ({"runId": "\ud83d"}, "document/lone-surrogate", "/1/runId"),
        ({"runId": b"x"}, "shape/type", "/1/runId"),
    ],
)
def test_what_is_not_json_is_refused(document: Any, rule: str, pointer: str) -> None:
    with pytest.raises(ReadError) as refused:
        to_table([b"{}", document], MESSAGE)
    assert [(each.rule, each.pointer) for each in refused.value.findings] == [(rule, pointer)]


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b'"\xff"', "document/invalid-utf8"),
        (rb'"\ud83d"', "document/lone-surrogate"),
        (b"1e999", "document/not-finite"),
        (b"[" * 509 + b"]" * 509, "document/too-deep"),
    ],
)
def test_text_that_is_kept_as_it_is_is_json(content: bytes, rule: str) -> None:
    payload = b'{"toolCallId":"c","isError":false,"content":%b}'
    document = b'{"parts":[{"kind":"tool_result","payload":%b}]}' % payload
    assert to_table([document % b"[1]"] * 2, MESSAGE)["_more"].null_count == 2
    with pytest.raises(ReadError) as refused:
        to_table([document % b"[1]", document % content], MESSAGE)
    assert [(each.rule, each.pointer[:2]) for each in refused.value.findings] == [(rule, "/1")]


def test_large_documents_are_few_in_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_BATCH_BYTES", 10)
    assert [batch.num_rows for batch in to_batches([b"{}"] * 12, MESSAGE)] == [5, 5, 2]


@pytest.mark.parametrize("document", [b"[]", b"{", {"runId": "\ud83d"}])
def test_a_refusal_names_the_document_among_all(document: Any) -> None:
    with pytest.raises(ReadError) as refused:
        to_table([*[b"{}"] * 2000, document], MESSAGE)
    assert refused.value.findings[0].pointer.split("/")[1] == "2000"


def test_a_choice_is_refused_as_any_other() -> None:
    choices = ["auto", {"toolName": "x"}, None]
    table = to_table(map(text_of, choices), "message.ToolChoice")
    assert list(from_table(table)) == choices
    with pytest.raises(ReadError):
        to_table([b'"auto"', b"auto"], "message.ToolChoice")
    with pytest.raises(UsageError, match="one column"):
        list(from_table(pa.table({"x": ["1"]}), "message.ToolChoice"))


@pytest.mark.parametrize(
    ("table", "kind", "words"),
    [
        ({"runId": ["r"]}, None, "does not say of which type"),
        ({"runID": ["r"]}, MESSAGE, "no such column"),
        ({"runId": [1]}, MESSAGE, "runId is of another type"),
        ({"author": ["Ada"]}, MESSAGE, "author is of another type"),
        ({"parts": [{"kind": "x"}]}, MESSAGE, "parts is of another type"),
        ({"parts": [[{"kind": 1}]]}, MESSAGE, r"parts\[\].kind is of another type"),
        ({"meta": [{"usage": {"inputTokens": 1.5}}]}, MESSAGE, "inputTokens is of another type"),
        ({"meta": [{"region": "eu"}]}, MESSAGE, "no such column"),
    ],
)
def test_a_table_of_something_else_is_refused(table: Any, kind: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        list(from_table(pa.table(table), kind))


def test_what_is_not_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        list(read_parquet(io.BytesIO(b"PAR1 it is not"), MESSAGE))
    assert [each.rule for each in refused.value.findings] == ["usage/unreadable-input"]
    with pytest.raises(FileNotFoundError):
        list(read_parquet(tmp_path / "none.parquet", MESSAGE))


def test_a_file_is_closed_when_a_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "messages.parquet"
    with pytest.raises(ReadError):
        write_parquet([b"{}"] * 2000 + [b"x"], path, MESSAGE, group_bytes=1)
    path.unlink()


if __name__ == "__main__":
    KEPT.write_text("".join(row_of(*each) for each in PUBLIC), "utf-8")
