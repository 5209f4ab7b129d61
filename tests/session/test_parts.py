"""Factories and type guards of a session's parts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, assert_never, assert_type

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from partwire.contract.current import message
from partwire.contract.current.session import (
    FilePart,
    Part,
    ReasoningPart,
    ReasoningTime,
    StepFinishPart,
    StepStartPart,
    TextPart,
    TextTime,
    ToolPart,
)
from partwire.reading.pipeline import Unknown, dump, validate
from partwire.session import (
    PartBase,
    PartValidationError,
    create_file_part,
    create_reasoning_part,
    create_step_finish_part,
    create_step_start_part,
    create_text_part,
    create_tool_part,
    is_file_part,
    is_reasoning_part,
    is_step_finish_part,
    is_step_start_part,
    is_text_part,
    is_tool_part,
    visible_to_model,
)
from tests.session.values import (
    FILE,
    MESSAGE,
    REASONING,
    SESSION,
    SIX,
    SOURCE,
    STEP_FINISH,
    STEP_START,
    TEXT,
    TOKENS,
    TOOL,
)

# --- factories ----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", SIX, ids=lambda part: part.type)
def test_every_factory_makes_a_valid_part_with_an_id_of_its_own(part: Part) -> None:
    assert validate(dump(part), "session.Part") == []
    assert uuid.UUID(part.id).version == 7
    assert (part.session_id, part.message_id) == (SESSION, MESSAGE)
    assert len({each.id for each in SIX}) == 6


@pytest.mark.parametrize("part", SIX, ids=lambda part: part.type)
def test_every_part_has_what_the_base_has(part: Part) -> None:
    base: PartBase = part  # a type checker agrees
    assert isinstance(part, PartBase)
    assert {"id", "session_id", "message_id"} == {
        name for name in vars(PartBase) if isinstance(vars(PartBase)[name], property)
    }
    assert (base.session_id, base.message_id) == (SESSION, MESSAGE)
    assert not isinstance(Unknown("type", "new", {"type": "new"}), PartBase)


def test_what_is_not_given_is_absent() -> None:
    assert json.loads(dump(replace(TEXT, id="prt_1"))) == {
        "id": "prt_1",
        "sessionID": SESSION,
        "messageID": MESSAGE,
        "type": "text",
        "text": "hi",
    }
    assert REASONING.time == ReasoningTime(start=5)
    assert (STEP_START.snapshot, STEP_FINISH.snapshot) == (UNSET, UNSET)
    assert (FILE.filename, FILE.source, TOOL.metadata) == (UNSET, UNSET, UNSET)


def test_all_that_is_given_arrives() -> None:
    ids = iter(f"prt_{n}" for n in range(9))
    make_id: Callable[[], str] = lambda: next(ids)  # noqa: E731
    note = {"a": [1]}
    assert create_text_part(
        SESSION,
        MESSAGE,
        "x",
        synthetic=True,
        ignored=False,
        time=TextTime(end=6),
        metadata=note,
        make_id=make_id,
    ) == TextPart(
        id="prt_0",
        session_id=SESSION,
        message_id=MESSAGE,
        text="x",
        synthetic=True,
        ignored=False,
        time=TextTime(end=6),
        metadata={"a": [1]},
    )
    given: Any = {"metadata": note, "make_id": make_id}
    reasoning = create_reasoning_part(SESSION, MESSAGE, "x", start=1, end=2, **given)
    assert (reasoning.id, reasoning.time.end, reasoning.metadata) == ("prt_1", 2, note)
    tool = create_tool_part(SESSION, MESSAGE, "c", "t", TOOL.state, **given)
    assert (tool.id, tool.call_id, tool.tool, tool.metadata) == ("prt_2", "c", "t", note)
    start = create_step_start_part(SESSION, MESSAGE, snapshot="s", make_id=make_id)
    assert (start.id, start.snapshot) == ("prt_3", "s")
    finish = create_step_finish_part(
        SESSION, MESSAGE, "stop", 1, TOKENS, snapshot="s", make_id=make_id
    )
    assert (finish.id, finish.tokens, finish.cost, finish.snapshot) == ("prt_4", TOKENS, 1, "s")
    file = create_file_part(
        SESSION, MESSAGE, "a/b", "u", filename="f", source=SOURCE, make_id=make_id
    )
    assert (file.id, file.filename, file.source) == ("prt_5", "f", SOURCE)
    note["a"].append(2)
    assert (reasoning.metadata, tool.metadata) == ({"a": [1]}, {"a": [1]})


def test_any_mapping_is_taken_as_metadata() -> None:
    note = MappingProxyType({"a": 1})
    made: list[TextPart | ReasoningPart | ToolPart] = [
        create_text_part(SESSION, MESSAGE, "x", metadata=note),
        create_reasoning_part(SESSION, MESSAGE, "x", start=1, metadata=note),
        create_tool_part(SESSION, MESSAGE, "c", "t", TOOL.state, metadata=note),
    ]
    assert [each.metadata for each in made] == [{"a": 1}] * 3


ANY: Any = "no uuid"


@pytest.mark.parametrize(
    ("call", "pointer"),
    [
        (lambda: create_text_part("", MESSAGE, "x"), "/sessionID"),
        (lambda: create_text_part(SESSION, ANY, "x"), "/messageID"),
        (lambda: create_text_part(SESSION, MESSAGE, "x", make_id=str), "/id"),
        (lambda: create_text_part(SESSION, MESSAGE, 5), "/text"),  # type: ignore[arg-type]
        (lambda: create_text_part(SESSION, MESSAGE, "x", metadata=ANY), "/metadata"),
        (lambda: create_reasoning_part(SESSION, MESSAGE, "x", start=-1), "/time/start"),
        (lambda: create_tool_part(SESSION, MESSAGE, "", "t", TOOL.state), "/callID"),
        (lambda: create_tool_part(SESSION, MESSAGE, "c", "t", ANY), "/state"),
        (lambda: create_step_finish_part(SESSION, MESSAGE, "", 0, TOKENS), "/reason"),
        (lambda: create_step_finish_part(SESSION, MESSAGE, "stop", -1, TOKENS), "/cost"),
        (lambda: create_file_part(SESSION, MESSAGE, "", "u"), "/mime"),
    ],
)
def test_factories_refuse_what_is_not_valid(call: Callable[[], object], pointer: str) -> None:
    with pytest.raises(PartValidationError) as caught:
        call()
    assert {finding.pointer for finding in caught.value.findings} == {pointer}


# --- type guards: checked by mypy and pyright with the tests, and run here -----------------------

GUARDS: dict[str, Callable[[object], bool]] = {
    "text": is_text_part,
    "reasoning": is_reasoning_part,
    "tool": is_tool_part,
    "step-start": is_step_start_part,
    "step-finish": is_step_finish_part,
    "file": is_file_part,
}


def told(part: Part) -> str:
    if is_text_part(part):
        assert_type(part, TextPart)
        return part.text
    assert_type(part, ReasoningPart | ToolPart | StepStartPart | StepFinishPart | FilePart)
    if is_reasoning_part(part):
        assert_type(part, ReasoningPart)
        return part.text
    if is_tool_part(part):
        assert_type(part, ToolPart)
        return part.call_id
    if is_step_start_part(part):
        assert_type(part, StepStartPart)
        return "start"
    if is_step_finish_part(part):
        assert_type(part, StepFinishPart)
        return part.reason
    if is_file_part(part):
        assert_type(part, FilePart)
        return part.mime
    assert_never(part)


def test_guards_tell_the_parts_apart() -> None:
    assert [told(part) for part in SIX] == ["hi", "hm", "call_1", "start", "stop", "text/plain"]
    for part in SIX:
        assert [name for name, guard in GUARDS.items() if guard(part)] == [part.type]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"type": "text"},
        TextPart,
        Unknown("type", "text", {}),
        message.TextPart(payload=message.TextPayload(text="x")),
    ],
)
def test_guards_know_nothing_else(value: object) -> None:
    assert not any(guard(value) for guard in GUARDS.values())


def test_ignored_text_is_kept_from_the_model() -> None:
    hidden = replace(TEXT, ignored=True)
    shown = replace(TEXT, ignored=False)
    newer = Unknown("type", "poem", {"type": "poem", "ignored": True})
    assert visible_to_model([hidden, *SIX, shown, hidden, newer]) == [*SIX, shown, newer]
    assert_type(visible_to_model([TEXT]), list[TextPart])
    assert visible_to_model([]) == []
