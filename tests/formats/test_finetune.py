"""Training data: OpenAI's lines, ShareGPT, messages of chat templates, and what else is read."""

from __future__ import annotations

import copy
import json
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire import formats
from partwire.errors import ReadError
from partwire.reading.pipeline import to_wire
from partwire_testing import strategies
from tests.cli.runner import run
from tests.formats import samples
from tests.formats.agreement import Agreement
from tests.formats.hostile import refuses_what_is_not_json
from tests.formats.laws import leaf_law, losses_are_real, read_given, survives
from tests.formats.written import comes_back, comes_back_whole, plain

Json = dict[str, Any]

FORMAT = "finetune"
VERSIONS = formats.FORMATS[FORMAT].versions
SAMPLES = samples.ids(FORMAT)
PNG = "iVBORw0KGgo="


def call(arguments: Any, **members: Any) -> Json:
    function = {"name": "weather", "arguments": arguments}
    return {"type": "function", "function": function, **members}


TOOL = {"name": "weather", "parameters": {"type": "object"}}

OPENAI: Json = {
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "How is it in Oslo?", "name": "Kim"},
        {"role": "assistant", "tool_calls": [call('{"city":"Oslo"}', id="a")], "weight": 0},
        {"role": "tool", "tool_call_id": "a", "content": "4 °C"},
        {"role": "assistant", "content": "Cold.", "weight": 1},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And this?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
            ],
        },
    ],
    "tools": [{"type": "function", "function": TOOL}],
    "parallel_tool_calls": False,
}
TEMPLATE: Json = {
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "image", "path": "boats/1.png"},
                {"type": "text", "text": "How is it?"},
                {"type": "image", "url": "https://example.org/a.png"},
                {"type": "image"},
                {"type": "video", "video": "boats/2.mp4"},
                "Hm?",
            ],
        },
        {
            "role": "assistant",
            "reasoning_content": "I will look.",
            "tool_calls": [call({"city": "Oslo"}), call({"city": "Bergen"})],
        },
        {"role": "tool", "name": "weather", "content": "4 °C"},
        {"role": "tool", "name": "weather", "content": "6 °C"},
        {"role": "assistant", "content": "Cold.", "thinking": "It is."},
    ],
}
SHAREGPT: Json = {
    "conversations": [
        {"from": "system", "value": "Be kind."},
        {"from": "human", "value": "<image>How is it <image>here?"},
        {"from": "function_call", "value": '{"name": "weather", "arguments": {"city": "Oslo"}}'},
        {"from": "observation", "value": "4 °C"},
        {"from": "gpt", "value": "Cold.", "weight": 1},
        {"from": "human", "value": "And both?"},
        {
            "from": "function_call",
            "value": '[{"name": "a", "arguments": {}}, {"name": "b", "arguments": "["}]',
        },
        {"from": "observation", "value": "1"},
        {"from": "observation", "value": "2"},
        {"from": "gpt", "value": "1 and 2."},
    ],
    "tools": json.dumps([TOOL]),
    "images": ["boats/1.png", "https://example.org/boat.png"],
}
TYPED: Json = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "value": "Be kind."}], "loss_weight": 0.0},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "value": "boats/1.png"},
                {"type": "text", "value": "How is it?", "lang": "en"},
                {"type": "tool_call", "value": "{}"},
                {"type": "text", "value": 3},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "value": "I will look."},
                {"type": "tool_call", "value": '{"name": "weather", "arguments": {}}'},
            ],
            "loss_weight": 1.0,
        },
        {"role": "tool", "content": [{"type": "text", "value": "4 °C"}]},
        {"role": "critic", "content": [{"type": "text", "value": "No."}]},
    ],
}
DOCUMENTS: dict[str, Any] = {
    "openai": OPENAI,
    "template": TEMPLATE,
    "sharegpt": SHAREGPT,
    "typed": TYPED,
    "lines": [OPENAI, {"messages": [{"role": "user", "content": "Hi"}], "id": 7}],
    "messages": OPENAI["messages"][:3],
    "turns": SHAREGPT["conversations"],
    "oddities": {
        "system": "Be kind.",
        "conversations": [
            {"from": "user", "value": "Hi"},
            {"from": "gpt", "value": None},
            {"from": "critic", "value": "No."},
            {"from": "function_call", "value": "not a call"},
            {"from": "tool_call", "value": '{"name": "a", "arguments": {}, "id": "x"}'},
            {"from": "tool", "value": "1"},
            {"from": "tool", "value": "2"},
        ],
        "images": ["boats/1.png"],
    },
    "alpaca": {
        "instruction": "Say it again.",
        "input": "Hi",
        "output": "Hi",
        "system": "Be kind.",
        "history": [["One?", "One."]],
        "source": "me",
    },
    "preference": {
        "input": {"messages": [{"role": "user", "content": "Hi"}], "tools": [], "n": 1},
        "preferred_output": [{"role": "assistant", "content": "Hello."}],
        "non_preferred_output": [{"role": "assistant", "content": "What?"}],
    },
    "chosen": {
        "prompt": [{"role": "user", "content": "Hi"}],
        "chosen": [{"role": "assistant", "content": "Hello."}],
        "rejected": [{"role": "assistant", "content": "What?"}],
        "score": 3,
    },
    "completion": {"prompt": "Hi", "completion": "Hello."},
    "nothing": {"messages": [], "tools": []},
}


