"""HTTP itself, as the contract service speaks it: what is none, and what is seldom used."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cli.runner import USER
from tests.service.process import LINES, Service, request, serving, until

JSON = {"content_type": "application/json"}
JSONL = {"content_type": "application/jsonl"}
VALIDATE = "/v1/validate?type=message.Message"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("http"), "--head-bytes", "16384") as running:
        yield running


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nhost: x\r\nbad header: y\r\n\r\n",
        request("GET", "/healthz", x="y" * 17_000),
        request("GET", "/healthz", **{f"x{n}": "y" for n in range(4_000)}),
        request("GET", "/" + "x" * 17_000),
        request("POST", VALIDATE, content_length="-1", **JSON),
        request("POST", VALIDATE, content_length="1, 2", **JSON),
        request("POST", VALIDATE, content_length="9" * 5_000, **JSON),
        request("POST", VALIDATE, transfer_encoding="nonsense", **JSON),
        request("POST", VALIDATE, content_length="5", transfer_encoding="chunked", **JSON)
        + b"0\r\n\r\n"
        + request("GET", "/healthz"),
        request("POST", VALIDATE, transfer_encoding="chunked", **JSON) + b"nonsense\r\n",
    ],
)
def test_what_is_no_http_is_refused(service: Service, data: bytes) -> None:
    with service.connect() as client:
        client.send(data)
        answer = client.answer()
        assert (answer.status, answer.rule) == (400, "service/bad-request")
        assert client.is_closed()


def test_requests_in_one_go_are_answered_in_order(service: Service) -> None:
    good, bad = json.dumps(USER).encode(), json.dumps({**USER, "role": ""}).encode()
    with service.connect() as client:
        client.send(
            request("POST", VALIDATE, good, **JSON)
            + request("GET", "/healthz")
            + request("POST", VALIDATE, bad, **JSON)
            + request("GET", "/nothing")
            + request("POST", "/v1/assemble", LINES, **JSONL)
        )
        answers = [client.answer() for _ in range(5)]
    assert [each.status for each in answers] == [200, 200, 200, 404, 200]
    assert [each.json.get("valid") for each in answers] == [True, None, False, None, None]


def test_a_connection_serves_again_after_a_refusal(service: Service) -> None:
    with service.connect() as client:
        for _ in range(3):
            client.send(request("POST", VALIDATE, b"{", **JSON))
            assert client.answer().status == 400
            client.send(request("POST", VALIDATE, json.dumps(USER).encode(), **JSON))
            assert client.answer().json["valid"]


def test_http_1_0_is_spoken(service: Service) -> None:
    with service.connect() as client:
        client.send(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert client.answer().json["status"] == "ok"
        assert client.is_closed()


def test_an_upgrade_is_not_taken(service: Service) -> None:
    answer = service.ask("GET", "/healthz", upgrade="websocket", connection="upgrade")
    assert answer.status == 200


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://localhost/healthz", 200),
        ("HTTP://user@localhost:80/openapi.json?edition=3.2", 200),
        ("https://[::1]/%68ealthz", 200),
        ("http://localhost", 404),
        ("http://localhost/http://localhost/healthz", 404),
        ("ftp://test/healthz", 404),
    ],
)
def test_a_target_may_be_a_whole_url(service: Service, target: str, status: int) -> None:
    assert service.ask("GET", target).status == status


def test_the_end_of_a_connection_is_told_once(service: Service) -> None:
    told_twice = request("POST", VALIDATE, content_length="5", transfer_encoding="chunked", **JSON)
    with service.connect() as client:
        client.send(told_twice)
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.socket.recv(4096)
    assert head.count(b"connection: close\r\n") == 1


def test_what_is_no_http_is_answered_as_a_request_is(service: Service) -> None:
    with service.connect() as client:
        client.send(b"nonsense\r\n\r\n")
        head = client.until(b"\r\n\r\n").decode().lower().splitlines()
    assert head[0] == "http/1.1 400 bad request"
    assert "cache-control: no-store" in head


def test_a_body_that_breaks_http_is_answered_once_and_is_no_fault(service: Service) -> None:
    def ended() -> float:
        labels = [{"route": "/healthz", "status": each} for each in ("200", "500", "aborted")]
        return sum(service.figure("partwire_requests_total", **each) for each in labels)

    before = ended()
    with service.connect() as client:
        # Its application does not read the body, and has its own answer.
        client.send(request("GET", "/healthz", transfer_encoding="chunked") + b"nonsense\r\n")
        answer = client.answer()
        assert (answer.status, answer.rule) == (400, "service/bad-request")
        until(lambda: ended() == before + 1, "the end of the request")
        assert client.is_closed()
    assert [each for each in service.entries if each["event"] == "error"] == []
