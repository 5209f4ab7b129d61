"""Citations whose places the provider counts otherwise: each is found where it stands."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.providers import cohere_events, gemini_events
from tests.providers.provider_streams import Ran

PIECES = st.lists(
    st.tuples(st.text("aé€😀\ud83d\ude00", min_size=1, max_size=4), st.sampled_from("ttthc")),
    min_size=1,
    max_size=8,
)
"""Text in pieces, halves of characters among them, and what it is: text, a thought, or code."""


def _texts(ran: Ran) -> dict[int, str]:
    return {n: p["payload"]["text"] for n, p in enumerate(ran.whole) if p["kind"] == "text"}


def _cited(ran: Ran) -> list[tuple[int, str]]:
    """Return part and words of each citation that has a place."""
    found = []
    for number, part in enumerate(ran.whole):
        for citation in part["payload"].get("citations", ()):
            if "start" in citation:
                words = part["payload"]["text"][citation["start"] : citation["end"]]
                found.append((number, words))
    return found


@given(PIECES, st.data())
def test_bytes_of_the_whole_answer(pieces: list[tuple[str, str]], data: st.DataObject) -> None:
    events = [_gemini(*piece) for piece in pieces]
    texts = _texts(gemini_events.run(*events, gemini_events.STOP))
    whole = "".join(texts.values())
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    words = whole[start:end]
    first, last = (len(whole[:at].encode()) for at in (start, end))
    supports = [
        {
            "segment": {"startIndex": first, "endIndex": last, "text": said},
            "groundingChunkIndices": [0],
        }
        for said in (words, f"{words}a")
    ]
    grounded = {"groundingChunks": [{"web": {"uri": "u"}}], "groundingSupports": supports}
    closing = gemini_events.event(finishReason="STOP", groundingMetadata=grounded)
    due = []
    at = 0
    for number, text in texts.items():
        if at <= start < end <= at + len(text):
            due.append((number, words))
        at += len(text)
    assert _cited(gemini_events.run(*events, closing)) == due


def _gemini(text: str, kind: str) -> dict[str, Any]:
    if kind == "c":
        return gemini_events.event({"executableCode": {"code": "1"}})
    return gemini_events.event({"text": text, "thought": kind == "h"})


@given(PIECES, st.data())
def test_characters_of_a_block(pieces: list[tuple[str, str]], data: st.DataObject) -> None:
    events = [cohere_events.START, cohere_events.begin(0), cohere_events.piece(0, "b")]
    events += [cohere_events.stop(0), cohere_events.begin(1)]
    events += [cohere_events.piece(1, text) for text, _ in pieces]
    (whole,) = _texts(cohere_events.run(*events, cohere_events.ends())).values()
    start = data.draw(st.integers(1, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    cited = {"start": start - 1, "end": end - 1, "sources": [{"type": "tool", "id": "t:0"}]}
    words = whole[start:end]
    events += [
        cohere_events.cite(**cited, text=words),
        cohere_events.cite(**cited, text=f"{words}a"),
    ]
    ran = cohere_events.run(*events, cohere_events.ends())
    assert _cited(ran) == [(0, words)] * (start < end)
