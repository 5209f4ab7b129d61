"""Checking a history: nothing in clean ones, every defect at its place, and little memory."""

from __future__ import annotations

import copy
import json
import random
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.contract.current.message import (
    Message,
    StartDelta,
    StartDeltaPayload,
    TextPart,
    TextPayload,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
)
from partwire.contract.current.models.message import Message as MessageModel
from partwire.errors import UsageError
from partwire.message import HistoryChecker, MessageAssembler, check_history, repair_history
from partwire.message.history.messages import allowed_kinds, read_message
from partwire.reading.pipeline import Unknown, read
from partwire.tables.history_repairs import HOME_ROLES
from partwire_testing.conformance.drawn.history_makers import (
    ALLOWED,
    AT,
    KINDS,
    SEEDS,
    Json,
    call,
    clean_history,
    message,
    part,
    parts_of,
    result,
    soup,
    text,
)
from tests.reference.history_reference import reference
from tests.ways import way

__all__ = ["way"]

seeds = st.integers(0, 2**32 - 1).map(random.Random)


def places(findings: list[Any]) -> list[tuple[str, str]]:
    return [(finding.rule, finding.pointer) for finding in findings]


def found_in(*messages: Any, **options: Any) -> list[tuple[str, str]]:
    return places(check_history(messages, **options))


