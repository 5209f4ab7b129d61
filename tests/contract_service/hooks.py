"""What schemathesis gets beside the OpenAPI document: how bodies are written, and fit.

No schema says that a stream begins with start, or that the parameter ``type`` tells the type of
the body: a share of the requests is made to fit, so that answers other than refusals are seen too.
What is done to a request depends on the request alone: every run sends the same ones.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, Final

import schemathesis
from requests.auth import AuthBase
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

from partwire import validate
from partwire.convert import CONVERSIONS
from tests.contract_service.checks import operation_of
from tests.contract_service.whole import PROVIDERS, provider_bodies, requests

__all__ = ["operation_of"]

LINES: Final = ("application/jsonl", "application/x-ndjson")
SAMPLE: Final = 8


@schemathesis.serializer(*LINES)
def as_lines(context: Any, value: Any) -> bytes:
    """Write an array as JSON Lines; text goes as it is."""
    if isinstance(value, list):
        lines = [json.dumps(line, ensure_ascii=False).encode() for line in value]
        return b"".join(line + b"\n" for line in lines)
    return str(value).encode("utf-8", "surrogatepass")


@schemathesis.serializer(*PROVIDERS)
def as_latin_1(context: Any, value: Any) -> bytes:
    """Write a provider's stream, whose bytes are kept as characters: bytes are not JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("latin-1", "replace")


@schemathesis.hook
def before_add_examples(context: Any, examples: list[Any]) -> None:
    """Send what clients really send; of what the schemas give as examples, a sample."""
    operation = context.operation
    examples[:] = [each for each in examples if len(examples) < SAMPLE or not _left_out(each)]
    examples += [operation.Case(**request) for request in requests(operation_of(context))]


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Send the case's Accept: that of the session would go before it.

    A document that a link leads to is its own line where lines are sent.
    """
    if case.media_type in LINES and isinstance(case.body, dict):
        case.body = [case.body]
    accept = (case.headers or {}).get("Accept")
    if accept is not None:
        kwargs["auth"] = _Accepting(accept)


class _Accepting(AuthBase):
    """Sets a header of the request that is about to go out, which is what requests calls auth."""

    def __init__(self, accept: str) -> None:
        self.accept = accept

    def __call__(self, request: Any) -> Any:
        request.headers["Accept"] = self.accept
        return request


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Drop what JSON Lines cannot say: any sequence of lines is an array, and nothing else is.

    Of the thousands of bodies that are wrong in one place of one type, a sample is enough.
    """
    if _is_one_of_many(case) and _left_out(case):
        return False
    if case.media_type not in LINES or isinstance(case.body, list):
        return True
    return isinstance(case.body, str) and not _is_negative(case)


def _left_out(case: Any) -> bool:
    return bool(zlib.crc32(repr(case.body).encode()) % SAMPLE)


def _is_one_of_many(case: Any) -> bool:
    if case.meta is None or case.meta.phase.name != TestPhase.COVERAGE:
        return False
    place = case.meta.phase.data.parameter_location
    return place == ParameterLocation.BODY and case.operation.path in (
        "/v1/convert",
        "/v1/assemble",
    )


def _is_negative(case: Any) -> bool:
    return case.meta is None or bool(case.meta.generation.mode.is_negative)


@schemathesis.hook
def map_case(context: Any, case: Any) -> Any:
    """Make a share of the right requests fit together."""
    if _is_negative(case):
        return case
    choice = zlib.crc32(repr((case.query, case.body)).encode())
    match operation_of(case):
        case "assembleMessage":
            _fit_stream(case, choice)
        case "convertDocument":
            _fit_type(case, choice)
    return case


def _fit_stream(case: Any, choice: int) -> None:
    if choice % 2:
        case.headers["Accept"] = "text/event-stream"
    if case.media_type in PROVIDERS:
        # Without a dialect nothing is known of such a body.
        bodies = provider_bodies(case.media_type, framed=True)
        dialect, body = bodies[choice % len(bodies)]
        case.query["from"] = dialect
        if choice % 3 or case.media_type != "text/event-stream":
            case.body = body
    elif choice % 3 and isinstance(case.body, list):
        case.query.pop("from", None)
        case.body = as_stream(case.body)


def as_stream(deltas: list[Any]) -> list[Any]:
    """Return deltas in an order that the protocol allows, but for the tool calls among them."""
    if not all(isinstance(each, Mapping) for each in deltas):
        return deltas
    ends = ("start", "done", "error")
    start = {"kind": "start", "payload": {"modelId": "model-1", "requestId": "req_1"}}
    done = {"kind": "done", "payload": {"finishReason": "stop"}}
    ordered = [
        *([each for each in deltas if each["kind"] == "start"] or [start])[:1],
        *(each for each in deltas if each["kind"] not in ends),
        *([each for each in deltas if each["kind"] in ends[1:]] or [done])[:1],
    ]
    common = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
    return [{**common, **each, "runId": "run_1", "seq": seq} for seq, each in enumerate(ordered)]


def _fit_type(case: Any, choice: int) -> None:
    if choice % 4 == 0:
        return
    first = case.body[0] if isinstance(case.body, list) and case.body else case.body
    for source, target in CONVERSIONS:
        if not any(each.severity == "error" for each in validate(first, source)):
            case.query |= {"type": source, "to": target.partition(".")[0] if choice % 3 else target}
            if choice % 5:
                case.query.pop("strict", None)
            return
