"""Repairing a history: no error is left, nothing is lost unsaid, and twice is as once."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from pathlib import Path
from types import MappingProxyType
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
    ToolResult,
    ToolResultPart,
)
from partwire.contract.current.models.message import Message as MessageModel
from partwire.errors import PartwireError, ReadError, UsageError
from partwire.message import REPAIRS, HistoryChange, MessageAssembler, check_history, repair_history
from partwire.reading.pipeline import read, to_wire, validate
from partwire_testing.conformance.drawn.history_makers import (
    AT,
    SEEDS,
    call,
    clean_history,
    id_at,
    message,
    of_server,
    parts_of,
    result,
    soup,
    text,
)
from tests.ways import way

__all__ = ["way"]

CALLS_DROPPED_BY = ("role-part-kind", "duplicate-tool-call", "unanswered-tool-call")
UNKNOWN_WORDS = ("unknown-decision", "unknown-choice")

seeds = st.integers(0, 2**32 - 1).map(random.Random)
policies = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(actions) for name, actions in REPAIRS.items()}
)


def errors(history: list[Any], *, ongoing: bool = False) -> list[str]:
    found = check_history(history, ongoing=ongoing, remember=None)
    return [str(each) for each in found if each.severity == "error"]


def marks(value: Any) -> Counter[str]:
    """Count the marks of the parts that a value holds, whatever became of them."""
    words = json.dumps(value).replace('"', " ").replace("\\n", " ").split()
    return Counter(word for word in words if word.startswith("mark-"))


def places_of_calls(history: list[Any]) -> list[tuple[int, int]]:
    return sorted(parts_of(history, "tool_call") + parts_of(history, "server_tool_call"))


def is_used_before(history: list[Any], i: int, j: int) -> bool:
    ids = [id_at(history, place) for place in places_of_calls(history) if place < (i, j)]
    return id_at(history, (i, j)) in ids


def unapproved_results(history: list[Any]) -> Counter[str]:
    """Count the marks of results that came without a yes."""
    found = check_history(history, remember=None)
    rows = [each.pointer.split("/") for each in found if each.rule == "history/unapproved-result"]
    return marks([history[int(row[1])]["parts"][int(row[3])] for row in rows])


def approvals(history: list[Any]) -> list[tuple[str, Any]]:
    """Return the payloads of answers, each with its run."""
    return [
        (history[i]["runId"], history[i]["parts"][j]["payload"])
        for i, j in parts_of(history, "approval_response")
    ]


# --- laws -----------------------------------------------------------------------------------------


@given(seeds, policies, st.booleans())
def test_no_error_is_left_and_twice_is_as_once(
    rng: random.Random, policy: dict[str, str], ongoing: bool
) -> None:
    history = soup(rng)
    before = copy.deepcopy(history)
    repaired, changes = repair_history(history, policy, ongoing=ongoing)
    assert history == before
    assert errors(repaired, ongoing=ongoing) == []
    assert [found for each in repaired for found in validate(each, "message.Message")] == []
    again = repair_history(repaired, policy, ongoing=ongoing)
    assert again == (repaired, [])
    assert bool(changes) == (repaired != history)


@given(seeds, policies, st.booleans())
def test_every_part_is_there_or_named_as_removed(
    rng: random.Random, policy: dict[str, str], ongoing: bool
) -> None:
    history = soup(rng)
    repaired, changes = repair_history(history, policy, ongoing=ongoing)
    removed = [each.removed for each in changes if "/parts/" in each.pointer]
    assert marks(repaired) + marks(removed) == marks(history)
    whole = {each.pointer for each in changes if "/parts/" not in each.pointer}
    assert all(pointer.count("/") == 1 for pointer in whole)


@given(seeds, policies)
def test_no_repair_approves_a_call(rng: random.Random, policy: dict[str, str]) -> None:
    """Where ids are unique: of two calls of one id it is open which one an approval is about."""
    history = soup(rng)
    for i, j in places_of_calls(history):
        if is_used_before(history, i, j):
            history[i]["parts"][j] = text(f"mark-{i}-{j}")
    unapproved = unapproved_results(history)
    policy.pop("orphan-tool-result", None)  # of a call that is dropped, the result is text else
    repaired, changes = repair_history(history, policy)
    gone = marks([each.removed for each in changes])
    assert unapproved - gone <= unapproved_results(repaired)
    answers = {str(each) for each in approvals(history)}
    assert {str(each) for each in approvals(repaired)} <= answers


@given(seeds, policies)
def test_of_several_answers_the_first_stands(rng: random.Random, policy: dict[str, str]) -> None:
    """Where no call is dropped: without its call a request is not the first one of its id."""
    history = soup(rng)
    policy = {name: action for name, action in policy.items() if name not in CALLS_DROPPED_BY}
    repaired, changes = repair_history(history, policy)
    found = check_history(history, remember=None)
    second = {each.pointer for each in found if each.rule == "history/duplicate-approval"}
    assert second <= {each.pointer for each in changes if each.rule == "history/duplicate-approval"}
    answered = [(run, each["approvalId"]) for run, each in approvals(repaired)]
    assert len(answered) == len(set(answered))


@given(seeds, policies)
def test_what_no_change_names_is_the_very_message_in_its_order(
    rng: random.Random, policy: dict[str, str]
) -> None:
    history = soup(rng)
    repaired, changes = repair_history(history, policy)
    named = {int(each.pointer.split("/")[1]) for each in changes}
    untouched = [id(each) for index, each in enumerate(history) if index not in named]
    there = {id(each) for each in repaired}
    assert [each for each in untouched if each not in there] == []
    kept = set(untouched)
    assert [id(each) for each in repaired if id(each) in kept] == untouched


@given(seeds, policies)
def test_results_of_changes_are_where_they_say(rng: random.Random, policy: dict[str, str]) -> None:
    history = soup(rng)
    repaired, changes = repair_history(history, policy)
    for change in changes:
        if change.result is None:
            continue
        _, index, _, number = change.result.split("/")
        part = repaired[int(index)]["parts"][int(number)]
        _, given_index, _, given_number, *_ = change.pointer.split("/")
        source = history[int(given_index)]["parts"][int(given_number)]
        if change.action == "answer":
            assert part["payload"]["isError"] is True
            assert source["kind"] == "tool_call"
        else:
            assert marks(part) == marks(source)


@given(seeds, policies, st.booleans())
def test_structs_and_text_are_repaired_as_values_are(
    rng: random.Random, policy: dict[str, str], ongoing: bool
) -> None:
    history = soup(rng)
    wanted, changes = repair_history(history, policy, ongoing=ongoing)
    structs = [msgspec.convert(each, Message) for each in history]
    lines = [json.dumps(each).encode() for each in history]
    from_structs = repair_history(structs, policy, ongoing=ongoing)
    from_lines = repair_history(lines, policy, ongoing=ongoing)
    assert all(type(each) is Message for each in from_structs.messages)
    assert all(type(each) is bytes for each in from_lines.messages)
    assert [to_wire(each) for each in from_structs.messages] == wanted
    assert [json.loads(each) for each in from_lines.messages] == wanted
    assert from_structs.changes == changes == from_lines.changes


def test_clean_histories_are_left_alone() -> None:
    for seed in range(200):
        history = clean_history(random.Random(seed))
        repaired, changes = repair_history(history)
        assert changes == []
        assert all(one is other for one, other in zip(repaired, history, strict=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seeded_defect_is_repaired_at_its_place(seed: str) -> None:
    policy = {"unreadable-message": "drop"}
    for number in range(100):
        rng = random.Random(number)
        history = clean_history(rng)
        if not parts_of(history, "tool_call"):
            continue
        history, wanted = SEEDS[seed](copy.deepcopy(history), rng)
        repaired, changes = repair_history(history, policy)
        assert {f.rule for f in check_history(repaired)} <= {"history/result-order"}
        named = {(change.rule, change.pointer) for change in changes}
        # What is not a message goes as a whole.
        places = [(rule, "/" + at.split("/")[1]) for rule, at in wanted]
        assert set(places if seed == "no_message" else wanted) <= named


# --- single points --------------------------------------------------------------------------------


def repaired_by(policy: dict[str, str], *history: Any) -> tuple[list[Any], list[HistoryChange]]:
    return repair_history(history, policy)


@pytest.mark.parametrize(
    ("policy", "expected", "actual"),
    [
        ({"late": "move"}, " or ".join(REPAIRS), '"late"'),
        ({"late-tool-result": "drop"}, "move or keep", '"drop"'),
        ({"history/late-tool-result": "keep"}, " or ".join(REPAIRS), '"history/late-tool-result"'),
    ],
)
def test_a_policy_names_what_there_is(policy: dict[str, str], expected: str, actual: str) -> None:
    with pytest.raises(UsageError) as caught:
        repair_history([], policy)
    assert caught.value.rule == "usage/invalid-argument"
    assert caught.value.findings[0].expected == expected
    assert caught.value.findings[0].actual == actual


def test_the_first_action_is_the_default() -> None:
    rng = random.Random(1)
    for _ in range(100):
        history = soup(rng)
        policy = {name: actions[0] for name, actions in REPAIRS.items()}
        assert repair_history(history) == repair_history(history, policy)


def test_a_change_is_data() -> None:
    history = [message("tool", result("a")), message("user", text())]
    _, changes = repair_history(history)
    assert [each.to_wire() for each in changes] == [
        {
            "rule": "history/orphan-tool-result",
            "action": "drop",
            "pointer": "/0",
            "message": "Taken out: nothing is left of the message",
            "removed": history[0],
        },
        {
            "rule": "history/orphan-tool-result",
            "action": "drop",
            "pointer": "/0/parts/0/payload/toolCallId",
            "message": "Taken out",
            "removed": result("a"),
        },
    ]


def test_new_results_have_run_and_time_of_the_message_before_them() -> None:
    later = "2026-01-02T09:00:00+01:00"
    first = {**message("assistant", call("a"), call("b"), run="r"), "meta": {"x": 1}}
    second = {**message("tool", result("a"), run="r"), "timestamp": later}
    repaired, _ = repair_history([first, second, message("user", text(), run="other")])
    lost = {**result("b", "interrupted")}
    lost["payload"] |= {"isError": True, "outcome": "interrupted"}
    assert repaired[2] == {"runId": "r", "role": "tool", "parts": [lost], "timestamp": later}
    assert repaired[:2] == [first, second]


def test_a_meta_stays_with_the_piece_that_is_the_message() -> None:
    mixed = {**message("user", result("a"), text()), "meta": {"k": 1}, "newer": True}
    history = [message("assistant", call("a")), mixed]
    wanted = [message("tool", result("a")), {**mixed, "parts": [text()]}]
    assert repair_history(history).messages[1:] == wanted
    del wanted[1]["newer"]  # which a struct does not have
    structs = [msgspec.convert(each, Message) for each in history]
    assert [to_wire(each) for each in repair_history(structs).messages[1:]] == wanted


def test_a_quote_stands_behind_the_system_message() -> None:
    history = [message("system", text()), message("tool", result("a", "x"))]
    repaired, _ = repaired_by({"orphan-tool-result": "text"}, *history)
    assert [each["role"] for each in repaired] == ["system", "user"]


def test_models_and_snapshots_become_structs_where_something_changes() -> None:
    model = MessageModel.model_validate(message("assistant", text()))
    assembler = MessageAssembler()
    payload = StartDeltaPayload(model_id="m", request_id="r")
    assembler.consume(StartDelta(run_id="r", seq=0, timestamp=AT, payload=payload))
    snapshot = assembler.snapshot()
    repaired, changes = repair_history([model, snapshot])
    assert repaired[0] is model
    assert repaired[1] is snapshot
    assert changes == []
    open_call = MessageModel.model_validate(message("assistant", call("a"), call("a")))
    repaired, changes = repair_history([open_call, snapshot])
    assert [type(each) for each in repaired[:2]] == [Message, Message]
    assert check_history(repaired) == []


def test_what_is_no_message_stops_the_repair() -> None:
    with pytest.raises(ReadError) as caught:
        repair_history([message("user"), {"role": "user"}, b"{", object()])
    pointers = [each.pointer for each in caught.value.findings]
    assert pointers[0] == "/1"
    assert pointers[-2:] == ["/2", "/3"]


def test_what_is_no_message_is_named_when_it_is_dropped() -> None:
    strange: dict[str, Any] = {"self": None}
    strange["self"] = strange
    given: list[Any] = [{"role": "user"}, b"{\xff", object(), strange, message("user")]
    repaired, changes = repaired_by({"unreadable-message": "drop"}, *given)
    assert repaired == [message("user")]
    assert [(each.rule, each.pointer, each.removed) for each in changes] == [
        ("shape/required", "/0", {"role": "user"}),
        ("document/invalid-utf8", "/1", "{\\xff"),
        ("shape/type", "/2", "a Python object"),
        ("document/too-deep", "/3", "object with 1 member"),
    ]


def test_unknown_parts_of_structs_stay() -> None:
    newer = {"kind": "audio", "payload": {"data": "x"}}
    document = message("assistant", newer, call("a"), call("b"))
    struct = read(document, "message.Message", "tolerant")
    repaired, _ = repaired_by({"unanswered-tool-call": "drop"}, struct)
    assert [to_wire(each) for each in repaired] == [message("assistant", newer)]


def test_many_calls_of_one_id_cost_no_square() -> None:
    size = 3000
    history = [message("assistant", *[call("same") for _ in range(size)])]
    repaired, _ = repair_history(history)
    ids = {part["payload"]["toolCallId"] for part in repaired[0]["parts"]}
    assert len(ids) == size
    assert {f"same_{n}" for n in range(2, size + 1)} < ids


@pytest.mark.parametrize("policy", ["x", "", [], (), 0, False, {"drop"}, [("a", "b")], b""])
def test_a_policy_is_a_mapping(policy: Any) -> None:
    with pytest.raises(UsageError) as caught:
        repair_history([], policy)
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert finding.message == "A policy maps defects to actions"
    frozen = MappingProxyType({"late-tool-result": "keep"})
    assert repair_history([], frozen) == repair_history([], None) == ([], [])


def test_nothing_but_ours_is_raised_for_odd_messages() -> None:
    odd: list[Any] = [None, 1, "x", [], {}, b"", {"parts": 3}, Message, MessageModel, (), {1: 2}]
    for each in odd:
        assert check_history([each])
        with pytest.raises(PartwireError):
            repair_history([each])


@pytest.mark.parametrize("policy", [{}, {"orphan-tool-result": "text", "role-part-kind": "drop"}])
@pytest.mark.usefixtures("untraced")
@pytest.mark.slow
def test_a_message_with_many_defects_costs_no_square(policy: dict[str, str]) -> None:
    size = 20_000
    many = message("user", *[part for n in range(size) for part in (text(), result(f"c{n}"))])
    calls = message("assistant", *[call(f"c{n}") for n in range(0, size, 2)])
    repaired, changes = repair_history([calls, message("user", text()), many], policy)
    assert check_history(repaired) == []
    assert len(changes) >= size


def test_the_document_lists_every_repair_the_default_first(root: Path) -> None:
    text = (root / "docs" / "semantics.md").read_text("utf-8")
    table = text.split("| defect | actions, the default first |\n|---|---|\n")[1].split("\n\n")[0]
    known = {action for actions in REPAIRS.values() for action in actions}
    listed = {}
    for row in table.splitlines():
        _, defect, actions, _ = row.split("|")
        named = [each for each in re.findall(r"`([a-z]+)`", actions) if each in known]
        listed[defect.strip(" `")] = tuple(named)
    for rule in ("result-order", "outcome-contradicts", "unanswered-server-call", *UNKNOWN_WORDS):
        assert listed.pop(rule) == ()
    assert listed == REPAIRS


# --- what v0.3 brought ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "outcome"), [("v0.1", None), ("v0.2", None), ("v0.3", "interrupted")]
)
def test_made_results_say_what_their_version_knows(version: str, outcome: str | None) -> None:
    repaired, _ = repair_history([message("assistant", call("a"))], version=version)
    assert repaired[1]["parts"][0]["payload"].get("outcome") == outcome


def test_new_messages_have_no_ids_of_others_and_their_author_where_they_say_the_same() -> None:
    ids = {"messageId": "msg_1", "turnId": "turn_1", "author": {"name": "Ada"}, "meta": {"x": 1}}
    mixed = {**message("user", text("a"), call("c"), text("b")), **ids}
    for form in (mixed, msgspec.convert(mixed, Message), json.dumps(mixed)):
        repaired, _ = repair_history([form])
        values = [
            json.loads(each) if isinstance(each, str) else to_wire(each, "message.Message")
            for each in repaired
        ]
        assert values[0] == {**mixed, "parts": [text("a")]}
        assert values[1] == message("assistant", call("c"))
        assert values[3] == {**message("user", text("b")), "author": {"name": "Ada"}}


@pytest.mark.parametrize("version", ["v0.1", "v0.2"])
def test_kinds_that_a_version_does_not_know_are_not_misplaced_in_it(version: str) -> None:
    search = of_server(call("a"))
    history = [message("assistant", search, of_server(result("a")))]
    assert check_history(history, version=version) == []
    assert repair_history(history, version=version) == (history, [])


def test_parts_that_are_not_a_list_are_told() -> None:
    pieces: Any = ((TextPart(payload=TextPayload(text="a")),), "abc", None, {"a": 1}, iter([]))
    for parts in pieces:
        made = Message(run_id="r", role="user", parts=parts, timestamp=AT)
        (found,) = check_history([made])
        assert (found.rule in {"shape/type", "shape/null"}, found.pointer) == (True, "/0/parts")
        with pytest.raises(ReadError) as caught:
            repair_history([made])
        assert caught.value.findings[0].pointer == "/0/parts"


def test_what_a_hand_made_payload_says_is_looked_at() -> None:
    for made in (
        ToolResult(tool_call_id="a", is_error=1, content="", outcome="denied"),  # type: ignore[arg-type]
        ToolResult(tool_call_id="a", is_error=True, content="", outcome=["denied"]),  # type: ignore[arg-type]
    ):
        part = ToolResultPart(payload=made)
        found = check_history([Message(run_id="r", role="tool", parts=[part], timestamp=AT)])
        assert [each.rule for each in found] == ["shape/type"]


@pytest.mark.parametrize("version", ["v0.1", "v0.2"])
@pytest.mark.parametrize("role", ["system", "tool"])
@pytest.mark.parametrize("policy", [{}, {"orphan-tool-result": "text"}])
def test_calls_of_the_provider_stand_anywhere_in_an_older_version(
    version: str, role: str, policy: dict[str, str]
) -> None:
    """Such a version does not know the kinds, so they keep their role, where no turn may be."""
    asked = [message(role, of_server(call("a")))]
    assert repair_history(asked, policy, version=version) == (asked, [])
    answered = [message(role, of_server(result("b")))]
    repaired, changes = repair_history(answered, policy, version=version)
    assert {each.rule for each in changes} == {"history/orphan-tool-result"}
    assert [each["role"] for each in repaired] == (["user"] if policy else [])
