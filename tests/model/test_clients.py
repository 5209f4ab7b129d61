"""What goes to the providers' clients, and what a model asks of them."""

from __future__ import annotations

import base64
import json
from types import SimpleNamespace
from typing import Any

import pytest

from partwire import read, to_wire
from partwire.contract.current.message import Message
from partwire.providers.requests import encode_request
from partwire_testing.conformance.drawn.aws_frames import converse_frames
from tests.fixture_cases import provider_cases
from tests.model.answers import TEXT, answer, last, reply
from tests.model.clients import (
    CONFIG,
    METADATA,
    MODEL_ID,
    NOT_THROUGH_GOOGLES_CLIENT,
    PROVIDERS,
    Provider,
    adapted,
    asking,
    deltas_of,
    opened,
    play,
    provider,
    user,
)
from tests.model.http_replay import ReplayServer

__all__ = ["provider"]

TOOL = {
    "name": "find_city",
    "description": "Find a city.",
    "parameterSchema": {
        "type": "object",
        "properties": {"city_name": {"type": "string"}},
        "required": ["city_name"],
    },
}


def sent(
    provider: Provider, messages: list[Any], *arguments: Any, config: Any = None, **options: Any
) -> Any:
    """Return the request that arrives at the server."""
    seen: list[Any] = []

    async def main(server: ReplayServer) -> None:
        server.replies["default"] = reply(provider, b"".join(answer(provider.dialect)))
        async with opened(provider, server.url, config=config or {}) as model:
            async with model.stream(messages, *arguments, **options) as stream:
                deltas = [delta async for delta in stream]
            assert last(deltas)["finishReason"] == "stop"
        seen.extend(server.requests)

    play(main)
    (request,) = seen
    return request


def encoded(provider: Provider, messages: list[Any], *arguments: Any, **options: Any) -> Any:
    """Return the body that the encoder writes."""
    config = {**CONFIG, **options.pop("config", {})}
    return encode_request(provider.dialect, messages, *arguments, config=config, **options).body


def on_the_wire(provider: Provider, body: dict[str, Any]) -> dict[str, Any]:
    """Return a body as it goes out: what is in the path is not in it."""
    if provider.dialect == "cohere-v2":
        body = {**body, "stream": True}
    in_path = {"gemini": ("model", "stream"), "bedrock-converse": ("modelId", "stream")}
    return {k: v for k, v in body.items() if k not in in_path.get(provider.dialect, ())}


IMAGE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256))).decode()
CONVERSATION: list[Any] = [
    {
        **user("Where does it rain?"),
        "parts": [
            {"kind": "text", "payload": {"text": "Where does it rain?"}},
            {"kind": "image", "payload": {"mimeType": "image/png", "data": IMAGE}},
        ],
    },
    {
        **user(""),
        "role": "assistant",
        "parts": [
            {
                "kind": "tool_call",
                "payload": {
                    "toolCallId": "call_1",
                    "toolName": "find_city",
                    "arguments": {"city_name": "Bergen", "odd": None, "n": [1, 1.5]},
                },
            }
        ],
    },
    {
        **user(""),
        "role": "tool",
        "parts": [
            {
                "kind": "tool_result",
                "payload": {"toolCallId": "call_1", "isError": False, "content": "found"},
            }
        ],
    },
    user("And today?"),
]


def test_every_delta_says_the_ids_that_the_caller_gave(provider: Provider) -> None:
    """No provider is given them."""

    async def main(server: ReplayServer) -> None:
        server.replies["default"] = reply(provider, b"".join(answer(provider.dialect)))
        async with opened(provider, server.url) as model:
            stream = model.stream(CONVERSATION, message_id="msg-7", turn_id="turn-3")
            assert {(d.message_id, d.turn_id) async for d in stream} == {("msg-7", "turn-3")}
            assert "msg-7" not in json.dumps(server.requests[-1].body)

    play(main)


def test_the_encoders_body_arrives(provider: Provider) -> None:
    request = sent(provider, CONVERSATION, [TOOL], "Be brief.", tool_choice="auto")
    due = encoded(provider, CONVERSATION, [TOOL], "Be brief.", tool_choice="auto")
    assert request.body == on_the_wire(provider, due)
    assert "find_city" in json.dumps(request.body)
    assert "Be brief." in json.dumps(request.body)


def test_members_that_no_client_knows_arrive(provider: Provider) -> None:
    extension = {"brand_new": {"level": [1, None, "x"], "inner_name": True}}
    request = sent(provider, [user("Hello")], config=extension)
    assert request.body["brand_new"] == extension["brand_new"]
    due = encoded(provider, [user("Hello")], config=extension)
    assert on_the_wire(provider, due).items() <= {**request.body, "stream": True}.items()


