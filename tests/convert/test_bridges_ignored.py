"""Text that a session holds back from the model does not reach it, and is not lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from partwire import read, to_wire
from partwire.convert import convert
from partwire.providers.requests import ENCODERS, encode_request
from tests.cli.runner import lines, run, stderr_json

SESSION = "0197c6f0-5a00-7000-8000-000000000001"
ID = "0197c6f0-5a00-7000-8000-00000000000{}"
SECRET = "for the user alone"


def message(number: int, role: str, *texts: dict[str, Any]) -> dict[str, Any]:
    """Return a message of a session with parts of text."""
    info: dict[str, Any] = {"id": ID.format(number), "role": role, "time": {"created": 0}}
    info["agent"] = "build"
    if role == "user":
        info["model"] = {"providerID": "example", "modelID": "model-1"}
    else:
        tokens = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        info |= {"path": {"cwd": "/", "root": "/"}, "cost": 0, "tokens": tokens}
    ids = {"sessionID": SESSION, "messageID": info["id"], "type": "text"}
    parts = [{"id": f"prt_{number}", **ids, **each} for number, each in enumerate(texts)]
    return {"info": info, "parts": parts}


HELD_BACK = {"text": SECRET, "ignored": True}
HISTORY = [
    message(2, "user", {"text": "Hi"}, HELD_BACK),
    message(3, "assistant", {"text": "Hello"}, HELD_BACK),
    message(4, "user", HELD_BACK),
    message(5, "assistant", HELD_BACK),
    message(6, "user", {"text": "More", "synthetic": True}),
]


def sent(dialect: str, messages: list[Any]) -> str:
    config = {"modelId": "model-1", "maxTokens": 64}
    return json.dumps(encode_request(dialect, messages, config=config).body)


@pytest.mark.parametrize("dialect", ENCODERS)
def test_ignored_text_is_not_sent(dialect: str) -> None:
    result = convert(HISTORY, "message", type="session.WithParts", run_id="run_1")
    body = sent(dialect, result.value)
    assert SECRET not in body
    assert all(text in body for text in ("Hi", "Hello", "More"))
    places = [loss.pointer for loss in result.losses if loss.code == "ignored-text"]
    assert places == ["/0/parts/1", "/1/parts/1", "/2/parts/0", "/3/parts/0"]
    # A message of which nothing is left sends no turn: it is as if it were not there.
    rest = [each for each in result.value if each.parts]
    assert body == sent(dialect, rest)


@pytest.mark.parametrize("dialect", ENCODERS)
def test_ignored_text_is_sent_on_request(dialect: str) -> None:
    options: Any = {"type": "session.WithParts", "keep_ignored": True}
    result = convert(HISTORY, "message", run_id="run_1", **options)
    assert SECRET in sent(dialect, result.value)
    assert [loss.code for loss in result.losses] == ["given"] * len(HISTORY)


@pytest.mark.parametrize("keep", [False, True])
def test_ignored_text_comes_back(keep: bool) -> None:
    there = convert(HISTORY, "message", type="session.WithParts", strict=True, keep_ignored=keep)
    back = convert(there.value, "session")
    read_ones = [to_wire(read(each, "session.WithParts")) for each in HISTORY]
    assert [to_wire(each) for each in back.value] == read_ones


def test_on_the_command_line() -> None:
    result = run("convert", "--to", "message", "-", stdin=lines(HISTORY[:1]))
    (made,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert [part["payload"]["text"] for part in made["parts"]] == ["Hi"]
    told = [(loss["pointer"], loss["severity"]) for loss in stderr_json(result)]
    assert ("/parts/1", "info") in told
    result = run("convert", "--to", "message", "--keep-ignored", "-", stdin=lines(HISTORY[:1]))
    (made,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert [part["payload"]["text"] for part in made["parts"]] == ["Hi", SECRET]
    assert "ignored-text" not in result.stderr
