"""What a constructor asks for: the members that the schema requires, but for constants."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, ValidationError

from codegen import model as m
from codegen.load import load_contract
from partwire.bindings.model import Model
from partwire.contract.versions import generated_module
from tests.conftest import ROOT

MESSAGE = {
    "runId": "r1",
    "role": "user",
    "parts": [{"kind": "text", "payload": {"text": "Hi"}}],
    "timestamp": "2026-01-02T03:04:05Z",
}
OBJECTS = [
    (version, family.name, definition)
    for version in ("v0.1", "v0.2")
    for family in load_contract(ROOT / "schemas", version).families.values()
    for definition in family.types.values()
    if isinstance(definition.node, m.Object)
]
# It tells no variants apart, so that a struct with a default would be decoded without it.
WITHOUT_DEFAULT = {"InvalidStateTransitionError": {"name"}}


def ident(value: object) -> str:
    return value.name if isinstance(value, m.TypeDef) else str(value)


def required(definition: m.TypeDef, *, constants: bool) -> set[str]:
    """The wire names of required members."""
    node = definition.node
    assert isinstance(node, m.Object)
    members = [each for each in node.properties if each.required]
    return {each.name for each in members if isinstance(each.node, m.Const) is constants}


@pytest.mark.parametrize(
    ("version", "family", "definition"),
    [row for row in OBJECTS if not row[2].node.extensible],  # type: ignore[union-attr]
    ids=ident,
)
def test_a_struct_asks_for_what_is_required(
    version: str, family: str, definition: m.TypeDef
) -> None:
    kind = getattr(generated_module(version, "structs", family), definition.name)
    asked = {each.encode_name for each in msgspec.structs.fields(kind) if each.required}
    wanted = required(definition, constants=False) | WITHOUT_DEFAULT.get(definition.name, set())
    assert asked == wanted


@pytest.mark.parametrize(("version", "family", "definition"), OBJECTS, ids=ident)
def test_a_model_asks_for_what_is_required_and_fills_constants_in(
    version: str, family: str, definition: m.TypeDef
) -> None:
    kind: type[Model] = getattr(generated_module(version, "models", family), definition.name)
    kind.model_rebuild()  # aliases are in annotations that are read late
    constants = required(definition, constants=True)
    read = {field.alias or name for name, field in kind.model_fields.items() if field.is_required()}
    assert read == constants | required(definition, constants=False)
    for document in definition.examples:
        rest: dict[str, Any] = {k: v for k, v in document.items() if k not in constants}
        assert kind(**rest) == kind.model_validate(document)
        if constants:
            with pytest.raises(ValidationError):
                kind.model_validate(rest)


def test_a_constant_that_is_given_counts() -> None:
    message = generated_module("v0.2", "models", "message")
    payload = message.TextPayload(text="a")
    assert message.TextPart(kind="text", payload=payload) == message.TextPart(payload=payload)
    with pytest.raises(ValidationError):
        message.TextPart(kind="image", payload=payload)


def test_a_derived_class_has_its_own_constants_and_those_of_its_base() -> None:
    message = generated_module("v0.2", "models", "message")

    class Marked(message.TextPart):  # type: ignore[misc, name-defined]
        mark: str

    payload = message.TextPayload(text="a")
    assert Marked(mark="b", payload=payload).kind == "text"
    with pytest.raises(ValidationError):
        Marked.model_validate({"mark": "b", "payload": {"text": "a"}})


@pytest.mark.parametrize("version", ["v0_1", "v0_2"])
def test_models_do_not_take_what_has_their_names_where_they_are_used_first(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ROOT / "python" / "partwire" / version / "models" / "message.py"
    spec = importlib.util.spec_from_file_location("never_used_before", path)
    assert spec is not None
    assert spec.loader is not None
    fresh = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "never_used_before", fresh)
    spec.loader.exec_module(fresh)

    class TextPayload(BaseModel):
        """A class of the user's own."""

        text: str

    message = fresh.Message.model_validate(MESSAGE)
    assert type(message.parts[0].payload) is fresh.TextPayload
    assert TextPayload is not fresh.TextPayload
