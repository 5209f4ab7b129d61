"""Many streams in one: whose line is whose, what becomes of each stream, and every line counted."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partwire
from partwire import (
    Assembled,
    Limits,
    PartwireError,
    StreamFailed,
    StreamsAssembler,
    assemble,
    assemble_many,
    native_core,
    read,
    to_wire,
)
from partwire.message import routes, streams
from tests.fixture_cases import cases
from tests.message.delta_streams import lines, stream
from tests.ways import way

__all__ = ["way"]

Json = dict[str, Any]


def of(run: str, deltas: list[Json], message: str | None = None, every: bool = True) -> list[Json]:
    """Return the deltas of a run; the message is named by all of them, or by the start alone."""
    ids = {} if message is None else {"messageId": message}
    return [
        {**each, "runId": run, **(ids if every or each["kind"] == "start" else {})}
        for each in deltas
    ]


def answer(run: str, text: str, message: str | None = None, every: bool = True) -> list[Json]:
    """Return a stream that says ``text``."""
    return of(run, stream("start", *(("text", char) for char in text), "done"), message, every)


def text_of(deltas: Iterable[Json]) -> bytes:
    return b"".join(line + b"\n" for line in lines(list(deltas)))


def mixed(rng: random.Random, groups: list[list[Any]]) -> list[Any]:
    """Return the items of all groups, those of each in their order."""
    order = [index for index, group in enumerate(groups) for _ in group]
    rng.shuffle(order)
    rest = [iter(group) for group in groups]
    return [next(rest[index]) for index in order]


def told(result: Assembled) -> Any:
    """Return all that a result says."""
    made: Any = result.error
    if made is None:
        made = msgspec.json.encode(result.message)
        assert read(result.message_json, "message.Message") == result.message
    else:
        partial = getattr(made, "partial", None)
        made = (type(made), made.findings, getattr(made, "seq", None), repr(partial))
    name = (result.run_id, result.message_id)
    return (*name, result.first_line, result.last_line, result.lines, made)


def rule_of(result: Assembled) -> str:
    return "" if result.error is None else result.error.rule


def summary(results: Iterable[Assembled]) -> list[tuple[str | None, str | None, int, str]]:
    return [(each.run_id, each.message_id, each.lines, rule_of(each)) for each in results]


def in_pieces(data: bytes, cuts: list[int]) -> Iterator[Assembled]:
    reader = StreamsAssembler()
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        yield from reader.feed(data[begin:end])
    yield from reader.finish()


# --- one by one or mixed --------------------------------------------------------------------------


def ended_streams() -> list[list[bytes]]:
    """Return the fixtures' streams that have one end, at their end, and name no other stream."""
    found = []
    for case in cases("streams"):
        rows = case.lines("deltas")
        try:
            values = [msgspec.json.decode(row) for row in rows if row.strip()]
            kinds = [value["kind"] for value in values]
            names = {(value["runId"], value.get("messageId")) for value in values}
        except (ValueError, TypeError, KeyError):
            continue
        ends = [kind for kind in kinds if kind in ("done", "error")]
        has_options = "run_id" in case.spec or "limits" in case.spec
        if ends == kinds[-1:] and len(names) == 1 and not has_options:
            found.append([row for row in rows if row.strip()])
    return found


STREAMS = ended_streams()


def renamed(rows: list[bytes], run: str) -> list[bytes]:
    """Return the lines with another run, and nothing else changed that says anything."""
    return [RUN_ID.sub(rb'\1"' + run.encode() + b'"', row) for row in rows]


RUN_ID = re.compile(rb'("runId"\s*:\s*)"(?:[^"\\]|\\.)*"')


def alone(rows: list[bytes]) -> Any:
    """Return what ``assemble`` says, without lines."""
    try:
        return msgspec.json.encode(assemble(rows))
    except PartwireError as error:
        found = [finding._replace(line=None) for finding in error.findings]
        return type(error), found, getattr(error, "seq", None)


def without_line(result: Assembled) -> Any:
    error = result.error
    if error is None:
        return msgspec.json.encode(result.message)
    found = [finding._replace(line=None) for finding in error.findings]
    return type(error), found, getattr(error, "seq", None)


