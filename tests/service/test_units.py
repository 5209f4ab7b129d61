"""Parts of the contract service by themselves: what a server over a socket does not show."""

from __future__ import annotations

import asyncio
import gc
import json
import warnings
from time import process_time
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from partwire import UsageError
from partwire.service import Limits
from partwire.service import create_app as create
from partwire.service.endpoints.assemble import _Outbox, _Shot
from partwire.service.jobs import JOBS
from partwire.service.metrics import Metrics
from partwire.service.negotiation import chosen_type, headers_of
from partwire.service.problems import Problem, status_of
from partwire.service.server import Address, is_loopback, listen
from partwire.service.worker import run_job
from partwire.service.workers import JobFailed, Workers
from tests.service.calls import call, run_request
from tests.service.process import long_stream

JSON = {"content-type": "application/json"}
VALIDATE = "/v1/validate?type=message.ToolChoice"


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("body_bytes", 0),
        ("streams", -1),
        ("streams", True),
        ("findings", 1.0),
        ("depth", 513),
        ("depth", 0),
        ("idle_seconds", 0),
        ("idle_seconds", float("nan")),
        ("request_seconds", float("inf")),
        ("drain_seconds", "5"),
    ],
)
def test_a_limit_that_is_none_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        Limits(**{name: value})
    (finding,) = caught.value.findings
    assert finding.rule == "usage/invalid-argument"
    assert name in finding.message
    assert finding.expected is not None


def test_limits_may_be_whole_seconds_and_the_contracts_own_depth() -> None:
    assert Limits(idle_seconds=1, depth=512).depth == 512


# --- faults of our own ----------------------------------------------------------------------------


def fail(*_: object) -> None:
    raise KeyError("S3CR3T")


def test_an_unexpected_exception_is_a_problem_with_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("partwire.service.endpoints.validate.document_findings", fail)
    headers = {"content-type": "application/jsonl"}
    answer = call("POST", VALIDATE, b"0\n", headers=headers)
    assert answer.status == 500
    assert answer.json["findings"][0]["rule"] == "service/internal-error"
    error, entry = answer.entries
    assert error["instance"] == answer.json["instance"]
    assert (error["error"], entry["status"]) == ("KeyError", "500")
    assert "test_units.py:" in error["at"]
    assert "S3CR3T" not in json.dumps(answer.entries) + answer.body.decode()


def test_a_job_that_fails_is_a_problem_with_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOBS, "validate", fail)
    answer = call("POST", VALIDATE, b'"auto"', headers=JSON)
    assert answer.status == 500
    assert answer.entries[0]["error"] == "KeyError"
    assert "S3CR3T" not in json.dumps(answer.entries) + answer.body.decode()


def test_what_an_endpoint_refuses_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise UsageError(problem_finding)

    with pytest.raises(UsageError) as caught:
        Limits(streams=0)
    problem_finding = caught.value.findings[0]
    monkeypatch.setattr("partwire.service.endpoints.publish._openapi", missing)
    answer = call("GET", "/openapi.json")
    assert (answer.status, answer.json["findings"][0]["rule"]) == (400, "usage/invalid-argument")


def test_an_answer_that_has_begun_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    # A status that is sent cannot be taken back: what is missing has to be seen.
    monkeypatch.setattr("partwire.service.endpoints.assemble._event", fail)
    lines = b"".join(
        json.dumps(
            {
                "runId": "run_1",
                "seq": seq,
                "kind": kind,
                "payload": payload,
                "timestamp": "2026-01-02T03:04:05Z",
            }
        ).encode()
        + b"\n"
        for seq, (kind, payload) in enumerate(
            [
                ("start", {"modelId": "m", "requestId": "r"}),
                ("done", {"finishReason": "stop"}),
            ]
        )
    )
    headers = {"content-type": "application/jsonl", "accept": "text/event-stream"}
    answer = call("POST", "/v1/assemble?snapshotEvery=1", lines, headers=headers)
    assert answer.status == 500
    assert [each["event"] for each in answer.entries] == ["error", "request"]


# --- jobs and workers -----------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyError("S3CR3T"), RuntimeError(), AssertionError("S3CR3T")])
def test_a_job_tells_its_place_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def job(data: bytes, options: object) -> None:
        raise error

    monkeypatch.setitem(JOBS, "validate", job)
    told, body = run_job({"job": "validate", "options": {}}, b"")
    assert (told["is"], told["error"], body) == ("failure", type(error).__name__, b"")
    assert "S3CR3T" not in json.dumps(told)


def test_a_job_without_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def job(data: bytes, options: object) -> None:
        raise MemoryError

    monkeypatch.setitem(JOBS, "validate", job)
    assert run_job({"job": "validate", "options": {}}, b"") == ({"is": "memory"}, b"")


def worked(*jobs: tuple[str, bytes], **limits: Any) -> list[Any]:
    """Do jobs in workers, one after the other; what they raise is among the answers."""

    async def work() -> list[Any]:
        workers = Workers(Limits(**limits), Metrics())
        found: list[Any] = []
        try:
            for name, data in jobs:
                try:
                    found.append(await workers.run(name, data, {"seconds": 1, "depth": 512}))
                except (Problem, JobFailed) as error:
                    found.append(error)
        finally:
            await workers.close()
        return found

    return asyncio.run(work())


