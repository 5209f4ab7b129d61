"""What is done with which format, and what is said where it is not done."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from partwire import formats
from partwire.errors import Finding, StreamProtocolError, UsageError
from partwire.providers.requests import ENCODERS
from tests.cli.runner import USER, run

WRITTEN = [name for name, each in formats.FORMATS.items() if each.can("write")]
ONLY_READ = [name for name in formats.FORMATS if name not in WRITTEN]


def refused(function: Any, *args: Any) -> Finding:
    with pytest.raises(UsageError) as error:
        function(*args)
    (finding,) = error.value.findings
    return finding


def test_each_dialect_with_an_encoder_is_written() -> None:
    assert set(ENCODERS) <= set(WRITTEN)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_read(name: str) -> None:
    document = formats.write(name, [USER]).document
    (message,) = formats.read(name, document).messages
    assert message.role == "user"


@pytest.mark.parametrize("name", ONLY_READ)
def test_a_format_that_is_only_read_is_not_written(name: str) -> None:
    finding = refused(formats.write, name, [USER])
    assert finding.rule == "usage/invalid-argument"
    assert finding.message == f"The format {name} is only read, and not written"
    assert finding.expected == ", ".join(WRITTEN)


@pytest.mark.parametrize("does", ["reader", "writer"])
def test_streams_of_a_format_without_streams(does: str) -> None:
    finding = refused(getattr(formats, does), "openai-agents")
    assert finding.message.startswith("The format openai-agents has no streams that are ")
    assert "ai-sdk" in (finding.expected or "")


@pytest.mark.parametrize("name", [*WRITTEN])
def test_a_run_that_is_made_up_may_be_named(name: str) -> None:
    document = formats.write(name, [USER]).document
    plain, named, given = (
        formats.read(name, document, **words)
        for words in ({}, {"invented_run_id": "made"}, {"run_id": "made"})
    )
    assert named.losses == plain.losses
    is_said = plain.messages[0].run_id == USER["runId"]
    assert named.messages == (plain if is_said else given).messages
    finding = refused(lambda: formats.read(name, document, invented_run_id=""))
    assert finding.message == "invented_run_id is wrong"


def test_a_format_that_does_not_exist() -> None:
    finding = refused(formats.read, "openai-chatter", [])
    assert finding.rule == "usage/unknown-format"
    assert "openai-chat" in (finding.expected or "")


def test_the_command_says_what_is_done_with_each() -> None:
    rows = json.loads(run("formats", "--format", "json").stdout)
    assert [row["format"] for row in rows if row["written"]] == WRITTEN
    assert all(row["read"] for row in rows)
    done = {
        member: [row["format"] for row in rows if row[member]]
        for member in ("streamRead", "streamWritten", "sessionLines")
    }
    assert done == {
        "streamRead": ["ag-ui", "ai-sdk", "langchain"],
        "streamWritten": ["ag-ui", "ai-sdk"],
        "sessionLines": ["claude-code", "codex", "gemini-cli"],
    }
    head, *lines = (re.split(r" {2,}", line) for line in run("formats").stdout.splitlines())
    assert head == ["format", "document", "stream", "--to-version", "what"]
    assert [line[0] for line in lines if line[1] == "read"] == ONLY_READ
    assert {line[2]: line[0] for line in lines} == {
        "-": "pydantic-ai",
        "lines": "gemini-cli",
        "read": "langchain",
        "read, written": "ai-sdk",
    }


def test_a_file_is_not_its_content(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text("[]", "utf-8")
    for name in ("openai-chat", "finetune", "codex"):
        assert "path.read_bytes()" in (refused(formats.read, name, path).expected or "")
        with path.open() as file:
            assert "file.read()" in (refused(formats.read, name, file).expected or "")


# --- which format it is ---------------------------------------------------------------------------

CALL = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c1"}
RAW = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "c"}]}


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ({**CALL, "id": "__fake_id__"}, "/0/id"),
        ({**CALL, "provider_data": {"model": "m"}}, "/0/provider_data"),
        ({**RAW, "providerData": {}}, "/0/providerData"),
        ({"type": "message_output_item", "raw_item": RAW}, "/0/raw_item"),
        ({"type": "message_output_item", "rawItem": RAW, "agent": {"name": "a"}}, "/0/rawItem"),
        ({"type": "function_call_result", "call_id": "c1", "output": "b"}, "/0/type"),
        ({"type": "function_call", "callId": "c1", "name": "look", "arguments": ""}, "/0/callId"),
        ({"type": "reasoning", "content": [], "rawContent": []}, "/0/rawContent"),
        (
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "a", "providerData": {"b": 1}}],
            },
            "/0/content/0/providerData",
        ),
    ],
)
def test_items_of_a_session_show_themselves(item: dict[str, Any], place: str) -> None:
    assert formats.sniff([item]) == [("openai-agents", place)]
    assert formats.sniff({"items": [item]}) == [("openai-agents", f"/items{place}")]
    assert formats.sniff([CALL, item]) == [("openai-agents", f"/1{place[2:]}")]


def test_items_without_additions_are_those_of_responses() -> None:
    document = [RAW, CALL, {"type": "function_call_output", "call_id": "c1", "output": "b"}]
    (found,) = formats.sniff(document)
    assert found.format == "openai-responses"
    of_agents = formats.read("openai-agents", document, run_id="r")
    assert of_agents == formats.read("openai-responses", document, run_id="r")


@pytest.mark.parametrize("name", ["ai-sdk", "ag-ui"])
def test_a_writer_is_for_one_stream(name: str) -> None:
    writer = formats.writer(name)
    writer.feed(USER)
    assert writer.finish()
    with pytest.raises(StreamProtocolError) as caught:
        writer.feed(USER)
    assert caught.value.findings[0].rule == "stream/already-done"
    assert writer.finish() == []