def defects(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what is wrong: results in another order than their calls are not."""
    return [place for place in found if place[0] != "history/result-order"]


# --- what is found --------------------------------------------------------------------------------


@pytest.mark.usefixtures("untraced")
def test_clean_histories_give_no_finding() -> None:
    calls = 0
    for seed in range(300):
        history = clean_history(random.Random(seed))
        calls += len(parts_of(history, "tool_call"))
        found = found_in(*history)
        assert found == reference(history), f"seed {seed}"
        assert defects(found) == [], f"seed {seed}"
    assert calls > 3_000


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seeded_defect_is_found_at_its_place(seed: str) -> None:
    seeded = 0
    for number in range(150):
        rng = random.Random(number)
        history = clean_history(rng)
        if not parts_of(history, "tool_call"):
            continue
        history, wanted = SEEDS[seed](copy.deepcopy(history), rng)
        assert sorted(defects(found_in(*history))) == sorted(wanted), f"seed {number}"
        seeded += 1
    assert seeded > 100


@given(seeds, st.booleans())
def test_whatever_comes_is_judged_as_the_reference_does(rng: random.Random, ongoing: bool) -> None:
    history = soup(rng)
    assert found_in(*history, ongoing=ongoing) == reference(history, ongoing=ongoing)


def test_the_reference_finds_what_is_seeded() -> None:
    for name, seed in SEEDS.items():
        if name == "no_message":
            continue
        rng = random.Random(name)
        history, wanted = seed(clean_history(rng), rng)
        assert sorted(defects(reference(history))) == sorted(wanted)


def test_findings_say_what_was_expected_and_what_came() -> None:
    history = [message("assistant", call("a"), call("a")), message("tool", text())]
    duplicate, unanswered, role = sorted(check_history(history), key=lambda each: each.rule)
    assert duplicate.message == "The call at /0/parts/0/payload/toolCallId is still open"
    assert duplicate.expected == "an id that no other call of the run has"
    assert duplicate.actual == '"a"'
    assert role.rule == "history/unanswered-tool-call"
    assert unanswered.message == "Not allowed in a message of role tool"
    assert (unanswered.expected, unanswered.actual) == ("approval_response, tool_result", '"text"')


def test_lines_are_passed_on() -> None:
    checker = HistoryChecker()
    found = checker.add(message("assistant", call("a"), call("a")), 7)
    found += checker.add(message("tool", result("b")), 9)
    found += checker.add({}, 11)
    found += checker.close()
    assert [each.line for each in found] == [7, 11, 11, 11, 11, 7, 9]


def test_close_gives_its_findings_in_order_and_forgets() -> None:
    checker = HistoryChecker()
    for each in (message("assistant", call("b"), call("a")), message("tool", result("x"), run="2")):
        assert checker.add(each) == []
    assert [pointer[:10] for _, pointer in places(checker.close())] == [
        "/0/parts/0",
        "/0/parts/1",
        "/1/parts/0",
    ]
    assert checker.close() == []
    assert checker.add(message("tool", result("a"))) == []
    assert places(checker.close()) == [
        ("history/orphan-tool-result", "/0/parts/0/payload/toolCallId")
    ]


# --- what is taken --------------------------------------------------------------------------------


def forms(document: Json) -> list[Any]:
    """The same message in all forms."""
    data = json.dumps(document).encode()
    struct = msgspec.json.decode(data, type=Message)
    return [document, data, bytearray(data), memoryview(data), struct]


def test_every_form_of_a_message_is_taken() -> None:
    history = [message("assistant", call("a"), result("a")), message("tool", result("b"))]
    wanted = found_in(*history)
    assert len(wanted) == 2
    for first, second in zip(*map(forms, history), strict=True):
        assert found_in(first, second) == wanted
    clean = message("user", text())
    assert found_in(MessageModel.model_validate(clean), iter_of := clean) == []
    assert iter_of is clean


def snapshot() -> Any:
    assembler = MessageAssembler()
    payload = StartDeltaPayload(model_id="m", request_id="r")
    assembler.consume(StartDelta(run_id="r", seq=0, timestamp=AT, payload=payload))
    return assembler.snapshot()


@pytest.mark.parametrize("ask", [check_history, repair_history])
def test_one_message_is_no_history(ask: Any) -> None:
    document = message("user", text())
    alone = [*forms(document), "text", b"", {}, MessageModel.model_validate(document), snapshot()]
    for each in [*alone, None, 7, object(), Message]:
        with pytest.raises(UsageError) as caught:
            ask(each)
        (finding,) = caught.value.findings
        assert finding.rule == "usage/invalid-argument", each
        assert finding.message == "A history is several messages, and not one"
    assert check_history(iter(alone[:4])) == check_history((document,)) == []


def test_a_snapshot_is_a_message() -> None:
    assert found_in(snapshot()) == []


def test_a_part_of_a_newer_kind_is_named_and_not_judged() -> None:
    newer = {"kind": "tool_result_2", "payload": {"toolCallId": "a"}}
    document = message("user", newer, text())
    found = check_history([document])
    assert places(found) == [("read/unknown-variant", "/0/parts/0/kind")]
    assert found[0].severity == "warning"
    struct = read(document, "message.Message", "tolerant")
    assert isinstance(struct.parts[0], Unknown)
    assert check_history([struct]) == []


def test_what_is_no_message_is_counted_and_takes_no_part() -> None:
    found = found_in(b"{", message("assistant", call("a")), {"role": "tool"}, object(), b"\xff")
    assert {pointer.split("/")[1] for _, pointer in found} == {"0", "1", "2", "3", "4"}
    rules = [rule for rule, pointer in found if pointer[:2] != "/2"]
    assert rules == [
        "document/invalid-json",
        "history/unanswered-tool-call",
        "shape/type",
        "document/invalid-utf8",
    ]


def hand_made(**members: Any) -> Message:
    given: dict[str, Any] = {"run_id": "r", "role": "user", "parts": [], "timestamp": AT}
    return Message(**{**given, **members})


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"run_id": 1}, "/runId"),
        ({"role": "judge"}, "/role"),
        ({"role": ["user"]}, "/role"),
        ({"parts": None}, "/parts"),
        ({"parts": [3]}, "/parts/0"),
        ({"parts": [ToolCallPart(payload=TextPayload(text="x"))]}, "/parts/0/payload"),  # type: ignore[arg-type]
        ({"parts": [ToolResultPart(payload=None)]}, "/parts/0/payload"),  # type: ignore[arg-type]
    ],
)
def test_a_struct_made_by_hand_need_not_be_a_message(members: Json, place: str) -> None:
    found = found_in(hand_made(**members))
    assert found
    assert {pointer for _, pointer in found} == {f"/0{place}"}


def test_ids_of_a_struct_made_by_hand_are_looked_at() -> None:
    payload = ToolCallPayload(tool_call_id=5, tool_name="f", arguments={})  # type: ignore[arg-type]
    assert found_in(hand_made(role="assistant", parts=[ToolCallPart(payload=payload)])) == [
        ("shape/type", "/0/parts/0/payload/toolCallId")
    ]
    parts = [{"kind": "text", "payload": {"text": "a"}}]
    assert found_in(hand_made(parts=parts)) == []


def test_a_message_that_holds_itself_is_no_message() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert found_in(hand_made(parts=loop)) == [("document/too-deep", "/0")]
    assert read_message({"meta": {"a": float("nan")}})[0] is None


def test_the_table_of_roles_is_the_schema_s() -> None:
    assert {role: set(kinds) for role, kinds in allowed_kinds().items()} == ALLOWED
    assert set(HOME_ROLES) == set(KINDS)
    assert all(kind in ALLOWED[role] for kind, role in HOME_ROLES.items())


def test_the_table_of_roles_is_that_of_the_oldest_reader() -> None:
    """An image of the assistant is new in v0.2: a reader of v0.1 refuses it."""
    image = message("assistant", part("image", "", "https://example.com/cat.png"))
    answer = message("user", text())
    older = [("history/role-part-kind", "/0/parts/0/kind")]
    assert check_history([image, answer]) == []
    found = check_history([image, answer], version="v0.1")
    assert [(each.rule, each.pointer) for each in found] == older
    repaired, changes = repair_history([image, answer], version="v0.1")
    assert [each.rule for each in changes] == ["history/role-part-kind"]
    assert check_history(repaired, version="v0.1") == []
    assert repair_history([image, answer]) == ([image, answer], [])


@pytest.mark.parametrize("call", [check_history, repair_history])
def test_a_table_of_roles_needs_a_known_version(call: Any) -> None:
    with pytest.raises(UsageError) as caught:
        call([], version="v0.999")
    assert caught.value.rule == "usage/unknown-version"


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("remember", [0, -1, True, 1.0, "all"])
def test_remember_is_a_number_of_calls(remember: Any) -> None:
    with pytest.raises(UsageError) as caught:
        check_history([], remember=remember)
    assert caught.value.rule == "usage/invalid-argument"


def turns(first: int, count: int) -> list[Json]:
    return [
        each
        for n in range(first, first + count)
        for each in (message("assistant", call(f"c{n}")), message("tool", result(f"c{n}")))
    ]


@pytest.mark.parametrize("between", [1, 9, 10, 15, 19])
def test_what_is_remembered_is_found_however_it_falls(between: int) -> None:
    """At least the last ``remember`` answered calls, wherever the generations change."""
    for before in range(20):
        history = [*turns(1000, before), *turns(0, 1), *turns(1, between), *turns(0, 1)]
        history.append(message("tool", result("c0")))
        found = found_in(*history, remember=between + 1)
        assert [rule for rule, _ in found] == [
            "history/duplicate-tool-call",
            "history/duplicate-tool-result",
        ]


def test_what_is_forgotten_is_an_orphan_or_a_new_call() -> None:
    history = [*turns(0, 41), message("tool", result("c0")), *turns(0, 1)]
    at = len(history)
    exact = found_in(*history, remember=None)
    assert exact == [
        ("history/duplicate-tool-result", "/82/parts/0/payload/toolCallId"),
        ("history/duplicate-tool-call", "/83/parts/0/payload/toolCallId"),
    ]
    forgetful = found_in(*history[:83], remember=20)
    assert forgetful == [("history/orphan-tool-result", "/82/parts/0/payload/toolCallId")]
    assert found_in(*turns(0, 41), *turns(0, 1), remember=20) == []
    assert at == 85


def stream(count: int, open_calls: int = 0) -> Iterator[Message]:
    """Messages of one long run and many short ones; the first ``open_calls`` stay open."""
    for n in range(count // 2):
        run, call_id = f"run_{n % 7 and n}", f"call_{n}"
        payload = ToolCallPayload(tool_call_id=call_id, tool_name="f", arguments={})
        yield Message(
            run_id=run, role="assistant", parts=[ToolCallPart(payload=payload)], timestamp=AT
        )
        answer = ToolResult(tool_call_id=call_id, is_error=False, content="ok")
        parts: list[Any] = [ToolResultPart(payload=answer)]
        if n < open_calls:
            parts = [TextPart(payload=TextPayload(text="Hm."))]
        role: Any = "tool" if n >= open_calls else "assistant"
        yield Message(run_id=run, role=role, parts=parts, timestamp=AT)


def peak_bytes(messages: Iterator[Message]) -> int:
    """Return the most memory that a checker takes for these messages."""
    checker = HistoryChecker(remember=1024)
    tracemalloc.start()
    try:
        for each in messages:
            assert checker.add(each) == []
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.usefixtures("untraced")
def test_memory_does_not_grow_with_the_history() -> None:
    short, long = peak_bytes(stream(20_000)), peak_bytes(stream(200_000))
    assert long < short + 20_000, (short, long)
    assert long < 300_000


@pytest.mark.usefixtures("untraced")
def test_memory_grows_with_the_open_calls() -> None:
    base, some = peak_bytes(stream(20_000)), peak_bytes(stream(20_000, open_calls=1000))
    more = peak_bytes(stream(20_000, open_calls=4000))
    assert 200 < (some - base) / 1000 < 2000
    assert 200 < (more - base) / 4000 < 2000
