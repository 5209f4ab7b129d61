"""Documents that are nested deep: each route takes them, or says that they are too deep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from partwire.service.jobs import JOBS
from partwire.service.worker import run_job
from partwire_testing.conformance.drawn.aws_frames import event_frame
from tests.service.calls import Called, call
from tests.service.process import LINES

AT: Final = "2026-01-02T03:04:05Z"
DEPTHS: Final = (100, 480, 500, 505, 507, 508, 509, 510, 511, 512, 513, 5_000)
JSON: Final = "application/json"
JSONL: Final = "application/jsonl"
MARK: Final = '"@@"'


def message(*parts: Any, **more: Any) -> Any:
    return {"runId": "r", "role": "assistant", "parts": list(parts), "timestamp": AT, **more}


def part(kind: str, **payload: Any) -> Any:
    return {"kind": kind, "payload": payload}


CALL: Final = message(part("tool_call", toolCallId="c", toolName="n", arguments="@@"))
DELTA: Final = {"runId": "r", "kind": "text", "payload": {"textDelta": "a"}, "timestamp": AT}
PLACES: Final[dict[str, tuple[str, str, Any]]] = {
    "validate": ("/v1/validate?type=message.Message", JSON, CALL),
    "validate, unknown": ("/v1/validate?type=message.Message", JSON, message(more="@@")),
    "validate, open": ("/v1/validate?type=message.Message", JSON, message(meta={"a": "@@"})),
    "validate, a line": ("/v1/validate?type=message.Message", JSONL, CALL),
    "convert to blocks": ("/v1/convert?type=message.Message&to=blocks", JSON, CALL),
    "convert to session": ("/v1/convert?type=message.Message&to=session", JSON, CALL),
    "convert a history": ("/v1/convert?type=message.Message&to=session", JSON, [CALL]),
    "assemble": ("/v1/assemble", JSONL, {**DELTA, "seq": 0, "providerRaw": "@@"}),
}


def deep(depth: int, form: str) -> str:
    if form == "array":
        return '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    return '{"a":' * depth + "1" + "}" * depth


def is_said(answer: Called) -> bool:
    """Return whether an answer is one, or a refusal that is the client's matter."""
    return answer.status < 500 and b"internal-error" not in answer.body and len(answer.entries) == 1


@pytest.mark.parametrize("form", ["array", "object"])
@pytest.mark.parametrize("place", PLACES)
def test_every_route_takes_depth_or_says_so(place: str, form: str) -> None:
    path, kind, document = PLACES[place]
    for depth in DEPTHS:
        body = json.dumps(document).replace(MARK, deep(depth, form)).encode()
        answer = call("POST", path, body + b"\n", headers={"content-type": kind})
        assert is_said(answer), (depth, answer)
        if depth > 512:
            found = answer.json["findings"]
            assert found[0]["rule"] == "document/too-deep"


@pytest.mark.parametrize("depth", [480, 511, 5_000])
def test_schemas_may_be_deep(depth: int) -> None:
    schema = '{"not":' * depth + "{}" + "}" * depth
    answer = call(
        "POST",
        "/v1/compat",
        f'{{"old":{schema},"new":{{}}}}'.encode(),
        headers={"content-type": JSON},
    )
    assert is_said(answer), answer


def frames(depth: int, form: str) -> Iterator[bytes]:
    inner = deep(depth, form)
    for name, payload in (
        ("messageStart", {"role": "assistant"}),
        ("messageStart", {"role": "assistant", "p": "@@"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "a", "citation": "@@"}}),
        ("metadata", {"usage": "@@"}),
        ("messageStop", {"stopReason": "end_turn", "additionalModelResponseFields": "@@"}),
    ):
        yield event_frame(name, json.dumps(payload).replace(MARK, inner).encode())


@pytest.mark.parametrize("accept", [JSON, "text/event-stream"])
@pytest.mark.parametrize("form", ["array", "object"])
def test_events_of_providers_may_be_deep(form: str, accept: str) -> None:
    headers = {"content-type": "application/vnd.amazon.eventstream", "accept": accept}
    for depth in DEPTHS:
        body = b"".join(frames(depth, form))
        answer = call("POST", "/v1/assemble?from=bedrock-converse", body, headers=headers)
        assert is_said(answer), (depth, answer)


# --- what nobody has thought of -------------------------------------------------------------------


def too_deep(*_: object, **__: object) -> Any:
    raise RecursionError("S3CR3T")


@pytest.mark.parametrize(
    ("where", "path", "kind", "body"),
    [
        (
            "endpoints.validate.document_findings",
            "/v1/validate?type=message.Message",
            JSONL,
            b"{}\n",
        ),
        ("endpoints.assemble._OfLines.feed", "/v1/assemble", JSONL, LINES),
        ("endpoints.publish.msgspec.json.encode", "", "", b""),
    ],
)
def test_a_stack_that_is_too_short_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, where: str, path: str, kind: str, body: bytes
) -> None:
    monkeypatch.setattr(f"partwire.service.{where}", too_deep)
    if not path:
        answer = call("GET", "/healthz")
    else:
        answer = call("POST", path, body, headers={"content-type": kind})
    assert (answer.status, answer.json["findings"][0]["rule"]) == (400, "document/too-deep")
    assert b"S3CR3T" not in answer.body


@pytest.mark.parametrize("job", JOBS)
def test_nor_is_one_in_a_worker(monkeypatch: pytest.MonkeyPatch, job: str) -> None:
    monkeypatch.setitem(JOBS, job, too_deep)
    told, _ = run_job({"job": job, "options": {}}, b"")
    assert (told["is"], told["findings"][0]["rule"]) == ("refusal", "document/too-deep")


def test_nor_is_one_in_an_answer_that_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("partwire.service.endpoints.assemble._OfLines.message", too_deep)
    headers = {"content-type": JSONL, "accept": "text/event-stream"}
    answer = call("POST", "/v1/assemble?snapshotEvery=1", LINES, headers=headers)
    assert answer.status == 200
    name, data = answer.body.decode().rstrip().splitlines()[-2:]
    assert name == "event: problem"
    assert json.loads(data.removeprefix("data: "))["findings"][0]["rule"] == "document/too-deep"
