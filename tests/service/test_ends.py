"""How the contract service ends: running requests finish, new ones go elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.runner import PARTS, STREAM, USER
from tests.service.process import PYTHON_PATH, Client, Service, jsonl, request, serving, until

JSONL = {"content_type": "application/jsonl"}
VALIDATE = "/v1/validate?type=message.Message"
SAME: dict[str, object] = {"old": {}, "new": {}}


def begun(service: Service, **headers: str) -> Client:
    """A client in the midst of its stream."""
    before = service.figure("partwire_open_streams")
    client = service.connect()
    path = "/v1/assemble?snapshotEvery=1"
    client.send(request("POST", path, transfer_encoding="chunked", **JSONL, **headers))
    client.chunk(jsonl(STREAM[:2]))
    until(lambda: service.figure("partwire_open_streams") == before + 1, "the stream")
    return client


def drained(service: Service) -> None:
    """Wait until the service has heard that it is to end."""
    until(lambda: any(each["event"] == "draining" for each in service.entries), "draining")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_running_requests_finish_and_new_ones_are_refused(tmp_path: Path, number: int) -> None:
    with serving(tmp_path, "--access-log") as service:
        plain, events = begun(service), begun(service, accept="text/event-stream")
        service.tell(number)
        drained(service)
        refused = service.post(VALIDATE, USER)
        assert (refused.status, refused.rule) == (503, "service/draining")
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.headers["connection"] == "close"
        health = service.ask("GET", "/healthz")
        assert (health.status, health.rule) == (503, "service/draining")
        for client in (plain, events):
            client.chunk(jsonl(STREAM[2:]))
            client.chunk(b"")
        assert plain.answer().json["parts"] == PARTS
        assert events.answer().events[-1][1] == "done"
        assert service.process.wait(60) == 0
        assert service.entries[-1] == {**service.entries[-1], "event": "ended", "cut": 0}
        with pytest.raises(ConnectionRefusedError):
            service.connect()


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_log_that_nobody_reads_any_more_stops_nothing(tmp_path: Path, unbuffered: str) -> None:
    command = "from partwire.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--port", "0", "--access-log"],
        stderr=subprocess.PIPE,
        # Where nothing is buffered, nothing is left that could not be written.
        env={**os.environ, "PYTHONPATH": PYTHON_PATH, "PYTHONUNBUFFERED": unbuffered},
    )
    try:
        assert process.stderr is not None
        ready = process.stderr.readline().decode()
        process.stderr.close()
        service = Service(process, int(ready.rpartition(":")[2]), tmp_path / "unread")
        client = begun(service, accept="text/event-stream")
        service.tell(signal.SIGTERM)
        until(lambda: service.ask("GET", "/healthz").status == 503, "draining")
        end = time.monotonic() + 1  # it writes down that it drains, and goes on
        while time.monotonic() < end:
            assert service.ask("GET", "/healthz").status == 503
        client.chunk(jsonl(STREAM[2:]))
        client.chunk(b"")
        assert client.answer().events[-1][1] == "done"
        client.socket.close()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()


def test_an_idle_service_ends_at_once(tmp_path: Path) -> None:
    # Connections that nothing is asked on keep nobody.
    with serving(tmp_path, "--drain-seconds", "3600", "--head-seconds", "3600") as service:
        quiet, kept = service.connect(), service.connect()
        kept.send(request("GET", "/healthz"))
        assert kept.answer().status == 200
        assert service.end() == 0
        assert quiet.is_closed()
        assert kept.is_closed()


def test_what_does_not_finish_in_time_is_cut_off_with_a_problem(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-seconds", "0.5") as service:
        plain, events = begun(service), begun(service, accept="text/event-stream")
        assert events.head()[0] == 200
        service.tell(signal.SIGTERM)
        answer = plain.answer()
        assert (answer.status, answer.rule) == (503, "service/draining")
        events.until(b"event: problem\n")
        data = events.until(b"\n\n").decode().partition("data: ")[2]
        assert json.loads(data)["findings"][0]["rule"] == "service/draining"
        # The status says that requests were cut off.
        assert service.process.wait(60) == 1
        assert service.entries[-1]["cut"] == 2


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_at_once(tmp_path: Path, second: int) -> None:
    with serving(tmp_path, "--drain-seconds", "3600") as service:
        client = begun(service)
        service.tell(signal.SIGTERM)
        drained(service)
        service.tell(second)
        assert service.process.wait(60) == 128 + second
        assert client.is_closed()


def workers(service: Service) -> list[int]:
    """The processes of a service's workers."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == service.process.pid:
                found.append(int(folder.name))
    return found


def is_gone(process: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_service(tmp_path: Path, number: int) -> None:
    with serving(tmp_path) as service:
        service.post("/v1/compat", SAME)
        (worker,) = workers(service)
        assert service.end(number) == (-number if number == signal.SIGKILL else 0)
        until(lambda: is_gone(worker), "the end of the worker")


@pytest.mark.parametrize("numbers", [[signal.SIGKILL], [signal.SIGTERM, signal.SIGTERM]])
def test_work_ends_with_the_service(tmp_path: Path, numbers: list[int]) -> None:
    kinds = {f"d{n}": {"x-entrypoint": True, "pattern": "^(a|b)*c{3,9}$"} for n in range(3000)}
    body = json.dumps({"old": {"$defs": kinds}, "new": {"$defs": kinds}}).encode()
    with serving(tmp_path, "--job-seconds", "3600") as service:
        client = service.connect()
        client.send(request("POST", "/v1/compat", body, content_type="application/json"))
        until(lambda: service.figure("partwire_busy_workers") == 1, "the work")
        (worker,) = workers(service)
        for number in numbers:
            service.tell(number)
            if len(numbers) > 1:
                drained(service)
        assert service.process.wait(60) != 0
        until(lambda: is_gone(worker), "the end of the worker")


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1") as service:
        service.post("/v1/compat", SAME)
        (worker,) = workers(service)
        os.kill(worker, signal.SIGKILL)
        until(lambda: is_gone(worker), "the end of the worker")
        assert service.post("/v1/compat", SAME).status == 200
        assert workers(service) != [worker]