def read(document: Any) -> list[Json]:
    return [to_wire(message) for message in read_given(FORMAT, document).messages]


def lost(document: Any) -> list[tuple[str, str]]:
    losses = read_given(FORMAT, document).losses
    return [(loss.code, loss.pointer) for loss in losses if loss.code != "given"]


def kinds(messages: list[Json]) -> list[tuple[str, list[str]]]:
    return [(each["role"], [part["kind"] for part in each["parts"]]) for each in messages]


# --- what is read ---------------------------------------------------------------------------------


def test_tools_and_weights_are_kept() -> None:
    messages = read(OPENAI)
    assert messages[0]["meta"]["finetune"]["line"] == {
        "tools": OPENAI["tools"],
        "parallel_tool_calls": False,
    }
    assert messages[2]["meta"]["finetune"] == {"weight": 0}
    assert messages[1]["author"] == {"name": "Kim"}
    assert lost(OPENAI) == []


def test_each_line_has_a_run() -> None:
    text = "\n".join(json.dumps(line) for line in DOCUMENTS["lines"]) + "\n\n"
    for document in (text, text.encode(), DOCUMENTS["lines"]):
        runs = [message["runId"] for message in read(document)]
        assert runs == ["run_1.1"] * 6 + ["run_1.2"]
    assert read(json.dumps(OPENAI, indent=1))[0]["runId"] == "run_1"
    assert read(json.dumps(OPENAI) + "\n") == read(OPENAI)


@pytest.mark.parametrize("text", ['{"messages": []}\n{', "{\n}\n{", "x\ny"])
def test_text_that_is_not_json_lines_is_refused(text: str) -> None:
    with pytest.raises(ReadError) as refusal:
        read(text)
    assert refusal.value.findings[0].rule.startswith("document/")


def test_calls_are_answered_by_order() -> None:
    messages = read(SHAREGPT)
    calls = [
        part["payload"]["toolCallId"]
        for message in messages
        for part in message["parts"]
        if part["kind"] == "tool_call"
    ]
    results = [
        part["payload"]["toolCallId"]
        for message in messages
        for part in message["parts"]
        if part["kind"] == "tool_result"
    ]
    assert calls == results == ["call_1", "call_2", "call_3"]
    assert messages[6]["parts"][1]["payload"]["rawArgsText"] == "["


def test_files_stand_at_their_places() -> None:
    messages = read(SHAREGPT)
    assert kinds(messages)[1] == ("user", ["file_ref", "text", "image", "text"])
    assert messages[1]["parts"][0]["payload"] == {"path": "boats/1.png", "mimeType": "image/png"}
    odd = read(DOCUMENTS["oddities"])
    assert odd[0]["meta"]["finetune"]["line"] == {"images": ["boats/1.png"]}


def test_content_with_types_is_read() -> None:
    assert kinds(read(TYPED)) == [
        ("system", ["text"]),
        ("user", ["file_ref", "text"]),
        ("assistant", ["thinking", "tool_call"]),
        ("tool", ["tool_result"]),
    ]


def test_the_better_answer_is_read() -> None:
    for name in ("preference", "chosen"):
        texts = [each["parts"][0]["payload"]["text"] for each in read(DOCUMENTS[name])]
        assert texts == ["Hi", "Hello."]
        assert "foreign-message" in [code for code, _ in lost(DOCUMENTS[name])]


def test_an_instruction_is_a_question() -> None:
    texts = [each["parts"][0]["payload"]["text"] for each in read(DOCUMENTS["alpaca"])]
    assert texts == ["Be kind.", "One?", "One.", "Say it again.\nHi", "Hi"]