def test_there_are_streams_to_mix() -> None:
    assert len(STREAMS) > 40
    assert any(isinstance(alone(rows), tuple) for rows in STREAMS)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_mixed_streams_are_what_they_are_one_by_one(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(STREAMS), min_size=1, max_size=8))
    groups = [renamed(rows, f"run-{index}") for index, rows in enumerate(chosen)]
    rng = data.draw(st.randoms(use_true_random=False))
    text = b"\n".join(mixed(rng, groups)) + data.draw(st.sampled_from([b"", b"\n"]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    whole = list(assemble_many(text))
    assert [told(each) for each in in_pieces(text, cuts)] == [told(each) for each in whole]
    assert {each.run_id: without_line(each) for each in whole} == {
        f"run-{index}": alone(rows) for index, rows in enumerate(groups)
    }
    assert sum(each.lines for each in whole) == sum(map(len, groups))


def test_a_result_comes_with_the_last_line_of_its_stream() -> None:
    first, second = answer("r1", "ab"), answer("r2", "c")
    reader = StreamsAssembler()
    assert reader.feed(text_of([*first[:2], *second[:2], *first[2:3]])) == []
    (result,) = reader.feed(text_of(first[3:]))
    assert told(result)[:5] == ("r1", None, 1, 6, 4)
    assert to_wire(result.message.parts[0])["payload"] == {"text": "ab"}
    assert json.loads(result.message_json)["runId"] == "r1"
    assert summary(reader.feed(text_of(second[2:]))) == [("r2", None, 3, "")]
    assert reader.finish() == []


# --- whose line it is -----------------------------------------------------------------------------


def test_a_run_has_several_streams_whose_seq_begins_anew() -> None:
    rows = [answer("r", "abc", "m1"), answer("r", "xyz", "m2")]
    got = assemble_many(text_of(mixed(random.Random(1), rows)))
    texts = {each.message_id: to_wire(each.message.parts[0])["payload"] for each in got}
    assert texts == {"m1": {"text": "abc"}, "m2": {"text": "xyz"}}


def test_deltas_need_not_name_the_message_while_it_is_the_only_one() -> None:
    rows = answer("r", "abc", "m1", every=False) + answer("r", "xyz", "m2", every=False)
    assert summary(assemble_many(text_of(rows))) == [("r", "m1", 5, ""), ("r", "m2", 5, "")]


def test_a_delta_that_may_be_anybodys_leaves_no_message_whole() -> None:
    one, other = answer("r", "abc", "m1"), answer("r", "xyz", "m2")
    third = answer("r", "later", "m3")
    nameless = of("r", stream(("text", "?"), first=2))
    rows = [*one[:2], *other[:2], *nameless, *third, *one[2:], *other[2:]]
    rule = "stream/message-id-mismatch"
    assert summary(assemble_many(text_of(rows))) == [
        ("r", None, 1, rule),
        ("r", "m3", 7, ""),
        ("r", "m1", 5, rule),
        ("r", "m2", 5, rule),
    ]


def test_another_message_is_another_stream() -> None:
    rows = answer("r", "abc", "m1")
    other = of("r", stream(("text", "x"), first=1), "m2")
    assert summary(assemble_many(text_of([*rows[:2], *other, *rows[2:]]))) == [
        ("r", "m1", 5, ""),
        ("r", "m2", 1, "stream/start-expected"),
    ]


def test_a_second_start_breaks_the_stream_that_is_open() -> None:
    rows = answer("r", "abc")
    assert summary(assemble_many(text_of([*rows[:3], rows[0], *rows[3:]]))) == [
        ("r", None, 6, "stream/duplicate-start")
    ]


def test_a_start_begins_a_new_stream_when_the_last_one_has_ended() -> None:
    failed = of("r", stream("start", ("error", "timeout")))
    got = list(assemble_many(text_of([*failed, *answer("r", "ab"), *answer("r", "ab")])))
    assert summary(got) == [("r", None, 2, "stream/failed"), ("r", None, 4, ""), ("r", None, 4, "")]
    assert isinstance(got[0].error, StreamFailed)


def test_what_comes_late_is_a_finding_of_its_line_alone() -> None:
    rows = answer("r", "ab", "m")
    got = list(assemble_many(text_of([*rows, rows[2], rows[3]])))
    assert summary(got) == [
        ("r", "m", 4, ""),
        ("r", "m", 1, "stream/after-terminal"),
        ("r", "m", 1, "stream/after-terminal"),
    ]
    assert [each.first_line for each in got] == [1, 5, 6]


def test_what_comes_late_says_so_whatever_it_is() -> None:
    rows = answer("r", "ab", "m")
    odd = {"kind": "text", "runId": "r", "messageId": "m", "seq": -1}
    given = [*rows, rows[2], odd, {**rows[2], "kind": "new"}]
    for got in (list(assemble_many(text_of(given))), list(assemble_many(given))):
        assert [each.is_late for each in got] == [False, True, True, True]
        rules = [rule_of(each) for each in got[1:]]
        assert rules == ["stream/after-terminal", "shape/minimum", "shape/unknown-variant"]
        assert [each.error.findings[0].line for each in got[1:] if each.error] == [5, 6, 7]
    (other,) = assemble_many(text_of(rows[1:]))
    assert not other.is_late


def test_a_stream_without_its_beginning_is_one_result() -> None:
    rows = answer("r", "abc")[1:]
    (got,) = assemble_many(text_of(rows))
    assert told(got)[:5] == ("r", None, 1, 4, 4)
    assert rule_of(got) == "stream/start-expected"


def test_names_of_ended_streams_are_forgotten_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "_MOST_ENDED", 4)
    ended = [answer(f"r{index}", "a") for index in range(6)]
    late = [of(f"r{index}", stream(("text", "b"), first=7)) for index in range(6)]
    got = assemble_many(text_of([each for group in [*ended, *late] for each in group]))
    rules = [rule_of(each) for each in sorted(got, key=lambda each: each.first_line)[6:]]
    assert rules == ["stream/start-expected"] * 2 + ["stream/after-terminal"] * 4


# --- what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "rule", "run"),
    [
        (b"nope", "document/invalid-json", None),
        (b"\xff\xfe", "document/invalid-utf8", None),
        (b"[]", "shape/type", None),
        (b'{"kind":"done"}', "shape/required", None),
        (b'{"kind":"done","runId":7}', "shape/type", None),
        (b'{"kind":"done","runId":"","messageId":"m"}', "shape/min-length", None),
        (b'{"kind":"done","runId":"r1","messageId":[]}', "shape/type", None),
        (b'{"kind":"text","runId":"r1"}', "shape/required", "r1"),
        (b'{"kind":"new","runId":"r1","seq":2}', "shape/unknown-variant", "r1"),
        (b'{"kind":"text","runId":"r1","later":1e999}', "document/not-finite", "r1"),
        (b'{"kind":"text","runId":"r\\u0031","seq":0,"payload":{"textDelta":""},"timestamp":""}',
         "stream/seq-not-increasing", "r1"),
    ],
)  # fmt: skip
def test_a_bad_line_damages_its_own_stream(bad: bytes, rule: str, run: str | None) -> None:
    rows = lines(mixed(random.Random(3), [answer("r1", "abc"), answer("r2", "xyz")]))
    at = next(index for index, row in enumerate(rows) if b"r1" in row) + 1
    got = {each.run_id: each for each in assemble_many(b"\n".join([*rows[:at], bad, *rows[at:]]))}
    assert {key: rule_of(each) for key, each in got.items()} == {"r1": "", "r2": "", run: rule}
    assert sum(each.lines for each in got.values()) == len(rows) + 1
    assert got[run].error.findings[0].line == at + 1  # type: ignore[union-attr]
    assert to_wire(got["r2"].message.parts[0])["payload"] == {"text": "xyz"}


