"""Hostile clients of the contract service: each gets its status, and costs nobody else anything."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator

import pytest

from tests.cli.runner import USER
from tests.service.process import LINES, Service, delta, request, serving

JSON = {"content_type": "application/json"}
JSONL = {"content_type": "application/jsonl"}
VALIDATE = "/v1/validate?type=message.Message"
LIMITS = {
    "--body-bytes": 200_000,
    "--stream-bytes": 400_000,
    "--line-bytes": 50_000,
    "--depth": 50,
    "--head-bytes": 16_384,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    options = [str(each) for pair in LIMITS.items() for each in pair]
    with serving(tmp_path_factory.mktemp("hostile"), *options) as running:
        yield running


# --- too much -------------------------------------------------------------------------------------


def test_a_body_that_says_it_is_too_large_is_not_read(service: Service) -> None:
    with service.connect() as client:
        client.send(request("POST", VALIDATE, content_length="200001", **JSON))
        answer = client.answer()
        assert (answer.status, answer.rule) == (413, "service/too-large")
        assert answer.headers["connection"] == "close"
        assert client.is_closed()


def test_who_asks_before_sending_is_told_before_sending(service: Service) -> None:
    with service.connect() as client:
        head = request("POST", VALIDATE, content_length="200001", expect="100-continue", **JSON)
        client.send(head)
        assert client.head()[0] == 413
    with service.connect() as client:
        body = json.dumps(USER).encode()
        length = str(len(body))
        client.send(request("POST", VALIDATE, content_length=length, expect="100-continue", **JSON))
        assert client.head()[0] == 100
        client.send(body)
        assert client.answer().json["valid"]


@pytest.mark.parametrize(
    ("path", "kind", "limit"),
    [
        (VALIDATE, "application/json", 200_000),
        (VALIDATE, "application/jsonl", 400_000),
        ("/v1/assemble", "application/jsonl", 400_000),
        ("/v1/convert?type=message.Message&to=blocks", "application/json", 200_000),
        ("/v1/compat", "application/json", 200_000),
    ],
)
def test_a_body_that_grows_too_large_is_cut_off(
    service: Service, path: str, kind: str, limit: int
) -> None:
    line = json.dumps(delta(0, "start", modelId="m", requestId="r")).encode() + b"\n"
    piece = b" " * 9_999 + b"\n" if kind.endswith("l") else b" " * 10_000
    with service.connect() as client:
        head = request("POST", path, content_type=kind, transfer_encoding="chunked")
        client.send(head)
        client.chunk(line if kind.endswith("l") else b"[")
        for _ in range(limit // len(piece) + 1):
            client.chunk(piece)
        answer = client.answer()
        assert (answer.status, answer.rule) == (413, "service/too-large")
        assert client.is_closed()


def test_who_sends_all_before_reading_sees_the_refusal(service: Service) -> None:
    # Small buffers: what is not read there is not sent here.
    with service.connect(SO_SNDBUF=4096) as client:
        client.send(request("POST", VALIDATE, b" " * 900_000, **JSON))
        answer = client.answer()
    assert (answer.status, answer.rule) == (413, "service/too-large")


def test_the_rest_of_a_refused_body_is_no_request(service: Service) -> None:
    with service.connect() as client:
        hidden = request("GET", "/healthz") * 100
        client.send(request("POST", VALIDATE, hidden, content_length="300000", **JSON))
        assert client.answer().status == 413
        assert client.is_closed()


@pytest.mark.parametrize(
    ("path", "kind"), [(VALIDATE, "application/jsonl"), ("/v1/assemble", "application/x-ndjson")]
)
def test_a_line_that_is_too_long_is_refused(service: Service, path: str, kind: str) -> None:
    body = LINES[: LINES.index(b"\n") + 1] + b'"' + b"x" * 50_001
    answer = service.ask("POST", path, body, content_type=kind)
    assert (answer.status, answer.rule) == (413, "framing/line-too-long")
    assert answer.json["findings"][0]["line"] == 2


def test_an_event_that_is_too_large_is_refused(service: Service) -> None:
    body = b"event: message_start\ndata: {" + b" " * 50_001
    path = "/v1/assemble?from=anthropic-messages"
    answer = service.ask("POST", path, body, content_type="text/event-stream")
    assert (answer.status, answer.rule) == (413, "framing/event-too-large")


@pytest.mark.parametrize("depth", [51, 600, 20_000])
def test_deep_nesting_is_refused(service: Service, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    for path in (VALIDATE, "/v1/convert?type=message.Message&to=blocks", "/v1/compat"):
        answer = service.post(path, deep)
        assert (answer.status, answer.rule) == (400, "document/too-deep"), path
    (finding,) = service.post(VALIDATE, deep + b"\n", **JSONL).json["findings"]
    assert finding["rule"] == "document/too-deep"
    flat = service.post(VALIDATE, b"[" * 50 + b"]" * 50)
    assert flat.json["findings"][0]["rule"] == "shape/type"


def bomb(size: int) -> bytes:
    """Gzip of so many zeros, in no time and no memory."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b"\0" * (1 << 20)
    return b"".join([*(packer.compress(piece) for _ in range(size >> 20)), packer.flush()])


