"""The short forms: every source of deltas, and the line that an error carries."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, get_args

import pytest
from msgspec import inspect
from msgspec.json import encode

from partwire import (
    Limits,
    MessageAssembler,
    PartwireError,
    ReadError,
    StreamFailed,
    StreamProtocolError,
    UsageError,
    assemble,
    assemble_async,
    to_wire,
)
from partwire.message.assembler.lines import _CHECKED
from partwire.types import MessageDelta
from tests.message.delta_streams import CALL, delta, lines, stream, struct
from tests.ways import way

__all__ = ["way"]

ROWS: list[Any] = ["start", ("text", "é"), CALL, ("tool_call_args", "a", '{"x":[1]}')]
ROWS += [("tool_call_end", "a"), ("text", "🌍"), ("usage", 1, 2, 3), "done"]
DELTAS = stream(*ROWS)
TEXT = b"\n".join(lines(DELTAS))
BUFFERS = (str, bytes, bytearray, memoryview)
EXPECTED = to_wire(assemble([struct(each) for each in DELTAS]))


async def as_async(items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


SOURCES: dict[str, Callable[[], Any]] = {
    "bytes": lambda: TEXT,
    "last line end": lambda: TEXT + b"\n",
    "bytearray": lambda: bytearray(TEXT),
    "memoryview": lambda: memoryview(TEXT),
    "strided memoryview": lambda: memoryview(bytes(b for byte in TEXT for b in (byte, 0)))[::2],
    "wide memoryview": lambda: memoryview(TEXT + b" " * (-len(TEXT) % 4)).cast("i"),
    "CRLF": lambda: TEXT.replace(b"\n", b"\r\n"),
    "blank lines": lambda: b"\n\n" + TEXT.replace(b"\n", b"\n \n\r\n") + b"\n\n",
    "byte order mark": lambda: b"\xef\xbb\xbf" + TEXT,
    "str": TEXT.decode,
    "list of lines": lambda: lines(DELTAS),
    "tuple of lines": lambda: tuple(lines(DELTAS)),
    "iterator of lines": lambda: iter(lines(DELTAS)),
    "lines with ends": lambda: TEXT.splitlines(keepends=True),
    "str lines": lambda: TEXT.decode().split("\n"),
    "str lines with ends": lambda: TEXT.decode().splitlines(keepends=True),
    "bytearray lines": lambda: map(bytearray, lines(DELTAS)),
    "memoryview lines": lambda: map(memoryview, lines(DELTAS)),
    "mixed lines": lambda: [
        line if n % 2 else line.decode() for n, line in enumerate(lines(DELTAS))
    ],
    "lines with some ends": lambda: [
        line + b"\n" if n % 3 else line for n, line in enumerate(lines(DELTAS))
    ],
    "first end only": lambda: [lines(DELTAS)[0] + b"\n", *lines(DELTAS)[1:]],
    "lines and blanks": lambda: [
        b"",
        *(part for line in lines(DELTAS) for part in (line, b" \r\n")),
    ],
    "JSON objects": lambda: DELTAS,
    "structs": lambda: map(struct, DELTAS),
    "lines and structs": lambda: [lines(DELTAS)[0], *map(struct, DELTAS[1:])],
    "structs and lines": lambda: [struct(DELTAS[0]), *lines(DELTAS)[1:]],
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_source(name: str) -> None:
    assert to_wire(assemble(SOURCES[name]())) == EXPECTED


ITEMS = [name for name, make in SOURCES.items() if not isinstance(make(), BUFFERS)]


@pytest.mark.parametrize("name", ITEMS)
def test_every_source_of_items_asynchronously(name: str) -> None:
    message = asyncio.run(assemble_async(as_async(SOURCES[name]())))
    assert to_wire(message) == EXPECTED


@pytest.mark.parametrize("source", [None, 7, {"kind": "start"}, struct(DELTAS[0])], ids=str)
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(UsageError) as at_once:
        assemble(source)
    with pytest.raises(UsageError) as asynchronous:
        asyncio.run(assemble_async(source))
    assert at_once.value.rule == asynchronous.value.rule == "usage/invalid-argument"


TWO_IN_ONE = [lines(DELTAS)[0] + b" " + lines(DELTAS)[1], *lines(DELTAS)[2:]]


@pytest.mark.parametrize(
    "source",
    [
        b"\n".join([*TWO_IN_ONE, b""]),
        b"\n".join([*TWO_IN_ONE, b"", b""]),
        [b"\n".join(lines(DELTAS)[:2]), *lines(DELTAS)[2:], b""],
        [b"\n".join(lines(DELTAS)[:2]), *(line + b"\n" for line in [*lines(DELTAS)[2:], b""])],
    ],
    ids=["line", "line and a blank one", "item", "item, and ends"],
)
def test_a_line_holds_one_delta_even_where_the_numbers_agree(source: Any) -> None:
    with pytest.raises(ReadError) as caught:
        assemble(source)
    assert caught.value.rule == "document/invalid-json"
    assert caught.value.findings[0].line == 1


def test_options() -> None:
    with pytest.raises(UsageError):
        assemble(TEXT, mode="lax")  # type: ignore[arg-type]
    with pytest.raises(StreamProtocolError) as caught:
        assemble(TEXT, run_id="run_2")
    assert caught.value.rule == "stream/run-id-mismatch"
    with pytest.raises(StreamProtocolError) as caught:
        assemble(TEXT, limits=Limits(text_bytes=3))
    assert (caught.value.rule, caught.value.findings[0].line) == ("stream/limit-exceeded", 6)


@pytest.mark.parametrize(
    "empty",
    [b"", b"\n\n", [], iter(()), ()],
    ids=["bytes", "blank lines", "list", "iterator", "tuple"],
)
def test_nothing_is_a_truncated_stream(empty: Any) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        assemble(empty)
    assert caught.value.rule == "stream/truncated"


def test_a_failed_stream() -> None:
    with pytest.raises(StreamFailed) as caught:
        assemble(stream("start", ("text", "a"), ("error", "timeout")))
    assert to_wire(caught.value.partial)["parts"][0]["payload"]["text"] == "a"


def long_stream(size: int) -> list[bytes]:
    """Return lines that fill several chunks."""
    return lines(stream("start", *[("text", f"{n} word ") for n in range(size)], "done"))


def where(source: Any, **options: Any) -> tuple[str, int | None]:
    """Return rule and line of the error that a source gives."""
    with pytest.raises(PartwireError) as caught:
        assemble(source, **options)
    return caught.value.rule, caught.value.findings[0].line


BAD = {
    "not JSON": (b"{", "document/invalid-json"),
    "two on a line": (b'{"kind":"text"} {"kind":"text"}', "document/invalid-json"),
    "not UTF-8": (b'{"kind":"\xff"}', "document/invalid-utf8"),
    "no delta": (b'{"kind":"text"}', "shape/required"),
    "unknown kind": (lines([delta("image", 9, {})])[0], "shape/unknown-variant"),
    "late": (lines([delta("text", 0, {"textDelta": ""})])[0], "stream/seq-not-increasing"),
    "an array": (b"[]", "shape/type"),
}


@pytest.mark.parametrize("at", [0, 1, 63, 64, 65, 700, 1501])
@pytest.mark.parametrize("name", BAD)
def test_errors_carry_their_line(name: str, at: int) -> None:
    bad, rule = BAD[name]
    made = long_stream(1500)
    made.insert(at, bad)
    if name == "late" and at == 0:
        rule = "stream/start-expected"
    line = at + 1
    text = b"\n".join(made)
    assert where(text) == (rule, line)
    assert where(memoryview(text + b"\n")) == (rule, line)
    assert where(made) == (rule, line)
    assert where(iter(made)) == (rule, line)
    assert where(b"\n".join([b"", b" ", *made])) == (rule, line + 2)
    assert where([b"", *made]) == (rule, line + 1)
    if name == "late":
        assert where(b"\n\n".join(made)) == (rule, 2 * at + 1)
        assert where([json.loads(each) for each in made]) == (rule, line)
        assert where(b"\r\n".join(made)) == (rule, line)


def test_a_value_over_several_lines_is_refused_wherever_it_stands() -> None:
    pretty = "\n".join(json.dumps(each, indent=1) for each in DELTAS).encode()
    assert where(pretty) == ("document/invalid-json", 1)


def test_an_item_is_one_delta() -> None:
    made = long_stream(200)
    joined = [*made[:100], made[100] + b" " + made[101], *made[102:]]
    assert where(joined) == ("document/invalid-json", 101)
    assert where(iter(joined)) == ("document/invalid-json", 101)


def test_integral_numbers_take_the_slow_path() -> None:
    made = long_stream(1000)
    made[500] = made[500].replace(b'"seq":500', b'"seq":500.0')
    for source in (b"\n".join(made), made, iter(made)):
        text = assemble(source).parts[0].payload.text  # type: ignore[union-attr]
        assert text == "".join(f"{n} word " for n in range(1000))


def test_long_lines() -> None:
    """A line beyond every chunk and batch, between short ones."""
    words = ["a", "b" * 300_000, "c", "d" * 70_000, "e"]
    made = lines(stream("start", *(("text", word) for word in words), "done"))
    for source in (b"\n".join(made), memoryview(b"\n".join(made)), made, iter(made)):
        assert assemble(source).parts[0].payload.text == "".join(words)  # type: ignore[union-attr]


def test_tolerant_reading_passes_over_unknown_kinds() -> None:
    made = long_stream(200)
    made.insert(100, lines([delta("citation", 99, {"url": "x"})])[0])
    made[100] = made[100].replace(b'"seq":99', b'"seq":99.5')
    assert where(made)[1] == 101
    made = lines(stream("start", ("text", "a"), ("text", "b"), ("text", "c"), "done"))
    made[2] = made[2].replace(b'"kind":"text"', b'"kind":"citation"')
    assert where(made) == ("shape/unknown-variant", 3)
    texts = [part.payload.text for part in assemble(made, mode="tolerant").parts]  # type: ignore[union-attr]
    assert texts == ["ac"]


def test_errors_of_asynchronous_streams_carry_their_item() -> None:
    with pytest.raises(ReadError) as caught:
        asyncio.run(assemble_async(as_async([*lines(DELTAS)[:3], b"{"])))
    assert caught.value.findings[0].line == 4


def test_a_live_source_is_not_read_ahead() -> None:
    """Structs are consumed one by one as they come."""
    seen: list[int] = []

    def source() -> Any:
        for each in [*DELTAS[:2], DELTAS[1], *DELTAS[2:]]:
            seen.append(each["seq"])
            yield struct(each)

    assert where(source()) == ("stream/seq-not-increasing", 3)
    assert seen == [0, 1, 1]


ODD_MEMBERS = {
    "too deep": (f'"providerRaw":{{"a":{"[" * 512}{"]" * 512}}}', "document/too-deep"),
    "too deep where nobody looks": (f'"new":{"[" * 513}{"]" * 513}', "document/too-deep"),
    "not finite": (f'"providerRaw":{{"a":1{"0" * 309}}}', "document/not-finite"),
    "not finite where nobody looks": ('"new":1e999', "document/not-finite"),
}


@pytest.mark.parametrize("name", ODD_MEMBERS)
def test_a_line_among_plain_ones_is_looked_at_whole(name: str) -> None:
    """Those beside it come back as they were when they are written again."""
    member, rule = ODD_MEMBERS[name]
    rows = stream("start", *[("text", "é")] * 40)
    begin, *plain = [encode(struct(each)).decode() for each in rows]
    odd = f"{plain[20][:-1]},{member}}}"
    for texts in ([begin, *plain[:20], odd, *plain[21:]], [begin, *plain[:20], odd]):
        for source in (texts, "\n".join(texts), [f"{each}\n".encode() for each in texts]):
            with pytest.raises(ReadError) as caught:
                assemble(source)
            assert [(each.rule, each.line) for each in caught.value.findings] == [(rule, 22)]


ODD_DATA = {
    "document/too-deep": f"{'[' * 510}{']' * 510}",
    "document/not-finite": f"1{'0' * 309}",
}


@pytest.mark.parametrize("rule", ODD_DATA)
def test_opaque_data_among_plain_lines_is_looked_at_whole(rule: str) -> None:
    begin, *plain = [
        encode(struct(each)).decode() for each in stream("start", *[("text", "é")] * 40)
    ]
    opaque = f',"opaque":{{"provider":"p","data":{{"a":{ODD_DATA[rule]}}}}}'
    plain[20] = plain[20].replace('"é"', f'"é"{opaque}')
    for source in ([begin, *plain], "\n".join([begin, *plain])):
        with pytest.raises(ReadError) as caught:
            assemble(source)
        assert [(each.rule, each.line) for each in caught.value.findings] == [(rule, 22)]


def test_lines_are_not_joined_with_what_is_not_a_line() -> None:
    """Bytes would be joined with any buffer."""
    first, second, *_ = [encode(struct(each)) for each in DELTAS]
    items: list[Any] = [first, array("B", second)]
    with pytest.raises(StreamProtocolError) as caught:
        assemble(items)
    (found,) = caught.value.findings
    assert (found.rule, found.line) == ("stream/invalid-delta", 2)


def test_all_members_in_which_anything_may_be_nested_are_looked_for() -> None:
    """Deltas of the kinds that the schema looks at have others."""

    def free(node: inspect.Type, name: str) -> Iterator[str]:
        if isinstance(node, inspect.UnionType):
            for each in node.types:
                yield from free(each, name)
        elif isinstance(node, inspect.StructType):
            for member in node.fields:
                yield from free(member.type, f"{name}/{member.encode_name}")
        elif isinstance(node, (inspect.DictType, inspect.AnyType)):
            yield name

    kinds = [kind for kind in get_args(MessageDelta) if kind not in _CHECKED]
    names = {name for kind in kinds for name in free(inspect.type_info(kind), "")}
    assert names == {"/providerRaw", "/payload/opaque/data"}


@pytest.mark.parametrize("blank", ["", "\n", " \t\r\n", b"", bytearray(b" ")])
def test_a_blank_line_counts_and_is_passed_over(way: str, blank: Any) -> None:
    texts = lines(DELTAS)
    assert to_wire(assemble([texts[0], blank, *texts[1:]])) == EXPECTED
    with pytest.raises(ReadError) as caught:
        assemble([blank, "x"])
    assert caught.value.findings[0].line == 2


@pytest.mark.parametrize("odd", [None, 5, True, (), []])
def test_what_is_not_a_delta_is_refused(way: str, odd: Any) -> None:
    with pytest.raises(StreamProtocolError) as caught:
        assemble([*lines(DELTAS)[:1], odd])
    finding = caught.value.findings[0]
    assert (finding.rule, finding.line) == ("stream/invalid-delta", 2)
    assert (finding.expected or "").startswith(
        "a message delta: a struct, a model or a JSON object"
    )


def test_an_assembler_takes_json_objects_and_says_who_takes_lines() -> None:
    assembler = MessageAssembler()
    for each in DELTAS:
        assembler.consume(each)
    assert to_wire(assembler.build_final_message()) == EXPECTED
    broken: Any = {**DELTAS[0], "payload": {}}
    refused: list[tuple[Any, str]] = [(lines(DELTAS)[0], "LineAssembler"), (broken, "modelId")]
    for wrong, words in refused:
        with pytest.raises(StreamProtocolError, match=words):
            MessageAssembler().consume(wrong)