@pytest.mark.parametrize("document", [None, 1, {}, {"text": "x"}, {"messages": {}}, [[]], ["x"]])
def test_what_is_not_of_the_format_is_refused(document: Any) -> None:
    with pytest.raises(ReadError):
        read(document)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_laws_of_reading(name: str) -> None:
    leaf_law(FORMAT, DOCUMENTS[name])
    losses_are_real(FORMAT, DOCUMENTS[name])
    survives(FORMAT, DOCUMENTS[name])


def test_what_is_not_json_is_refused() -> None:
    refuses_what_is_not_json(FORMAT, lambda odd: {**OPENAI, "tools": odd})


_LIKE_CHAT = ("openai", "template", "messages", "nothing")


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in _LIKE_CHAT])
def test_the_format_shows(name: str) -> None:
    assert [found.format for found in formats.sniff(DOCUMENTS[name])] == [FORMAT]


# --- what is written ------------------------------------------------------------------------------


@given(st.lists(strategies.documents("message.Message"), max_size=4), st.sampled_from(VERSIONS))
def test_drawn_messages_come_back(documents: Any, version: str) -> None:
    messages = sorted(plain(documents), key=lambda message: str(message["runId"]))
    comes_back(FORMAT, messages, version=version)
    comes_back_whole(FORMAT, messages, version=version)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", [*DOCUMENTS, *SAMPLES])
def test_histories_come_back(name: str, version: str) -> None:
    document = DOCUMENTS[name] if name in DOCUMENTS else _document(name)
    messages = plain(read_given(FORMAT, document).messages)
    comes_back(FORMAT, messages, version=version)
    comes_back_whole(FORMAT, messages, version=version)


def test_each_run_is_a_line() -> None:
    said = {"role": "user", "timestamp": "2026-01-02T03:04:05Z", "parts": []}
    messages = [{**said, "runId": run} for run in ("a", "b", "a")]
    written = formats.write(FORMAT, messages)
    assert [len(line["messages"]) for line in written.document] == [2, 1]
    assert ("part-order", "/2") in [(loss.code, loss.pointer) for loss in written.losses]
    assert formats.write(FORMAT, []).document == []


def test_lines_are_written_as_they_came() -> None:
    read_lines = read_given(FORMAT, OPENAI)
    assert formats.write(FORMAT, read_lines.messages).document == [OPENAI]
    turns = copy.deepcopy(SHAREGPT)
    messages = read_given(FORMAT, turns).messages
    assert formats.write(FORMAT, messages, version="sharegpt").document == [turns]
    odd = {"system": "Be kind.", "conversations": [{"from": "human", "value": "Hi"}]}
    messages = read_given(FORMAT, odd).messages
    assert formats.write(FORMAT, messages, version="sharegpt").document == [odd]


def test_shapes_have_calls_and_tools_in_their_own_way() -> None:
    messages = read_given(FORMAT, OPENAI).messages
    (line,) = formats.write(FORMAT, messages, version="sharegpt").document
    assert json.loads(line["tools"]) == [TOOL]
    assert line["conversations"][2]["from"] == "function_call"
    (line,) = formats.write(FORMAT, messages, version="messages").document
    (made,) = line["messages"][2]["tool_calls"]
    assert made["function"]["arguments"] == {"city": "Oslo"}
    messages = read_given(FORMAT, SHAREGPT).messages
    (line,) = formats.write(FORMAT, messages).document
    assert line["tools"] == OPENAI["tools"]


def test_thinking_is_for_chat_templates() -> None:
    messages = read_given(FORMAT, TEMPLATE).messages
    (line,) = formats.write(FORMAT, messages, version="messages").document
    assert line["messages"][1]["reasoning_content"] == "I will look."
    written = formats.write(FORMAT, messages)
    assert "reasoning_content" not in written.document[0]["messages"][1]
    assert ("part-left-out", "/1/parts/0") in [(each.code, each.pointer) for each in written.losses]


# --- samples --------------------------------------------------------------------------------------


def _document(name: str) -> Any:
    sample = samples.load_text(name)
    try:
        return json.loads(sample[0])
    except ValueError:
        return [json.loads(line) for line in sample[0].splitlines()]


