"""What no schema says of the service's answers, as checks of schemathesis.

Each takes what was sent from the request as it went over the wire, and asks the library, or a
validator that is not ours, what the answer should be.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jsonschema_rs
import schemathesis

from partwire import MessageAssembler, PartwireError, read, to_wire, validate
from partwire.contract.resources import bundle, read_rules
from partwire.providers.framing import SSEDecoder
from tests.codegen.openapi_documents import operations, parameters, resolved, validator

BAD_PARAMETER: Final = "service/bad-parameter"
LINES: Final = ("application/jsonl", "application/x-ndjson")


def told(condition: bool, message: str) -> None:
    """Raise AssertionError, which is how a check of schemathesis fails."""
    if not condition:
        raise AssertionError(message)


def operation_of(case: Any) -> str | None:
    """Return the operation of a case, or of the context of a hook."""
    found: str | None = case.operation.definition.raw.get("operationId")
    return found


def answers(case: Any, response: Any, operation: str) -> bool:
    """Whether this is what an operation answers when it has done what was asked."""
    return (
        operation_of(case) == operation
        and response.status_code == 200
        and response.request.method == case.operation.method.upper()
    )


def query_of(response: Any) -> dict[str, str]:
    query = parse_qs(urlsplit(response.request.url).query, keep_blank_values=True)
    return {name: values[-1] for name, values in query.items()}


def header(response: Any, name: str) -> str:
    values: list[str] = response.headers.get(name) or [""]
    return values[0]


def sent(response: Any) -> bytes:
    body = response.request.body
    return body.encode() if isinstance(body, str) else body or b""


def sent_type(response: Any) -> str:
    found: str = response.request.headers.get("Content-Type", "")
    return found.partition(";")[0].strip().lower()


def problems_of(response: Any) -> Iterator[dict[str, Any]]:
    """Yield the problem documents of an answer, those in events as well."""
    kind = header(response, "content-type").partition(";")[0]
    if kind == "application/problem+json":
        yield json.loads(response.content)
    elif kind == "text/event-stream":
        for name, data in events_of(response):
            if name == "problem":
                yield data


def events_of(response: Any) -> list[tuple[str, Any]]:
    """Return names and data of the events, read with our own decoder."""
    decoder = SSEDecoder()
    events = [*decoder.feed(response.content), *decoder.close()]
    return [(each.event, json.loads(each.data)) for each in events]


@cache
def readers(path: str, method: str) -> dict[str, tuple[Mapping[str, Any], Callable[[Any], bool]]]:
    """Return each query parameter of an operation with its schema and a validator of its value."""
    (operation,) = (
        each for each in operations("3.2") if (each.path, each.method) == (path, method.lower())
    )
    found = {}
    for each in parameters(operation, "3.2"):
        if each["in"] == "query":
            schema = resolved(each["schema"], "3.2")
            found[each["name"]] = (schema, validator(each["schema"], "3.2"))
    return found


def takes_text(name: str, text: str, known: Mapping[str, Any]) -> bool:
    """Whether a parameter may have this value, as it is in a query."""
    if name not in known:
        return False
    schema, is_valid = known[name]
    if schema["type"] == "integer":
        return text.isascii() and text.isdigit() and bool(is_valid(int(text)))
    if schema["type"] == "boolean":
        return text in ("true", "false")
    return bool(is_valid(text))


@schemathesis.check
def parameters_are_read(ctx: Any, response: Any, case: Any) -> None:
    """A parameter that is unknown, wrong or there twice is refused, and a right one is not.

    schemathesis looks at this as well, but lets a wrong parameter pass beside a right one.
    """
    if response.request.method != case.operation.method.upper():
        return
    known = readers(case.operation.path, case.operation.method)
    pairs = parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True)
    names = [name for name, _ in pairs]
    wrong = [
        name for name, text in pairs if names.count(name) > 1 or not takes_text(name, text, known)
    ]
    told(not wrong or response.status_code in range(400, 500), f"it takes {wrong}")
    rules = [each["findings"][0]["rule"] for each in problems_of(response)]
    required = ("type" in known and "type" not in names) or ("to" in known and "to" not in names)
    told(bool(wrong) or required or rules != [BAD_PARAMETER], "it refuses what is right")


@schemathesis.check
def problem_tells_the_truth(ctx: Any, response: Any, case: Any) -> None:
    """A problem has the status of its answer, and its findings have rules that there are."""
    streamed = header(response, "content-type").startswith("text/event-stream")
    for problem in problems_of(response):
        status = problem.get("status")
        told(streamed or status == response.status_code, f"the problem says {status}")
        for finding in problem.get("findings", []):
            told(finding["rule"] in read_rules(), f"there is no rule {finding['rule']}")


@cache
def shape(type_name: str, version: str) -> Callable[[Any], bool]:
    family, _, name = type_name.partition(".")
    schema = {**bundle(family, version), "$ref": f"#/$defs/{name}"}
    return jsonschema_rs.Draft202012Validator(schema).is_valid


@schemathesis.check
def verdict_is_the_contracts(ctx: Any, response: Any, case: Any) -> None:
    """What is valid is what the schema and the rules take."""
    if not answers(case, response, "validateDocuments"):
        return
    query = query_of(response)
    asked = query["type"], query.get("version", "v0.2")
    texts = sent(response).split(b"\n") if sent_type(response) in LINES else [sent(response)]
    texts = [text for text in texts if text.strip(b" \t\r")]
    answer = json.loads(response.content)
    told(answer["documents"] == len(texts), f"there are {len(texts)} documents")
    try:
        shapes = [shape(*asked)(json.loads(text)) for text in texts]
    except ValueError:
        told(not answer["valid"], "a line that is not JSON passes for valid")
        return
    unknown: Any = query.get("unknownMembers", "warn")
    told_of = [validate(text, *asked, unknown_members=unknown) for text in texts]
    meanings = [not any(each.severity == "error" for each in found) for found in told_of]
    slips = [
        any(each.rule == "shape/unknown-member" and each.severity == "error" for each in found)
        for found in told_of
    ]
    expected = shapes if query.get("level") == "shape" else meanings
    is_valid = all(expected) and not any(slips)
    told(answer["valid"] == is_valid, f"valid should be {is_valid}")
    told(answer["valid"] <= all(shapes), "the schema refuses what passes for valid")


@schemathesis.check
def message_is_that_of_the_stream(ctx: Any, response: Any, case: Any) -> None:
    """Deltas give the message that they give in the library, or a refusal of the same rule."""
    if operation_of(case) != "assembleMessage" or sent_type(response) not in LINES:
        return
    query = query_of(response)
    if response.status_code not in (200, 422) or set(query) - {"snapshotEvery", "runId"}:
        return
    assembler = MessageAssembler(query.get("runId"))
    try:
        for line in sent(response).split(b"\n"):
            if line.strip():
                assembler.consume(read(line, "message.MessageDelta"))
        assembler.close()
        expected = to_wire(assembler.build_final_message())
    except PartwireError as error:
        rules = [each["findings"][0]["rule"] for each in problems_of(response)]
        told(rules == [error.rule], f"the library refuses it: {error.rule}; told: {rules}")
        return
    told(response.status_code == 200, "the library makes a message of it")
    if header(response, "content-type").startswith("text/event-stream"):
        name, message = events_of(response)[-1]
        told(name == "done", "the library makes a message of it")
    else:
        message = json.loads(response.content)
    told(message == expected, f"the library makes another message of it: {expected}")


@schemathesis.check
def converted_documents_are_valid(ctx: Any, response: Any, case: Any) -> None:
    """What a conversion gives is valid, in meaning too, and of the type that was asked for."""
    if not answers(case, response, "convertDocument"):
        return
    answer = json.loads(response.content)
    asked = query_of(response)["to"]
    kind = str(answer.get("type"))
    told(asked in (kind, kind.partition(".")[0]), f"{asked} was asked for")
    for document in answer.get("documents", ()):
        found = [each for each in validate(document, kind) if each.severity == "error"]
        told(not found, f"it is not of {kind}: {found}")


@schemathesis.check
def witness_shows_the_break(ctx: Any, response: Any, case: Any) -> None:
    """A break comes with a document that the writer's schema allows and the reader's refuses."""
    if not answers(case, response, "compareSchemas"):
        return
    asked, answer = json.loads(sent(response)), json.loads(response.content)
    order = ["compatible", "no-documents", "unproven", "breaking"]
    worst = max((each["status"] for each in answer["verdicts"]), key=order.index, default=None)
    told(answer["verdict"] == worst, f"the worst verdict is {worst}")
    for verdict in answer["verdicts"]:
        if "witness" in verdict:
            writer, reader = asked["old"], asked["new"]
            if verdict["direction"] == "forward":
                writer, reader = reader, writer
            told(_takes(writer, verdict["witness"]), "the writer's schema refuses the witness")
            told(not _takes(reader, verdict["witness"]), "the reader's schema takes the witness")


def _takes(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema).is_valid(value)


@schemathesis.check
class TagsAreKept:
    """One address has one ETag, and who knows it gets 304."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}

    def after_response(self, ctx: Any, response: Any, case: Any) -> None:
        """Look at an answer that has an ETag."""
        tag = header(response, "etag")
        if not tag or response.request.method != "GET":
            return
        known = self.tags.setdefault(response.request.url, tag)
        told(known == tag, f"the tag was {known} before")
        given = response.request.headers.get("If-None-Match", "")
        told(given != tag or response.status_code == 304, f"{tag} was known, and is sent again")
        told(response.status_code != 304 or tag in given or given == "*", f"{given} is not {tag}")