def test_a_worker_goes_on_after_a_refusal_and_a_fault() -> None:
    good = b'{"old": {}, "new": {}}'
    # A validate job without its options is a fault of ours.
    first, refused, failed, last = worked(
        ("compare", good), ("compare", b"{"), ("validate", b" " * 20_000), ("compare", good)
    )
    assert first == last
    assert json.loads(first)["verdict"] == "compatible"
    assert refused.rule == "document/invalid-json"
    assert isinstance(failed, JobFailed)
    assert (failed.name, "worker.py:" in failed.place) == ("KeyError", True)


def test_an_application_works_in_one_event_loop_after_another() -> None:
    # Clients of tests do so, one loop for each request.
    workers = Workers(Limits(), Metrics())
    same = b'{"old": {}, "new": {}}'

    async def work() -> bytes:
        return await workers.run("compare", same, {"seconds": 1, "depth": 512})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of the loop that is gone
        first, second = asyncio.run(work()), asyncio.run(work())
        asyncio.run(workers.close())
        gc.collect()
    assert first == second


def test_a_worker_that_cannot_even_start_is_told_as_what_it_is() -> None:
    (refused,) = worked(("compare", b"{}"), worker_bytes=1 << 20)
    assert refused.rule == "service/too-large"


# --- the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body"), [(VALIDATE, b"0\n" * 30_000), ("/v1/assemble", long_stream(60_000))]
)
def test_long_work_lets_others_have_their_turn(path: str, body: bytes) -> None:
    async def work() -> tuple[float, float]:
        began = last = process_time()
        longest = 0.0

        async def others() -> None:
            nonlocal last, longest
            while True:
                longest, last = max(longest, process_time() - last), process_time()
                await asyncio.sleep(0)

        waiting = asyncio.ensure_future(others())
        headers = {"content-type": "application/jsonl"}
        status, *_ = await run_request(create(), "POST", path, [body], headers)
        waiting.cancel()
        assert status == 200
        return longest, process_time() - began

    # All of the body is there at once: nothing but the work itself can give way. The processor's
    # time, because the machine may have other work.
    longest, whole = asyncio.run(work())
    assert longest < whole / 2


def test_what_waits_for_a_slow_reader_is_bounded_and_the_newest_counts() -> None:
    outbox = _Outbox()
    for number in range(1000):
        outbox.put(_Shot(None, number, 0))  # type: ignore[arg-type]
    waiting = []
    while (shot := outbox.take()) is not None:
        waiting.append(shot.seq)
    assert len(waiting) == 64
    assert waiting[-1] == 999
    assert waiting == sorted(waiting)


def test_every_rule_has_a_status() -> None:
    known = {
        "shape/type": 422,
        "document/empty": 400,
        "framing/line-too-long": 413,
        "stream/truncated": 422,
        "service/busy": 429,
        "service/draining": 503,
        "bridge/unsupported": 422,
    }
    assert {rule: status_of(rule) for rule in known} == known


def test_of_many_ranges_only_so_many_are_looked_at() -> None:
    many = headers_of([(b"accept", b"text/html," * 5000 + b"*/*")])
    with pytest.raises(Problem) as caught:
        chosen_type(many, ("application/json",))
    assert caught.value.status == 406


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("example.org", False),
    ],
)
def test_loopback_is_known(host: str, is_local: bool) -> None:
    assert is_loopback(host) == is_local


def test_an_address_is_written_as_a_url() -> None:
    assert Address("127.0.0.1", 80).url == "http://127.0.0.1:80"
    assert Address("::1", 80).url == "http://[::1]:80"


@pytest.mark.parametrize("host", ["no such host", "192.0.2.1", "x" * 300, "a..b"])
def test_an_address_that_is_none_is_refused(host: str) -> None:
    with pytest.raises(UsageError) as caught:
        listen(host, 0)
    assert caught.value.rule == "usage/unusable-address"


def test_the_application_is_made_by_the_package() -> None:
    app = create(Limits(streams=7))
    assert app.state.service.limits.streams == 7


def test_the_application_may_be_a_part_of_another_one() -> None:
    whole = Starlette(routes=[Mount("/contract", create())])
    with TestClient(whole) as client:
        assert client.get("/contract/healthz").json()["status"] == "ok"
        answer = client.post(f"/contract{VALIDATE}", content=b'"auto"', headers=JSON)
        assert answer.json()["valid"]
        for path in ("/contract/nothing", "/contract/contract/healthz"):
            assert client.get(path).json()["findings"][0]["rule"] == "service/unknown-path"
        figures = client.get("/contract/metrics").text
        assert 'partwire_requests_total{route="/v1/validate",status="200"} 1.0' in figures
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/contract/healthz"):
            pass


def test_an_application_serves_other_servers_too() -> None:
    # Without uvicorn's connection, and without a lifespan.
    answer = call("POST", VALIDATE, b'"au', b'to"', headers=JSON)
    assert (answer.status, answer.json["valid"]) == (200, True)
    assert [each["route"] for each in answer.entries] == ["/v1/validate"]