@pytest.mark.parametrize(
    ("path", "kind", "rule", "limit"),
    [
        (VALIDATE, "application/json", "service/too-large", 200_000),
        (VALIDATE, "application/jsonl", "framing/line-too-long", 50_000),
        ("/v1/assemble", "application/jsonl", "framing/line-too-long", 50_000),
    ],
)
def test_a_gzip_bomb_explodes_in_pieces(
    service: Service, path: str, kind: str, rule: str, limit: int
) -> None:
    body = bomb(200 << 20)
    assert len(body) < 400_000
    before = service.rss_bytes()
    answer = service.ask("POST", path, body, content_type=kind, content_encoding="gzip")
    assert (answer.status, answer.rule) == (413, rule)
    assert answer.json["findings"][0]["expected"] == f"at most {limit} bytes"
    assert service.rss_bytes() - before < 20 << 20


@pytest.mark.parametrize(
    "body", [b"no gzip", gzip.compress(LINES)[:-9], gzip.compress(LINES) + b"more", b"\x1f"]
)
def test_what_is_no_gzip_is_refused(service: Service, body: bytes) -> None:
    answer = service.ask("POST", "/v1/assemble", body, content_encoding="gzip", **JSONL)
    assert (answer.status, answer.rule) == (400, "service/bad-request")


# --- the wrong thing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "",
        "application/json; charset=latin-1",
        "application/jsonx",
        "application/*",
        "multipart/form-data; boundary=x",
        "application/json, application/json",
        "text/event-stream",
    ],
)
def test_other_content_types_are_refused(service: Service, kind: str) -> None:
    answer = service.post(VALIDATE, USER, content_type=kind)
    assert (answer.status, answer.rule) == (415, "service/unsupported-type")
    assert answer.headers["accept"] == "application/json, application/jsonl, application/x-ndjson"


def test_a_content_type_is_there_once(service: Service) -> None:
    body = json.dumps(USER).encode()
    for kinds in ("", "content-type: application/json\r\ncontent-type: application/json\r\n"):
        head = f"POST {VALIDATE} HTTP/1.1\r\nhost: localhost\r\n{kinds}"
        head += f"content-length: {len(body)}\r\n\r\n"
        with service.connect() as client:
            client.send(head.encode() + body)
            assert client.answer().rule == "service/unsupported-type"


def test_deltas_are_lines_and_only_providers_send_events(service: Service) -> None:
    answer = service.ask("POST", "/v1/assemble", LINES, content_type="text/event-stream")
    assert (answer.status, answer.rule) == (415, "service/unsupported-type")


@pytest.mark.parametrize("coding", ["br", "deflate", "gzip, gzip", "zstd", "gzip, identity, br"])
def test_other_content_codings_are_refused(service: Service, coding: str) -> None:
    answer = service.post(VALIDATE, USER, content_encoding=coding)
    assert (answer.status, answer.rule) == (415, "service/unsupported-encoding")
    assert answer.headers["accept-encoding"] == "gzip, identity"


@pytest.mark.parametrize(
    ("method", "path", "accept"),
    [
        ("POST", VALIDATE, "text/html"),
        ("POST", VALIDATE, "application/json;q=0, */*"),
        ("POST", "/v1/assemble", "application/json;q=0.000"),
        ("GET", "/healthz", "image/*"),
        ("GET", "/metrics", "application/json"),
        ("GET", "/schemas/v0.1/message/message.schema.json", "text/*"),
        ("GET", "/openapi.json", "nonsense"),
    ],
)
def test_what_nobody_accepts_is_not_sent(
    service: Service, method: str, path: str, accept: str
) -> None:
    kind = JSONL if "assemble" in path else JSON
    body = json.dumps(USER).encode() if method == "POST" else b""
    answer = service.ask(method, path, body, accept=accept, **kind)
    assert (answer.status, answer.rule) == (406, "service/not-acceptable")


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("text/*", "text/event-stream; charset=utf-8"),
        ("application/json;q=0.5, text/event-stream", "text/event-stream; charset=utf-8"),
        ("application/json, text/event-stream", "application/json"),
        ("TEXT/Event-Stream; q=1.0", "text/event-stream; charset=utf-8"),
        ("bad;q=2, text/event-stream;q=0.1, */*;q=0", "text/event-stream; charset=utf-8"),
        (",,, */*", "application/json"),
    ],
)
def test_the_best_liked_form_is_sent(service: Service, accept: str, kind: str) -> None:
    answer = service.ask("POST", "/v1/assemble", LINES, accept=accept, **JSONL)
    assert (answer.status, answer.headers["content-type"]) == (200, kind)


