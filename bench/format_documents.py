"""Histories of agents in each format, of any size: questions, calls of a tool, results, answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from partwire import formats

__all__ = ["DOCUMENTS", "document", "messages"]

Json = dict[str, Any]

_WHEN: Final = "2026-01-02T03:04:05Z"
_ASKED: Final = "Where is the limit of a request checked, and what does a client see of it? " * 4
_SAYS: Final = "I look for it in the folder of the service. "
_FOUND: Final = (
    '    if size > most:\n        raise TooLarge(f"{size} bytes, at most {most}")\n' * 14
)
_ANSWER: Final = "It is checked while the body is read; a client gets the status 413. " * 9
_PATH: Final = "service/limits.py"


def messages(turns: int) -> list[Json]:
    """Return messages of the contract: four in each turn."""
    return [message for number in range(turns) for message in _turn(number)]


def _turn(number: int) -> Iterator[Json]:
    own = f"call_{number:08}"
    arguments = {"path": _PATH, "from": number, "lines": 40}
    call = {"toolCallId": own, "toolName": "read_file", "arguments": arguments}
    result = {"toolCallId": own, "isError": False, "content": _FOUND}
    for role, *parts in (
        ("user", ("text", {"text": f"{number}. {_ASKED}"})),
        ("assistant", ("text", {"text": _SAYS}), ("tool_call", call)),
        ("tool", ("tool_result", result)),
        ("assistant", ("text", {"text": _ANSWER})),
    ):
        made = [{"kind": kind, "payload": payload} for kind, payload in parts]
        yield {"runId": "run_1", "role": role, "timestamp": _WHEN, "parts": made}


# --- what is written by the package itself --------------------------------------------------------


def _written(name: str, member: str | None = None, **said: Any) -> Callable[[int], Any]:
    """Return what makes a history of that many turns, of a member of what is written."""

    def make(turns: int) -> Any:
        found = formats.write(name, messages(turns), **said).document
        return found if member is None else found[member]

    return make


# --- what is only read: as its program writes it --------------------------------------------------


def _claude_code(turns: int) -> Iterator[Json]:
    last: str | None = None
    for number in range(turns):
        own, path = f"call_{number:08}", {"path": _PATH, "from": number}
        answer = {"type": "message", "model": "m-1", "stop_reason": None, "role": "assistant"}
        said: tuple[Json, ...] = (
            {"role": "user", "content": _ASKED},
            {**answer, "id": f"msg_{number}", "content": [{"type": "text", "text": _SAYS}]},
            {
                **answer,
                "id": f"msg_{number}",
                "content": [{"type": "tool_use", "id": own, "name": "read_file", "input": path}],
                "usage": {"input_tokens": 10, "output_tokens": 20},
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": own, "content": _FOUND}],
            },
            {**answer, "id": f"msg_{number}b", "content": [{"type": "text", "text": _ANSWER}]},
        )
        for at, message in enumerate(said):
            uuid = f"{number:08}-0000-4000-8000-00000000000{at}"
            yield {
                "parentUuid": last,
                "isSidechain": False,
                "sessionId": "ses_1",
                "cwd": "/work",
                "version": "2.0.1",
                "type": message["role"],
                "uuid": uuid,
                "timestamp": "2026-01-02T03:04:05.000Z",
                "message": message,
            }
            last = uuid


def _codex(turns: int) -> Iterator[Json]:
    def line(kind: str, **payload: Any) -> Json:
        return {"timestamp": "2026-01-02T03:04:05.000Z", "type": kind, "payload": payload}

    yield line("session_meta", id="ses_1", cwd="/work")
    for number in range(turns):
        yield line("turn_context", model="m-1")
        for item in _items(number):
            yield line("response_item", **item)


def _items(number: int) -> Iterator[Json]:
    """Yield the items of Responses of a turn."""
    own = f"call_{number:08}"
    for role, kind, text in (
        ("user", "input_text", _ASKED),
        ("assistant", "output_text", _SAYS),
        ("", "", ""),
        ("assistant", "output_text", _ANSWER),
    ):
        if role:
            content = [{"type": kind, "text": text}]
            yield {"type": "message", "role": role, "content": content}
            continue
        path = f'{{"path":"{_PATH}","from":{number}}}'
        yield {"type": "function_call", "name": "read_file", "call_id": own, "arguments": path}
        yield {"type": "function_call_output", "call_id": own, "output": _FOUND}


def _gemini_cli(turns: int) -> Iterator[Json]:
    yield {"sessionId": "ses_1", "projectHash": "h", "startTime": _WHEN}
    for number in range(turns):
        own = f"call_{number:08}"
        said = {"functionResponse": {"id": own, "name": "read_file", "response": {"out": _FOUND}}}
        call = {"id": own, "name": "read_file", "args": {"path": _PATH}, "result": [said]}
        calls: Json = {"model": "m-1", "toolCalls": [{**call, "status": "success"}]}
        said_in_turn: tuple[tuple[str, str, Json], ...] = (
            ("user", _ASKED, {}),
            ("gemini", _SAYS, calls),
            ("gemini", _ANSWER, {"model": "m-1"}),
        )
        for at, (kind, text, more) in enumerate(said_in_turn):
            yield {
                "id": f"{number}.{at}",
                "timestamp": _WHEN,
                "type": kind,
                "content": text,
                **more,
            }


def _opencode(turns: int) -> Json:
    made = []
    for number, role in itertools.product(range(turns), ("user", "assistant")):
        state = {"status": "completed", "input": {"path": _PATH}, "output": _FOUND, "title": _PATH}
        call = {"type": "tool", "callID": f"call_{number:08}", "tool": "read_file", "state": state}
        text = {"type": "text", "text": _ASKED if role == "user" else _ANSWER}
        parts: list[Json] = [text] if role == "user" else [{"type": "step-start"}, call, text]
        own = f"msg_{number:08}_{role}"
        info = {"id": own, "sessionID": "ses_1", "role": role, "time": {"created": 1767323045000}}
        parts = [{"id": f"prt_{number}_{at}", **part} for at, part in enumerate(parts)]
        made.append({"info": info, "parts": parts})
    return {"info": {"id": "ses_1"}, "messages": made}


def _openai_agents(turns: int) -> list[Json]:
    items = [item for number in range(turns) for item in _items(number)]
    for number, item in enumerate(items):
        if item.get("role") == "assistant":
            item |= {"id": f"msg_{number}", "status": "completed"}
            item["content"][0]["annotations"] = []
    return items


DOCUMENTS: Final[Mapping[str, Callable[[int], Any]]] = MappingProxyType(
    {
        "a2a": _written("a2a"),
        "ag-ui": _written("ag-ui"),
        "ai-sdk": _written("ai-sdk"),
        "anthropic-messages": _written("anthropic-messages", "messages"),
        "bedrock-converse": _written("bedrock-converse", "messages"),
        "claude-code": _claude_code,
        "codex": _codex,
        "cohere-v2": _written("cohere-v2", "messages"),
        "finetune": lambda turns: [{"messages": _written("openai-chat", "messages")(turns)}],
        "gemini": _written("gemini", "contents"),
        "gemini-cli": _gemini_cli,
        "langchain": _written("langchain"),
        "mcp": _written("mcp", "messages"),
        "openai-agents": _openai_agents,
        "openai-chat": _written("openai-chat", "messages"),
        "openai-responses": _written("openai-responses", "input"),
        "opencode": _opencode,
        "otel-genai": _written("otel-genai"),
        "pydantic-ai": _written("pydantic-ai"),
    }
)
"""Format → what makes a history of that many turns: a value, or the lines of a session."""


def document(name: str, turns: int) -> bytes:
    """Return the history as a file of the format has it."""
    made = DOCUMENTS[name](turns)
    if isinstance(made, Iterator):
        return b"".join(msgspec.json.encode(line) + b"\n" for line in made)
    return msgspec.json.encode(made)