@pytest.mark.parametrize("often", [0, 0.003, 0.03, 0.5])
def test_lines_taken_together_are_what_they_are_one_by_one(often: float) -> None:
    rng = random.Random(5)
    groups = [answer(f"r{run % 40}", "some text", f"m{run}") for run in range(100)]
    given = mixed(rng, groups) if often == 0.5 else [each for group in groups for each in group]
    rows: list[bytes] = []
    for each in given:
        late = {**each, "kind": "text", "seq": 50, "payload": {"textDelta": "late"}}
        odd = [b"nope", b"", b'{"kind":"text","runId":"r1"}', *lines([late, late])]
        rows += [*lines([each]), *([rng.choice(odd)] if rng.random() < often else [])]
    together = [told(each) for each in assemble_many(b"\n".join(rows))]
    assert together == [told(each) for each in assemble_many(rows)]
    assert sum(each[4] for each in together) == len(rows) - rows.count(b"")
    assert any(type(each[-1]) is bytes for each in together)  # a message


def test_cut_streams_come_last_in_the_order_of_their_start() -> None:
    rows = [
        *answer("r1", "a")[:1],
        *answer("r2", "b")[:2],
        *answer("r3", "c"),
        *answer("r1", "a")[1:2],
    ]
    got = list(assemble_many(text_of(rows)))
    assert [(each.run_id, each.first_line, each.last_line, rule_of(each)) for each in got] == [
        ("r3", 4, 6, ""),
        ("r1", 1, 7, "stream/truncated"),
        ("r2", 2, 3, "stream/truncated"),
    ]


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "DEFAULT_LIMIT_BYTES", 1000)
    monkeypatch.setattr(streams, "_MOST_BYTES", 300)
    rows = lines(answer("r", "ab"))
    text = b"\n".join([*rows[:2], b'"' + b"x" * 5000, *rows[2:], b"y" * 1001])
    for size in (1, 7, 299, 1000, 5000, len(text)):
        reader, got = StreamsAssembler(), []
        for begin in range(0, len(text), size):
            got += reader.feed(text[begin : begin + size])
        got += reader.finish()
        assert [(each.run_id, each.first_line, rule_of(each)) for each in got] == [
            (None, 3, "framing/line-too-long"),
            ("r", 1, ""),
            (None, 6, "framing/line-too-long"),
        ]


