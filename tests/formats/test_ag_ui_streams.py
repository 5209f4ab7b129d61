"""The event stream of AG-UI: read as its client does, and written so that it comes back."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.errors import PartwireError
from partwire.formats.ag_ui.events import BESIDE_CHUNKS, EVENTS, KNOWN, NOWHERE, sse
from partwire.formats.ag_ui.stream_read import AgUiStreamReader
from partwire.reading.pipeline import read
from partwire_testing import strategies
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import survives_events
from tests.formats.test_ag_ui_reading import items_of, items_wanted
from tests.strategies import json_values

Json = dict[str, Any]

_STREAMS = [name for name in samples.ids("ag-ui") if not name.startswith("ag-ui/messages-")]
_TIME = "2026-01-02T03:04:05Z"
_VERSIONS = ("1.0", "1.1")


def _read(events: list[Any]) -> tuple[list[Json], Any, Any]:
    messages, losses, run, _ = _read_all(events)
    return messages, losses, run


def _read_all(events: list[Any]) -> tuple[list[Json], Any, Any, list[Any]]:
    reader = formats.reader("ag-ui", run_id="run_1", timestamp=_TIME)
    run = formats.RunAssembler()
    items: list[Any] = []
    for event in events:
        items += reader.feed(event)
    items += reader.finish()
    run.feed_all(items)
    messages: list[Json] = msgspec.to_builtins(run.finish())
    return messages, reader.losses, run, items


def _events(name: str) -> tuple[list[str], Json]:
    text, expected = samples.load_text(name)
    return [event for event in text.split("\n\n") if event.strip()], expected


# --- reading --------------------------------------------------------------------------------------


def test_samples_agree_with_the_client() -> None:
    agreement = Agreement("ag-ui (stream)")
    for name in _STREAMS:
        events, expected = _events(name)
        client = expected.get("client", expected)
        ours, theirs = items_of(_read(events)[0]), items_wanted(client["messages"])
        if client["outcome"] == "failed":
            assert not theirs
            agreement.otherwise("refused")
            continue
        is_snapshot = "MESSAGES_SNAPSHOT" in "".join(events)
        agreement.sample(
            name, ours, theirs, lambda *_, say=is_snapshot: "snapshot" if say else None
        )
    agreement.check()


@pytest.mark.parametrize("name", _STREAMS)
def test_a_cut_stream_has_no_finished_end(name: str) -> None:
    events, _ = _events(name)
    ends = [n for n, event in enumerate(events) if "RUN_FINISHED" in event or "RUN_ERROR" in event]
    for end in range(1, (ends[0] if ends else len(events)) + 1):
        messages, _, run = _read(events[:end])
        spoken = [each for each in messages if each["role"] == "assistant"]
        if run.failures:
            assert spoken[-1]["meta"]["incomplete"]["ending"] == "error"
        else:
            assert not messages or all("incomplete" in each["meta"] for each in messages[-1:])


@pytest.mark.parametrize("name", _STREAMS)
def test_nothing_of_a_stream_is_lost_in_silence(name: str) -> None:
    """Change a leaf of an event: the items are others, or a loss names the place."""
    events, _ = _events(name)
    parsed = [json.loads(event.removeprefix("data: ")) for event in events]
    _, losses, _, before = _read_all(parsed)
    lost = [loss.pointer for loss in losses if loss.severity == "lossy"]
    for number, event in enumerate(parsed):
        for member, value in event.items():
            if isinstance(value, dict | list) or member in ("type", "messageId", "toolCallId"):
                continue  # ids tell which is which
            other = f"{value}x" if isinstance(value, str) else not value
            changed = [*parsed[:number], {**event, member: other}, *parsed[number + 1 :]]
            _, others, _, after = _read_all(changed)
            place = f"/{number}/{member}"
            named = any(place == each or place.startswith(f"{each}/") for each in lost)
            is_told = others != losses  # such as a role that is not one
            assert named or is_told or after != before, place


@pytest.mark.parametrize("name", _STREAMS)
def test_any_frame_gives_the_same(name: str) -> None:
    events, _ = _events(name)
    parsed = [json.loads(event.removeprefix("data: ")) for event in events]
    framed = [sse(event).encode() for event in parsed]
    assert _read(parsed)[:2] == _read(events)[:2] == _read(framed)[:2]
    found = formats.read("ag-ui", parsed, run_id="run_1", timestamp=_TIME)
    assert msgspec.to_builtins(found.messages) == _read(events)[0]


def test_each_type_of_the_table_is_read_or_named_as_one_without_a_place() -> None:
    assert NOWHERE | BESIDE_CHUNKS <= KNOWN
    read = {name for name in KNOWN if hasattr(AgUiStreamReader, f"_on_{name.lower()}")}
    assert read == EVENTS


_KINDS = st.sampled_from([*sorted(KNOWN), "NEW"])
_IDS = st.sampled_from(["m", "m-reasoning", "c", "", 5])
_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "reasoning", "activity", "system"])},
    optional={
        "id": _IDS,
        "content": json_values | st.just("x"),
        "toolCallId": _IDS,
        "metadata": json_values,
        "toolCalls": st.lists(
            st.fixed_dictionaries(
                {"id": _IDS, "function": st.fixed_dictionaries({"name": _IDS, "arguments": _IDS})}
            ),
            max_size=2,
        ),
    },
)
_CUSTOM = st.fixed_dictionaries(
    {},
    optional={
        "delta": json_values
        | st.sampled_from(
            [
                {"kind": kind, "payload": payload, "runId": "r", "timestamp": _TIME}
                for kind, payload in (
                    ("start", {"modelId": "m", "requestId": "q"}),
                    ("done", {"finishReason": "stop"}),
                    ("error", {"errorCode": "timeout"}),
                    ("usage", {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}),
                    ("server_tool_call_start", {"toolCallId": "c", "toolName": "t"}),
                    ("server_tool_call_end", {"toolCallId": "c"}),
                    ("server_tool_result", {"toolCallId": "c", "isError": False, "content": ""}),
                    ("text_citation", {"citation": {"source": {"kind": "url"}}}),
                    ("media_start", {"mediaId": "d", "mimeType": "audio/wav"}),
                    ("media_end", {"mediaId": "d"}),
                    ("approval_request", {"approvalId": "i", "toolCallId": "c"}),
                )
            ]
        ),
        "message": json_values
        | st.just({"runId": "r", "role": "user", "parts": [], "timestamp": _TIME}),
        "covers": json_values | st.just(["TEXT_MESSAGE_START"]),
    },
)
_EVENT = st.fixed_dictionaries(
    {"type": _KINDS},
    optional={
        "messageId": _IDS,
        "toolCallId": _IDS,
        "parentMessageId": _IDS,
        "entityId": _IDS,
        "runId": _IDS,
        "toolCallName": st.sampled_from(["t", ""]),
        "subtype": st.sampled_from(["message", "tool-call", "x"]),
        "role": st.sampled_from(
            ["assistant", "user", "system", "developer", "tool", "reasoning", 5]
        ),
        "name": st.sampled_from(["partwire", "Ada", ""]),
        "value": _CUSTOM,
        "code": st.sampled_from(["timeout", "", 5]),
        "message": json_values,
        "timestamp": st.sampled_from([0, -1, 10**20, "x"]),
        "metadata": json_values | st.just({"a": 1}),
        "usage": json_values
        | st.lists(
            st.dictionaries(
                st.sampled_from(["inputTokens", "outputTokens", "totalTokens", "model"]),
                st.sampled_from([0, 1, 2**53 - 1, "m", -1]),
            ),
            max_size=2,
        ),
        "outcome": json_values
        | st.sampled_from(
            [
                {"type": "success", "pendingToolCallIds": ["c"]},
                {"type": "cancelled"},
                {
                    "type": "interrupt",
                    "interrupts": [{"id": "i", "reason": "r", "toolCallId": "c"}],
                },
            ]
        ),
        "input": st.fixed_dictionaries({"messages": st.lists(_MESSAGE, max_size=2)}),
        "messages": st.lists(_MESSAGE, max_size=3),
        **{
            name: json_values | st.sampled_from(["x", "{}", '{"provider":"p","data":{}}'])
            for name in ("delta", "content", "encryptedValue", "encryptedValueType", "error")
        },
    },
)


@given(st.lists(_EVENT, max_size=25))
def test_hostile_streams_are_refused_or_reported(events: list[Json]) -> None:
    survives_events("ag-ui", events)


@given(json_values)
def test_what_is_not_an_event_is_refused(value: Any) -> None:
    try:
        formats.reader("ag-ui").feed(value)
    except PartwireError:
        return


# --- writing --------------------------------------------------------------------------------------


def _write(items: list[Any], version: str = "1.0", **options: Any) -> tuple[list[Json], Any]:
    writer = formats.writer("ag-ui", version=version, **options)
    events = [event for item in items for event in writer.feed(item)]
    events += writer.finish()
    return events, writer.losses


def _assembles(items: list[Any]) -> bool:
    try:
        formats.RunAssembler().feed_all(items)
    except PartwireError:
        return False
    return True


_drawn_streams = strategies.streams().filter(_assembles)
_drawn_messages = st.lists(strategies.documents("message.Message"), max_size=3)


def _comes_back(items: list[Any], version: str, **options: Any) -> None:
    run = formats.RunAssembler().feed_all(items)
    messages: list[Json] = msgspec.to_builtins(run.finish())
    events, losses = _write(items, version, **options)
    lossy = {loss.pointer for loss in losses}
    _check(events)
    back, _, _ = _read([sse(event) for event in events])
    rest = iter(back)
    for number, message in enumerate(messages):
        if f"/{number}" not in lossy:
            assert any(_is_same(message, other, f"/{number}", lossy) for other in rest), number


def _is_same(message: Json, other: Json, place: str, lossy: set[str]) -> bool:
    if message["role"] != other["role"]:
        return False
    for name in ("runId", "messageId", "turnId", "author", "timestamp"):
        if f"{place}/{name}" not in lossy and name in message and message[name] != other.get(name):
            return False
    for at, part in enumerate(message["parts"]):
        where = f"{place}/parts/{at}"
        kept = [n for n in part["payload"] if f"{where}/payload/{n}" not in lossy]
        if where not in lossy and not any(
            theirs["kind"] == part["kind"]
            and all(theirs["payload"].get(n) == part["payload"][n] for n in kept)
            for theirs in other["parts"]
        ):
            return False
    return True


def _check(events: list[Json]) -> None:
    """Check what the client asks of the order of events."""
    texts: set[str] = set()
    calls: set[str] = set()
    thoughts: set[str] = set()
    spans: set[str] = set()
    is_open = False
    opened = {"TEXT_MESSAGE": texts, "TOOL_CALL": calls, "REASONING_MESSAGE": thoughts}
    for event in events:
        kind = event["type"]
        assert is_open == (kind != "RUN_STARTED"), kind
        head, _, step = kind.rpartition("_")
        if kind in ("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"):
            is_open = kind == "RUN_STARTED"
            assert kind != "RUN_FINISHED" or not (texts or calls or thoughts or spans)
            for each in (texts, calls, thoughts, spans):
                each.clear()
        elif head == "REASONING" and step in ("START", "END"):
            (spans.add if step == "START" else spans.remove)(event["messageId"])
        elif head in opened and step in ("START", "CONTENT", "ARGS", "END"):
            name = event["toolCallId" if head == "TOOL_CALL" else "messageId"]
            assert (name in opened[head]) == (step != "START"), kind
            if step == "START":
                opened[head].add(name)
            elif step == "END":
                opened[head].remove(name)
            else:
                assert event["delta"]
    assert not is_open


@given(_drawn_streams, st.sampled_from(_VERSIONS))
def test_drawn_streams_come_back_but_for_what_is_reported(items: Any, version: str) -> None:
    _comes_back(items, version)


@given(_drawn_messages, st.sampled_from(_VERSIONS))
def test_drawn_messages_come_back_but_for_what_is_reported(items: Any, version: str) -> None:
    _comes_back(items, version)


@given(_drawn_streams, _drawn_messages, st.sampled_from(_VERSIONS))
def test_all_comes_back_with_extensions(stream: Any, whole: Any, version: str) -> None:
    items = [*whole[:1], *stream, *whole[1:]]
    events, losses = _write(items, version, extensions=True)
    _check(events)
    run = formats.RunAssembler().feed_all(items)
    messages: list[Json] = msgspec.to_builtins(run.finish())
    if any("incomplete" in each.get("meta", {}) for each in messages):
        return
    assert [loss for loss in losses if loss.severity == "lossy"] == []
    assert _read(events)[0] == messages


@pytest.mark.parametrize("version", _VERSIONS)
@pytest.mark.parametrize("name", _STREAMS)
def test_samples_come_back(name: str, version: str) -> None:
    events, _ = _events(name)
    _comes_back(_read_all(events)[3], version)


_CHANGES = st.lists(
    st.tuples(st.sampled_from(["drop", "double", "swap"]), st.integers(0, 60), st.integers(0, 60)),
    min_size=1,
    max_size=4,
)


@given(_drawn_streams, _drawn_messages, _CHANGES)
def test_damaged_extensions_give_what_a_run_takes(stream: Any, whole: Any, changes: Any) -> None:
    events, _ = _write([*whole[:1], *stream, *whole[1:]], extensions=True)
    for how, at, to in changes:
        first, second = at % len(events), to % len(events)
        if how == "drop":
            del events[first]
        elif how == "double":
            events.insert(second, events[first])
        else:
            events[first], events[second] = events[second], events[first]
        if not events:
            return
    _read(events)


def _delta(seq: int, kind: str, payload: Json) -> Json:
    return {"runId": "r", "seq": seq, "kind": kind, "payload": payload, "timestamp": _TIME}


_START = _delta(0, "start", {"modelId": "m", "requestId": "q"})


def _event(kind: str, **members: Any) -> Json:
    return {"type": kind, **members}


_OPEN = _event("RUN_STARTED", threadId="t", runId="r")
_CLOSE = _event("RUN_FINISHED", threadId="t", runId="r")


def _text(message_id: str, text: str, **members: Any) -> list[Json]:
    return [
        _event("TEXT_MESSAGE_START", messageId=message_id, **members),
        _event("TEXT_MESSAGE_CONTENT", messageId=message_id, delta=text),
        _event("TEXT_MESSAGE_END", messageId=message_id),
    ]


def _call(call_id: str, arguments: str = "{}", **members: Any) -> list[Json]:
    return [
        _event("TOOL_CALL_START", toolCallId=call_id, toolCallName="f", **members),
        _event("TOOL_CALL_ARGS", toolCallId=call_id, delta=arguments),
        _event("TOOL_CALL_END", toolCallId=call_id),
    ]


def _thought(message_id: str, text: str) -> list[Json]:
    return [
        _event("REASONING_START", messageId=message_id),
        _event("REASONING_MESSAGE_START", messageId=message_id, role="reasoning"),
        _event("REASONING_MESSAGE_CONTENT", messageId=message_id, delta=text),
        _event("REASONING_MESSAGE_END", messageId=message_id),
        _event("REASONING_END", messageId=message_id),
    ]


def _forms(messages: list[Json]) -> list[tuple[str, list[str]]]:
    return [(each["role"], [part["kind"] for part in each["parts"]]) for each in messages]


def test_an_answer_is_written_in_the_order_that_the_client_asks_for() -> None:
    items = [
        _START,
        _delta(1, "thinking", {"textDelta": "Hm"}),
        _delta(2, "text", {"textDelta": "So."}),
        _delta(3, "tool_call_start", {"toolCallId": "c", "toolName": "f"}),
        _delta(4, "tool_call_args", {"toolCallId": "c", "argsTextDelta": '{"a":1}'}),
        _delta(5, "tool_call_end", {"toolCallId": "c"}),
        _delta(6, "usage", {"inputTokens": 3, "outputTokens": 2, "totalTokens": 6}),
        _delta(7, "done", {"finishReason": "tool_calls"}),
    ]
    for item in items:
        item["messageId"] = "m"
    writer = formats.writer("ag-ui")
    writer.thread_id = "thread"
    events = [event for item in items for event in writer.feed(item)] + writer.finish()
    thought = {"messageId": "m-reasoning"}
    text, call = {"messageId": "m"}, {"toolCallId": "c"}
    run = {"threadId": "thread", "runId": "r"}
    usage = [{"model": "m", "inputTokens": 3, "outputTokens": 2, "totalTokens": 5}]
    assert [{n: v for n, v in event.items() if n != "timestamp"} for event in events] == [
        _event("RUN_STARTED", **run, protocolVersion="1.0"),
        _event("REASONING_START", **thought),
        _event("REASONING_MESSAGE_START", **thought, role="reasoning"),
        _event("REASONING_MESSAGE_CONTENT", **thought, delta="Hm"),
        _event("REASONING_MESSAGE_END", **thought),
        _event("REASONING_END", **thought),
        _event("TEXT_MESSAGE_START", **text, role="assistant"),
        _event("TEXT_MESSAGE_CONTENT", **text, delta="So."),
        _event("TEXT_MESSAGE_END", **text),
        _event("TOOL_CALL_START", **call, toolCallName="f", parentMessageId="m"),
        _event("TOOL_CALL_ARGS", **call, delta='{"a":1}'),
        _event("TOOL_CALL_END", **call),
        _event("RUN_FINISHED", **run, outcome={"type": "success", "pendingToolCallIds": ["c"]})
        | {"usage": usage},
    ]
    assert {event["timestamp"] for event in events} == {1767323045000}
    (message,) = _read(events)[0]
    assert message["messageId"] == "m"
    assert message["timestamp"] == _TIME
    assert [part["kind"] for part in message["parts"]] == ["thinking", "text", "tool_call"]
    assert message["meta"]["usage"]["totalTokens"] == 5
    assert message["meta"]["finishReason"] == "tool_calls"


def test_a_cut_message_is_written_as_an_error() -> None:
    events, _ = _write([_START, _delta(1, "text", {"textDelta": "Ha"})])
    assert events[-1] == _event(
        "RUN_ERROR",
        message="The stream ended before the run was finished",
        code="truncated_stream",
        timestamp=1767323045000,
    )
    messages, _, run = _read(events)
    assert messages[0]["meta"]["incomplete"]["ending"] == "error"
    assert run.failures[0].partial.parts[0].payload.text == "Ha"


@pytest.mark.parametrize("extensions", [False, True])
def test_an_error_ends_the_run_and_a_new_one_begins(extensions: bool) -> None:
    failed = _delta(1, "error", {"errorCode": "overloaded", "message": "Later."})
    stopped = _delta(2, "error", {"errorCode": "cancelled"})
    done = _delta(2, "done", {"finishReason": "stop"})
    text = _delta(1, "text", {"textDelta": "Ha"})
    events, _ = _write(
        [_START, failed, _START, text, stopped, _START, text, done], extensions=extensions
    )
    kinds = [event["type"] for event in events if event["type"].startswith("RUN_")]
    assert kinds == ["RUN_STARTED", "RUN_ERROR", *["RUN_STARTED", "RUN_FINISHED"] * 2]
    messages, _, run = _read(events)
    assert [failure.error.error_code for failure in run.failures] == ["overloaded", "cancelled"]
    assert ["incomplete" in each["meta"] for each in messages] == [True, True, False]


def test_approvals_are_interrupts() -> None:
    call = {"toolCallId": "c"}
    own = {"provider": "ag-ui", "data": {"reason": "database", "expiresAt": "soon"}}
    request = {"approvalId": "i", **call, "reason": "May it?", "opaque": own}
    items = [
        _START,
        _delta(1, "tool_call_start", {**call, "toolName": "f"}),
        _delta(2, "tool_call_end", call),
        _delta(3, "approval_request", request),
        _delta(4, "done", {"finishReason": "awaiting_approval"}),
    ]
    events, losses = _write(items)
    assert events[-1]["outcome"] == {
        "type": "interrupt",
        "interrupts": [
            {
                "id": "i",
                "reason": "database",
                "toolCallId": "c",
                "message": "May it?",
                "expiresAt": "soon",
            }
        ],
    }
    (message,) = _read(events)[0]
    assert message["parts"][1] == {"kind": "approval_request", "payload": request}
    assert message["meta"]["finishReason"] == "awaiting_approval"
    assert {loss.pointer for loss in losses} == {"/0/meta/modelId", "/0/meta/requestId"}


def test_what_a_run_waits_for_beside_calls_is_reported() -> None:
    asked = {"id": "i", "reason": "input", "message": "Which?"}
    outcome = {"type": "interrupt", "interrupts": [asked]}
    messages, losses, _ = _read([_OPEN, *_text("m", "Hm"), {**_CLOSE, "outcome": outcome}])
    assert [loss.pointer for loss in losses if loss.code == "foreign-part"] == [
        "/4/outcome/interrupts/0"
    ]
    assert messages[0]["meta"]["finishReason"] == "stop"


def test_reasoning_and_its_answer_are_one_message() -> None:
    sealed = _event("REASONING_ENCRYPTED_VALUE", subtype="message", entityId="r-1")
    sealed |= {"encryptedValue": "v", "encryptedValueType": "acme.x"}
    thought = _thought("r-1", "Hm")
    events = [_OPEN, *thought[:4], sealed, thought[4], *_text("m", "So."), *_call("c"), _CLOSE]
    events[-4] |= {"parentMessageId": "m"}
    (message,) = _read(events)[0]
    assert [part["kind"] for part in message["parts"]] == ["thinking", "text", "tool_call"]
    assert message["messageId"] == "r-1"
    assert message["parts"][0]["payload"]["opaque"] == {
        "provider": "acme",
        "data": {
            "id": "r-1",
            "messageId": "m",
            "encryptedValue": "v",
            "encryptedValueType": "acme.x",
        },
    }
    written = formats.write("ag-ui", [message], version="1.1").document
    assert [each["id"] for each in written] == ["r-1", "m"]


def test_reasoning_is_shown_as_it_comes() -> None:
    reader = formats.reader("ag-ui")
    items = [item for event in [_OPEN, *_thought("r", "Hm")[:3]] for item in reader.feed(event)]
    assert [msgspec.to_builtins(item)["kind"] for item in items] == ["start", "thinking"]


def test_state_that_comes_late_is_kept() -> None:
    late = _event("REASONING_ENCRYPTED_VALUE", encryptedValue="v")
    events = [
        _OPEN,
        *_text("m", "So."),
        {**late, "subtype": "message", "entityId": "m"},
        *_call("c", parentMessageId="m"),
        {**late, "subtype": "tool-call", "entityId": "c"},
        {**late, "subtype": "message", "entityId": "nobody"},
        _CLOSE,
    ]
    (message,), losses, _ = _read(events)
    assert [part["payload"].get("opaque", {}).get("data") for part in message["parts"]] == [
        {"encryptedValue": "v"},
        None,
        {"toolCallId": "c", "encryptedValue": "v"},
    ]
    assert [loss.pointer for loss in losses if loss.code == "malformed-event"] == ["/9"]


def test_texts_and_calls_at_the_same_time_stand_in_the_order_of_their_beginning() -> None:
    first, second, call = _text("a", "1"), _text("b", "2"), _call("c", parentMessageId="a")
    events = [first[0], second[0], call[0], second[1], call[1], first[1], second[2], call[2]]
    result = _event("TOOL_CALL_RESULT", toolCallId="c", messageId="t", content="ok")
    messages, _, _ = _read([_OPEN, *events, result, first[2], _CLOSE])
    assert _forms(messages) == [
        ("assistant", ["text", "tool_call"]),
        ("assistant", ["text"]),
        ("tool", ["tool_result"]),
    ]
    assert [message["messageId"] for message in messages] == ["a", "b", "t"]


def test_a_call_without_a_message_is_one_of_its_own() -> None:
    events = [_OPEN, *_text("m", "So."), *_call("c", parentMessageId=""), *_call("d"), _CLOSE]
    messages, _, _ = _read(events)
    assert [message["messageId"] for message in messages] == ["m", "c", "d"]


def test_chunks_are_messages() -> None:
    chunk = "TEXT_MESSAGE_CHUNK"
    events = [
        _OPEN,
        _event(chunk, messageId="u", role="user", delta="H", name="Ada"),
        _event("RAW", event={}),
        _event(chunk, delta="i"),
        _event(chunk, messageId="a", delta="So"),
        _event("TOOL_CALL_CHUNK", toolCallId="c", toolCallName="f", parentMessageId="a"),
        _event("TOOL_CALL_CHUNK", delta='{"a":'),
        _event("TOOL_CALL_CHUNK", toolCallId="c", delta="1}"),
        _event("REASONING_MESSAGE_CHUNK", messageId="r", delta="Hm"),
        _CLOSE,
    ]
    messages, losses, _ = _read(events)
    assert _forms(messages) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_call"]),
        ("assistant", ["thinking"]),
    ]
    assert messages[0]["parts"][0]["payload"]["text"] == "Hi"
    assert messages[0]["author"] == {"name": "Ada"}
    assert messages[1]["parts"][1]["payload"]["arguments"] == {"a": 1}
    assert {loss.code for loss in losses if loss.severity == "lossy"} == {
        "foreign-member",  # of the thread
        "foreign-event",  # RAW
    }


def test_chunks_that_nothing_began_are_reported() -> None:
    events = [
        _event("TEXT_MESSAGE_CHUNK", delta="x"),
        _event("TOOL_CALL_CHUNK", toolCallId="c", delta="x"),
        _event("REASONING_MESSAGE_CHUNK", delta="x"),
        _event("TEXT_MESSAGE_CONTENT", messageId="m", delta="x"),
        _event("TOOL_CALL_END", toolCallId="c"),
        _event("REASONING_MESSAGE_END", messageId="m"),
    ]
    messages, losses, _ = _read([_OPEN, *events, _CLOSE])
    assert messages == []
    places = [loss.pointer for loss in losses if loss.code == "malformed-event"]
    assert places == [f"/{at}" for at in range(1, 7)]


def test_a_closed_message_goes_on() -> None:
    (message,) = _read([_OPEN, *_text("m", "One"), *_text("m", ", two"), _CLOSE])[0]
    assert message["parts"][0]["payload"]["text"] == "One, two"


def test_a_call_that_was_used_is_reported() -> None:
    messages, losses, _ = _read([_OPEN, *_call("c"), *_call("c"), _CLOSE])
    assert _forms(messages) == [("assistant", ["tool_call"])]
    assert [loss.pointer for loss in losses if loss.code == "malformed-event"] == ["/4", "/5", "/6"]


def test_a_call_that_did_not_end_is_an_error() -> None:
    messages, losses, run = _read([_OPEN, *_call("c")[:2], _CLOSE])
    assert messages[0]["meta"]["incomplete"]["openToolCallIds"] == ["c"]
    assert run.failures[0].error.error_code == "truncated_stream"
    assert [loss.pointer for loss in losses if loss.code == "open-call"] == ["/1", "/2"]


def test_an_error_that_comes_late_is_one_of_its_own() -> None:
    failed = _event("RUN_ERROR", message="No.", code="boom")
    messages, _, run = _read([_OPEN, *_text("m", "So."), _CLOSE, failed])
    assert _forms(messages) == [("assistant", ["text"]), ("assistant", [])]
    assert run.failures[0].error.error_code == "boom"


def test_two_runs_are_two_runs() -> None:
    again = {"threadId": "t", "runId": "s"}
    events = [_OPEN, *_text("m", "1"), _event("RUN_STARTED", **again), *_text("n", "2")]
    messages, _, run = _read([*events, _event("RUN_FINISHED", **again)])
    assert [message["runId"] for message in messages] == ["r", "s"]
    assert len(run.failures) == 1  # the first one did not end
    assert messages[1]["meta"]["finishReason"] == "stop"


def _snapshot(*messages: Json) -> Json:
    return _event("MESSAGES_SNAPSHOT", messages=list(messages))


def _codes(losses: Any) -> list[tuple[str, str]]:
    known = ("given", "model-invented")
    return [(each.code, each.pointer) for each in losses if each.code not in known][1:]


def test_a_snapshot_says_again_what_has_come() -> None:
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{ }"}}
    result = _event("TOOL_CALL_RESULT", toolCallId="c", messageId="t", content="ok")
    snapshot = _snapshot(
        {"id": "u", "role": "user", "content": "Hi"},
        {"id": "other", "role": "assistant", "content": "So.", "toolCalls": [called]},
        {"id": "x", "role": "tool", "toolCallId": "c", "content": "ok"},
        {"id": "n", "role": "assistant", "content": "Done."},
    )
    events = [_OPEN, *_text("m", "So."), *_call("c", parentMessageId="m"), result]
    events += [*_text("n", "Done."), snapshot, _CLOSE]
    messages, losses, _ = _read(events)
    assert _forms(messages) == [
        ("assistant", ["text", "tool_call"]),
        ("tool", ["tool_result"]),
        ("assistant", ["text"]),
        ("user", ["text"]),
    ]
    places = [f"/11/messages/{at}" for at in (1, 2, 3)]
    assert _codes(losses) == [("duplicate-text", place) for place in places]


def test_what_a_snapshot_takes_back_is_reported() -> None:
    said = {"id": "m", "role": "assistant", "content": "No."}
    messages, losses, _ = _read([_OPEN, *_text("m", "So."), _snapshot(said), _CLOSE])
    assert messages[0]["parts"][0]["payload"]["text"] == "So."
    assert ("foreign-event", "/4/messages/0") in _codes(losses)
    messages, losses, _ = _read([_OPEN, *_text("m", "So."), _snapshot(), _CLOSE])
    assert len(messages) == 1
    assert _codes(losses) == [("foreign-event", "/4/messages")]


def test_the_input_of_a_run_is_what_came_before() -> None:
    before = [{"id": "u", "role": "user", "content": "Hi"}]
    given_input = {"threadId": "t", "runId": "r", "messages": before, "tools": [], "state": 1}
    messages, losses, _ = _read([{**_OPEN, "input": given_input}, *_text("m", "So."), _CLOSE])
    assert _forms(messages) == [("user", ["text"]), ("assistant", ["text"])]
    assert ("request-member", "/0/input/state") in [(each.code, each.pointer) for each in losses]


def test_items_of_unknown_kinds_are_passed_over() -> None:
    odd = read({**_delta(1, "new", {})}, "message.MessageDelta", "tolerant")
    events, _ = _write([_START, odd, _delta(2, "done", {"finishReason": "stop"})])
    assert [event["type"] for event in events][-1] == "RUN_FINISHED"
    with pytest.raises(PartwireError):
        formats.writer("ag-ui").feed(formats.Branch(None))


def test_extensions_bring_what_the_events_have_no_place_for() -> None:
    call = {"toolCallId": "s"}
    result = {"isError": False, "content": "A u", "structured": [1], "outcome": "success"}
    opaque = {"provider": "mine", "data": {"a": [1]}}
    citation = {"source": {"kind": "url", "url": "https://a.example"}, "start": 0, "end": 2}
    items = [
        _START,
        _delta(1, "server_tool_call_start", {**call, "toolName": "search"}),
        _delta(2, "server_tool_call_args", {**call, "argsTextDelta": "{}"}),
        _delta(3, "server_tool_call_end", {**call, "opaque": opaque}),
        _delta(4, "server_tool_result", {**call, **result, "opaque": opaque}),
        _delta(5, "text", {"textDelta": "Hi"}),
        _delta(6, "text_citation", {"citation": citation}),
        _delta(7, "text", {"textDelta": "", "opaque": opaque}),
        _delta(8, "media_start", {"mediaId": "m", "mimeType": "audio/wav", "name": "a.wav"}),
        _delta(9, "media_data", {"mediaId": "m", "dataDelta": "UklG", "transcriptDelta": "Hi"}),
        _delta(10, "media_end", {"mediaId": "m", "opaque": opaque}),
        _delta(11, "warning", {"code": "deprecated"}),
        _delta(12, "usage", {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}),
        _delta(13, "done", {"finishReason": "refusal", "providerFinishReason": "no"}),
    ]
    events, losses = _write(items, extensions=True)
    assert losses == []
    run = formats.RunAssembler().feed_all(items)
    assert _read(events)[0] == msgspec.to_builtins(run.finish())


def test_runs_of_a_thread_have_no_message_ids_in_common() -> None:
    # A client goes on with the message whose id comes again.
    result = {
        "kind": "tool_result",
        "payload": {"toolCallId": "c", "isError": False, "content": ""},
    }
    answer = {"role": "assistant", "parts": [{"kind": "text", "payload": {"text": "Hi"}}]}
    said = (answer, {"role": "tool", "parts": [result]}, answer)
    ids = []
    for run_id in ("r1", "r2"):
        events, _ = _write([{**each, "runId": run_id, "timestamp": _TIME} for each in said])
        ids.append({each["messageId"] for each in events if "messageId" in each})
    assert [len(each) for each in ids] == [3, 3]
    assert ids[0].isdisjoint(ids[1])


def test_an_extension_that_does_not_fit_is_reported() -> None:
    said = {"runId": "r", "role": "user", "parts": [], "timestamp": _TIME}
    events, _ = _write([said], extensions=True)
    del events[2]
    _, losses, _ = _read(events)
    assert "extension-unread" in {loss.code for loss in losses}
    events[1]["value"]["message"] = {"role": "user"}
    _, losses, _ = _read(events)
    assert ("extension-unread", "/1") in [(loss.code, loss.pointer) for loss in losses]
