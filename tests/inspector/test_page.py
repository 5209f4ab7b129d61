"""The inspector's page: what is put into it stays data, and always becomes the same bytes."""

from __future__ import annotations

import base64
import os
import time
from pathlib import Path
from typing import Any

import pytest

from partwire.errors import UsageError
from partwire.inspector import page as module
from partwire.inspector.page import (
    HOLE,
    PAGE,
    Exhibit,
    headers_of,
    policy_of,
    read_page,
    with_exhibits,
)
from tests.inspector.stand_in import POLICY, STAND_IN, bytes_of, put_in_place, sources_in

MOST_BYTES = 1_000_000
"""What the page may weigh without sources."""


def test_sources_are_put_in() -> None:
    exhibits = [
        Exhibit("a.sse", "openai-chat", b"data: {}\n\n"),
        Exhibit("b", data=b""),
        Exhibit("c", "ag-ui", live="live/0", members={"run": True}),
    ]
    first, second, third = sources_in(with_exhibits(STAND_IN, exhibits))
    assert bytes_of(first) == b"data: {}\n\n"
    assert {name: first[name] for name in first if name != "gzip"} == {
        "name": "a.sse",
        "as": "openai-chat",
    }
    assert set(second) == {"name", "gzip"}
    assert third == {"name": "c", "as": "ag-ui", "live": "live/0", "run": True}


def test_without_sources_the_page_stays_as_it_is() -> None:
    assert with_exhibits(STAND_IN, []) == STAND_IN
    assert sources_in(STAND_IN) == []


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "--></SCRIPT\t>",
    "\u2028\u2029\0\\u003c\\",
    os.fsdecode(b"\xff.json"),
    "&lt;/script&gt;",
    "]]>",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_gets_out_of_its_element(text: str) -> None:
    losses = [{"pointer": text, "code": text, "severity": "lossy", "detail": text}]
    data = text.encode("utf-8", "surrogateescape")
    made = with_exhibits(STAND_IN, [Exhibit(text, text, data, members={"losses": losses})])
    (source,) = sources_in(made)  # which sees to it that there is one script
    assert bytes_of(source) == data
    assert (source["name"], source["as"], source["losses"]) == (text, text, losses)
    before, after = STAND_IN.split("null")
    assert made.startswith(before)
    assert made.endswith(after)
    made.encode()


def test_the_same_sources_are_the_same_bytes_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    exhibits = [Exhibit("a", None, b"a" * 1000)]
    first = with_exhibits(STAND_IN, exhibits)
    monkeypatch.setattr(time, "time", lambda: 2e9)
    assert with_exhibits(STAND_IN, exhibits) == first
    packed = base64.b64decode(sources_in(first)[0]["gzip"])
    # No time, no name, and no operating system.
    assert packed[:10] == b"\x1f\x8b\x08\0\0\0\0\0\x00\xff"
    assert len(packed) < 100


@pytest.mark.parametrize(
    "meta",
    [
        '<meta http-equiv="Content-Security-Policy" content="{}">',
        '<META content="{}" http-equiv="content-security-policy"/>',
        '<meta name="x" content="y"><meta\n http-equiv = "Content-Security-Policy" content="{}" >',
    ],
)
def test_the_policy_is_that_of_the_page(meta: str) -> None:
    for text in (POLICY, POLICY.replace("'", "&#39;")):
        assert policy_of(f"<html>{meta.format(text)}") == POLICY
    assert headers_of(meta.format(POLICY))["Content-Security-Policy"] == (
        f"{POLICY}; frame-ancestors 'none'"
    )


DAMAGED: dict[str, Any] = {
    "not built": None,
    "no place": STAND_IN.replace(HOLE, ""),
    "two places": STAND_IN.replace(HOLE, HOLE * 2),
    "filled": STAND_IN.replace("null", "{}"),
    "no policy": STAND_IN.replace("Content-Security-Policy", "X"),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_a_page_that_is_not_there_or_damaged_is_said_with_what_to_do(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, tmp_path, text)
    with pytest.raises(UsageError) as caught:
        read_page()
    (finding,) = caught.value.findings
    assert finding.rule == "usage/missing-resource"
    assert "make inspector" in (finding.expected or "")
    assert finding.actual == str(module.PAGE)


def test_a_page_that_is_not_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, tmp_path)
    module.PAGE.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="cannot be read"):
        read_page()


def test_the_page_that_is_built_is_one_that_can_be_used() -> None:
    if not PAGE.is_file():
        if os.environ.get("CI"):
            pytest.fail("the inspector's page is not built: make inspector")
        pytest.skip("the inspector's page is not built: make inspector")
    text = read_page()
    assert sources_in_built(text) == "null"
    assert len(text.encode()) < MOST_BYTES
    policy = policy_of(text)
    assert "default-src 'none'" in policy
    assert "http:" not in policy
    assert "https:" not in policy


def sources_in_built(text: str) -> str:
    return text.partition('id="partwire-data">')[2].partition("</script>")[0]
