"""The builder of messages beside its cases: making parts, replacing states, logs."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, assert_type

import pytest
from msgspec.structs import replace

from partwire.contract.current.session import (
    CacheTokenStats,
    MessagePath,
    MessageTime,
    ModelRef,
    StepStartPart,
    TextPart,
    TokenStats,
    ToolPart,
    ToolStateCompleted,
    ToolStateRunning,
    UserInfo,
    UserSummary,
    WithParts,
)
from partwire.errors import PartwireError, UsageError
from partwire.reading.pipeline import Unknown, dump, read, to_wire, validate
from partwire.session import (
    InvalidStateTransition,
    PartValidationError,
    WithPartsBuilder,
    create_pending,
    create_text_part,
    pending_to_running,
    visible_to_model,
)

SESSION = "0197c6f0-5a00-7000-8000-000000000001"
MESSAGE = "0197c6f0-5a00-7000-8000-000000000002"
MODEL = ModelRef(provider_id="acme", model_id="model-1")
TOKENS = TokenStats(input=1, output=2, reasoning=3, cache=CacheTokenStats(read=4, write=5))


def user(**options: Any) -> WithPartsBuilder:
    return WithPartsBuilder.for_user(
        SESSION, created=5, agent="build", model=MODEL, message_id=MESSAGE, **options
    )


def assistant(**options: Any) -> WithPartsBuilder:
    path = MessagePath(cwd="/work", root="/work")
    return WithPartsBuilder.for_assistant(
        SESSION, created=5, agent="build", path=path, message_id=MESSAGE, **options
    )


def refused(builder: WithPartsBuilder) -> list[tuple[str, str]]:
    with pytest.raises(PartValidationError) as caught:
        builder.build()
    return [(each.rule, each.pointer) for each in caught.value.findings]


def test_a_message_is_built_in_the_order_of_its_parts() -> None:
    numbers = count()
    builder = assistant(make_id=lambda: f"prt_{next(numbers)}")
    assert_type(builder.add_step_start(snapshot="s"), StepStartPart)
    builder.add_reasoning("hm", start=5, end=6, metadata={"a": 1})
    builder.add_text("Look:", synthetic=True, ignored=True)
    part = builder.add_tool("call_1", "weather", create_pending({"city": "Oslo"}, ""))
    builder.add_file("image/png", "file:///map.png", filename="map.png")
    running = builder.move("call_1", "running", start=7)
    done = builder.move("call_1", "completed", output="7 °C", end=8)
    builder.add_step_finish("stop", 0.5, TOKENS, snapshot="t")
    builder.set_usage(0.5, TOKENS)
    builder.complete(9)
    message = builder.build()
    assert_type(message, WithParts)
    assert builder.check() == []
    assert [each.type for each in message.parts] == [
        "step-start", "reasoning", "text", "tool", "file", "step-finish",
    ]  # fmt: skip
    assert [each.id for each in message.parts] == [f"prt_{n}" for n in range(6)]
    assert {(each.session_id, each.message_id) for each in message.parts} == {(SESSION, MESSAGE)}
    assert message.parts[3] == done == builder.parts[3]
    assert isinstance(done.state, ToolStateCompleted)
    assert done.state.title == "weather"
    # Replaced, and not changed: whoever has the part of before still has it.
    assert part.state.status == "pending"
    assert running.state.status == "running"
    assert replace(done, state=part.state) == part
    assert message.info.time == MessageTime(created=5, completed=9)
    assert [each.type for each in visible_to_model(message.parts)][2] == "tool"
    assert read(dump(message), "session.WithParts") == message


def test_ids_are_made_where_none_is_given() -> None:
    one = WithPartsBuilder.for_user(SESSION, created=5, agent="a", model=MODEL)
    two = WithPartsBuilder.for_assistant(
        SESSION, created=5, agent="a", path=MessagePath(cwd="", root="")
    )
    assert one.message_id != two.message_id
    assert one.add_text("x").message_id == one.message_id
    assert one.session_id == SESSION
    assert one.build().parts[0].message_id == one.message_id


def test_an_info_of_ones_own_is_copied() -> None:
    tools = {"shell": True}
    info = UserInfo(
        id=MESSAGE, time=MessageTime(created=5), agent="a", model=MODEL, tools=tools, system="Be."
    )
    builder = WithPartsBuilder(info, SESSION)
    tools["shell"] = False
    built = builder.build().info
    assert isinstance(built, UserInfo)
    assert (built.tools, built.system) == ({"shell": True}, "Be.")


def test_a_message_shares_nothing_with_its_builder() -> None:
    given: dict[str, Any] = {"a": [1]}
    builder = user()
    made = create_text_part(SESSION, MESSAGE, "x", metadata=given)
    builder.add(made)
    builder.add(json.loads(dump(replace(made, id="prt_2"))))
    first = builder.build()
    for part in (made, first.parts[0], first.parts[1]):
        assert isinstance(part, TextPart)
        assert isinstance(part.metadata, dict)
        part.metadata["a"].append(2)
    builder.add_text("y")
    second = builder.build()
    assert (len(first.parts), len(second.parts)) == (2, 3)
    assert all(
        isinstance(part, TextPart) and part.metadata == {"a": [1]} for part in second.parts[:2]
    )


def test_what_is_done_to_parts_does_not_reach_the_message() -> None:
    deep: Any = []
    for _ in range(400):
        deep = [deep]
    builder = assistant()
    given: list[Any] = [
        builder.add_reasoning("x", start=1, metadata={"a": [1]}),
        builder.add_tool("call_1", "t", create_pending({"a": [1]}, ""), metadata={"deep": deep}),
        builder.move("call_1", "running", start=2, metadata={"a": [1]}),
        builder.move("call_1", "running"),  # which changes nothing
    ]
    running = pending_to_running(create_pending({"a": [1]}, ""), start=2, metadata={"a": [1]})
    given.append(builder.set_state("call_1", running))
    builder.add({"type": "poem", "metadata": {"a": [1]}})
    before = json.dumps(to_wire_all(builder.parts))
    given += builder.parts
    for part in given:
        metadata = part["metadata"] if isinstance(part, dict) else part.metadata
        metadata["mine"] = 1
        if isinstance(part, ToolPart):
            part.state.input["a"].append(2)
            if isinstance(part.state, ToolStateRunning):
                part.state.metadata["a"].append(2)  # type: ignore[index]
    assert json.dumps(to_wire_all(builder.parts)) == before
    assert '"mine"' not in before
    assert "mine" not in str(builder.check())


def to_wire_all(parts: Sequence[Any]) -> list[Any]:
    return [part if isinstance(part, dict) else to_wire(part) for part in parts]


def test_every_error_is_found_at_once() -> None:
    builder = user()
    builder.add({"type": "text"})
    builder.add(replace(create_text_part(SESSION, MESSAGE, "x"), session_id="ses_1"))
    builder.set_summary(UserSummary(title="t"))
    assert builder.parts[0] == {"type": "text"}
    found = refused(builder)
    assert {pointer for _, pointer in found} == {"/parts/0", "/parts/1/sessionID", "/info/summary"}
    assert [(each.rule, each.pointer) for each in builder.check()] == found


def test_a_message_may_be_stored_while_it_is_written() -> None:
    builder = assistant()
    builder.add_tool("call_1", "weather", create_pending({}, ""))
    partial = builder.build_partial()
    assert partial.info == read(
        {
            "id": MESSAGE,
            "role": "assistant",
            "time": {"created": 5},
            "agent": "build",
            "path": {"cwd": "/work", "root": "/work"},
            "cost": 0,
            "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
        },
        "session.MessageInfo",
    )
    builder.set_usage(0.25, TOKENS)
    known = builder.build_partial().info
    assert (known.role, getattr(known, "cost", None)) == ("assistant", 0.25)
    assert validate(dump(partial), "session.WithParts") == []
    assert refused(builder) == [("session/not-completed", "/info/time")]
    with pytest.raises(PartValidationError):
        user_with_broken_part().build_partial()
    assert user().build_partial() == user().build()


def user_with_broken_part() -> WithPartsBuilder:
    builder = user()
    builder.add({"type": "text", "id": "prt_1"})
    return builder


def test_a_state_stays_where_nothing_changes() -> None:
    builder = assistant()
    part = builder.add_tool("call_1", "weather", create_pending({}, ""))
    assert_type(builder.move("call_1", "pending"), ToolPart)
    assert builder.move("call_1", "pending", raw="") == part == builder.parts[0]
    running = pending_to_running(create_pending({}, ""), start=1)
    once = builder.set_state("call_1", running)
    assert builder.set_state("call_1", running) == once == replace(part, state=running)
    assert builder.move("call_1", "running", title="Asking").state != running


def test_a_given_title_or_tool_goes_before_the_parts_tool() -> None:
    builder = assistant()
    for call_id in ("call_1", "call_2"):
        state = pending_to_running(create_pending({}, ""), start=1)
        builder.add_tool(call_id, "weather", state)
    first = builder.move("call_1", "completed", output="x", end=2, title="Mine").state
    second = builder.move("call_2", "completed", output="x", end=2, tool="other").state
    assert isinstance(first, ToolStateCompleted)
    assert isinstance(second, ToolStateCompleted)
    assert (first.title, second.title) == ("Mine", "other")


def test_a_state_set_from_elsewhere_is_a_copy() -> None:
    given: dict[str, Any] = {"a": [1]}
    builder = assistant()
    builder.add_tool("call_1", "weather", create_pending({}, ""))
    running = pending_to_running(create_pending({}, ""), start=1, metadata=given)
    set_part = builder.set_state("call_1", running)
    assert isinstance(running.metadata, dict)
    running.metadata["a"].append(2)
    assert isinstance(set_part.state, ToolStateRunning)
    assert set_part.state.metadata == {"a": [1]}


@pytest.mark.parametrize("call_id", ["call_2", "", 5, None, [], {}])
def test_a_call_that_is_not_there(call_id: Any) -> None:
    builder = assistant()
    builder.add_tool("call_1", "weather", create_pending({}, ""))
    calls: list[Callable[[], object]] = [
        lambda: builder.move(call_id, "running", start=1),
        lambda: builder.set_state(call_id, create_pending({}, "")),
    ]
    for call in calls:
        with pytest.raises(PartValidationError) as caught:
            call()
        assert caught.value.rule == "session/unknown-tool-call"


def test_a_refused_step_leaves_the_builder_as_it_was() -> None:
    builder = assistant()
    builder.add_tool("call_1", "weather", create_pending({}, ""))
    before = builder.parts
    steps: list[Callable[[], object]] = [
        lambda: builder.add_tool("call_1", "other", create_pending({}, "")),
        lambda: builder.add({"type": "tool", "callID": "call_1"}),
        lambda: builder.move("call_1", "completed", output="x", end=1),
        lambda: builder.move("call_1", "running"),
        lambda: builder.add_text("x", metadata={"a": {1}}),
        lambda: builder.set_state("call_1", create_pending({"other": 1}, "")),
    ]
    for step in steps:
        with pytest.raises(PartwireError):
            step()
        assert builder.parts == before
    # A call without a usable id is found at the end, and is in nobody's way.
    builder.add({"type": "tool", "callID": 5})
    builder.add({"type": "tool", "callID": 5})
    assert ("shape/type", "/parts/1/callID") in refused(builder)


def test_what_a_newer_peer_wrote_is_not_built_in() -> None:
    builder = user()
    part: Any = Unknown("type", "poem", {"type": "poem"})
    builder.add(part)
    assert refused(builder) == [("shape/unknown-variant", "/parts/0/type")]


def test_what_has_no_end_is_refused_when_it_comes() -> None:
    endless: dict[str, Any] = {"type": "text"}
    endless["metadata"] = endless
    for call in (
        lambda: user().add(endless),
        lambda: WithPartsBuilder(endless, SESSION),
        lambda: user().set_summary(endless),
        lambda: assistant().set_usage(0, endless),
    ):
        with pytest.raises(PartValidationError) as caught:
            call()
        assert caught.value.rule == "document/too-deep"


def test_calls_that_cannot_be_meant() -> None:
    for call in (
        lambda: user().set_usage(1, TOKENS),
        lambda: assistant().set_summary(UserSummary()),
        lambda: WithPartsBuilder([], SESSION),  # type: ignore[arg-type]
    ):
        with pytest.raises(UsageError) as caught:
            call()
        assert caught.value.rule == "usage/invalid-argument"


@pytest.mark.parametrize(
    "info",
    [{}, {"id": 5, "role": [], "time": 7}, {"role": "assistant", "time": 3, "summary": 1}],
)
def test_any_object_may_be_info_until_the_end(info: dict[str, Any]) -> None:
    builder = WithPartsBuilder(info, SESSION)
    assert builder.message_id == ""
    builder.add({"type": "tool", "state": 5})
    builder.add("text")  # type: ignore[arg-type]
    assert all(pointer.startswith(("/info", "/parts")) for _, pointer in refused(builder))
    with pytest.raises(PartValidationError):
        builder.build_partial()
    builder.complete(7)
    assert refused(builder)


# --- logs ---------------------------------------------------------------------------------------

SECRET = "hunter2-secret"


def test_logs_name_the_call_and_the_message(caplog: pytest.LogCaptureFixture) -> None:
    builder = assistant()
    builder.add_tool("call_1", SECRET, create_pending({"a": SECRET}, SECRET))
    where = f'call "call_1", message "{MESSAGE}", session "{SESSION}"'
    with caplog.at_level(logging.DEBUG, "partwire.session"):
        with pytest.raises(InvalidStateTransition):
            builder.move("call_1", "error", error=SECRET, end=1)
        with pytest.raises(PartValidationError):
            builder.build()
    assert [each.getMessage() for each in caplog.records] == [
        f'Refused: pending to "error": session/invalid-transition at /status, {where}',
        (
            "Not valid: shape/required at /info, shape/required at /info,"
            f' session/not-completed at /info/time, message "{MESSAGE}", session "{SESSION}"'
        ),
    ]
    assert SECRET not in caplog.text