def test_what_a_call_says_wins_over_the_configuration(provider: Provider) -> None:
    config = {"temperature": 0.25, "x_mode": "config"}
    request = sent(
        provider, [user("Hello")], config=config, temperature=0.75, extra={"x_mode": "call"}
    )
    text = json.dumps(request.body)
    assert "0.75" in text
    assert "0.25" not in text
    assert request.body["x_mode"] == "call"
    without = sent(provider, [user("Hello")], config=config, temperature=None)
    assert "0.25" not in json.dumps(without.body)


def test_cache_config_reaches_the_request(provider: Provider) -> None:
    plain = sent(provider, [user("Hello")], [TOOL], "Be brief.")
    cached = sent(provider, [user("Hello")], [TOOL], "Be brief.", cacheConfig={"strategy": "auto"})
    auto = {"cacheConfig": {"strategy": "auto"}}
    due = encoded(provider, [user("Hello")], [TOOL], "Be brief.", config=auto)
    assert on_the_wire(provider, due).items() <= {**cached.body, "stream": True}.items()
    if provider.dialect in ("anthropic-messages", "bedrock-converse"):
        assert plain.body != cached.body


def test_options_of_the_clients_own_call_go_to_it() -> None:
    for name in ("AnthropicModel", "OpenAIChatModel", "OpenAIResponsesModel"):
        config = {"extra_headers": {"x-mine": "1"}, "extra_body": {"deep_option": 2}}
        request = sent(PROVIDERS[name], [user("Hello")], config=config, extra={"brand_new": 3})
        assert request.headers["x-mine"] == "1"
        assert "extra_headers" not in request.body
        assert request.body["deep_option"] == 2
        assert request.body["brand_new"] == 3
    options = {"additional_headers": {"x-mine": "1"}, "max_retries": 0}
    options["additional_body_parameters"] = {"deep_option": 2}
    request = sent(
        PROVIDERS["CohereModel"],
        [user("Hello")],
        config={"request_options": options},
        extra={"brand_new": 3},
    )
    assert request.headers["x-mine"] == "1"
    assert (request.body["deep_option"], request.body["brand_new"]) == (2, 3)


@pytest.mark.parametrize("form", [dict, lambda wire: read(wire, "message.RequestMetadata")])
def test_the_run_of_the_request_is_the_deltas(provider: Provider, form: Any) -> None:
    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, b"".join(answer(provider.dialect)))
        async with opened(provider, server.url) as model:
            metadata = form({**METADATA, "runId": "run_9"})
            deltas = await deltas_of(model, "it", request_metadata=metadata)
            assert {delta.run_id for delta in deltas} == {"run_9"}
            deltas = await deltas_of(model, "it", request_metadata=None)
            assert {delta.run_id for delta in deltas} == {asking("it")[-1]["runId"]}
        assert "run_9" not in json.dumps([r.body for r in server.requests])

    play(main)


def test_a_call_that_repeats_an_id_of_the_conversation_gets_another() -> None:
    provider = PROVIDERS["BedrockModel"]
    call = {"toolUse": {"toolUseId": "call_1", "name": "find_city"}}
    data = converse_frames(
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockStart": {"contentBlockIndex": 0, "start": call}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"messageStop": {"stopReason": "tool_use"}},
        ]
    )

    async def main(server: ReplayServer) -> None:
        server.replies["default"] = reply(provider, data)
        async with opened(provider, server.url) as model:
            message = await model.stream(CONVERSATION, [TOOL]).message()
        (part,) = to_wire(message)["parts"]
        assert part["payload"]["toolCallId"] not in ("", "call_1")
        assert part["payload"]["opaque"]["data"]["toolCallId"] == "call_1"

    play(main)