def test_limits_hold_for_each_stream() -> None:
    rows = mixed(random.Random(2), [answer(f"r{size}", "a" * size) for size in range(1, 7)])
    got = assemble_many(text_of(rows), limits=Limits(text_bytes=4))
    rules = {each.run_id: rule_of(each) for each in got}
    assert rules == {
        f"r{size}": "stream/limit-exceeded" if size > 4 else "" for size in range(1, 7)
    }


def test_kinds_that_nobody_knows_are_passed_over_where_they_may_be() -> None:
    rows = answer("r", "ab")
    rows.insert(2, {**rows[1], "kind": "new", "seq": 1})
    rows[3:] = [{**each, "seq": each["seq"] + 1} for each in rows[3:]]
    rows[2]["seq"] = 2
    (got,) = assemble_many(text_of(rows), mode="tolerant")
    assert got.error is None
    (got,) = assemble_many(text_of(rows))
    assert rule_of(got) == "shape/unknown-variant"
    (nameless,) = assemble_many(b'{"kind":"new"}', mode="tolerant")
    assert (nameless.run_id, rule_of(nameless)) == (None, "stream/invalid-delta")


@pytest.mark.parametrize("source", [7, None, {"runId": "r"}])
def test_other_sources_are_refused_at_once(source: Any) -> None:
    with pytest.raises(partwire.UsageError):
        assemble_many(source)
    with pytest.raises(partwire.UsageError):
        assemble_many(b"", mode="lenient")  # type: ignore[arg-type]


# --- forms ----------------------------------------------------------------------------------------


def test_deltas_come_in_any_form() -> None:
    rows = mixed(random.Random(5), [answer("r1", "abc"), answer("r2", "xy", "m"), answer("r3", "")])
    whole = [told(each) for each in assemble_many(text_of(rows))]
    as_lines = lines(rows)
    forms: list[Iterable[Any]] = [
        as_lines,
        [line + b"\n" for line in as_lines],
        [line.decode() for line in as_lines],
        (bytearray(line) for line in as_lines),
        rows,
        [read(row, "message.MessageDelta") for row in rows],
        [
            row if index % 2 else line
            for index, (row, line) in enumerate(zip(rows, as_lines, strict=True))
        ],
    ]
    for form in forms:
        assert [told(each) for each in assemble_many(form)] == whole
    text: Any
    for text in (text_of(rows).decode(), bytearray(text_of(rows)), memoryview(text_of(rows))):
        assert [told(each) for each in assemble_many(text)] == whole
    other = as_lines[0].replace(b'"kind"', b' "kind"').replace(b":", b" : ", 1)
    text = b"\xef\xbb\xbf" + b"\n".join([other, b" ", *as_lines[1:], b"\r", b""])
    assert summary(assemble_many(text)) == [(*each[:2], *each[4:5], "") for each in whole]


def test_what_is_not_a_delta_belongs_to_no_stream() -> None:
    text_part = partwire.text("a")
    rows: list[Any] = [*answer("r", "a"), text_part, {**answer("r", "a")[0], "runId": "\ud800"}]
    assert [each[3] for each in summary(assemble_many(rows))] == [
        "",
        "stream/invalid-delta",
        "document/lone-surrogate",
    ]


# --- open streams ---------------------------------------------------------------------------------

CALLS: list[Any] = [
    "start",
    ("thinking", "hm"),
    ("text", "a"),
    ("text", "b", {"provider": "p", "data": {"k": [1]}}),
    ("text", "c"),
    ("tool_call_start", "c1", "tool"),
    ("tool_call_start", "c2", "tool"),
    ("tool_call_args", "c2", '{"a":'),
    ("tool_call_args", "c1", "{}"),
    ("tool_call_end", "c1"),
    ("text", ""),
    ("usage", 1, 2, 3),
    ("tool_call_args", "c2", "1}"),
    ("tool_call_end", "c2"),
    "done",
]


