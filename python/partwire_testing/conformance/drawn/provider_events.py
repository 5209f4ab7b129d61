"""What providers send, rewritten: event streams whose JSON is whole, with members changed."""

from __future__ import annotations

import base64
import copy
import json
import random
import re
from functools import cache
from typing import Any

from partwire.errors import PartwireError
from partwire.providers.core.raw_events import NOTHING, decode_event
from partwire.providers.framing import EventStreamDecoder, EventStreamMessage

from ..suites import all_cases
from .aws_frames import chunk_frame, event_frame, exception_frame

__all__ = ["TOKENS", "corpus", "rewritten", "visible"]

_CHUNK = re.compile(rb'"bytes":\s*"([A-Za-z0-9+/=]+)"')
TOKENS = [
    *[
        b"data: ",
        b"event: ",
        b"event: error\n",
        b"\n\n",
        b"\r\n",
        b": ",
        b"[DONE]",
        b"\xef\xbb\xbf",
    ],
    *[
        b"null",
        b"true",
        b"NaN",
        b"1e999",
        b"-1",
        b"{}",
        b"[]",
        b'""',
        b'"x"',
        b"9" * 30,
        b"[" * 600,
    ],
    *[
        b'"index":0,',
        b'"index":1,',
        b'"index":null,',
        b'"id":"call_a",',
        b'"id":"",',
        b'"id":null,',
    ],
    *[b'"name":"f",', b'"name":null,', b'"arguments":"{}"', b'"arguments":{}', b'"delta":null,'],
    *[b'"type":"message_stop"', b'"type":"error"', b'"type":"tool_use"', b'"error":{"code":429},'],
    *[b'"finish_reason":"stop"', b'"stop_reason":"end_turn"', b'"choices":[]', b'"usage":{}'],
    *[b'"finishReason":"STOP",', b'"blockReason":"X",', b'"thought":true,', b'"partialArgs":[{}],'],
    *[b'"willContinue":true,', b'"jsonPath":"$.a[0]"', b'"functionCall":{"name":"f"},'],
    *[b'"type":"message-end",', b'"type":"tool-call-end"', b'"finish_reason":"ERROR"'],
    *[b'"tool_plan":"p"', b'"citations":{"start":0,"end":1}', b'"content_index":0,'],
    *[b'"type":"response.completed",', b'"type":"response.done"', b'"status":"incomplete",'],
    *[b'"output_index":0,', b'"output_index":1,', b'"item_id":"a",', b'"type":"function_call",'],
    *[b'"type":"custom_tool_call",', b'"call_id":"a",', b'"output":[],', b'"object":"response",'],
    *[b'"contentBlockIndex":0,', b'"messageStop":{"stopReason":"end_turn"}', b'"metadata":{},'],
    *[b'"toolUse":{"input":"{}"}', b'"throttlingException":{}', b'"reasoningContent":{"text":"a"}'],
    *[b"\\ud83d", b"\\ude00", b"\xff", b"\xf0\x9f", "ø".encode(), b"\x00", b"\\u0000"],
]
_ODD: list[Any] = [
    *[None, True, 0, 1, -1, 2.5, 2**60, "", "x", "{}", [], {}, [None], "stop", "text", "tool_use"],
    *["\ud83d", "\ude00", "call_a", "error", "message_stop", {"type": "error"}, [[]], {"a": {}}],
]


@cache
def corpus() -> tuple[bytes, ...]:
    """Return the streams of the golden cases, of every dialect."""
    return tuple(case.data("input") for case in all_cases("v0.1") if case.suite == "providers")


def visible(data: bytes) -> bytes:
    """Return ``data`` and what is in Base64 in it."""
    found = b""
    for text in _CHUNK.findall(data):
        try:
            found += visible(base64.b64decode(text))
        except ValueError:
            continue
    return data + found


def _messages(data: bytes) -> list[EventStreamMessage]:
    """Return the messages before a frame that is damaged, if there is one."""
    try:
        return EventStreamDecoder().feed(data)
    except PartwireError:
        return []


def _framed_events(data: bytes) -> list[Any]:
    """Return the events of an AWS event stream, as far as its frames are whole."""
    events = []
    for headers, payload, _, _ in _messages(data):
        text = visible(payload)[len(payload) :] or payload
        value = decode_event(text.decode("utf-8", "replace"))
        name = headers.get(":event-type", headers.get(":exception-type"))
        if value is not NOTHING:
            events.append(value if name in (None, "chunk") else {name: value})
    return events


def _in_frames(events: list[Any], rng: random.Random) -> bytes:
    """Return the events as an AWS event stream: as chunks, or named by their first member."""
    if rng.random() < 0.5:
        return b"".join(chunk_frame(json.dumps(event)) for event in events)
    frames = []
    for event in events:
        name, body = next(iter(event.items())) if isinstance(event, dict) and event else ("", event)
        write = exception_frame if name.endswith("Exception") else event_frame
        frames.append(write(name[:50].encode("utf-8", "replace").decode(), _json(body)))
    return b"".join(frames)


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _events(data: bytes) -> list[Any]:
    if data[:1] == b"\0":
        return _framed_events(data)
    texts = [line.removeprefix(b"data:") for line in data.splitlines()]
    values = [decode_event(text.decode("utf-8", "replace").strip()) for text in texts]
    return [value for value in values if value is not NOTHING]


def _nodes(value: Any) -> list[Any]:
    """Return every object and array of a JSON value that has members."""
    members = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list)) or not value:
        return []
    return [value, *(node for member in members for node in _nodes(member))]


def _change(events: list[Any], others: list[Any], rng: random.Random) -> None:
    """Change a member somewhere in the events, or the order of the events."""
    kind = rng.randrange(8)
    if kind == 0:
        events.insert(rng.randrange(len(events) + 1), copy.deepcopy(rng.choice(others or _ODD)))
    elif kind == 1:
        events.append(copy.deepcopy(rng.choice(events)))
    elif kind == 2:
        del events[rng.randrange(len(events))]
    else:
        node = rng.choice(_nodes(events))
        key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        donor = rng.choice(_nodes(events + others))
        if kind == 3:
            del node[key]
        elif kind == 4:
            node[key] = copy.deepcopy(rng.choice(list(getattr(donor, "values", donor.__iter__)())))
        elif kind == 5 and isinstance(node, dict) and isinstance(donor, dict):
            node.update(copy.deepcopy(donor))
        else:
            node[key] = copy.deepcopy(rng.choice(_ODD))


def rewritten(rng: random.Random, data: bytes | None = None) -> bytes:
    """Return an event stream, made of ``data`` or of any case's, whose JSON is whole and whose
    members are not what they were."""
    events = _events(rng.choice(corpus()) if data is None else data)
    others = _events(rng.choice(corpus()))
    for _ in range(1 + int(rng.expovariate(0.4))):
        if events and _nodes(events):
            _change(events, others, rng)
    if rng.random() < 0.2:
        return _in_frames(events, rng)
    done = ["data: [DONE]\n\n"] if rng.random() < 0.5 else []
    return "".join([*(f"data: {json.dumps(event)}\n\n" for event in events), *done]).encode()
