"""The message as it grows: events while the body is still sent, at the pace of the reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partwire import MessageAssembler, read, to_wire
from tests.cli.runner import PARTS, STREAM
from tests.fixture_cases import provider_cases
from tests.service.process import (
    LINES,
    Client,
    Service,
    delta,
    jsonl,
    long_stream,
    request,
    serving,
    until,
)

SSE = {"accept": "text/event-stream", "content_type": "application/jsonl"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("events")) as running:
        yield running


def snapshots(every: int) -> list[tuple[str, Any]]:
    """What the assembler itself shows after every so many deltas, where it has changed."""
    assembler = MessageAssembler()
    found: list[tuple[str, Any]] = []
    for number, document in enumerate(STREAM, 1):
        assembler.consume(read(document, "message.MessageDelta"))
        if number % every == 0 and assembler.status == "started":
            shot = to_wire(assembler.snapshot())
            if not found or found[-1][1] != shot:
                found.append((str(document["seq"]), shot))
    return found


@pytest.mark.parametrize("every", [1, 2, 3, 100])
def test_snapshots_come_after_so_many_deltas_and_the_message_at_the_end(
    service: Service, every: int
) -> None:
    answer = service.ask("POST", f"/v1/assemble?snapshotEvery={every}", LINES, **SSE)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.body.startswith(b"retry: 3000\n")
    *shots, last = answer.events
    assert [(seq, data) for seq, name, data in shots if name == "snapshot"] == snapshots(every)
    assert last[:2] == ("8", "done")
    assert last[2]["parts"] == PARTS


def next_event(client: Client) -> tuple[str, Any]:
    """The next event of a chunked answer, by name; the stream is read no further."""
    while True:
        block = client.until(b"\n\n").decode()
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line[1:])
        if "event" in fields:
            return fields["event"], json.loads(fields["data"])


def test_the_answer_grows_while_the_body_is_sent(service: Service) -> None:
    with service.connect() as client:
        path = "/v1/assemble?snapshotEvery=1"
        client.send(request("POST", path, transfer_encoding="chunked", **SSE))
        client.chunk(jsonl(STREAM[:1]))
        assert client.head()[0] == 200
        assert next_event(client)[1]["parts"] == []
        client.chunk(jsonl(STREAM[1:2]))
        assert next_event(client)[1]["parts"] == PARTS[:1]
        for one in STREAM[2:4]:
            client.chunk(jsonl([one]))
            name, shot = next_event(client)
            assert (name, shot["parts"][-1]["kind"]) == ("snapshot", "text")
        client.chunk(jsonl(STREAM[4:]))
        client.chunk(b"")
        while (event := next_event(client))[0] == "snapshot":
            pass
        assert event[0] == "done"
        assert event[1]["parts"] == PARTS


def test_what_breaks_before_the_first_event_is_a_problem_of_its_own(service: Service) -> None:
    answer = service.ask("POST", "/v1/assemble", jsonl(STREAM[1:]), **SSE)
    assert (answer.status, answer.rule) == (422, "stream/start-expected")


@pytest.mark.parametrize(
    ("body", "rule", "seq"),
    [
        (jsonl([*STREAM[:3], STREAM[1]]), "stream/seq-not-increasing", "2"),
        (jsonl(STREAM[:4]), "stream/truncated", "3"),
        (jsonl(STREAM[:2]) + b"{\n", "document/invalid-json", "1"),
        (
            jsonl([*STREAM[:2], delta(2, "error", errorCode="rate_limit", message="Later")]),
            "stream/failed",
            "2",
        ),
    ],
)
def test_what_breaks_later_is_an_event(service: Service, body: bytes, rule: str, seq: str) -> None:
    answer = service.ask("POST", "/v1/assemble?snapshotEvery=1", body, **SSE)
    assert answer.status == 200
    *shots, (last_seq, name, problem) = answer.events
    assert shots
    assert (name, last_seq) == ("problem", seq)
    assert problem["findings"][0]["rule"] == rule
    assert {each[1] for each in shots} == {"snapshot"}


def test_an_answer_that_ends_early_ends_the_connection(service: Service) -> None:
    with service.connect() as client:
        path = "/v1/assemble?snapshotEvery=1"
        client.send(request("POST", path, transfer_encoding="chunked", **SSE))
        client.chunk(jsonl(STREAM[:2]))
        status, headers = client.head()
        assert (status, headers["connection"]) == (200, "close")
        client.chunk(b"nonsense\n" + LINES * 10)
        while (event := next_event(client))[0] == "snapshot":
            pass
        assert event[1]["status"] == 400
        assert client.until(b"0\r\n\r\n")
        assert client.is_closed()


def test_a_provider_stream_grows_too(service: Service) -> None:
    case = provider_cases("v0.2", "openai-chat")[0]
    path = "/v1/assemble?from=openai-chat&snapshotEvery=1"
    body = case.data("input")
    headers = {**SSE, "content_type": "text/event-stream"}
    answer = service.ask("POST", path, body, **headers)
    assert answer.status == 200
    assert answer.events[-1][1] == "done"


def test_silence_is_filled_with_comments(tmp_path: Path) -> None:
    with serving(tmp_path, "--ping-seconds", "0.1") as service, service.connect() as client:
        client.send(request("POST", "/v1/assemble", transfer_encoding="chunked", **SSE))
        # The answer begins, although there is nothing to say.
        assert client.head()[0] == 200
        for _ in range(3):
            client.until(b": ping\n\n")
        client.chunk(LINES)
        client.chunk(b"")
        assert next_event(client)[0] == "done"


def test_snapshots_that_are_long_wait_for_more(service: Service) -> None:
    body = long_stream(3000)
    answer = service.ask("POST", "/v1/assemble?snapshotEvery=1", body, **SSE)
    *shots, done = answer.events
    assert done[1] == "done"
    assert len(done[2]["parts"][0]["payload"]["text"]) == 60_000
    sizes = [len(each[2]["parts"][0]["payload"]["text"]) for each in shots if each[2]["parts"]]
    assert sizes == sorted(sizes)
    assert len(shots) < 1500
    # All together they are no more than a multiple of what was received.
    assert len(answer.body) < 17 * len(body)


def test_snapshots_have_a_limit_and_the_message_has_none(tmp_path: Path) -> None:
    with serving(tmp_path, "--snapshot-bytes", "2000") as service:
        answer = service.ask("POST", "/v1/assemble?snapshotEvery=1", long_stream(500), **SSE)
    *shots, done = answer.events
    assert 0 < len(shots) < 20
    assert done[1] == "done"
    assert len(done[2]["parts"][0]["payload"]["text"]) == 10_000


def test_who_sends_all_before_reading_gets_an_answer(service: Service) -> None:
    # More snapshots than fit between us: sender and reader must not wait for each other.
    body = long_stream(20_000, 200)
    with service.connect(SO_RCVBUF=4096) as client:
        client.send(
            request("POST", "/v1/assemble?snapshotEvery=5", body, connection="close", **SSE)
        )
        answer = client.answer()
    assert answer.events[-1][1] == "done"
    assert len(answer.events[-1][2]["parts"][0]["payload"]["text"]) == 4_000_000


def test_a_slow_reader_costs_no_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        # Warm: what any such stream needs.
        service.ask("POST", "/v1/assemble", long_stream(5_000, 200), **SSE)
        before = service.rss_bytes()
        with service.connect(SO_RCVBUF=4096) as client:
            path = "/v1/assemble?snapshotEvery=1"
            client.send(request("POST", path, transfer_encoding="chunked", **SSE))
            body = long_stream(10_000, 500)
            for at in range(0, len(body), 100_000):
                client.chunk(body[at : at + 100_000])
            until(lambda: service.figure("partwire_held_bytes") == len(body), "all of the body")
            # The message is 5 MB, and every snapshot would be of that order.
            assert service.rss_bytes() - before < 60 << 20
            client.chunk(b"")
            assert client.answer().events[-1][1] == "done"


def test_two_thousand_findings_of_an_adapter_are_not_told(service: Service) -> None:
    body = b"".join(b'data: {"n": %d}\n\n' % number for number in range(2_000))
    path = "/v1/assemble?from=openai-chat"
    answer = service.ask("POST", path, body, content_type="text/event-stream")
    assert answer.status == 422
    assert len(answer.json["findings"]) <= 100
