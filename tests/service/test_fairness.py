"""Nobody shuts others out: short work, other clients, and other hosts, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partwire.service.fairness import Lane, Share, client_of
from partwire.service.heads import check_host, known_hosts
from partwire.service.problems import Problem
from tests.cli.runner import USER
from tests.service.process import Client, Service, request, serving, until

JSON = {"content_type": "application/json"}
JSONL = {"content_type": "application/jsonl"}
VALIDATE = "/v1/validate?type=message.Message"
HARD = {"pattern": "^(a|b|ab)*c{3,9}(a|b)*$", "not": {"pattern": "(ab){5,40}$"}}


def slow_comparison() -> bytes:
    """Two schemas that take a worker longer than any test."""
    sides = {
        side: {"$defs": {f"d{n}": {"x-entrypoint": True, **HARD, **more} for n in range(3000)}}
        for side, more in (("old", {"minLength": 3}), ("new", {"minLength": 400}))
    }
    return json.dumps({**sides, "direction": "full"}).encode()


def message(size: int) -> dict[str, Any]:
    return {**USER, "parts": [{"kind": "text", "payload": {"text": "x" * size}}]}


def test_short_work_waits_for_no_comparison(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", "--job-seconds", "60") as service:
        body = slow_comparison()
        for _ in range(2):
            service.connect().send(request("POST", "/v1/compat", body, **JSON))
        until(lambda: service.figure("partwire_busy_workers") >= 1, "the comparison")
        for size in (30_000, 2_000_000):
            begin = time.monotonic()
            assert service.post(VALIDATE, message(size)).json["valid"]
            assert time.monotonic() - begin < 20
        assert service.figure("partwire_busy_workers") == 1


def test_clients_have_a_place_by_turns() -> None:
    told: list[str] = []

    async def work(lane: Lane, client: str) -> None:
        async with lane.place(client):
            told.append(client)
            await asyncio.sleep(0)

    async def run() -> None:
        lane = Lane(1)
        clients = ["a"] * 5 + ["b", "b", "c"]
        tasks = [asyncio.create_task(work(lane, client)) for client in clients]
        await asyncio.sleep(0)
        tasks[1].cancel()  # its turn goes to another
        await asyncio.gather(*tasks, return_exceptions=True)
        assert told == ["a", "b", "c", "a", "b", "a", "a"]
        await asyncio.gather(*(work(lane, "d") for _ in range(3)))  # the place is still there
        assert told[-3:] == ["d"] * 3

    asyncio.run(run())


def test_a_place_that_comes_as_its_client_leaves_is_not_lost() -> None:
    async def run() -> None:
        lane = Lane(1)
        async with lane.place("a"):
            waiting = asyncio.create_task(lane.place("b").__aenter__())
            await asyncio.sleep(0)
        waiting.cancel()  # it has just been given the place
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5), lane.place("c"):
            pass

    asyncio.run(run())


# --- slow senders ---------------------------------------------------------------------------------


def test_who_trickles_is_given_up_and_others_have_places(tmp_path: Path) -> None:
    """Eight places: one address has six of them at most, and none for long."""
    limits = ["--streams", "8", "--idle-seconds", "2", "--body-rate", "100"]
    with serving(tmp_path, *limits) as service:
        busy = [service.connect() for _ in range(8)]
        stop = threading.Event()

        def trickle() -> None:
            while not stop.wait(0.2):
                for client in busy:
                    with contextlib.suppress(OSError):
                        client.chunk(b" ")

        for client in busy:
            client.send(request("POST", VALIDATE, transfer_encoding="chunked", **JSONL))
            client.chunk(b"\n" * 300)  # what is earned at once is no more than there was
        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            until(lambda: service.figure("partwire_open_streams") == 6, "its share")
            until(lambda: service.figure("partwire_open_streams") == 0, "the end of patience")
        finally:
            stop.set()
            thread.join()
        answers = [client.answer() for client in busy]
        assert sorted(answer.rule for answer in answers) == [
            *["service/busy"] * 2,
            *["service/slow-sender"] * 6,
        ]
        (refused, *_) = (answer for answer in answers if answer.status == 429)
        assert refused.json["findings"][0]["expected"] == "at most 6 of 8"
        assert service.post(VALIDATE, USER).json["valid"]


@pytest.mark.slow
def test_who_brings_enough_may_take_long_breaks(tmp_path: Path) -> None:
    with serving(tmp_path, "--idle-seconds", "3", "--body-rate", "100") as service:
        client = service.connect()
        client.send(request("POST", VALIDATE, transfer_encoding="chunked", **JSONL))
        for _ in range(4):
            client.chunk(b"\n" * 300)
            time.sleep(1.2)
        client.chunk(b"")
        assert client.answer().status == 200


def test_a_share_counts_clients_and_forgets_them() -> None:
    share = Share("places", 10, 0.75)
    for _ in range(8):
        share.take("a")
    with pytest.raises(Problem, match="service/busy"):
        share.take("a")
    for client in ("b", "c"):
        share.take(client)
    with pytest.raises(Problem, match="service/busy"):
        share.take("d")
    share.give_back("a")
    share.take("d")
    for client in ("a", "b", "c", "d"):
        share.give_back(client, 7 if client == "a" else 1)
    assert (share.taken, vars(share)["_of"]) == (0, {})
    Share("places", 1, 0.1).take("a")


@pytest.mark.parametrize(
    ("address", "client"),
    [
        (("192.0.2.1", 5), "192.0.2.1"),
        (("::ffff:192.0.2.1", 5), "192.0.2.1"),
        (("2001:db8:1:2:3:4:5:6", 5), "2001:db8:1:2::"),
        (("fe80::1%eth0", 5), "fe80::"),
        (("testclient", 5), "testclient"),
        (None, ""),
    ],
)
def test_whom_an_address_belongs_to(address: Any, client: str) -> None:
    assert client_of(address) == client


def test_connections_are_shared_too(tmp_path: Path) -> None:
    with serving(tmp_path, "--connections", "8") as service:
        held = [service.connect() for _ in range(6)]
        until(lambda: service_is_full(service), "its share of connections")
        held[0].socket.close()
        until(lambda: not service_is_full(service), "a place")


def service_is_full(service: Service) -> bool:
    with Client(service.port) as client:
        client.send(request("GET", "/healthz", connection="close"))
        return client.answer().status == 429


# --- hosts ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("hosts")
    with serving(folder, "--allow-host", "Contract.Example.", "--allow-host", "b.example") as given:
        yield given


def host_answer(service: Service, host: str, target: str = "/healthz") -> tuple[int, str]:
    with service.connect() as client:
        client.send(f"GET {target} HTTP/1.1\r\nhost: {host}\r\n\r\n".encode("latin-1"))
        answer = client.answer()
        return answer.status, "" if answer.status == 200 else answer.rule


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "localhost:8750", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9:1"),
        *("[::1]", "[::1]:8750", "contract.example", "b.example:443", "CONTRACT.example"),
    ],
)
def test_names_of_the_service_are_taken(named: Service, host: str) -> None:
    assert host_answer(named, host) == (200, "")


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1"),
        *("notlocalhost", "a.contract.example", "*", "[::2]", "localhost@evil.example", "\xe9"),
        *("localhost:80:80", "[::1", "0x7f.1"),
    ],
)
def test_other_hosts_are_refused(named: Service, host: str) -> None:
    assert host_answer(named, host) == (400, "service/unknown-host")


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("B.example:443", "b.example"),
        ("[2001:DB8::1]", "[2001:db8::1]:80"),
        ("2001:db8::1", "[2001:db8::1]"),
        ("::1", "[::1]"),
        ("192.0.2.1", "192.0.2.1:80"),
        ("*", "any.example"),
    ],
)
def test_names_are_listed_in_any_form(name: str, host: str) -> None:
    check_host(known_hosts([name]), host.encode(), None)
    with pytest.raises(Problem, match="service/unknown-host"):
        check_host(known_hosts(["" if name == "*" else name]), b"other.example", None)


def test_the_address_of_a_connection_is_a_host() -> None:
    check_host((), b"192.0.2.1:8750", ("192.0.2.1", 8750))
    check_host((), b"[2001:db8::1]", ("2001:DB8::1", 8750))
    check_host((), b"192.0.2.1", ("::ffff:192.0.2.1", 8750))
    for other in (b"192.0.2.2", b""):
        with pytest.raises(Problem, match="service/unknown-host"):
            check_host((), other, ("192.0.2.1", 8750))


def test_a_whole_url_names_a_host_too(named: Service) -> None:
    refused = (400, "service/unknown-host")
    assert host_answer(named, "localhost", "http://evil.example/healthz") == refused
    assert host_answer(named, "evil.example", "http://localhost/healthz") == refused
    assert host_answer(named, "localhost", "http://localhost:80/healthz") == (200, "")


def test_any_host_may_be_allowed(tmp_path: Path) -> None:
    with serving(tmp_path, "--allow-host", "*") as service:
        assert host_answer(service, "anything.example") == (200, "")


# --- workers that die -----------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="workers are found in /proc")
def test_work_whose_process_is_killed_is_no_large_document(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", "--job-seconds", "120") as service:
        client = service.connect()
        client.send(request("POST", "/v1/compat", slow_comparison(), **JSON))
        until(lambda: service.figure("partwire_busy_workers") == 1, "the work")
        found = worker_processes(service)
        for worker in found:
            os.kill(worker, signal.SIGKILL)
        answer = client.answer()
        assert (answer.status, answer.rule) == (500, "service/worker-lost")
        assert answer.json["findings"][0]["actual"] == "signal 9"
        assert service.post(VALIDATE, message(30_000)).json["valid"]


def worker_processes(service: Service) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{service.process.pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    assert found
    return found


# --- heads ----------------------------------------------------------------------------------------

HEAD = b"POST " + VALIDATE.encode() + b" HTTP/1.1\r\nhost: localhost\r\n"
TYPE = b"content-type: application/json\r\n"
HEADS: dict[str, tuple[bytes, int, str]] = {
    "a length of 20 digits": (
        HEAD + TYPE + b"content-length: 99999999999999999999\r\n\r\n",
        413,
        "service/too-large",
    ),
    "a length of 21 digits": (
        HEAD + TYPE + b"content-length: 999999999999999999999\r\n\r\n",
        400,
        "service/bad-request",
    ),
    "a header over two lines": (
        HEAD + TYPE + b"x-a: b\r\n c\r\ncontent-length: 2\r\n\r\n{}",
        400,
        "service/bad-request",
    ),
    "LF alone": (
        b"GET /healthz HTTP/1.1\nhost: localhost\n\n",
        400,
        "service/bad-request",
    ),
    "LF alone, once": (
        b"GET /healthz HTTP/1.1\r\nhost: localhost\nx-a: b\r\n\r\n",
        400,
        "service/bad-request",
    ),
    "LF alone at the end": (
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\n",
        400,
        "service/bad-request",
    ),
    "HTTP/9.9": (
        b"GET /healthz HTTP/9.9\r\nhost: localhost\r\n\r\n",
        505,
        "service/unsupported-version",
    ),
    "HTTP/2.0": (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        505,
        "service/unsupported-version",
    ),
    "no version": (b"GET /healthz\r\n\r\n", 400, "service/bad-request"),
    "two hosts": (
        b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n",
        400,
        "service/bad-request",
    ),
    "no host": (b"GET /healthz HTTP/1.1\r\n\r\n", 400, "service/bad-request"),
}


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("before", [False, True], ids=["first", "behind another"])
@pytest.mark.parametrize("cut", [False, True], ids=["whole", "in two pieces"])
def test_heads_that_others_read_otherwise(
    named: Service, name: str, before: bool, cut: bool
) -> None:
    head, status, rule = HEADS[name]
    data = request("GET", "/healthz") + head if before else head
    with named.connect() as client:
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if cut:
            client.send(data[:-20])
            time.sleep(0.02)
            client.send(data[-20:])
        else:
            client.send(data)
        if before:
            assert client.answer().status == 200
        answer = client.answer()
        assert (answer.status, answer.rule) == (status, rule)
        assert client.is_closed()


def test_a_next_minor_version_is_spoken(named: Service) -> None:
    with named.connect() as client:
        client.send(b"GET /healthz HTTP/1.2\r\nhost: localhost\r\n\r\n")
        assert client.answer().status == 200
