"""The OpenAPI document and the service: each has what the other has, and the examples are true."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Route

from partwire.service import create_app
from tests.codegen.openapi_documents import (
    EDITIONS,
    Example,
    Operation,
    examples,
    openapi,
    operations,
    parameters,
    resolved,
    validator,
)
from tests.service.process import Service, serving

OPERATIONS = [pytest.param(each, id=each.spec["operationId"]) for each in operations("3.2")]
WITH_BODY = [
    pytest.param(each, id=each.spec["operationId"])
    for each in operations("3.2")
    if "requestBody" in each.spec
]
REQUESTS = [
    pytest.param(edition, each, id=f"{edition}-{each.id}")
    for edition in EDITIONS
    for each in examples(edition)
    if not each.status
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("service")) as running:
        yield running


def test_routes_and_paths_are_the_same() -> None:
    routes = [each for each in create_app().routes if isinstance(each, Route)]
    known = {(each.path, method) for each in routes for method in each.methods or ()}
    described = {(each.path, each.method.upper()) for each in operations("3.2")}
    implied = {(path, "HEAD") for path, method in described if method == "GET"}
    assert known == described | implied


def path_of(operation: Operation, **query: str) -> str:
    """A path that is there, with the parameters that have to be, and more."""
    needed = {
        each["name"]: str(each["example"])
        for each in parameters(operation, "3.2")
        if each["in"] == "query" and each.get("required")
    }
    given = {**needed, **query}
    path = operation.path.format(version="v0.1", family="message", file="message.schema.json")
    return path + ("?" + "&".join(f"{name}={value}" for name, value in given.items()))


def ask(service: Service, operation: Operation, path: str, **headers: str) -> Any:
    body = b"null" if operation.method == "post" else b""
    return service.ask(operation.method.upper(), path, body, **headers)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_service_knows_the_parameters_that_are_described(
    service: Service, operation: Operation
) -> None:
    """A name that is like no other is refused with all that there are."""
    answer = ask(service, operation, path_of(operation, **{"%7E": "1"}))
    assert (answer.status, answer.rule) == (400, "service/bad-parameter")
    told = answer.json["findings"][0]["expected"]
    known = set() if told == "no parameter" else set(told.split(" or "))
    described = {each["name"] for each in parameters(operation, "3.2") if each["in"] == "query"}
    assert known == described


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_has_to_be_there_is_asked_for(service: Service, operation: Operation) -> None:
    for each in parameters(operation, "3.2"):
        if each["in"] == "query" and each.get("required"):
            path = re.sub(rf"(?<=[?&]){each['name']}=[^&]*&?", "", path_of(operation))
            answer = ask(service, operation, path, content_type="application/json")
            assert (answer.status, answer.rule) == (400, "service/bad-parameter")


@pytest.mark.parametrize("operation", WITH_BODY)
def test_the_service_takes_the_bodies_that_are_described(
    service: Service, operation: Operation
) -> None:
    answer = ask(service, operation, path_of(operation), content_type="application/x-other")
    assert (answer.status, answer.rule) == (415, "service/unsupported-type")
    described = set(operation.spec["requestBody"]["content"])
    taken = set(answer.headers["accept"].split(", "))
    if operation.path == "/v1/assemble":
        # The others say how a provider's stream is framed.
        query = path_of(operation, **{"from": "openai-chat"})
        answer = ask(service, operation, query, content_type="application/x-other")
        taken |= set(answer.headers["accept"].split(", "))
    assert taken == described


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_service_offers_the_answers_that_are_described(
    service: Service, operation: Operation
) -> None:
    kind = next(iter(operation.spec.get("requestBody", {}).get("content", {"": 0})))
    headers = {"accept": "image/png", **({"content_type": kind} if kind else {})}
    answer = ask(service, operation, path_of(operation), **headers)
    assert (answer.status, answer.rule) == (406, "service/not-acceptable")
    told = set(answer.json["findings"][0]["expected"].split(" or "))
    described = operation.spec["responses"]["200"]["content"]
    assert {each.partition(";")[0] for each in told} == set(described)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_service_gives_its_description(service: Service, edition: str) -> None:
    answer = service.ask("GET", f"/openapi.json?edition={edition}")
    assert answer.status == 200
    assert answer.json == openapi(edition)
    if edition == "3.1":
        assert service.ask("GET", "/openapi.json").json == openapi(edition)


def without_words(answer: Any) -> Any:
    """An answer without what the validators say, which is not ours to promise."""
    for verdict in answer.get("verdicts", ()):
        for refusal in verdict.get("refusals", ()):
            del refusal["message"]
    return answer


@pytest.mark.parametrize(("edition", "example"), REQUESTS)
def test_an_example_is_answered_as_described(
    service: Service, edition: str, example: Example
) -> None:
    path = path_of(example.operation)
    answer = service.post(path, example.text.encode(), content_type=example.media_type)
    assert answer.status == 200
    content = example.operation.spec["responses"]["200"]["content"]["application/json"]
    assert validator(content["schema"], edition)(answer.json)
    expected = resolved(content["examples"][example.name], edition)["value"]
    assert without_words(answer.json) == without_words(copy.deepcopy(expected))


@pytest.mark.parametrize("edition", EDITIONS)
def test_each_example_of_a_body_has_an_answer(edition: str) -> None:
    asked = {(each.operation.path, each.name) for each in examples(edition) if not each.status}
    assert {(each.operation.path, each.name) for each in examples(edition) if each.status} == asked
