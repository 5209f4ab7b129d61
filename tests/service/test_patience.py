"""Clients that are slow, leave, or are too many; and what the contract service tells of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.cli.runner import STREAM, USER
from tests.service.process import LINES, Service, delta, jsonl, long_stream, request, serving, until

JSON = {"content_type": "application/json"}
JSONL = {"content_type": "application/jsonl"}
VALIDATE = "/v1/validate?type=message.Message"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("patient")) as running:
        yield running


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One whose patience is short."""
    seconds = {"idle": 2, "head": 2, "request": 6, "job": 0.01}
    options = [f"--{name}-seconds={value}" for name, value in seconds.items()]
    with serving(tmp_path_factory.mktemp("strict"), *options) as running:
        yield running


# --- too slow -------------------------------------------------------------------------------------


def test_a_body_that_stops_coming_is_given_up(strict: Service) -> None:
    with strict.connect() as client:
        client.send(request("POST", VALIDATE, b"{", content_length="100", **JSON))
        answer = client.answer()
        assert (answer.status, answer.rule) == (408, "service/slow-sender")
        assert client.is_closed()


def dribble(service: Service) -> tuple[bytes, float]:
    """Send some bytes five times a second until an answer comes; return it, and the longest pause.

    As many as a body has to bring, and no more.
    """
    longest = 0.0
    with service.connect() as client:
        client.send(request("POST", "/v1/assemble", content_length="100000", **JSONL))
        client.socket.settimeout(0.2)
        said = monotonic()
        for _ in range(500):
            client.send(b" " * 100)
            longest, said = max(longest, monotonic() - said), monotonic()
            try:
                client.until(b"\r\n")
                break
            except TimeoutError:
                continue
        client.socket.settimeout(60)
        return client.until(b"}]}"), longest


@pytest.mark.slow
def test_a_body_that_comes_as_slow_as_it_may_ends_with_the_request(strict: Service) -> None:
    rest, longest = dribble(strict)
    for _ in range(4):
        if longest < 1:
            break
        # A client that was held up itself is a slow sender, and rightly told so.
        rest, longest = dribble(strict)
    assert b"service/time-limit" in rest


