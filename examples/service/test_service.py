"""The service over recorded answers: what it streams, what it keeps, what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from examples.service.app import create_app
from examples.service.consumer import assembled
from partwire import StreamFailed, to_wire
from partwire.model import Model
from partwire_testing import GoldenFactory, ReplayFactory

QUESTION = {
    "runId": "run_7",
    "role": "user",
    "timestamp": "2026-01-02T03:04:05Z",
    "parts": [{"kind": "text", "payload": {"text": "Bike or train?"}}],
}
ASK = ("POST", "/answers", QUESTION)
GET = ("GET", "/answers/run_7", None)

Conforms = Callable[..., None]


def clock() -> str:
    return "2026-01-02T03:04:06Z"


def asked(model: Model, *requests: tuple[str, str, Any]) -> list[httpx.Response]:
    """Return a new service's responses to requests: method, path, JSON body."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=create_app(model))
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return [await client.request(how, path, json=body) for how, path, body in requests]

    return asyncio.run(run())


def test_an_answer_streams_and_is_kept(
    replay_model: ReplayFactory, assert_conforms: Conforms, golden: GoldenFactory
) -> None:
    model = replay_model("providers/anthropic-messages/text", clock=clock, all_played=True)
    stream, kept = asked(model, ASK, GET)
    assert stream.headers["content-type"].startswith("text/event-stream")
    golden("events").check(stream.text.splitlines())
    assert_conforms(kept.json(), "message.Message")
    golden("answer").check(kept.json())
    assert to_wire(assembled([stream.content])) == kept.json()


def test_what_failed_is_kept_as_incomplete(
    replay_model: ReplayFactory, assert_conforms: Conforms, golden: GoldenFactory
) -> None:
    model = replay_model("streams/error-with-open-call", clock=clock)
    stream, kept = asked(model, ASK, GET)
    with pytest.raises(StreamFailed):
        assembled([stream.content])
    assert_conforms(kept.json(), "message.Message")
    golden("incomplete").check(kept.json())


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ({**QUESTION, "role": "robot"}, "literal_error"),
        ({**QUESTION, "role": "tool"}, "message/role-part-kind"),
    ],
    ids=["shape", "meaning"],
)
def test_what_is_no_message_is_refused(
    question: dict[str, Any], rule: str, replay_model: ReplayFactory
) -> None:
    model = replay_model("streams/text")
    (response,) = asked(model, ("POST", "/answers", question))
    assert response.status_code == 422
    assert rule in response.text
    assert model.remaining == 1


def test_a_run_has_one_answer(replay_model: ReplayFactory) -> None:
    model = replay_model("streams/text", loop=True)
    none, first, again = asked(model, GET, ASK, ASK)
    assert (none.status_code, first.status_code, again.status_code) == (404, 200, 409)
