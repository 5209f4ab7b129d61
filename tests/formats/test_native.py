"""Histories read by the native core: messages, losses and errors are those of plain Python."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import formats, native_core
from partwire.errors import ReadError
from tests.fixture_cases import Case, cases
from tests.fuzz import histories
from tests.fuzz.histories import FORMATS, alike
from tests.fuzz.runner import main

pytestmark = pytest.mark.skipif(native_core.core() is None, reason="the native core is not there")

RUN = {"run_id": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
CASES = [case for case in cases("formats") if "source" in case.spec]
WIDE = "12345678901234567890123"


def by_core(format_name: str, text: str, **context: Any) -> Any:
    """Return what the native core itself makes of a document; None where it leaves it."""
    given = {"run_id": None, "timestamp": None, **context}
    return native_core.core().read_history(format_name, text.encode(), *given.values())


def said(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_fixture(case: Case) -> None:
    name, context = case.spec["format"], case.spec["context"]
    text = case.data("source").decode()
    given = {"run_id": context.get("runId"), "timestamp": context.get("timestamp")}
    alike(name, text, **given)
    alike(name, text.encode(), **given)
    alike(name, case.spec["source"], **given)
    alike(name, text, invented_run_id="made")
    alike(name, text, invented_run_id="made", timestamp=RUN["timestamp"])
    is_wide = any(len(digits) >= 19 for digits in _digits(text))
    if name in FORMATS and "error" not in case.expect and not is_wide:
        assert by_core(name, text, **given) is not None


def _digits(text: str) -> list[str]:
    return "".join(char if char.isdecimal() else " " for char in text).split()


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_any_document(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([histories.TARGET], ["--n", str(count)]) == 0, capsys.readouterr().out


def test_other_formats_are_left() -> None:
    assert by_core("langchain", json.dumps(said("Hi"))) is None
    assert by_core("openai-chat", json.dumps(said("Hi"))) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", "7", "null", '[{"role":"user"}', "[]x", "\ufeff[]", "[" * 100_000),
        *('[{"role":"user","content":1e999}]', '[{"role":"user","content":"\\ud800"}]'),
        "[" * 512 + "]" * 512,
        f'[{{"role":"user","content":{"9" * 400}}}]',
    ],
    ids=range(13),
)
def test_what_is_wrong_is_said_in_the_words_of_python(text: str) -> None:
    for name in FORMATS:
        assert alike(name, text)[0] is ReadError


@pytest.mark.parametrize(
    "number",
    [
        *(WIDE, f"-{WIDE}", "18446744073709551615", "18446744073709551616"),
        *("-9223372036854775808", "-9223372036854775809", "1e22", "-0", "-0.0", "1.0", "1e-7"),
        f"0.{WIDE}",
    ],
)
def test_numbers_keep_their_digits(number: str) -> None:
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 7777777}}
    history = [{"role": "assistant", "content": [call], "x": 7777777}]
    alike("anthropic-messages", json.dumps(history).replace("7777777", number), **RUN)
    function = {"name": "f", "arguments": '{"a":7777777}'}
    chat = [{"role": "assistant", "tool_calls": [{"id": "t", "function": function}]}]
    alike("openai-chat", json.dumps(chat).replace("7777777", number), **RUN)
    result = [{"role": "tool", "tool_call_id": "t", "content": {"a": 7777777}}]
    alike("openai-chat", json.dumps(result).replace("7777777", number), **RUN)


def test_what_the_core_cannot_be_told_goes_the_plain_way() -> None:
    text = json.dumps(said("Hi"))
    assert native_core.core().read_history("openai-chat", text.encode(), "\ud800", None) is None
    alike("openai-chat", text, run_id="\ud800")


def test_long_documents_and_their_bounds() -> None:
    text = json.dumps([{**said("Hi")[0], **{f"x{at}": at for at in range(10_050)}}] * 2)
    *_, losses = alike("openai-chat", text, **RUN)
    assert any(loss.code == "losses-left-out" for loss in losses)
    assert by_core("openai-chat", text) is not None


def test_one_id_for_all_calls() -> None:
    call = {"type": "tool_use", "id": "call_1", "name": "read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": "a"}
    turn = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    alike("anthropic-messages", json.dumps(turn * 300), **RUN)


def test_text_of_any_type() -> None:
    text = json.dumps(said("Hi")).encode()
    due = formats.read("openai-chat", text, **RUN)
    assert formats.read("openai-chat", bytearray(text), **RUN) == due
    assert formats.read("openai-chat", memoryview(text), **RUN) == due


class Odd(dict[str, Any]):
    """What is derived from a JSON value."""


@pytest.mark.parametrize(
    "value",
    [
        *("x", 7, True, None, 2**63, 2**64, -(2**70), 1e22, -0.0, 0.1, float("nan"), float("inf")),
        *(b"bytes", bytearray(b"bytes"), ("a",), {"a"}, {1: 2}, Odd(a=1), "\ud800", object),
    ],
    ids=str,
)
def test_values_are_what_they_are_to_python(value: Any) -> None:
    """What is not exactly JSON, or is read as something else, goes the plain way."""
    call = {"type": "tool_use", "id": "t", "name": "f", "input": {"a": value}}
    for history in (
        [{"role": "assistant", "content": [call], "x": value}],
        [{"role": "user", "content": value}],
        {"messages": said("Hi"), "x": [value]},
        value,
    ):
        for name in FORMATS:
            alike(name, history, **RUN)
