"""What partwire writes for AI SDK, as the SDK itself takes it: versions 5, 6 and 7."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import Phase, given, settings

from partwire import formats
from partwire.formats.ai_sdk.chunks import sse, sse_end
from tests.formats.histories import histories
from tests.formats.javascript import Judge, judge
from tests.formats.laws import read_given
from tests.formats.oracles import as_doubles, differences, said
from tests.formats.test_ai_sdk_streams import _drawn_streams as drawn_streams
from tests.formats.written import drawn_histories, plain

__all__ = ["judge"]

pytestmark = pytest.mark.slow  # the libraries are installed anew on each fresh machine

Json = dict[str, Any]

VERSIONS = ("5", "6", "7")
# Where the SDK has something else than what is read of the same document.
NAMED: Final = {
    "no messages": "the SDK refuses an empty list",
    "denied": "of a call that the provider would run 7 makes a denied approval a result, too",
    "of an earlier stream": "the client has no call for the result: it goes on a history",
    "two results": "the client keeps the last result of a call",
    "answered": "a call that has a result, but no answer to its approval, for which 6 has no event",
    "asked twice": "the client keeps the last approval that is asked for a call",
    "late result": "the client has a result at its call, before what was said since",
}
# Documents that the SDK refuses as they are, and that go back as they came.
REFUSED: Final = {"ai-sdk/state-of-others": "metadata of a provider that is text"}
_OUTPUTS: Final = ("tool-output-available", "tool-output-error", "tool-output-denied")


@pytest.mark.parametrize("extensions", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
def test_ui_messages_are_valid_and_say_the_same(
    judge: Judge, version: str, extensions: bool
) -> None:
    found = {
        name: _of_messages(judge, messages, version, extensions=extensions)
        for name, messages in histories().items()
        if name not in REFUSED
    }
    unnamed = {name: what for name, what in found.items() if what and what not in NAMED}
    assert unnamed == {}


@pytest.mark.parametrize("version", VERSIONS)
@given(messages=drawn_histories)
@settings(max_examples=30, phases=[Phase.generate])
def test_drawn_ui_messages_are_valid(judge: Judge, version: str, messages: Any) -> None:
    for extensions in (False, True):
        what = _of_messages(judge, plain(messages), version, extensions=extensions)
        assert what is None or what in NAMED


def _of_messages(
    judge: Judge, messages: list[Json], version: str, *, extensions: bool
) -> str | None:
    """Return how the SDK's messages differ from ours; None where they do not."""
    written = formats.write("ai-sdk", messages, version=version, extensions=extensions).document
    if not written:
        return "no messages"
    answer = judge.ask("ui-messages", version=version, messages=written)
    if "modelMessages" not in answer:
        return str(answer)
    ours = plain(read_given("ai-sdk", written).messages)
    kept = plain(read_given("ai-sdk", answer["messages"]).messages)
    if said(kept) != said(ours) or _heads(kept) != _heads(ours):
        return f"of its validation: {differences(said(kept), said(ours))[:1]}, or of heads"
    if extensions:
        return None  # which the model messages do not have
    theirs = said(_of_model(answer["modelMessages"]))
    missing = [item for item in theirs if item not in said(ours)]
    if version == "7" and missing and {item[1] for item in missing} == {"tool_result"}:
        return "denied"
    unlike = differences(theirs, said(ours))
    return f"of its model messages: {unlike[:1]}" if unlike else None


def _heads(messages: list[Json]) -> list[Json]:
    return [as_doubles({**message, "parts": []}) for message in messages]


def _of_model(document: list[Json]) -> list[Json]:
    return plain(read_given("ai-sdk", document).messages)


@pytest.mark.parametrize("extensions", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
def test_streams_are_what_the_client_shows(judge: Judge, version: str, extensions: bool) -> None:
    found = {
        name: _of_stream(judge, messages, version, extensions=extensions)
        for name, messages in histories().items()
        if name not in REFUSED
    }
    unnamed = {name: what for name, what in found.items() if what and what not in NAMED}
    assert unnamed == {}


@pytest.mark.parametrize("version", VERSIONS)
@given(items=drawn_streams)
@settings(max_examples=30, phases=[Phase.generate])
def test_drawn_streams_are_what_the_client_shows(judge: Judge, version: str, items: Any) -> None:
    for extensions in (False, True):
        what = _of_stream(judge, items, version, extensions=extensions)
        assert what is None or what in NAMED


def _of_stream(judge: Judge, items: list[Any], version: str, *, extensions: bool) -> str | None:
    """Return how the message that the client shows differs from ours; None where it does not."""
    writer = formats.writer("ai-sdk", version=version, extensions=extensions)
    chunks = [chunk for item in items for chunk in writer.feed(item)] + writer.finish()
    if not chunks:
        return None
    events = [*map(sse, chunks), sse_end()]
    reader = formats.reader("ai-sdk", run_id="run_1", timestamp="2026-01-02T03:04:05Z")
    run = formats.RunAssembler()
    for event in events:
        run.feed_all(reader.feed(event))
    run.feed_all(reader.finish())
    ours = said(plain(run.finish()))
    answer = judge.ask("ui-stream", version=version, text="".join(events))
    errors = [chunk["errorText"] for chunk in chunks if chunk["type"] == "error"]
    if answer["errors"] != errors:
        known = ("No tool invocation found", "must be preceded by a tool-input-available")
        is_known = any(each in answer["errors"][0] for each in known)
        return "of an earlier stream" if is_known else str(answer["errors"])
    results = [chunk["toolCallId"] for chunk in chunks if chunk["type"] in _OUTPUTS]
    shown = [answer["message"]] if answer["message"] else []
    theirs = said(plain(read_given("ai-sdk", shown).messages))
    if shown and shown[0]["parts"]:
        taken = judge.ask("ui-messages", version=version, messages=shown)
        asked = {each["toolCallId"] for each in chunks if each["type"] == "tool-approval-request"}
        if "modelMessages" not in taken:
            answered = {
                c.get("approvalId") for c in chunks if c["type"] == "tool-approval-response"
            }
            is_open = len(answered) < len(asked & set(results))
            return "answered" if is_open else f"{taken} of {shown}"
    if len(results) != len(set(results)):
        return "two results"
    unlike = differences(theirs, ours)
    if unlike and all(pair == (None, ("assistant", "approval_request")) for pair in unlike):
        return "asked twice"
    if unlike and sorted(map(repr, theirs)) == sorted(map(repr, ours)) and results:
        return "late result"
    return f"of what it shows: {unlike[:1]}" if unlike else None
