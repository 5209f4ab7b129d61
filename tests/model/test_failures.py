"""The official clients, unchanged, against a local server: refusals, and callers that go away.

Whatever fails, the stream ends in an ``error`` delta with the right code; a cancellation passes
through, and closes the connection.
"""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any, Final

import boto3
import pytest
from botocore.config import Config

from partwire_testing.conformance.drawn.aws_frames import exception_frame
from tests.model.answers import answer, reply
from tests.model.clients import (
    CONFIG,
    NAMES,
    PROVIDERS,
    Provider,
    adapted,
    asking,
    deltas_of,
    differences,
    opened,
    play,
    provider,
    ran,
)
from tests.model.http_replay import ReplayServer, Reply, until

__all__ = ["provider"]


# --- no answer -----------------------------------------------------------------------------------


def _error_body(dialect: str, status: int, kind: str, message: str) -> Any:
    """Return an error in the provider's own form."""
    if dialect == "anthropic-messages":
        return {"type": "error", "error": {"type": kind, "message": message}}
    if dialect in ("openai-chat", "openai-responses"):
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}
    if dialect == "gemini":
        return {"error": {"code": status, "message": message, "status": kind.upper()}}
    return {"message": message}


STATUSES: Final = [
    (400, "invalid_request_error", "the request is not right", "invalid_request"),
    (401, "authentication_error", "who are you?", "authentication"),
    (403, "permission_error", "not for you", "permission_denied"),
    (404, "not_found_error", "no such model", "not_found"),
    (429, "rate_limit_error", "slow down", "rate_limited"),
    (500, "api_error", "something broke", "provider_internal"),
    (503, "overloaded_error", "come back later", "overloaded"),
    (529, "overloaded_error", "come back later", "overloaded"),
    (400, "invalid_request_error", "prompt is too long: 9 > 8", "context_length_exceeded"),
]


def test_a_refusal_is_an_error_delta(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for status, kind, message, code in STATUSES:
                error = _error_body(provider.dialect, status, kind, message)
                body = json.dumps(error).encode()
                server.replies["it"] = Reply([body], status=status, content_type="application/json")
                seen = await ran(model, "it")
                assert seen.kinds == ["start", "error"]
                assert seen.end["errorCode"] == code, (status, message)
                assert message in seen.end["message"]
        assert len(server.requests) == len(STATUSES)  # no retries

    play(main)


def test_a_refusal_without_words_has_the_statuss_code(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for body in (b"", b"<html>Bad gateway</html>", b"\xff\xfe", b"[]", b"{"):
                server.replies["it"] = Reply([body], status=502, content_type="text/html")
                seen = await ran(model, "it")
                assert seen.kinds == ["start", "error"]
                assert seen.end["errorCode"] == "provider_internal", body
                assert "<html" not in seen.end["message"]

    play(main)


def test_connection_refused(provider: Provider) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        async def main(server: ReplayServer) -> None:
            async with opened(provider, url, timeout_s=60) as model:
                seen = await ran(model, "it")
                assert seen.kinds == ["start", "error"]
                assert seen.end["errorCode"] == "connection"
                assert seen.end["retryable"] is True

        play(main)


def test_a_server_that_says_nothing_is_a_timeout(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        server.replies["it"] = Reply([], silent=True)
        async with opened(provider, server.url, timeout_s=0.3) as model:
            seen = await ran(model, "it")
            assert seen.kinds == ["start", "error"]
            assert seen.end["errorCode"] == "timeout"

    play(main)


def test_a_server_that_stops_speaking_is_a_timeout_with_what_came(provider: Provider) -> None:
    head, _ = answer(provider.dialect)
    due = adapted(provider.dialect, head)

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, head, hold=True)
        for timeout_s in (0.3, 3, 30):  # on a busy machine even the head may come too late
            async with opened(provider, server.url, timeout_s=timeout_s) as model:
                seen = await ran(model, "it")
            assert seen.end["errorCode"] == "timeout"
            if len(seen.deltas) > 2:
                break
        assert seen.deltas[:-1] == due.deltas[:-1]

    play(main)


def test_an_error_in_the_middle(provider: Provider) -> None:
    head, _ = answer(provider.dialect)
    error = _error_body(provider.dialect, 503, "overloaded_error", "too busy")
    tail = {
        "openai-responses": {
            "type": "error",
            "code": "server_is_overloaded",
            "message": "too busy",
        },
        "cohere-v2": {"type": "message-end", "delta": {"finish_reason": "ERROR"}},
    }.get(provider.dialect, error)
    data = head + (
        exception_frame("serviceUnavailableException", {"message": "too busy"})
        if provider.dialect == "bedrock-converse"
        else f"data: {json.dumps(tail)}\n\n".encode()
    )
    due = adapted(provider.dialect, data)
    assert due.kinds[-1] == "error"
    assert due.end["errorCode"] != "truncated_stream"

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, data)
        async with opened(provider, server.url) as model:
            seen = await ran(model, "it")
            assert differences(seen.deltas, due.deltas) == []

    play(main)


# --- going away ----------------------------------------------------------------------------------


async def _until_playing(server: ReplayServer, count: int) -> None:
    await until(lambda: server.playing == count)


# Before the first byte of an answer boto3's thread cannot be woken: its own test, below.
CANCELLED: Final = [
    (name, silent)
    for name in NAMES
    for silent in (False, True)
    if not (silent and name == "BedrockModel")
]


@pytest.mark.parametrize(("name", "silent"), CANCELLED)
def test_a_cancelled_task_is_cancelled_and_its_connection_closed(name: str, silent: bool) -> None:
    provider = PROVIDERS[name]
    head, _ = answer(provider.dialect)

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, head, hold=not silent, silent=silent)
        async with opened(provider, server.url) as model:
            task = asyncio.ensure_future(deltas_of(model, "it"))
            await _until_playing(server, 1)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await _until_playing(server, 0)

    play(main)


