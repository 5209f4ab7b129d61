"""The suite ``chunks`` against both converters, the assembler and the collector."""

from __future__ import annotations

from typing import Any, Final

import pytest

from partwire import Limits, MessageAssembler, PartwireError, StreamProtocolError, read, to_wire
from partwire.blocks import (
    CHUNK_LOSSES,
    DELTA_LOSSES,
    ChunkCollector,
    ChunksToDeltas,
    DeltasToChunks,
)
from partwire.reading import unknown_members
from partwire.reading.pipeline import Mode
from tests.fixture_cases import Case, cases
from tests.providers.provider_streams import step_clock

Json = dict[str, Any]

CASES = cases("chunks")
TAKEN = [case for case in CASES if case.result]
REFUSED = [case for case in CASES if not case.result]
# A line that reading refuses never comes to a converter.
SEEN = [case for case in REFUSED if not case.expect["error"]["rule"].startswith("shape/")]
TYPES: Final = {"chunks": "blocks.StreamChunk", "deltas": "message.MessageDelta"}


def limits_of(case: Case) -> Limits:
    return Limits(**case.spec.get("limits", {}))


def kind_of(case: Case) -> str:
    """Return what is converted: ``chunks`` or ``deltas``."""
    return "chunks" if "chunks" in case.spec else "deltas"


def converter_of(case: Case) -> ChunksToDeltas | DeltasToChunks:
    spec = case.spec
    if kind_of(case) == "deltas":
        return DeltasToChunks(limits=limits_of(case))
    return ChunksToDeltas(
        spec["run_id"],
        step_clock(**spec["clock"]),
        model_id=spec.get("model_id"),
        request_id=spec.get("request_id"),
        limits=limits_of(case),
    )


def items_of(case: Case, name: str) -> list[Any]:
    mode: Mode = case.spec.get("mode", "strict") if name == kind_of(case) else "strict"
    return [read(line, TYPES[name], mode) for line in case.lines(name)]


def refusal(error: PartwireError, line: int) -> Json:
    found: Json = {"rule": error.rule, "line": line}
    if error.rule == "stream/limit-exceeded":
        found["limit"] = error.findings[0].message.split()[2]
    return {"error": found}


def fed(case: Case, taker: Any) -> Json | list[Any]:
    """Return what comes out of the input, or the first refusal."""
    name = kind_of(case)
    mode: Mode = case.spec.get("mode", "strict")
    out: list[Any] = []
    for number, line in enumerate(case.lines(name), 1):
        try:
            out += taker.feed(read(line, TYPES[name], mode)) or []
            if isinstance(taker, (ChunksToDeltas, DeltasToChunks)):
                taker.note_unknown_members(unknown_members(line, TYPES[name]))
        except PartwireError as error:
            return refusal(error, number)
    return out


def ids(items: list[Case]) -> list[str]:
    return [f"{item.spec['version']}/{item.id}" for item in items]


@pytest.mark.parametrize("case", TAKEN, ids=ids(TAKEN))
def test_a_stream_becomes_its_other_form(case: Case) -> None:
    converter = converter_of(case)
    out = fed(case, converter)
    assert isinstance(out, list)
    out += converter.close()
    other = "deltas" if kind_of(case) == "chunks" else "chunks"
    assert case.result == other
    assert [to_wire(each, TYPES[other]) for each in out] == [
        to_wire(each, TYPES[other]) for each in items_of(case, other)
    ]
    losses = [
        {"code": loss.code, "pointer": loss.pointer, "severity": loss.severity}
        for loss in converter.losses
    ]
    assert losses == case.spec.get("losses", [])
    assert converter.ended
    assert converter.close() == []


@pytest.mark.parametrize("case", TAKEN, ids=ids(TAKEN))
def test_the_assembler_takes_the_deltas(case: Case) -> None:
    assembler = MessageAssembler(limits=limits_of(case))
    for delta in items_of(case, "deltas"):
        assembler.consume(delta)
    if kind_of(case) == "chunks":
        assembler.close()


@pytest.mark.parametrize("case", TAKEN, ids=ids(TAKEN))
def test_the_chunks_are_collected(case: Case) -> None:
    collector = ChunkCollector(limits_of(case))
    for chunk in items_of(case, "chunks"):
        collector.feed(chunk)
    try:
        outcome: Any = to_wire(collector.close())
    except PartwireError as error:
        outcome = {"error": {"rule": error.rule}}
    collected = case.spec["collected"]
    assert outcome == collected.get("response", collected)
    unknown = [chunk for chunk in case.spec.get("tags", ()) if chunk == "unknown-variant"]
    tolerant = kind_of(case) == "chunks"
    assert len(collector.findings) == (len(unknown) if tolerant else 0)


@pytest.mark.parametrize("case", REFUSED, ids=ids(REFUSED))
def test_a_line_is_refused(case: Case) -> None:
    assert fed(case, converter_of(case)) == case.expect
    if kind_of(case) == "chunks":
        assert fed(case, ChunkCollector(limits_of(case))) == case.expect


@pytest.mark.parametrize("case", SEEN, ids=ids(SEEN))
def test_a_refused_line_may_be_dropped(case: Case) -> None:
    """What follows comes out as if the refused line had not been there."""
    name, at = kind_of(case), case.expect["error"]["line"] - 1
    items = items_of(case, name)
    with_it, without = converter_of(case), converter_of(case)
    out: list[Any] = []
    for number, item in enumerate(items):
        if number == at:
            with pytest.raises(StreamProtocolError):
                with_it.feed(item)
        else:
            out += with_it.feed(item)
    rest = [each for item in items[:at] + items[at + 1 :] for each in without.feed(item)]
    assert out + with_it.close() == rest + without.close()


def test_there_are_as_many_refusals_as_there_are_rules() -> None:
    assert len(CASES) >= 75
    assert len(REFUSED) >= 30


@pytest.mark.parametrize("code", sorted({*CHUNK_LOSSES, *DELTA_LOSSES}))
def test_every_loss_has_a_case(code: str) -> None:
    shown = {
        (kind_of(case), loss["code"], loss["severity"])
        for case in TAKEN
        for loss in case.spec.get("losses", [])
    }
    tables = {"chunks": CHUNK_LOSSES, "deltas": DELTA_LOSSES}
    for name, table in tables.items():
        if code in table:
            assert (name, code, table[code][0]) in shown
