"""Services that are wrong on purpose, each in one way, around the real one.

    python -m tests.contract_service.wrong [NAME ...]

runs schemathesis over each, as over the live service but with few made-up requests and only the
operation that is wrong, and writes one line of JSON for each: what was caught. ``good`` is the
service as it is, in the same run: what a wrong one is caught by is not the run's own doing.
"""

from __future__ import annotations

import itertools
import json
import sys
import warnings
from dataclasses import dataclass
from typing import Any, Final

from partwire.convert import CONVERSIONS
from partwire.service import create_app
from tests.contract_service.around import (
    Exchange,
    Service,
    Spoil,
    each_event,
    events_of,
    only,
    put_events,
    with_data,
)

__all__ = ["GOOD", "WRONG", "Wrong"]


@dataclass(frozen=True)
class Wrong:
    """One way of being wrong: the check that should see it, and the operation that is wrong."""

    check: str
    operation: str
    answer: Spoil = lambda exchange: None
    question: Spoil = lambda exchange: None


def takes_any_level(exchange: Exchange) -> None:
    """A parameter that nobody looks at."""
    if exchange.query.get("level") not in (None, "shape", "meaning"):
        del exchange.query["level"]


@only("/v1/assemble", 422)
def takes_any_delta(exchange: Exchange) -> None:
    """A refusal that passes for a message."""
    exchange.headers |= {"content-type": "application/json", "cache-control": "no-store"}
    message = {
        "runId": "run_1",
        "role": "assistant",
        "parts": [],
        "timestamp": "2026-01-02T03:04:05Z",
    }
    exchange.answer(message, 200)


@only("/v1/convert", 422)
def takes_any_document(exchange: Exchange) -> None:
    """A document that is wrong, and converted to nothing."""
    if exchange.document["findings"][0]["rule"].startswith("shape/"):
        exchange.headers["content-type"] = "application/json"
        asked = exchange.query["to"]
        targets = [to for _, to in CONVERSIONS if asked in (to, to.partition(".")[0])]
        exchange.answer({"type": targets[0], "documents": [], "losses": []}, 200)


@only("/v1/convert", 422)
def fails(exchange: Exchange) -> None:
    """A refusal that is an error of the service."""
    exchange.answer({**exchange.document, "status": 500}, 500)


@only("/v1/validate")
def answers_201(exchange: Exchange) -> None:
    """A status that nobody has heard of."""
    exchange.status = 201


@only("/v1/validate")
def answers_text(exchange: Exchange) -> None:
    """A content type that nobody has heard of."""
    exchange.headers["content-type"] = "text/html"


@only("/v1/validate")
def says_more(exchange: Exchange) -> None:
    """A member that the schema does not have."""
    exchange.answer({**exchange.document, "elapsed": 1})


@only("/v1/convert")
def converts_to_nothing(exchange: Exchange) -> None:
    """A document whose parts have no type, deep inside."""
    answer = exchange.document
    for document in answer["documents"]:
        for part in document.get("parts", ()):
            part.pop("type", None)
            part.pop("kind", None)
        for block in (
            document.get("content", ()) if isinstance(document.get("content"), list) else ()
        ):
            block.pop("type", None)
    exchange.answer(answer)


@only("/v1/convert")
def converts_to_what_is_meaningless(exchange: Exchange) -> None:
    """A document that its schema takes, and the contract does not."""
    answer = exchange.document
    if answer["type"] == "message.Message":
        part = {
            "kind": "tool_result",
            "payload": {"toolCallId": "c", "isError": False, "content": ""},
        }
        for document in answer["documents"]:
            document["parts"] = [part]
            document["role"] = "user"
    exchange.answer(answer)


@each_event
def names_events_wrong(lines: list[str]) -> list[str]:
    """An event that nobody has heard of."""
    return [line.replace("event: done", "event: finished") for line in lines]


@each_event
def says_more_deep_inside(lines: list[str]) -> list[str]:
    """A key too many in a finding of the problem of an event."""

    def change(data: Any) -> None:
        for finding in data.get("findings", ()):
            finding["hint"] = "try again"

    return with_data(lines, change)