def test_provider_state_of_one_turn_is_in_the_next_request() -> None:
    provider = PROVIDERS["AnthropicModel"]
    head, end = answer(provider.dialect)
    thinking = [
        {
            "type": "content_block_start",
            "index": 5,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {
            "type": "content_block_delta",
            "index": 5,
            "delta": {"type": "thinking_delta", "thinking": "Wet."},
        },
        {
            "type": "content_block_delta",
            "index": 5,
            "delta": {"type": "signature_delta", "signature": "c2lnbmVk"},
        },
        {"type": "content_block_stop", "index": 5},
    ]
    first, rest = head.split(b"\n\n", 1)
    middle = b"".join(b"data: %b\n\n" % json.dumps(event).encode() for event in thinking)

    async def main(server: ReplayServer) -> None:
        data = first + b"\n\n" + middle + rest + end
        server.replies["default"] = reply(provider, data)
        async with opened(provider, server.url) as model:
            message = await model.stream([user("Hello")]).message()
            await model.stream([user("Hello"), message, user("And now?")]).message()
        content = server.requests[-1].body["messages"][1]["content"]
        assert content[0] == {"type": "thinking", "thinking": "Wet.", "signature": "c2lnbmVk"}
        assert content[1]["text"] == TEXT

    play(main)


def _answers_with_state(dialect: str) -> list[bytes]:
    """Return fixtures whose answers leave what the provider wants back."""
    found = []
    for case in provider_cases("v0.1", dialect):
        data = case.data("input")
        if case.name.removeprefix(f"{dialect}/") in NOT_THROUGH_GOOGLES_CLIENT:
            continue
        if case.has("message") and adapted(dialect, data).adapter.opaque:
            found.append(data)
    return found


def without_state(message: Message) -> Any:
    """Return a message as JSON, without what the provider wants back."""
    wire = to_wire(message)
    for part in wire["parts"]:
        part["payload"].pop("opaque", None)
    return wire


def test_provider_state_of_fixtures_is_in_the_next_request(provider: Provider) -> None:
    changed = []

    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for data in _answers_with_state(provider.dialect):
                server.replies["default"] = reply(provider, data)
                message = await model.stream([user("Hello")]).message()
                turns: list[Any] = [user("Hello"), message, user("And now?")]
                await model.stream(turns).message()
                body = server.requests[-1].body
                assert body == on_the_wire(provider, encoded(provider, turns))
                turns[1] = without_state(message)
                changed.append(body != on_the_wire(provider, encoded(provider, turns)))

    play(main)
    assert any(changed)


def test_googles_signatures_come_back_letter_by_letter() -> None:
    provider = PROVIDERS["GeminiModel"]
    signature = "+/+/8A=="
    part = {"text": TEXT, "thoughtSignature": signature}
    event = {
        "candidates": [
            {"content": {"parts": [part], "role": "model"}, "finishReason": "STOP", "index": 0}
        ]
    }

    async def main(server: ReplayServer) -> None:
        data = f"data: {json.dumps(event)}\n\n".encode()
        server.replies["default"] = reply(provider, data)
        async with opened(provider, server.url) as model:
            message = await model.stream([user("Hello")]).message()
            await model.stream([user("Hello"), message, user("And now?")]).message()
        assert signature in json.dumps(server.requests[-1].body["contents"][1])

    play(main)


class Canned:
    """A stream of events without a response behind it."""

    def __init__(self, events: list[Any]) -> None:
        self.events = events
        self.closed = False

    def __iter__(self) -> Any:
        return iter(self.events)

    def close(self) -> None:
        self.closed = True


def test_bedrocks_events_are_read_where_the_client_gives_no_bytes() -> None:
    provider = PROVIDERS["BedrockModel"]
    client, close = provider.open("http://127.0.0.1:9", 1.0)
    events = [
        {"messageStart": {"role": "assistant"}},
        {
            "contentBlockDelta": {
                "contentBlockIndex": 0,
                "delta": {"reasoningContent": {"redactedContent": b"\xfb\xff"}},
            }
        },
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": TEXT}}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]

    stream = Canned(events)

    def answered(**_: Any) -> Any:
        return SimpleNamespace(status_code=200), {"stream": stream}

    async def main(server: ReplayServer) -> None:
        client.meta.events.register("before-call.bedrock-runtime.ConverseStream", answered)
        model = provider.model(client, {"modelId": MODEL_ID})
        message = to_wire(await model.stream(asking("it")).message())
        assert message["parts"][-1]["payload"]["text"] == TEXT
        assert "+/8=" in json.dumps(message["parts"])
        assert message["meta"]["modelId"] == MODEL_ID
        assert stream.closed
        await close()

    play(main)


def test_the_raw_events_come_with_the_deltas_where_they_are_wanted(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, b"".join(answer(provider.dialect)))
        async with opened(provider, server.url, keep_raw=True) as model:
            wire = [to_wire(delta) for delta in await deltas_of(model, "it")]
        events = [e for d in wire for e in d.get("providerRaw", {}).get("events", ())]
        assert len(events) >= 2
        assert TEXT in json.dumps(events, ensure_ascii=False)

    play(main)


def test_the_findings_of_request_and_answer_are_the_streams() -> None:
    provider = PROVIDERS["AnthropicModel"]
    data = b'data: {"type": "odd_event"}\n\n' + b"".join(answer(provider.dialect))

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, data)
        async with opened(provider, server.url) as model:
            model.update_config(maxTokens=None)
            stream = model.stream(asking("it"))
            assert [f.rule for f in stream.findings] == ["encode/default-max-tokens"]
            await stream.message()
            rules = [finding.rule for finding in stream.findings]
            assert rules == ["encode/default-max-tokens", "adapter/unknown-event"]

    play(main)
