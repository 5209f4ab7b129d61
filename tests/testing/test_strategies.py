"""The strategies: what is drawn as valid is valid, what is drawn as broken is refused as said."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st

from partwire import (
    MessageAssembler,
    PartwireError,
    UsageError,
    assemble,
    dump,
    read,
    to_wire,
    validate,
)
from partwire.contract.resources import read_catalog, read_rules
from partwire.contract.schemas import describe_types
from partwire.reading import validate_value
from partwire_testing import strategies
from partwire_testing.conformance.drawn.schemas import definitions
from partwire_testing.strategies.delta_making import IDS
from partwire_testing.strategies.stream_breaking import NEEDED_KINDS, SHAPE, STREAM_RULES
from tests.reading.document_variants import possible, seen_in

VERSIONS = tuple(read_catalog())
FAMILIES = [
    (version, family) for version in VERSIONS for family in read_catalog()[version]["families"]
]
COUNT = 25  # documents of each public type, and as many again while some variant is missing
ROUNDS = 400  # at most: rare members of large unions want many
STREAMS = 120
BROKEN = 10  # streams that break each rule
Record = Callable[[str, object], None]


def for_all(
    strategy: st.SearchStrategy[Any],
    check: Callable[[Any], None],
    count: int,
    number: int = 0,
    parent: settings | None = None,
) -> None:
    """Run a check on drawn values, as its own test would; each number draws other ones.

    Hypothesis's health checks are kept, but for slowness: drawing throws little away.
    """

    @seed(number)
    @settings(parent, max_examples=count)
    @given(strategy)
    def run(value: Any) -> None:
        check(value)

    run()


def smallest(strategy: st.SearchStrategy[Any], holds: Callable[[Any], bool]) -> Any:
    """Return the simplest value that a failing test would show.

    The shortest of three starts: what hypothesis draws depends on the modules that are loaded,
    and from one start in a hundred it ends a step before the simplest.
    """
    few = settings(max_examples=2_000, phases=(Phase.generate, Phase.shrink), database=None)
    found = [find(strategy, holds, settings=few, random=Random(start)) for start in range(3)]
    return min(found, key=lambda each: len(repr(each)))


def public_types(version: str, family: str) -> list[str]:
    return [
        row.type
        for row in describe_types(version)
        if row.public and row.type.startswith(f"{family}.")
    ]


def lines(deltas: list[Any]) -> list[bytes]:
    return [json.dumps(each, ensure_ascii=False).encode() for each in deltas]


# --- documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "family"), FAMILIES, ids=map("-".join, FAMILIES))
def test_drawn_documents_are_valid_and_have_everything(
    version: str, family: str, record_property: Record
) -> None:
    defs = definitions(family, version)
    counts: Counter[str] = Counter()
    for name in public_types(version, family):
        schema = {"$ref": f"#/$defs/{name.partition('.')[2]}"}
        known: set[str] = set()
        possible(schema, defs, "", known)
        missing = {each for each in known if not each.startswith("(")}
        counts["variants, members and values"] += len(missing)

        def check(document: Any) -> None:
            counts["documents"] += 1
            assert validate_value(document, name, version) == []  # noqa: B023 - called at once
            assert validate(json.dumps(document).encode(), name, version) == []  # noqa: B023
            missing.difference_update(seen_in(document, schema, defs, ""))  # noqa: B023

        for number in range(ROUNDS):
            for_all(strategies.documents(name, version), check, COUNT, number)
            if not missing:
                break
        assert missing == set()
    record_property("Drawn as valid", dict(counts))


@pytest.mark.parametrize(("version", "family"), FAMILIES, ids=map("-".join, FAMILIES))
def test_broken_documents_are_refused_as_they_say(
    version: str, family: str, record_property: Record
) -> None:
    counts: Counter[str] = Counter()
    for name in public_types(version, family):
        rules = definitions(family, version)[name.partition(".")[2]].get("x-rules", ())
        due = {rule["rule"] for rule in rules if read_rules()[rule["rule"]]["severity"] == "error"}

        def check(broken: strategies.BrokenDocument) -> None:
            counts[broken.rule] += 1
            found = validate_value(broken.document, name, version)  # noqa: B023 - called at once
            errors = {(each.rule, each.pointer) for each in found if each.severity == "error"}
            assert (broken.rule, broken.pointer) in errors

        for number in range(ROUNDS):
            for_all(strategies.broken_documents(name, version), check, COUNT, number)
            if due <= set(counts):
                break
        assert due - set(counts) == set()
    assert {"shape/required", "shape/type", "shape/null", "shape/min-length"} <= set(counts)
    record_property("Drawn as broken", {"documents": counts.total(), "rules": len(counts)})


WARNED = {
    "session.WithParts": {"session/part-message-id", "session/part-session-id"},
    "session.MessageTime": {"session/time-order"},
    "session.SourceText": {"session/range-order"},
    "envelope.TaskEvent": {"envelope/retry-count"},
    "envelope.ReportResultRequest": {"envelope/duplicate-invocation"},
}


@pytest.mark.parametrize("name", WARNED)
def test_documents_that_are_warned_of_are_not_refused(name: str) -> None:
    counts: Counter[str] = Counter()

    def check(warned: strategies.BrokenDocument) -> None:
        counts[warned.rule] += 1
        found = {
            (each.rule, each.pointer): each.severity for each in validate(warned.document, name)
        }
        assert set(found.values()) == {"warning"}
        assert (warned.rule, warned.pointer) in found

    few = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
    for number in range(ROUNDS):
        drawn = strategies.broken_documents(name, severity="warning")
        for_all(drawn, check, COUNT, number, few)
        if set(counts) >= WARNED[name]:
            break
    assert set(counts) >= WARNED[name]


def test_every_rule_of_the_shape_is_broken() -> None:
    counts: Counter[str] = Counter()

    def count(broken: strategies.BrokenDocument) -> None:
        counts[broken.rule] += 1

    # Between them they have every keyword of the schemas.
    for name in (
        *("ImagePayload", "ToolChoice", "MediaPayload", "MessagePart", "TextPart", "Role"),
        "Author",
    ):
        for_all(strategies.broken_documents(f"message.{name}"), count, 80)
    due = {rule for rule in read_rules() if rule.startswith("shape/")}
    assert due - set(counts) == {"shape/unknown-member"}  # which is not an error


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["message.Message", "message.MessageDelta", "session.WithParts"])
def test_structs_and_models_are_the_documents(name: str, version: str) -> None:
    def check(value: Any) -> None:
        assert validate(value, name, version) == []
        text = dump(value, version=version)
        again = read(text, name, version=version)
        assert msgspec.json.decode(dump(again, version=version)) == msgspec.json.decode(text)
        kinds.add(isinstance(value, msgspec.Struct))

    kinds: set[bool] = set()
    for_all(strategies.structs(name, version) | strategies.models(name, version), check, COUNT)
    assert kinds == {True, False}


def test_unknown_members_come_where_they_are_asked_for() -> None:
    def others(document: Any) -> bool:
        return bool(set(document) - set(definitions("message")["Message"]["properties"]))

    found = smallest(strategies.documents("message.Message", unknown_members=True), others)
    assert validate(found, "message.Message") == []

    def none(document: Any) -> None:
        assert not others(document)

    for_all(strategies.documents("message.Message"), none, COUNT)


def test_documents_shrink_to_what_matters() -> None:
    def calls(document: Any) -> bool:
        return any(part["kind"] == "tool_call" for part in document["parts"])

    found = smallest(strategies.documents("message.Message"), calls)
    assert found["role"] == "assistant"
    (part,) = found["parts"]
    assert set(part["payload"]) == {"toolCallId", "toolName", "arguments"}
    assert part["payload"]["arguments"] == {}
    assert set(found) == {"runId", "role", "parts", "timestamp"}


@pytest.mark.parametrize(
    "draw",
    [
        strategies.documents,
        strategies.structs,
        strategies.models,
        strategies.broken_documents,
    ],
)
def test_unknown_types_and_versions_are_refused(draw: Callable[..., Any]) -> None:
    with pytest.raises(UsageError) as caught:
        draw("message.Massage")
    assert caught.value.rule == "usage/unknown-type"
    with pytest.raises(UsageError) as caught:
        draw("message.Message", "v9.9")
    assert caught.value.rule == "usage/unknown-version"


def test_models_ask_for_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(UsageError) as caught:
        strategies.models("message.Message")
    assert caught.value.rule == "usage/missing-extra"


@pytest.mark.parametrize("draw", [strategies.streams, strategies.broken_streams])
def test_streams_of_unknown_versions_are_refused(draw: Callable[..., Any]) -> None:
    with pytest.raises(UsageError) as caught:
        draw("v9.9")
    assert caught.value.rule == "usage/unknown-version"


# --- streams --------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_drawn_streams_assemble(version: str, record_property: Record) -> None:
    counts: Counter[str] = Counter()

    def check(deltas: list[Any]) -> None:
        counts["streams"] += 1
        counts["deltas"] += len(deltas)
        counts.update(f"kind {each['kind']}" for each in deltas)
        for each in deltas:
            assert validate(each, "message.MessageDelta", version) == []
        message = assemble(lines(deltas))
        assert validate(message, "message.Message") == []
        stepwise = MessageAssembler()
        for each in deltas:
            stepwise.consume(read(each, "message.MessageDelta", version=version))
        assert stepwise.build_final_message() == message
        counts["parse errors"] += "toolCallParseErrors" in to_wire(message)["meta"]
        counts["beside"] += interleaved(deltas)
        for name in ("messageId", "turnId"):
            counts[f"with {name}"] += name in deltas[0]

    for_all(strategies.streams(version), check, STREAMS)
    kinds = definitions("message", version)["MessageDelta"]["discriminator"]["mapping"]
    due = {f"kind {kind}" for kind in kinds if kind != "error"} | {"parse errors", "beside"}
    due |= {
        f"with {name}"
        for name in definitions("message", version)["StartDelta"]["properties"]
        if name in ("messageId", "turnId")
    }
    assert {name for name in due if not counts[name]} == set()
    record_property("Drawn as valid", {name: counts[name] for name in ("streams", "deltas")})


def interleaved(deltas: list[Any]) -> bool:
    """Return whether two tool calls are open at once."""
    open_calls = 0
    for each in deltas:
        open_calls += {"tool_call_start": 1, "tool_call_end": -1}.get(each["kind"], 0)
        if open_calls > 1:
            return True
    return False


@pytest.mark.parametrize("version", VERSIONS)
def test_broken_streams_are_refused_as_they_say(version: str, record_property: Record) -> None:
    counts: Counter[str] = Counter()

    def check(broken: strategies.BrokenStream) -> None:
        counts[broken.rule] += 1
        found = refusal(broken.deltas)
        assert broken.rule in found
        assert found[broken.rule] == broken.line
        if not broken.rule.startswith("shape/"):
            assert set(found) == {broken.rule}

    ids = definitions("message", version)["StartDelta"]["properties"]
    absent = {rule for name, rule in IDS.items() if name not in ids}
    kinds = definitions("message", version)["MessageDelta"]["discriminator"]["mapping"]
    absent |= {rule for rule, kind in NEEDED_KINDS.items() if kind not in kinds}
    for rule in {*STREAM_RULES, SHAPE} - absent:
        before = Counter(counts)
        for_all(strategies.broken_streams(version, rule=rule), check, BROKEN)
        drawn = set(counts - before)
        assert drawn == {rule} if rule != SHAPE else len(drawn) > 2
    for rule in [*absent, "shape/type", "no/rule"]:
        with pytest.raises(UsageError) as caught:
            strategies.broken_streams(version, rule=rule)
        assert caught.value.rule == "usage/unknown-rule"
    record_property("Drawn as broken", {"streams": counts.total(), "rules": len(counts)})


def refusal(deltas: list[Any]) -> dict[str, int | None]:
    """Return the rules that the first refused line breaks, each with the line."""
    try:
        message = assemble(lines(deltas))
    except PartwireError as error:
        return {each.rule: each.line for each in error.findings}
    return {f"assembled: {message}": None}


def test_every_rule_of_a_stream_is_broken() -> None:
    # What an assembler says of calls that no stream can make, and a warning.
    of_calls = {"stream/not-started", "stream/not-done", "stream/already-done"}
    others = of_calls | {"stream/unknown-delta-kind", "stream/invalid-delta"}
    assert {rule for rule in read_rules() if rule.startswith("stream/")} - others == set(
        STREAM_RULES
    )


@pytest.mark.slow
def test_streams_shrink_to_what_matters() -> None:
    found = smallest(
        strategies.streams(),
        lambda deltas: any(each["kind"] == "tool_call_args" for each in deltas),
    )
    kinds = [each["kind"] for each in found]
    assert kinds == ["start", "tool_call_start", "tool_call_args", "tool_call_end", "done"]
    assert [each["seq"] for each in found] == [0, 1, 2, 3, 4]
    broken = smallest(
        strategies.broken_streams(rule="stream/seq-not-increasing"), lambda drawn: True
    )
    assert [each["kind"] for each in broken.deltas] == ["start", "done"]
    assert [each["seq"] for each in broken.deltas] == [0, 0]
    assert broken.line == 2