@each_event
def counts_in_words(lines: list[str]) -> list[str]:
    """A number that is text, deep inside the message of an event."""

    def change(data: Any) -> None:
        if "parts" in data:
            data["parts"] = [*data["parts"], {"kind": "text", "payload": {"text": 1}}]

    return with_data(lines, change)


def never_ends(exchange: Exchange) -> None:
    """A stream that breaks off where it should end."""
    if exchange.is_stream:
        events = list(events_of(exchange))
        put_events(exchange, events[:-1] or events)


def ends_twice(exchange: Exchange) -> None:
    """A stream with two ends."""
    if exchange.is_stream:
        events = list(events_of(exchange))
        put_events(exchange, [*events, events[-1]])


@only("/v1/assemble")
def forgets_what_was_said(exchange: Exchange) -> None:
    """A message that has lost its parts."""
    if not exchange.is_stream:
        exchange.answer({**exchange.document, "parts": []})


@only("/v1/assemble")
def lets_everybody_keep_it(exchange: Exchange) -> None:
    """A header with another value."""
    exchange.headers["cache-control"] = "public"


@only("/schemas/")
def tells_no_tag(exchange: Exchange) -> None:
    """A header that is not there."""
    exchange.headers.pop("etag", None)


def changes_its_tags() -> Spoil:
    """A tag that is another one each time."""
    numbers = itertools.count()

    def spoil(exchange: Exchange) -> None:
        if exchange.status == 200 and "etag" in exchange.headers:
            exchange.headers["etag"] = f'"{next(numbers):016x}"'

    return spoil


def forgets_its_tags(exchange: Exchange) -> None:
    """Who knows the tag gets the file all the same."""
    if exchange.path.startswith("/schemas/") and exchange.status == 304:
        exchange.status = 200
        exchange.headers |= {
            "content-type": "application/schema+json",
            "cache-control": "public, no-cache",
        }
        exchange.answer(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$id": "https://partwire.dev/schemas/v0.1/message/message.schema.json",
                "$defs": {"A": {}},
            }
        )


def refuses_arrays(exchange: Exchange) -> None:
    """A document that is right, and refused."""
    if exchange.path == "/v1/validate" and exchange.status == 200 and exchange.sent[:1] == b"[":
        exchange.status = 400
        exchange.headers["content-type"] = "application/problem+json"
        finding = {"rule": "document/empty", "message": "No.", "pointer": "", "severity": "error"}
        problem = {
            "type": "https://partwire.dev/problems/bad-request",
            "title": "No",
            "status": 400,
        }
        exchange.answer({**problem, "detail": "No.", "findings": [finding]})


@only("/v1/validate")
def finds_nothing(exchange: Exchange) -> None:
    """Everything is valid."""
    exchange.answer({**exchange.document, "valid": True, "errors": 0, "findings": []})


@only("/v1/validate", 400)
def lies_about_the_status(exchange: Exchange) -> None:
    """A problem that says another status."""
    exchange.answer({**exchange.document, "status": 404})


@only("/v1/compat")
def makes_witnesses_up(exchange: Exchange) -> None:
    """A document that shows nothing."""
    answer = exchange.document
    for verdict in answer["verdicts"]:
        if "witness" in verdict:
            verdict["witness"] = "abc"
    exchange.answer(answer)


def says_not_found(exchange: Exchange) -> None:
    """Another method is not 405."""
    if exchange.status == 405:
        exchange.answer({**exchange.document, "status": 404}, 404)


def tells_no_methods(exchange: Exchange) -> None:
    """405 without Allow."""
    if exchange.status == 405:
        exchange.headers.pop("allow", None)


def tells_too_many_methods(exchange: Exchange) -> None:
    """OPTIONS names a method that there is not."""
    if exchange.method == "OPTIONS":
        exchange.headers["allow"] = "GET, HEAD, POST, DELETE, OPTIONS"