def test_a_stream_that_is_left_is_closed(provider: Provider) -> None:
    head, _ = answer(provider.dialect)

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, head, hold=True)
        async with opened(provider, server.url) as model:
            async with model.stream(asking("it")) as stream:
                async for delta in stream:
                    if delta.kind == "text":
                        break
            await _until_playing(server, 0)

    play(main)


def test_a_stream_that_is_not_read_sends_nothing(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            stream = model.stream(asking("it"))
            await asyncio.sleep(0.05)
            await stream.aclose()
            assert [delta async for delta in stream] == []
            assert server.requests == []

    play(main)


@pytest.mark.parametrize("late", [True, False])
def test_bedrocks_call_that_is_cancelled_before_it_answers_is_closed_as_it_answers(
    late: bool,
) -> None:
    provider = PROVIDERS["BedrockModel"]
    head, _ = answer(provider.dialect)

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, head, hold=True, late_s=0.3, silent=not late)
        async with opened(provider, server.url, timeout_s=120 if late else 0.5) as model:
            task = asyncio.ensure_future(deltas_of(model, "it"))
            await _until_playing(server, 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await _until_playing(server, 0)

    play(main)


def test_bedrocks_client_tries_no_more_once_the_caller_has_gone() -> None:
    provider = PROVIDERS["BedrockModel"]
    settings = Config(retries={"total_max_attempts": 2, "mode": "standard"})
    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = Reply([b"{}"], 429, "application/json", pause_s=0.1)
        client: Any = boto3.client(
            "bedrock-runtime", "eu-west-1", endpoint_url=server.url, config=settings, **keys
        )
        over: list[str] = []
        for event in ("after-call", "after-call-error"):
            client.meta.events.register(
                f"{event}.bedrock-runtime.ConverseStream", lambda **_: over.append("")
            )
        model = provider.model(client, CONFIG)
        task = asyncio.ensure_future(deltas_of(model, "it"))
        await until(lambda: len(server.requests) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: len(over) == 1)
        assert len(server.requests) == 1
        assert (await deltas_of(model, "it"))[-1].kind == "error"
        assert len(server.requests) == 3  # who stays gets both attempts
        client.close()

    play(main)
