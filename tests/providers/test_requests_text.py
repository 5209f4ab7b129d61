"""Requests: no character of an assistant's text is lost where its citations cut it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwire.providers.requests import ENCODERS
from tests.providers.request_round_trip import encode

Json = dict[str, Any]

# White space of several kinds, what only looks like it, and what is two units of UTF-16.
TEXTS = st.text(st.sampled_from("a. \n\t\u00a0\u0085\u3000\u200b\ufeff😀"), min_size=1, max_size=12)
PLACES = st.integers(0, 14)
BLANK_REFUSED = ("anthropic-messages", "bedrock-converse")


@st.composite
def cited(draw: st.DrawFn, dialect: str) -> Json:
    """Draw a text with citations: out of order, overlapping, beyond the text, or without places."""
    citations: list[Json] = []
    for places in draw(st.lists(st.none() | st.tuples(PLACES, PLACES), max_size=4)):
        citation: Json = {"source": {"kind": "url", "url": "https://example.com"}}
        if places is not None:
            citation |= {"start": min(places), "end": max(places)}
        if draw(st.booleans()):
            items = [{"kind": "citation", "data": {"title": "t"}}]
            citation["opaque"] = {"provider": dialect, "data": {"items": items}}
        citations.append(citation)
    return {"text": draw(TEXTS), "citations": citations}


def said(value: Any) -> Iterator[str]:
    """Yield the texts of a message's content."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from said(each)
    elif isinstance(value, dict):
        for name in ("content", "parts", "text", "citationsContent"):
            yield from said(value.get(name))


@pytest.mark.parametrize("dialect", ENCODERS)
@given(data=st.data())
def test_blocks_of_a_cited_text_are_the_text(dialect: str, data: st.DataObject) -> None:
    payload = data.draw(cited(dialect))
    message = {"runId": "r", "role": "assistant", "timestamp": "2026-03-01T09:00:00Z"}
    parts = [{"kind": "text", "payload": payload}]
    config = {"modelId": "model-1", "maxTokens": 64}
    body = encode(dialect, {"messages": [{**message, "parts": parts}], "config": config}).body
    (messages,) = (body[name] for name in ("messages", "contents", "input") if name in body)
    texts = [text for each in messages for text in said(each)]
    if dialect in BLANK_REFUSED:
        assert all(text.strip() for text in texts)
    if dialect not in BLANK_REFUSED or payload["text"].strip():
        assert "".join(texts) == payload["text"]