def _ours(messages: list[Json]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for message in messages:
        for part in message["parts"]:
            said, kind, role = part["payload"], part["kind"], message["role"]
            if kind == "tool_call":
                found.append((role, kind, said["toolName"], said["arguments"]))
            elif kind == "tool_result":
                found.append((role, kind, said["content"]))
            elif kind in ("text", "thinking"):
                found.append((role, kind, said["text"]))
            else:
                found.append((role, "media"))
    return found


_ROLES = {"human": "user", "gpt": "assistant", "system": "system"}


def _wanted(expected: Json) -> list[tuple[Any, ...]]:
    if "user" in expected:
        texts = ("user", expected["user"]), ("assistant", expected["assistant"])
        return [(role, "text", text) for role, text in texts]
    found: list[tuple[Any, ...]] = []
    nested = expected["items"] and isinstance(expected["items"][0], list)
    items = expected["items"] if nested else [expected["items"]]
    for item in chain.from_iterable(items):
        kind = item.get("kind", item.get("type"))
        text = item.get("text", item.get("value"))
        role = item.get("role", _ROLES.get(item.get("from", "")))
        if item.get("from") == "function_call":
            found += [
                ("assistant", "tool_call", each["name"], each["arguments"])
                for each in item["calls"]
            ]
        elif item.get("from") == "observation" or kind == "tool_result":
            found.append(("tool", "tool_result", text))
        elif kind == "tool_call":
            made = json.loads(item["value"]) if "value" in item else item
            found.append((role, kind, made["name"], made["arguments"]))
        elif kind == "image_url":
            found.append((role, "media"))
        else:
            found.append((role, "thinking" if kind == "reasoning" else "text", text))
    return found


def test_samples_agree_with_others() -> None:
    agreement = Agreement(FORMAT)
    for name in SAMPLES:
        text, expected = samples.load_text(name)
        messages = read(text)
        if "roles" in expected:  # with places of media
            ours = [(message["role"],) for message in messages]
            theirs = [(role,) for role in expected["roles"]]
            ours += [("media",) for item in _ours(messages) if item[1] == "media"]
            theirs += [("media",)] * sum(expected["media"].values())
            agreement.sample(name, ours, theirs)
        else:
            agreement.sample(name, _ours(messages), _wanted(expected))
    agreement.check()


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_of_a_sample_is_lost_in_silence(name: str) -> None:
    leaf_law(FORMAT, _document(name))


def _normal(value: Any) -> Any:
    """Return a line without ids, which some have not, and with calls as objects."""
    if isinstance(value, list):
        return [_normal(each) for each in value]
    if not isinstance(value, dict):
        return value
    made = {name: _normal(each) for name, each in value.items()}
    made.pop("tool_call_id", None)
    if "function" in made:
        made.pop("id", None)
    if made.get("role") == "tool":
        made.pop("name", None)
    if made.get("from") == "function_call":
        made["value"] = json.loads(made["value"])
    content = made.get("content")
    if isinstance(content, list) and len(content) == 1 and content[0].get("type") == "text":
        made["content"] = content[0]["text"]
    return made


_BACK = {"sharegpt": "sharegpt", "openai": "openai", "trl": "messages"}
"""Samples that are in a shape that is written: how their names begin, and the shape."""


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_written_as_they_came(name: str) -> None:
    version = _BACK.get(name.partition("/")[2].partition("-")[0])
    if version is None:
        pytest.skip("it is in a shape that is only read")
    document = _document(name)
    written = formats.write(FORMAT, read_given(FORMAT, document).messages, version=version)
    assert _normal(written.document) == _normal(document if type(document) is list else [document])


# --- the command ----------------------------------------------------------------------------------


def test_lines_are_converted_to_lines() -> None:
    lines = [OPENAI, {"messages": [{"role": "user", "content": "Hi"}]}]
    given_lines = "".join(json.dumps(line) + "\n" for line in lines).encode()
    result = run("convert", "--from", FORMAT, "--to", FORMAT, "-", stdin=given_lines)
    assert result.exit_code == 0
    assert [json.loads(line) for line in result.stdout.splitlines()] == lines


def test_a_line_may_be_the_list_of_its_messages() -> None:
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "x": 1}]
    result = formats.read("finetune", [said, said[:1]], run_id="run_1")
    assert [message.run_id for message in result.messages] == ["run_1.1", "run_1.1", "run_1.2"]
    assert "/0/1/x" in [loss.pointer for loss in result.losses]
    assert formats.sniff([said, said]) == [("finetune", "/0/0/role")]
    assert formats.sniff([[{"runId": "run_1", "role": "user", "content": [], "parts": []}]]) == []
    with pytest.raises(ReadError) as caught:
        formats.read("finetune", [said, [1]])
    assert caught.value.findings[0].pointer == "/1/0"
