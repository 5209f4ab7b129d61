"""Pydantic models at use: derived classes, to structs and back, and where they are taken."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

import partwire
from partwire import MessageAssembler, StreamProtocolError, UsageError, WriteError
from partwire.blocks import ChunksToDeltas
from partwire.contract.current import message as structs
from partwire.contract.current.models import blocks as block_models
from partwire.contract.current.models import message as models
from partwire.contract.schemas import describe_types
from partwire.contract.versions import generated_class, is_model, type_of
from partwire.convert import convert, downgrade
from partwire.v0_1.models import message as older_models
from tests.fixture_cases import case_of, documents

WHEN = "2026-01-02T03:04:05Z"
BARE: dict[str, Any] = {"runId": "r", "role": "user", "parts": [], "timestamp": WHEN}
STREAM = case_of("v0.1/streams/text-around-call").stream("deltas")


class Ticket(models.Message):
    """A message with a member of its owner's, made before anything else has used Message."""

    company: str


class Late(Ticket):
    parts: list[models.TextPart]  # type: ignore[assignment]


class Row(BaseModel):
    ticket: Ticket


def ticket() -> Ticket:
    text = models.TextPart(kind="text", payload=models.TextPayload(text="a"))
    return Ticket(company="c", run_id="r", role="user", parts=[text], timestamp=WHEN)


def test_derived_classes_need_no_rebuilding() -> None:
    wire = {**BARE, "parts": [{"kind": "text", "payload": {"text": "a"}}], "company": "c"}
    assert ticket().model_dump() == wire
    assert Late.model_validate(wire).model_dump() == wire
    assert Row.model_validate({"ticket": wire}).ticket == ticket()
    with pytest.raises(ValidationError):
        Ticket.model_validate(BARE)
    with pytest.raises(ValidationError):
        Late.model_validate({**wire, "parts": [{"kind": "file_ref", "payload": {"path": "p"}}]})


def test_a_derived_class_is_known_by_what_it_is_derived_from() -> None:
    assert generated_class(ticket()) is models.Message
    assert str(type_of(ticket())) == "message.Message"
    assert is_model(ticket())
    assert not is_model(partwire.to_struct(ticket()))
    assert type_of(object()) is None
    assert json.loads(partwire.dump(ticket())) == {
        **BARE,
        "parts": [{"kind": "text", "payload": {"text": "a"}}],
    }
    assert (
        convert(ticket(), to="blocks").value
        == convert(partwire.to_struct(ticket()), to="blocks").value
    )
    older = downgrade(ticket(), to="v0.1")
    assert [loss.pointer for loss in older.losses] == ["/company"]


@pytest.mark.parametrize("member", [{}, {"data": "YQ==", "url": "u"}])
def test_one_source_and_no_other(member: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="exactly one of data or url has to be present"):
        models.ImagePayload(mime_type="image/png", **member)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "[[1, NaN]]", '{"a": 1e400}'])
@pytest.mark.parametrize(
    ("type_name", "before"),
    [
        ("Message", json.dumps(BARE)[:-1] + ', "meta": {"x": '),
        ("ToolCall", '{"toolCallId": "c", "toolName": "t", "arguments": {"x": '),
    ],
)
def test_models_hold_no_number_that_json_has_not(text: str, type_name: str, before: str) -> None:
    """Pydantic reads them, and would write null."""
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(models, type_name))
    adapter.validate_json(f"{before}1}}}}")
    with pytest.raises(ValidationError, match="document/not-finite"):
        adapter.validate_json(f"{before}{text}}}}}")


def test_models_hold_no_python_values() -> None:
    with pytest.raises(ValidationError, match="is not a JSON value"):
        models.ToolCall(tool_call_id="c", tool_name="t", arguments={"x": (1, 2)})


def test_there_and_back() -> None:
    public = {row.type for row in describe_types() if row.public}
    for each in documents():
        if not each.valid:
            continue
        struct = partwire.read(each.data, each.type, version=each.version)
        model = partwire.to_model(struct, each.type, each.version)
        back = partwire.to_struct(model, each.type, each.version)
        assert back == struct, each.id
        if isinstance(struct, msgspec.Struct):
            named = partwire.to_model(struct)
            assert named == model
            assert type(partwire.to_struct(named)) is type(struct)
        public.discard(each.type)
    assert not public


def test_open_objects_are_dicts_as_structs() -> None:
    model = partwire.to_model({"modelId": "m", "tier": "x"}, "message.ModelConfig")
    assert isinstance(model, models.ModelConfig)
    assert partwire.to_struct(model) == {"modelId": "m", "tier": "x"}


def test_what_has_no_model() -> None:
    audio = {"kind": "hologram", "payload": {}}
    message = partwire.read({**BARE, "parts": [audio]}, "message.Message", "tolerant")
    with pytest.raises(WriteError) as caught:
        partwire.to_model(message)
    assert [(f.rule, f.pointer) for f in caught.value.findings] == [
        ("shape/unknown-variant", "/parts/0/kind")
    ]
    broken = ticket()
    broken.role = "robot"  # type: ignore[assignment]
    with pytest.raises(WriteError):
        partwire.to_struct(broken)
    for convert_one in (partwire.to_model, partwire.to_struct):
        with pytest.raises(UsageError) as usage:
            convert_one({"modelId": "m"})
        assert usage.value.rule == "usage/unknown-type"


@pytest.mark.parametrize("module", [models, older_models])
def test_the_assembler_takes_models(module: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(module.MessageDelta)
    deltas = [adapter.validate_json(line) for line in STREAM.splitlines()]
    assembler = MessageAssembler()
    for delta in deltas:
        assembler.consume(delta)
    expected = partwire.assemble(STREAM)
    assert assembler.build_final_message() == expected == partwire.assemble(deltas)


def test_a_model_that_is_no_delta_is_refused() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(models.MessageDelta)
    start = adapter.validate_json(STREAM.splitlines()[0])
    start.run_id = ""
    for value, pointer, seq in ((start, "/runId", start.seq), (ticket(), "", None)):
        assembler = MessageAssembler()
        with pytest.raises(StreamProtocolError) as caught:
            assembler.consume(value)
        assert caught.value.rule == "stream/invalid-delta"
        assert caught.value.seq == seq
        assert caught.value.findings[0].pointer.startswith(pointer)
        assert assembler.status == "idle"


def test_what_takes_structs_alone_says_how_they_are_made() -> None:
    chunk = block_models.ErrorChunk(type="error", message="x")
    with pytest.raises(StreamProtocolError) as caught:
        ChunksToDeltas(run_id="r", clock=lambda: WHEN).feed(chunk)  # type: ignore[arg-type]
    assert caught.value.rule == "blocks/invalid-chunk"
    assert "partwire.to_struct()" in str(caught.value.expected)
    delta = partwire.to_model(partwire.read(STREAM.splitlines()[0], "message.MessageDelta"))
    with pytest.raises(StreamProtocolError) as caught:
        partwire.DeltaGate().accept(delta)
    assert "partwire.to_struct()" in str(caught.value.expected)
    partwire.DeltaGate().accept(partwire.to_struct(delta))
    assert isinstance(partwire.to_struct(delta), structs.StartDelta)


def test_who_has_no_pydantic_is_told_how_to_get_it() -> None:
    script = "import sys; sys.modules['pydantic'] = None; from partwire.models import Message"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: The pydantic models need pydantic, which is not installed: "
        'pip install "partwire[models]"'
    )
