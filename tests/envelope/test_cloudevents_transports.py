"""Events over real transports: a Kafka cluster of librdkafka's, and HTTP over a socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import httpx
import pytest
import uvicorn
from confluent_kafka import Consumer, Producer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from partwire.envelope import parse
from partwire.envelope.cloudevents import (
    CloudEvent,
    from_http,
    from_kafka,
    to_cloudevent,
    to_http,
    to_kafka,
)
from partwire.errors import ReadError
from tests.fixture_cases import cases

WAIT_S: Final = 120
TOPIC: Final = "partwire.tasks"


def events() -> list[CloudEvent]:
    """Return the events of all cases; their sequence tells them apart."""
    written = [case for case in cases("cloudevents") if case.spec["call"] == "write"]
    return [
        to_cloudevent(
            parse(case.spec["type"], case.data("input")),
            **{**case.spec["given"], "sequence": number},
        )
        for number, case in enumerate(written, 1)
    ]


@pytest.mark.parametrize(
    "content_mode", ["binary", pytest.param("structured", marks=pytest.mark.slow)]
)
def test_kafka_keeps_events(content_mode: Any) -> None:
    """A producer with its own cluster, which listens on this machine."""
    producer = Producer({"test.mock.num.brokers": 1, "linger.ms": 0})
    cluster = producer.list_topics(timeout=WAIT_S)
    servers = ",".join(f"{each.host}:{each.port}" for each in cluster.brokers.values())
    sent = events()
    for event in sent:
        record = to_kafka(event, content_mode)
        headers: Any = record.headers
        producer.produce(TOPIC, value=record.value, key=record.key, headers=headers)
    assert producer.flush(WAIT_S) == 0
    settings = {"bootstrap.servers": servers, "group.id": "g", "auto.offset.reset": "earliest"}
    consumer = Consumer(settings)
    consumer.subscribe([TOPIC])
    read: dict[Any, tuple[CloudEvent, Any]] = {}
    try:
        for _ in sent:
            message = consumer.poll(WAIT_S)
            assert message is not None
            assert message.error() is None
            event = from_kafka(message.headers(), message.value())
            read[event.attributes["sequence"]] = event, message.key()
    finally:
        consumer.close()
    assert len(read) == len(sent)
    for event in sent:
        found, key = read[event.attributes["sequence"]]
        assert found.message == event.message
        assert found.attributes.keys() == event.attributes.keys()
        assert content_mode == "binary" or found.attributes == event.attributes
        assert key == to_kafka(event).key


def test_a_record_without_headers_is_no_event() -> None:
    with pytest.raises(ReadError) as caught:
        from_kafka(None, b"{}")
    assert {finding.rule for finding in caught.value.findings} == {"cloudevents/missing-attribute"}


async def receive(request: Request) -> JSONResponse:
    try:
        event = from_http(request.headers, await request.body())
    except ReadError as error:
        return JSONResponse([finding.to_wire() for finding in error.findings], 400)
    return JSONResponse([event.attributes, event.message.message_id])


@contextmanager
def receiver() -> Iterator[str]:
    app = Starlette(routes=[Route("/", receive, methods=["POST"])])
    config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(WAIT_S)
        assert not thread.is_alive()


def test_http_keeps_events() -> None:
    with receiver() as url, httpx.Client(timeout=WAIT_S) as client:
        for event in events():
            for content_mode in ("binary", "structured"):
                headers, body = to_http(event, content_mode)
                answer = client.post(url, headers=headers, content=body)
                assert answer.status_code == 200, answer.text
                attributes, message_id = answer.json()
                assert message_id == event.message.message_id
                assert attributes.keys() == event.attributes.keys()
                assert {str(value).lower() for value in attributes.values()} == {
                    str(value).lower() for value in event.attributes.values()
                }
        headers, body = to_http(events()[0])
        twice = [*headers.items(), ("CE-ID", "another")]
        refused = client.post(url, headers=twice, content=body)
        assert (refused.status_code, refused.json()[0]["rule"]) == (400, "cloudevents/header")