def test_open_streams_are_seen() -> None:
    reader = StreamsAssembler()
    reader.feed(text_of([*answer("r1", "a" * 5000, "m")[:5001], *answer("r2", "b")[:2]]))
    reader.feed(text_of(of("r2", stream(("text", "again"), first=1))))
    first, second = reader.open
    assert first[:5] == ("r1", "m", 1, 5001, 5001)
    assert 5000 < first.held_bytes < 25_000
    assert not first.is_broken
    assert second == ("r2", None, 5002, 5004, 3, 0, True, False)


@pytest.mark.parametrize("is_odd", [False, True])
@pytest.mark.parametrize("cut", range(1, len(CALLS)))
def test_a_stream_that_is_taken_out_goes_on_elsewhere(cut: int, is_odd: bool) -> None:
    rows = of("r", stream(*CALLS), "m")
    if is_odd:  # the native core leaves it to the rules
        rows[0]["runId"] = "r"
        head = lines(rows[:1])[0].replace(b'"r"', b'"\\u0072"') + b"\n"
    else:
        head = text_of(rows[:1])
    reader = StreamsAssembler()
    reader.feed(head + text_of([*rows[1:cut], *answer("r2", "x")[:2]]))
    told_again = reader.take_out("r", "m")
    assert [each.run_id for each in reader.open] == ["r2"]
    (whole,) = assemble_many(text_of(rows))
    (again,) = assemble_many(told_again + text_of(rows[cut:]))
    assert again.message == whole.message
    (late,) = assemble_many(told_again + text_of([rows[cut - 1]]))
    assert rule_of(late) == ("stream/duplicate-start" if cut == 1 else "stream/seq-not-increasing")


def test_what_cannot_be_taken_out() -> None:
    reader = StreamsAssembler()
    reader.feed(text_of(answer("r", "a", "m")[:2]))
    for name in (("r", None), ("r", "m2"), ("x", "m")):
        with pytest.raises(partwire.UsageError):
            reader.take_out(*name)
    reader.feed(text_of(answer("r", "a", "m")[:1]))
    with pytest.raises(PartwireError) as caught:
        reader.take_out("r", "m")
    assert caught.value.rule == "stream/duplicate-start"
    assert reader.finish() == []


# --- size -----------------------------------------------------------------------------------------


def test_a_run_that_is_everybodys() -> None:
    """Streams of one run are found by name, however many there are."""
    rows = [answer("r", "ab", f"m{index}") for index in range(2000)]
    text = text_of(each for step in zip(*rows, strict=True) for each in step)
    assert {each[2:] for each in summary(assemble_many(text))} == {(4, "")}


def test_a_broken_stream_holds_nothing() -> None:
    rows = lines(of("r", stream(("text", "x" * 500), first=1)))
    reader = StreamsAssembler()
    reader.feed(rows[0] + b"\n")
    tracemalloc.start()
    for _ in range(200):
        assert reader.feed((rows[0] + b"\n") * 50) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    (got,) = reader.finish()
    assert (got.lines, rule_of(got)) == (10_001, "stream/start-expected")


@pytest.mark.slow
def test_a_hundred_thousand_open_streams() -> None:
    count, text = 100_000, "some words"
    reader = StreamsAssembler()
    for step in range(3):
        for begin in range(0, count, 1000):
            names = range(begin, begin + 1000)
            assert reader.feed(text_of(answer(f"r{name}", text)[step] for name in names)) == []
    assert len(reader.open) == count
    assert sum(each.held_bytes for each in reader.open) < 6000 * count
    ends = (answer(f"r{name}", text)[-1] for name in range(count))
    assert {each[2:] for each in summary(reader.feed(text_of(ends)))} == {(4, "")}
    assert reader.open == []


def test_the_native_core_keeps_what_is_not_odd(way: str) -> None:
    """Nothing else here would fail if it left all streams to the rules."""
    if way == "plain":
        assert native_core.core() is None
        return
    rows = mixed(random.Random(7), [of("r1", stream(*CALLS), "m"), answer("r2", "abc")])
    fold = native_core.core().Fold([2**40] * 12, 10)
    events, odd, number, _ = fold.take(text_of(rows), 0, 0)
    assert (odd, number) == (None, len(rows))
    assert sorted(event[:3] for event in events) == [(0, "r1", "m"), (0, "r2", None)]