def test_a_head_that_does_not_end_is_given_up(strict: Service) -> None:
    with strict.connect() as client:
        client.send(b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
        answer = client.answer()
        assert (answer.status, answer.rule) == (408, "service/slow-sender")
        assert client.is_closed()


def test_a_second_head_that_does_not_end_is_given_up(strict: Service) -> None:
    with strict.connect() as client:
        client.send(request("GET", "/healthz"))
        assert client.answer().status == 200
        client.send(b"GET /healthz HTTP/1.1\r\nhost: x\r\n")
        assert client.answer().status == 408
        assert client.is_closed()


def test_who_says_nothing_is_sent_away(strict: Service) -> None:
    with strict.connect() as client:
        assert client.is_closed()


def test_work_that_takes_too_long_is_ended(strict: Service) -> None:
    answer = strict.post("/v1/compat", {"old": {}, "new": {}})
    assert (answer.status, answer.rule) == (408, "service/time-limit")
    assert strict.figure("partwire_open_streams") == 0


def test_who_does_not_read_is_cut_off(strict: Service) -> None:
    labels = {"route": "/openapi.json", "status": "aborted"}
    before = strict.figure("partwire_requests_total", **labels)
    with strict.connect(SO_RCVBUF=4096) as client:
        # About 20 MB of answers: more than fits between us.
        client.send(request("GET", "/openapi.json") * 200)
        until(lambda: strict.figure("partwire_requests_total", **labels) > before, "the cut")
        until(lambda: strict.figure("partwire_open_connections") == 1, "the end of the connection")


# --- leaving --------------------------------------------------------------------------------------


def test_an_answer_whose_client_leaves_is_counted_as_cut_off(service: Service) -> None:
    route = "/openapi.json"
    before = service.figure("partwire_requests_total", route=route, status="aborted")
    client = service.connect(SO_RCVBUF=4096)
    client.send(request("GET", route) * 200)
    seen = [0.0]

    def blocked() -> bool:
        seen.append(service.figure("partwire_requests_total", route=route, status="200"))
        return seen[-1] > 0 and len(seen) > 10 and len(set(seen[-10:])) == 1

    until(blocked, "a connection that takes no more")
    client.abort()
    until(
        lambda: (
            service.figure("partwire_requests_total", route=route, status="aborted") == before + 1
        ),
        "the cut",
    )


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_leaves_gives_its_place_back(service: Service, accept: str) -> None:
    labels = {"route": "/v1/assemble", "status": "aborted"}
    before = service.figure("partwire_requests_total", **labels)
    client = service.connect()
    client.send(
        request("POST", "/v1/assemble", transfer_encoding="chunked", accept=accept, **JSONL)
    )
    client.chunk(LINES[:1000])
    until(lambda: service.figure("partwire_open_streams") == 1, "the stream")
    assert service.figure("partwire_held_bytes") == 1000
    client.abort()
    until(lambda: service.figure("partwire_open_streams") == 0, "the end of the stream")
    assert service.figure("partwire_held_bytes") == 0
    assert service.figure("partwire_requests_total", **labels) == before + 1


def test_a_client_that_leaves_ends_its_work(tmp_path: Path) -> None:
    # Each of these definitions takes its time to be compared.
    hard = {"pattern": "^(a|b|ab)*c{3,9}(a|b)*$", "not": {"pattern": "(ab){5,40}$"}}
    old = {"$defs": {f"d{n}": {"x-entrypoint": True, **hard, "minLength": n} for n in range(3000)}}
    new = {
        "$defs": {f"d{n}": {"x-entrypoint": True, **hard, "minLength": 400} for n in range(3000)}
    }
    with serving(tmp_path, "--workers", "1", "--job-seconds", "300") as service:
        client = service.connect()
        body = json.dumps({"old": old, "new": new, "direction": "full"}).encode()
        client.send(request("POST", "/v1/compat", body, **JSON))
        until(lambda: service.figure("partwire_busy_workers") == 1, "the work")
        client.abort()
        until(lambda: service.figure("partwire_busy_workers") == 0, "the end of the work")
        assert service.figure("partwire_worker_ends_total", cause="cancelled") == 1
        assert service.post("/v1/compat", {"old": {}, "new": {}}).json["verdict"] == "compatible"


# --- too many -------------------------------------------------------------------------------------


def test_there_are_only_so_many_places(tmp_path: Path) -> None:
    with serving(tmp_path, "--streams", "2", "--held-bytes", "5000") as service:
        busy = [service.connect() for _ in range(2)]
        for client in busy:
            client.send(request("POST", "/v1/assemble", transfer_encoding="chunked", **JSONL))
        until(lambda: service.figure("partwire_open_streams") == 2, "two streams")
        refused = service.post(VALIDATE, USER)
        assert (refused.status, refused.rule) == (429, "service/busy")
        assert int(refused.headers["retry-after"]) >= 1
        assert service.ask("GET", "/healthz").status == 200
        for client in busy:
            for line in LINES.splitlines(keepends=True):
                client.chunk(line)
            client.chunk(b"")
            assert client.answer().status == 200
            client.socket.close()
        assert service.post(VALIDATE, USER).status == 200
        too_much = service.ask("POST", "/v1/assemble", long_stream(100), **JSONL)
        assert (too_much.status, too_much.rule) == (429, "service/busy")
        # Lines that are only looked at are not held.
        lines = service.ask("POST", VALIDATE, jsonl([USER] * 100), **JSONL)
        assert lines.json["documents"] == 100


def test_there_are_only_so_many_connections(tmp_path: Path) -> None:
    with serving(tmp_path, "--connections", "2") as service:
        first, second = service.connect(), service.connect()
        for client in (first, second):
            client.send(request("GET", "/healthz"))
            assert client.answer().status == 200
        with service.connect() as third:
            third.send(request("POST", VALIDATE, b" " * 1_000_000, **JSON))
            answer = third.answer()
            assert (answer.status, answer.rule) == (429, "service/busy")
            assert third.is_closed()
        first.socket.close()
        second.socket.close()
        until(lambda: service.ask("GET", "/healthz").status == 200, "a free connection")


def test_work_that_takes_too_much_memory_is_ended(tmp_path: Path) -> None:
    with serving(tmp_path, "--worker-bytes", str(200 << 20), "--job-seconds", "200") as service:
        many = b'{"parts": [' + b'{"":{}},' * 900_000 + b"0]}"
        answer = service.post(VALIDATE, many)
        assert (answer.status, answer.rule) == (413, "service/too-large")
        large = {**USER, "parts": [{"kind": "text", "payload": {"text": "x" * 300_000}}]}
        assert service.post(VALIDATE, large).json["valid"]


# --- nothing is reported --------------------------------------------------------------------------


def test_no_content_goes_to_the_log(tmp_path: Path) -> None:
    secret = "S3CR3T"
    with serving(tmp_path, "--access-log", "--idle-seconds", "1") as service:
        document = {**USER, "runId": secret, "role": secret, secret: [secret]}
        service.post(VALIDATE, document)
        service.post(f"{VALIDATE}&{secret}={secret}", document)
        service.post(f"/v1/{secret}", document)
        service.ask(secret, f"/v1/validate?{secret}", authorization=secret)
        service.ask("GET", f"/schemas/{secret}/{secret}/{secret}")
        service.post("/v1/compat", {"old": {secret: 1}, "new": {"type": secret}})
        service.post("/v1/convert?type=message.Message&to=blocks", document)
        broken = [STREAM[0], delta(1, "error", errorCode="unknown", message=secret)]
        service.ask("POST", "/v1/assemble", jsonl(broken), accept="text/event-stream", **JSONL)
        service.ask("POST", "/v1/assemble", secret.encode(), content_type=secret)
        with service.connect() as client:
            client.send(f"{secret} {secret}\r\n\r\n".encode())
            client.answer()
        with service.connect() as client:
            client.send(request("POST", VALIDATE, secret.encode(), content_length="99", **JSON))
            client.answer()
        assert secret not in service.ask("GET", "/metrics").body.decode()
        assert service.end() == 0
        told = service.output
    assert secret not in told
    requests = [each for each in service.entries if each["event"] == "request"]
    assert len(requests) == 11
    assert {each["route"] for each in requests} == {
        "/v1/validate",
        "/v1/assemble",
        "/v1/convert",
        "/v1/compat",
        "/schemas/{version}/{family}/{file}",
        "/metrics",
        "other",
    }
    assert "Traceback" not in told
