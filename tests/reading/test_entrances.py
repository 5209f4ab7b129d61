"""What the entrances take, in every form, and what they give for a class, a name and a list."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import partwire
from partwire import models
from partwire.convert import convert, load, store
from partwire.errors import PartwireError, ReadError, UsageError
from partwire.types import Message, TextPart, TextPayload
from partwire.v0_1.structs import message as older
from tests.ways import way

__all__ = ["way"]

WIRE: dict[str, Any] = {
    "runId": "r",
    "role": "user",
    "parts": [{"kind": "text", "payload": {"text": "x"}}],
    "timestamp": "2026-01-02T03:04:05Z",
}
TEXT = json.dumps(WIRE)
STRUCT = partwire.read(TEXT, Message)
MODEL = partwire.read(TEXT, models.Message)
FORMS: list[Any] = [TEXT, TEXT.encode(), bytearray(TEXT.encode()), memoryview(TEXT.encode()), WIRE]
FORMS += [MappingProxyType(WIRE), {**WIRE, "parts": [TextPart(payload=TextPayload(text="x"))]}]
FORMS += [STRUCT, MODEL]


class Ticket(models.Message):
    company: str


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
def test_every_form_gives_the_same(form: Any) -> None:
    assert partwire.validate(form, Message) == []
    assert partwire.read(form, Message) == partwire.read(form, "message.Message") == STRUCT
    made = partwire.read(form, models.Message)
    assert (type(made), made) == (models.Message, MODEL)
    assert partwire.read([form, form], list[Message]) == [STRUCT, STRUCT]
    assert partwire.check_history([form]) == []
    assert convert(form, "blocks", type=Message).value == convert(STRUCT, "blocks").value


def test_a_class_says_the_version() -> None:
    assert type(partwire.read(TEXT, older.Message)) is older.Message
    assert type(load(store(STRUCT), older.Message)) is older.Message
    assert load(store(STRUCT).decode(), models.Message) == MODEL
    with pytest.raises(UsageError, match="another version"):
        partwire.read(TEXT, older.Message, version="v0.2")
    with pytest.raises(ReadError, match="another type at /type; expected message"):
        load(store(STRUCT), "message.ToolSpec")
    for choice in ('"auto"', '{"toolName":"a"}'):  # a string as data is not JSON text again
        value = partwire.read(choice, "message.ToolChoice")
        assert load(store(value, "message.ToolChoice")) == value


def test_lists_of_documents() -> None:
    array = f"[{TEXT},{{}},3]"
    found = partwire.validate(array, list[Message])
    assert [each.pointer for each in found] == ["/1"] * 4 + ["/2"]
    assert partwire.validate([WIRE, {}, 3], list[Message]) == found
    assert partwire.validate(array, list[Message], max_findings=2) == found[:2]
    with pytest.raises(ReadError) as caught:
        partwire.read(array, list[Message])
    assert list(caught.value.findings) == found
    assert partwire.read(partwire.dump([STRUCT, MODEL], list[Message]), list[Message])[1] == STRUCT
    assert [each.rule for each in partwire.validate(TEXT, list[Message])] == ["shape/type"]
    assert [each.rule for each in partwire.validate("[]", Message)] == ["shape/type"]
    assert partwire.check_history(f"[{TEXT}]") == []


def test_a_derived_model_has_its_own_members() -> None:
    assert partwire.read({**WIRE, "company": "c"}, Ticket).company == "c"
    with pytest.raises(ReadError, match="Ticket refuses it: Field required at /company"):
        partwire.read(WIRE, Ticket)
    with pytest.raises(UsageError, match="no place for what this version does not know"):
        partwire.read(WIRE, models.Message, "tolerant")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: partwire.read(Path("a.json"), Message), r"path\.read_bytes\(\); actual a Python"),  # type: ignore[call-overload]
        (lambda: partwire.validate(sys.stdin, Message), r"file\.read\(\)"),  # type: ignore[arg-type]
        (lambda: partwire.read({1, 2}, Message), "expected JSON text"),  # type: ignore[call-overload]
        (lambda: partwire.read(TEXT, dict), "a class of partwire.types .* actual .builtins.dict"),
        (lambda: partwire.read(TEXT, list[int]), "a class of partwire.types"),
    ],
)
def test_what_is_refused_says_what_to_pass(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call()


def test_an_error_says_three_findings_and_counts_the_others() -> None:
    with pytest.raises(PartwireError) as caught:
        partwire.read([{}, {}], list[Message])
    assert len(str(caught.value).splitlines()) == 3
    assert caught.value.__notes__ == ["and 5 more findings, in .findings"]


def test_the_module_is_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "partwire", "--version"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.startswith(f"partwire, version {partwire.__version__} (")