def takes_bodies_of_no_type(exchange: Exchange) -> None:
    """A body whose type nobody knows is taken for JSON."""
    if exchange.path == "/v1/validate" and exchange.status == 415:
        exchange.headers["content-type"] = "application/json"
        empty = {"valid": True, "documents": 0, "errors": 0, "findings": [], "truncated": False}
        exchange.answer(empty, 200)


GOOD: Final = "good"
_STREAM: Final = ("response_schema_conformance", "assembleMessage")

WRONG: Final[dict[str, Wrong]] = {
    "accepts-invalid-parameter": Wrong(
        "parameters_are_read", "validateDocuments", question=takes_any_level
    ),
    "accepts-invalid-document": Wrong(
        "negative_data_rejection", "convertDocument", takes_any_document
    ),
    "accepts-invalid-delta": Wrong(
        "message_is_that_of_the_stream", "assembleMessage", takes_any_delta
    ),
    "accepts-unknown-type": Wrong(
        "negative_data_rejection", "validateDocuments", takes_bodies_of_no_type
    ),
    "rejects-valid": Wrong("positive_data_acceptance", "validateDocuments", refuses_arrays),
    "server-error": Wrong("not_a_server_error", "convertDocument", fails),
    "undocumented-status": Wrong("status_code_conformance", "validateDocuments", answers_201),
    "undocumented-type": Wrong("content_type_conformance", "validateDocuments", answers_text),
    "extra-member": Wrong("response_schema_conformance", "validateDocuments", says_more),
    "invalid-document": Wrong(
        "response_schema_conformance", "convertDocument", converts_to_nothing
    ),
    "meaningless-document": Wrong(
        "converted_documents_are_valid", "convertDocument", converts_to_what_is_meaningless
    ),
    "wrong-event": Wrong(*_STREAM, names_events_wrong),
    "event-extra-key": Wrong(*_STREAM, says_more_deep_inside),
    "event-wrong-type": Wrong(*_STREAM, counts_in_words),
    "stream-without-end": Wrong(*_STREAM, never_ends),
    "stream-with-two-ends": Wrong(*_STREAM, ends_twice),
    "lost-parts": Wrong("message_is_that_of_the_stream", "assembleMessage", forgets_what_was_said),
    "missing-header": Wrong("response_headers_conformance", "getSchema", tells_no_tag),
    "wrong-header": Wrong(
        "response_headers_conformance", "assembleMessage", lets_everybody_keep_it
    ),
    "changing-tag": Wrong("TagsAreKept", "getSchema", changes_its_tags()),
    "forgotten-tag": Wrong("TagsAreKept", "getSchema", forgets_its_tags),
    "wrong-verdict": Wrong("verdict_is_the_contracts", "validateDocuments", finds_nothing),
    "wrong-problem": Wrong("problem_tells_the_truth", "validateDocuments", lies_about_the_status),
    "wrong-witness": Wrong("witness_shows_the_break", "compareSchemas", makes_witnesses_up),
    "no-405": Wrong("unsupported_method", "getHealth", says_not_found),
    "no-allow": Wrong("unsupported_method", "getHealth", tells_no_methods),
    "wrong-allow": Wrong("allow_header_conformance", "getHealth", tells_too_many_methods),
}


def main(names: list[str]) -> int:
    """Run the named services, or all of them; write what was caught."""
    from tests.contract_service.running import run  # noqa: PLC0415

    warnings.simplefilter("ignore")
    app = create_app()
    for name in names or [GOOD, *WRONG]:
        wrong = WRONG.get(name, Wrong("", ""))
        service = Service(app, wrong.answer, wrong.question)
        outcome = run(service, [wrong.operation] if wrong.operation else (), stop=name != GOOD)
        told = {
            "name": name,
            "checks": sorted({each.check for each in outcome.failed}),
            "failed": [each._asdict() for each in outcome.failed[:3]],
            "errors": outcome.errors,
            "requests": outcome.requests,
        }
        print(json.dumps(told), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
