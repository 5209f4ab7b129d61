"""Bodies of lines: whatever the cut, what is said of each line is what is said of it alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from partwire.service import Limits, create_app
from tests.cli.runner import STREAM, USER
from tests.service.calls import run_request
from tests.service.process import jsonl
from tests.ways import way

__all__ = ["way"]  # all of these go both ways

JSONL = {"content-type": "application/jsonl"}
MESSAGE = "/v1/validate?type=message.Message"
DEEP = {**USER, "meta": {"a": [[[[]]]]}}
BOM = b"\xef\xbb\xbf"
ODD = b"\r\n".join(
    [
        BOM + json.dumps(USER).encode(),
        b"",
        json.dumps({**USER, "turnid": "t"}).encode(),
        b" \t",
        b'  {"runId": "r"}',
        b"{",
        BOM + json.dumps(USER).encode(),
        json.dumps({**USER, "parts": ["x" * 20_000]}).encode(),
        b'{"runId": "\xff"}',
        json.dumps(DEEP).encode(),
        json.dumps(USER).encode(),
    ]
)


def ask(target: str, body: bytes, size: int, **limits: Any) -> tuple[int, bytes]:
    """Send a body in pieces of one size."""
    pieces: Sequence[bytes] = [body[at : at + size] for at in range(0, len(body), size)]
    app = create_app(Limits(**limits))
    status, _, answer = asyncio.run(run_request(app, "POST", target, pieces, JSONL))
    return status, answer


@pytest.mark.parametrize("query", ["", "&unknownMembers=ignore", "&unknownMembers=error"])
def test_findings_are_those_of_each_line(query: str) -> None:
    due = []
    lines = ODD.removeprefix(BOM).split(b"\r\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            _, told = ask(MESSAGE + query, b"\n" * (number - 1) + line + b"\n", 1 << 16)
            due += json.loads(told)["findings"]
    status, told = ask(MESSAGE + query, ODD, 1 << 16)
    answer = json.loads(told)
    assert (status, answer["documents"]) == (200, 9)
    assert answer["findings"] == due
    assert {each["line"] for each in due} >= {5, 6, 7, 8, 9}
    for size in (7, 4096, 20_001):
        assert ask(MESSAGE + query, ODD, size) == (status, told)


def test_lines_are_held_to_the_depth() -> None:
    body = jsonl([USER, DEEP, USER])
    assert json.loads(ask(MESSAGE, body, 1 << 16)[1])["findings"] == []
    (finding,) = json.loads(ask(MESSAGE, body, 1 << 16, depth=5)[1])["findings"]
    assert (finding["rule"], finding["line"]) == ("document/too-deep", 2)


def delta(**members: Any) -> bytes:
    return json.dumps({**STREAM[1], **members}).encode()


REFUSED = {
    "not JSON": (b"{", "document/invalid-json"),
    "a mark in the midst": (BOM + delta(), "document/invalid-json"),
    "a time that goes nowhere": (delta(timestamp="soon"), "shape/pattern"),
    "a kind that nobody knows": (delta(kind="later"), "shape/unknown-variant"),
    "a number that does not grow": (delta(seq=0), "stream/seq-not-increasing"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("size", [5, 1 << 16])
def test_the_first_line_that_is_refused_is_named(name: str, size: int) -> None:
    line, rule = REFUSED[name]
    rest = [b"{", *(json.dumps(each).encode() for each in STREAM[1:])]
    body = b"\r\n".join([json.dumps(STREAM[0]).encode(), b" ", line, *rest])
    status, told = ask("/v1/assemble", body, size)
    (finding, *_) = json.loads(told)["findings"]
    assert (finding["rule"], finding["line"]) == (rule, 3)
    assert status == (400 if rule.startswith("document/") else 422)


def test_lines_may_be_blank_or_have_members_that_nobody_knows() -> None:
    lines = [json.dumps({**each, "later": [1]}).encode() for each in STREAM]
    bare = ask("/v1/assemble", jsonl(STREAM), 1 << 16)
    assert bare[0] == 200
    for body in (b"\r\n\r\n".join(lines), BOM + b"\n".join(lines), b"\n \n".join(lines) + b"\n"):
        for size in (3, 1 << 16):
            assert ask("/v1/assemble", body, size) == bare
