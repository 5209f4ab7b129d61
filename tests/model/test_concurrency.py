"""Many streams through one model: none gets another's deltas, and none outlives its reader."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from partwire import assemble_async, to_wire
from partwire.contract.current.message import Message
from partwire_testing.conformance.drawn.aws_frames import converse_frames
from tests.model.answers import TEXT, answer, last, reply
from tests.model.clients import METADATA, Provider, asking, deltas_of, opened, play, provider
from tests.model.http_replay import ReplayServer, Reply, sliced, until

__all__ = ["provider"]

STREAMS = 100


def numbered(provider: Provider, number: int, **options: Any) -> Reply:
    """Return an answer that says which one it is, in slices that meet its own characters."""
    text = json.dumps(TEXT)[1:-1].encode(), f"answer {number}".encode()
    data = b"".join(answer(provider.dialect))
    if provider.dialect == "bedrock-converse":
        data = converse_frames(
            [
                {"messageStart": {"role": "assistant"}},
                {
                    "contentBlockDelta": {
                        "contentBlockIndex": 0,
                        "delta": {"text": text[1].decode()},
                    }
                },
                {"messageStop": {"stopReason": "end_turn"}},
            ]
        )
    else:
        data = data.replace(text[0], text[1]).replace(TEXT.encode(), text[1])
    size = 23 + number
    return Reply(sliced(data, size), content_type=provider.content_type, pause_s=0.002, **options)


def text_of(message: Message) -> str:
    """Return all text of a message."""
    return "".join(part["payload"]["text"] for part in to_wire(message)["parts"])


def test_a_hundred_streams_through_one_model(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        for number in range(STREAMS):
            server.replies[f"n{number}"] = numbered(provider, number)
        async with opened(provider, server.url) as model:

            async def one(number: int) -> Message:
                metadata = {**METADATA, "runId": f"run_{number}"}
                stream = model.stream(asking(f"n{number}"), request_metadata=metadata)
                return await stream.message()

            messages = await asyncio.wait_for(
                asyncio.gather(*(one(number) for number in range(STREAMS))), 60
            )
        assert [m.run_id for m in messages] == [f"run_{n}" for n in range(STREAMS)]
        said = [text_of(m).rstrip("!") for m in messages]
        assert said == [f"answer {n}" for n in range(STREAMS)]
        assert len(server.requests) == STREAMS

    play(main)


def test_one_that_is_cancelled_leaves_the_others_alone(provider: Provider) -> None:
    head, _ = answer(provider.dialect)

    async def main(server: ReplayServer) -> None:
        server.replies["held"] = reply(provider, head, hold=True)
        for number in range(10):
            server.replies[f"n{number}"] = numbered(provider, number)
        async with opened(provider, server.url) as model:
            held = [asyncio.ensure_future(deltas_of(model, "held")) for _ in range(3)]
            await until(lambda: server.playing == 3)
            others = [
                asyncio.ensure_future(model.stream(asking(f"n{n}")).message()) for n in range(10)
            ]
            await asyncio.sleep(0.01)
            held[1].cancel()
            with pytest.raises(asyncio.CancelledError):
                await held[1]
            said = [text_of(await other).rstrip("!") for other in others]
            assert said == [f"answer {n}" for n in range(10)]
            await until(lambda: server.playing == 2)
            assert not held[0].done()
            assert not held[2].done()
            for task in (held[0], held[2]):
                task.cancel()
            await asyncio.gather(*held, return_exceptions=True)
            await until(lambda: server.playing == 0)

    play(main)


def test_a_change_of_the_configuration_concerns_the_streams_after_it(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, b"".join(answer(provider.dialect)))
        async with opened(provider, server.url) as model:
            before = model.stream(asking("it"))
            model.update_config(modelId="model-2", temperature=0.5)
            after = model.stream(asking("it"))
            await before.message()
            await after.message()
            first, second = (json.dumps([r.path, r.body]) for r in server.requests)
            assert "model-1" in first
            assert "model-2" not in first
            assert "0.5" not in first
            assert "model-2" in second
            assert "0.5" in second

    play(main)


def test_two_models_over_one_client(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        for number in range(2):
            server.replies[f"n{number}"] = numbered(provider, number)
        async with opened(provider, server.url) as model:
            other = provider.model(model.client, {**model.get_config(), "modelId": "model-2"})
            streams = (model.stream(asking("n0")), other.stream(asking("n1")))
            messages = await asyncio.gather(*(assemble_async(stream) for stream in streams))
            assert [text_of(m).rstrip("!") for m in messages] == ["answer 0", "answer 1"]

    play(main)


def test_a_stream_is_read_once(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, b"".join(answer(provider.dialect)))
        async with opened(provider, server.url) as model:
            stream = model.stream(asking("it"))
            assert [delta async for delta in stream] != []
            assert [delta async for delta in stream] == []
            assert len(server.requests) == 1

    play(main)


def test_streams_that_wait_do_not_hold_up_another(provider: Provider) -> None:
    head, end = answer(provider.dialect)

    async def main(server: ReplayServer) -> None:
        server.replies["held"] = reply(provider, head, hold=True)
        server.replies["it"] = reply(provider, head + end)
        async with opened(provider, server.url) as model:
            held = [asyncio.ensure_future(deltas_of(model, "held")) for _ in range(50)]
            await until(lambda: server.playing == 50)
            await asyncio.sleep(0.2)
            assert (
                last(await asyncio.wait_for(deltas_of(model, "it"), 60))["finishReason"] == "stop"
            )
            for task in held:
                task.cancel()
            await asyncio.gather(*held, return_exceptions=True)
            await until(lambda: server.playing == 0)

    play(main)
