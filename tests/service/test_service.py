"""The contract service: what it answers, by a real process and real connections."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator

import pytest

from partwire import __version__
from partwire.compat import compare
from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_catalog
from tests.cli.runner import PARTS, STREAM, USER
from tests.fixture_cases import SCHEMAS, provider_cases
from tests.service.process import LINES, Service, delta, jsonl, serving

SSE = {"accept": "text/event-stream"}
JSONL = {"content_type": "application/jsonl"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    with serving(folder, "--depth", "100", "--findings", "5") as running:
        yield running


# --- validate -------------------------------------------------------------------------------------


def test_a_valid_document_is_valid(service: Service) -> None:
    answer = service.post("/v1/validate?type=message.Message", USER)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json == {
        "valid": True,
        "documents": 1,
        "errors": 0,
        "findings": [],
        "truncated": False,
    }


def test_what_is_wrong_is_an_answer(service: Service) -> None:
    answer = service.post("/v1/validate?type=message.Message", {**USER, "role": "robot"})
    assert answer.status == 200
    assert not answer.json["valid"]
    (finding,) = answer.json["findings"]
    assert (finding["rule"], finding["pointer"]) == ("shape/enum", "/role")


@pytest.mark.parametrize("kind", ["application/jsonl", "application/x-ndjson; charset=UTF-8"])
def test_each_line_is_a_document(service: Service, kind: str) -> None:
    body = jsonl([USER, {**USER, "role": "robot"}]) + b"\n{\n" + json.dumps(USER).encode()
    answer = service.post("/v1/validate?type=message.Message", body, content_type=kind).json
    assert (answer["documents"], answer["errors"], answer["valid"]) == (4, 2, False)
    assert [(each["line"], each["rule"]) for each in answer["findings"]] == [
        (2, "shape/enum"),
        (4, "document/invalid-json"),
    ]


@pytest.mark.parametrize("many", [6, 600])
def test_all_findings_are_counted_and_some_are_told(service: Service, many: int) -> None:
    one = service.post("/v1/validate?type=message.Message", {**USER, "parts": [0] * many}).json
    lines = service.post("/v1/validate?type=message.Message", jsonl([0] * many), **JSONL).json
    # One line that is long goes another way than short ones.
    long = {**USER, "parts": [0] * many + ["x" * 40_000]}
    far = service.post("/v1/validate?type=message.Message", jsonl([long]), **JSONL).json
    for answer, errors in ((one, many), (lines, many), (far, many + 1)):
        assert answer["errors"] == errors
        assert answer["truncated"]
        assert len(answer["findings"]) == 5
    assert service.post("/v1/validate?type=message.Message", jsonl([0] * 5), **JSONL).json == {
        **lines,
        "documents": 5,
        "errors": 5,
        "truncated": False,
    }


def test_version_and_level_are_heard(service: Service) -> None:
    source = {"kind": "url", "url": "https://a.example/b.wav"}
    media = {"kind": "media", "payload": {"mimeType": "audio/wav", "source": source}}
    document = {**USER, "parts": [media]}
    path = "/v1/validate?type=message.Message"
    assert service.post(path, document).json["valid"]
    assert not service.post(f"{path}&version=v0.1", document).json["valid"]
    twice = {"kind": "tool_call", "payload": {"toolCallId": "c", "toolName": "n", "arguments": {}}}
    meaning = {**USER, "role": "assistant", "parts": [twice, twice]}
    assert not service.post(path, meaning).json["valid"]
    assert not service.post(f"{path}&level=meaning", meaning).json["valid"]
    assert service.post(f"{path}&level=shape", meaning).json["valid"]


def test_unknown_members_are_warned_of(service: Service) -> None:
    path = "/v1/validate?type=message.Message"
    slip = {**USER, "turnid": "t"}
    for query, expected in (
        ("", (True, ["warning"])),
        ("&unknownMembers=warn", (True, ["warning"])),
        ("&unknownMembers=error", (False, ["error"])),
        ("&unknownMembers=ignore", (True, [])),
        ("&unknownMembers=error&level=shape", (False, ["error"])),
    ):
        for text in (slip, json.dumps(slip).encode() + b" " * 20_000):
            told = service.post(path + query, text).json
            assert (told["valid"], [each["severity"] for each in told["findings"]]) == expected
    (finding,) = service.post(path, slip).json["findings"]
    assert finding["message"] == "The type names no such member; did you mean turnId?"
    assert service.post(f"{path}&unknownMembers=no", slip).status == 400


@pytest.mark.parametrize("size", [10, 100_000, 1_000_000])
def test_documents_of_any_size_are_judged_alike(service: Service, size: int) -> None:
    part = {"kind": "text", "payload": {"text": "x" * size}}
    good = service.post("/v1/validate?type=message.Message", {**USER, "parts": [part]})
    bad = service.post("/v1/validate?type=message.Message", {**USER, "parts": [part], "role": ""})
    assert good.json["valid"]
    assert [each["pointer"] for each in bad.json["findings"]] == ["/role"]


# --- assemble -------------------------------------------------------------------------------------


def test_deltas_become_a_message(service: Service) -> None:
    answer = service.ask("POST", "/v1/assemble", LINES, **JSONL)
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json["parts"] == PARTS


@pytest.mark.parametrize("kind", ["application/x-ndjson", "application/jsonl"])
def test_a_stream_of_deltas_may_be_gzip(service: Service, kind: str) -> None:
    # Members one after the other are one body.
    body = gzip.compress(LINES[:300]) + gzip.compress(LINES[300:])
    answer = service.ask("POST", "/v1/assemble", body, content_type=kind, content_encoding="gzip")
    assert answer.json["parts"] == PARTS


def test_a_providers_stream_becomes_a_message(service: Service) -> None:
    cases = [
        case for case in provider_cases(LATEST_VERSION, "anthropic-messages") if case.has("message")
    ]
    assert cases
    for case in cases:
        body = case.data("input")
        expected = case.value("message")
        run = expected["runId"]
        path = f"/v1/assemble?from=anthropic-messages&runId={run}"
        answer = service.ask("POST", path, body, content_type="text/event-stream")
        assert answer.status == 200, answer
        told = answer.json
        assert [each["kind"] for each in told["parts"]] == [
            each["kind"] for each in expected["parts"]
        ]
        assert told["runId"] == run


def test_a_refused_delta_is_named_by_its_line(service: Service) -> None:
    answer = service.ask("POST", "/v1/assemble", jsonl([STREAM[0], STREAM[2], STREAM[1]]), **JSONL)
    assert (answer.status, answer.rule) == (422, "stream/seq-not-increasing")
    assert answer.json["findings"][0]["line"] == 3


def test_a_failed_stream_is_refused_with_what_was_found(service: Service) -> None:
    failed = [STREAM[0], delta(1, "error", errorCode="overloaded", message="Later", retryable=True)]
    answer = service.ask("POST", "/v1/assemble", jsonl(failed), **JSONL)
    assert (answer.status, answer.rule) == (422, "stream/failed")


def test_a_cut_stream_is_no_message(service: Service) -> None:
    answer = service.ask("POST", "/v1/assemble", jsonl(STREAM[:3]), **JSONL)
    assert (answer.status, answer.rule) == (422, "stream/truncated")
    empty = service.ask("POST", "/v1/assemble", b"", **JSONL)
    assert (empty.status, empty.rule) == (422, "stream/truncated")


def test_run_id_and_mode_are_heard(service: Service) -> None:
    other = service.ask("POST", "/v1/assemble?runId=run_2", LINES, **JSONL)
    assert (other.status, other.rule) == (422, "stream/run-id-mismatch")
    unknown = [*STREAM[:2], delta(2, "later", x=1), {**STREAM[-1], "seq": 3}]
    strict = service.ask("POST", "/v1/assemble", jsonl(unknown), **JSONL)
    assert (strict.status, strict.rule) == (422, "shape/unknown-variant")
    tolerant = service.ask("POST", "/v1/assemble?mode=tolerant", jsonl(unknown), **JSONL)
    assert tolerant.json["parts"] == [{"kind": "thinking", "payload": {"text": "Hm."}}]


# --- convert and compat ---------------------------------------------------------------------------


def test_a_message_becomes_blocks_with_losses(service: Service) -> None:
    answer = service.post("/v1/convert?type=message.Message&to=blocks", USER)
    assert answer.status == 200
    assert answer.json["type"] == "blocks.Message"
    (document,) = answer.json["documents"]
    assert document == {"role": "user", "content": "Hi"}
    assert {"run-id", "timestamp"} <= {loss["code"] for loss in answer.json["losses"]}


def test_the_context_of_a_conversion_is_heard(service: Service) -> None:
    path = "/v1/convert?type=message.Message&to=session.WithParts&agent=someone"
    (document,) = service.post(path, {**USER, "role": "assistant"}).json["documents"]
    assert document["info"]["agent"] == "someone"


def test_several_documents_are_one_history(service: Service) -> None:
    path = "/v1/convert?type=message.Message&to=blocks"
    assert len(service.post(path, [USER, USER]).json["documents"]) == 2


@pytest.mark.parametrize(
    ("query", "document", "status", "rule"),
    [
        ("type=message.Message&to=blocks&strict=true", USER, 422, "bridge/lossy"),
        ("type=message.Message&to=envelope", USER, 422, "bridge/unsupported"),
        ("type=message.Message&to=blocks", {**USER, "role": "robot"}, 422, "shape/enum"),
        ("type=message.Message&to=session&timestamp=now", USER, 400, "usage/invalid-argument"),
        ("type=message.Message&to=session&strict=yes", USER, 400, "service/bad-parameter"),
    ],
)
def test_what_does_not_convert_is_refused(
    service: Service, query: str, document: object, status: int, rule: str
) -> None:
    answer = service.post(f"/v1/convert?{query}", document)
    assert (answer.status, answer.rule) == (status, rule)


def test_a_break_comes_with_its_witness(service: Service) -> None:
    old, new = {"type": "string"}, {"type": "string", "maxLength": 3}
    answer = service.post("/v1/compat", {"old": old, "new": new})
    assert answer.status == 200
    assert (answer.json["verdict"], answer.json["bump"]) == ("breaking", "major")
    (verdict,) = answer.json["verdicts"]
    assert verdict["witness"] == compare(old, new).witness
    assert answer.json["changes"][0]["newPointer"] == "/maxLength"
    forward = service.post("/v1/compat", {"old": old, "new": new, "direction": "forward"})
    assert forward.json["verdict"] == "compatible"
    both = service.post("/v1/compat", {"old": old, "new": new, "direction": "full"})
    assert [each["status"] for each in both.json["verdicts"]] == ["breaking", "compatible"]


def test_the_reading_is_heard(service: Service) -> None:
    schemas: dict[str, object] = {
        "old": {"properties": {"a": {}}},
        "new": {"properties": {"a": {}, "b": {"type": "string"}}},
    }
    declared = service.post("/v1/compat", {**schemas, "reading": "declared"})
    exact = service.post("/v1/compat", {**schemas, "reading": "exact"})
    assert (declared.json["verdict"], exact.json["verdict"]) == ("compatible", "breaking")


def test_numbers_of_any_length_come_through(service: Service) -> None:
    large = 10**30
    answer = service.post("/v1/compat", {"old": {"const": large}, "new": {"const": 1}})
    assert answer.json["verdicts"][0]["witness"] == large


@pytest.mark.parametrize(
    ("asked", "status", "rule"),
    [
        ({"old": {"type": "strin"}, "new": {}}, 422, "compat/invalid-schema"),
        ({"old": {"$ref": "#/$defs/X"}, "new": {}}, 422, "compat/dangling-reference"),
        ({"old": {}}, 400, "usage/invalid-argument"),
        ({"old": {}, "new": {}, "directoin": "full"}, 400, "usage/invalid-argument"),
        ({"old": {}, "new": {}, "direction": "up"}, 400, "usage/invalid-argument"),
        ({"old": {}, "new": {}, "reading": ["exact"]}, 400, "usage/invalid-argument"),
        ({"old": [], "new": {}}, 400, "usage/invalid-argument"),
        ([], 400, "usage/invalid-argument"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    service: Service, asked: object, status: int, rule: str
) -> None:
    answer = service.post("/v1/compat", asked)
    assert (answer.status, answer.rule) == (status, rule)


# --- schemas, OpenAPI, health ---------------------------------------------------------------------


def test_every_schema_is_given_out_byte_for_byte(service: Service) -> None:
    rows = service.ask("GET", "/schemas").json["schemas"]
    files = {path for version in read_catalog() for path in SCHEMAS.glob(f"{version}/*/*")}
    assert len(rows) == len(files) > 10
    for row in rows:
        path = f"{row['version']}/{row['family']}/{row['file']}"
        data = (SCHEMAS / path).read_bytes()
        answer = service.ask("GET", f"/schemas/{path}")
        assert (answer.status, answer.body) == (200, data)
        assert answer.headers["content-type"] == "application/schema+json"
        assert answer.headers["etag"] == f'"{hashlib.sha256(data).hexdigest()}"'
        assert json.loads(data)["$id"].endswith(f"/schemas/{path}")
        immutable = "immutable" in answer.headers["cache-control"]
        assert immutable == (row["status"] == "released")


def test_who_has_a_schema_is_not_sent_it_again(service: Service) -> None:
    path = "/schemas/v0.1/message/message.schema.json"
    tag = service.ask("GET", path).headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = service.ask("GET", path, if_none_match=known)
        assert (again.status, again.headers["etag"]) == (304, tag)
    assert service.ask("GET", path, if_none_match='"other"').status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/schemas/v0.1/message/none.schema.json",
        "/schemas/v0.1/../v0.1.sha256",
        "/schemas/v0.1/%2e%2e/catalog.json",
        "/schemas/v0.1/message/..%2f..%2f..%2fcatalog.json",
        "/schemas/v9.9/message/message.schema.json",
        "/schemas/",
        "/v1/validate/",
        "/V1/validate",
        "/",
        "//healthz",
    ],
)
def test_what_is_not_there_is_404(service: Service, path: str) -> None:
    answer = service.ask("GET", path)
    assert (answer.status, answer.rule) == (404, "service/unknown-path")


def test_openapi_is_given_out_in_both_editions(service: Service) -> None:
    default, older, newer = (
        service.ask("GET", f"/openapi.json{query}")
        for query in ("", "?edition=3.1", "?edition=3.2")
    )
    assert default.json == older.json
    assert older.json["openapi"].startswith("3.1.")
    assert newer.json["openapi"].startswith("3.2.")
    assert set(newer.json["paths"]) == set(older.json["paths"])
    again = service.ask("GET", "/openapi.json", if_none_match=default.headers["etag"])
    assert again.status == 304


def test_every_path_of_openapi_is_there_and_no_other(service: Service) -> None:
    paths = service.ask("GET", "/openapi.json").json["paths"]
    for path, item in paths.items():
        real = path.replace("{version}", "v0.1").replace("{family}", "message")
        real = real.replace("{file}", "message.schema.json")
        answer = service.ask("OPTIONS", real)
        assert answer.status == 204
        told = {method.lower() for method in answer.headers["allow"].split(", ")}
        assert told - {"head", "options"} == {name for name in item if name != "parameters"}
    assert service.ask("GET", "/nothing").json["findings"][0]["expected"] == ", ".join(paths)


def test_health_and_figures(service: Service) -> None:
    health = service.ask("GET", "/healthz")
    assert health.json == {"status": "ok", "version": __version__, "contract": LATEST_VERSION}
    before = service.figure("partwire_findings_total", rule="shape/enum")
    service.post("/v1/validate?type=message.Message", {**USER, "role": "robot"})
    service.post("/v1/validate?type=message.Message", jsonl([{**USER, "role": ""}] * 2), **JSONL)
    assert service.figure("partwire_findings_total", rule="shape/enum") == before + 3
    figures = service.ask("GET", "/metrics")
    assert figures.headers["content-type"].startswith("text/plain; version=")
    assert 'route="/v1/validate",status="200"' in figures.body.decode()
    assert service.figure("partwire_open_streams") == 0


def test_head_is_get_without_a_body(service: Service) -> None:
    for path in ("/healthz", "/schemas/v0.1/message/message.schema.json", "/openapi.json"):
        got, head = service.ask("GET", path), service.ask("HEAD", path)
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-length"] == got.headers["content-length"]