def test_bad_utf8_is_refused(service: Service) -> None:
    answer = service.post(VALIDATE, b'{"runId": "\xff"}')
    assert (answer.status, answer.rule) == (400, "document/invalid-utf8")
    (finding,) = service.post(VALIDATE, b'"\xff"\n', **JSONL).json["findings"]
    assert (finding["rule"], finding["line"]) == ("document/invalid-utf8", 1)
    deltas = service.ask("POST", "/v1/assemble", b'{"a": "\xff"}\n', **JSONL)
    assert (deltas.status, deltas.rule) == (400, "document/invalid-utf8")
    path = "/v1/assemble?from=openai-chat"
    events = service.ask("POST", path, b"data: \xff\n\n", content_type="text/event-stream")
    assert (events.status, events.rule) == (400, "framing/invalid-utf8")


@pytest.mark.parametrize("body", [b"", b"{", b"nonsense", b"NaN", b"\xef\xbb\xbf{}", b"{} {}"])
def test_what_is_no_json_is_refused(service: Service, body: bytes) -> None:
    for path in (VALIDATE, "/v1/convert?type=message.Message&to=blocks", "/v1/compat"):
        answer = service.post(path, body)
        assert answer.status == 400, path
        assert answer.rule.startswith("document/"), path


@pytest.mark.parametrize(
    "query",
    [
        "",
        "type",
        "type=",
        "type=message.Mesage",
        "type=message.Message&type=message.Message",
        "type=message.Message&version=v9",
        "type=message.Message&level=deep",
        "type=message.Message&tyep=x",
        "type=message.Message&version=",
        "type=%ff",
        "type=message.Message&" + "&".join(f"a{n}=1" for n in range(200)),
        "type=message.Message;version=v0.1",
        "type=message.TextPart",
    ],
)
def test_wrong_parameters_are_refused(service: Service, query: str) -> None:
    answer = service.post(f"/v1/validate?{query}", USER)
    assert (answer.status, answer.rule) == (400, "service/bad-parameter")


@pytest.mark.parametrize(
    "query",
    [
        "snapshotEvery=0",
        "snapshotEvery=-1",
        "snapshotEvery=1.5",
        "snapshotEvery=100001",
        "snapshotEvery=" + "9" * 500,
        "snapshotEvery=%D9%A3",
        "mode=lenient",
        "from=nobody",
        "runId=",
        "runId=" + "x" * 600,
    ],
)
def test_wrong_parameters_of_assemble_are_refused(service: Service, query: str) -> None:
    answer = service.ask("POST", f"/v1/assemble?{query}", LINES, **JSONL)
    assert (answer.status, answer.rule) == (400, "service/bad-parameter")


def test_a_wrong_parameter_is_told_with_the_nearest(service: Service) -> None:
    (finding,) = service.post("/v1/validate?type=message.Mesage", USER).json["findings"]
    assert "message.Message" in finding["expected"]
    (finding,) = service.post(f"{VALIDATE}&versoin=v0.1", USER).json["findings"]
    assert (finding["expected"], finding["actual"]) == ("version", '"versoin"')
    for path in ("/healthz", "/metrics", "/schemas", "/openapi.json"):
        assert service.ask("GET", f"{path}?x=1").rule == "service/bad-parameter"


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "NONSENSE"])
def test_other_methods_are_refused_with_those_that_are_known(service: Service, method: str) -> None:
    answer = service.ask(method, "/v1/assemble")
    assert (answer.status, answer.headers["allow"]) == (405, "POST, OPTIONS")
    if method != "HEAD":
        assert answer.rule == "service/method-not-allowed"
    if method not in ("GET", "HEAD"):
        other = service.ask(method, "/healthz")
        assert (other.status, other.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
