"""What partwire writes for AG-UI, as the protocol's own types and its client take it."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

import pytest
from ag_ui.core import Event, Message
from hypothesis import Phase, given, settings
from pydantic import TypeAdapter, ValidationError

from partwire import formats
from tests.formats.histories import histories
from tests.formats.javascript import Judge, judge
from tests.formats.laws import read_given
from tests.formats.oracles import Item, differences, said
from tests.formats.test_ag_ui_streams import _drawn_streams as drawn_streams
from tests.formats.written import drawn_histories, plain

__all__ = ["judge"]

Json = dict[str, Any]

MESSAGES: Final[TypeAdapter[Any]] = TypeAdapter(list[Message])
EVENTS: Final[TypeAdapter[Any]] = TypeAdapter(list[Event])
# Where the client has something else than what is read of the same events.
NAMED: Final = {
    "two results": "the client gives the last call of an id all its results",
    "two calls": "the client gives a call of an id that was used the pieces of both",
    "late reasoning": "the client puts results behind their call, before reasoning that came next",
}


def dumped(adapter: TypeAdapter[Any], document: list[Json]) -> list[Json]:
    """Return what the library writes of what it reads; raises ValidationError."""
    read = adapter.validate_python(document)
    written: list[Json] = adapter.dump_python(read, mode="json", by_alias=True, exclude_none=True)
    return written


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize("extensions", [False, True])
def test_messages_are_those_of_the_protocol(version: str, extensions: bool) -> None:
    for name, messages in histories().items():
        document = formats.write("ag-ui", messages, version=version, extensions=extensions).document
        assert dumped(MESSAGES, document) == document, name


@given(drawn_histories)
@settings(max_examples=30)
def test_drawn_messages_are_those_of_the_protocol(messages: Any) -> None:
    for extensions in (False, True):
        document = formats.write("ag-ui", plain(messages), extensions=extensions).document
        assert dumped(MESSAGES, document) == document


@pytest.mark.parametrize("extensions", [False, True])
def test_events_are_those_of_the_protocol(extensions: bool) -> None:
    for name, messages in histories().items():
        events = _events(messages, extensions=extensions)
        assert dumped(EVENTS, events) == events, name


def test_the_check_sees_what_is_not_of_the_protocol() -> None:
    for wrong in ({"role": "user", "content": "x"}, {"id": "x", "role": "tool", "content": "x"}):
        with pytest.raises(ValidationError):
            dumped(MESSAGES, [wrong])
    with pytest.raises(ValidationError):
        dumped(EVENTS, [{"type": "TEXT_MESSAGE_CONTENT", "delta": "x"}])


@pytest.mark.slow  # the client is installed anew on each fresh machine
@pytest.mark.parametrize("extensions", [False, True])
def test_the_client_has_the_messages_that_are_read(judge: Judge, extensions: bool) -> None:
    found = {
        name: _of_client(judge, messages, extensions=extensions)
        for name, messages in histories().items()
    }
    assert {name: what for name, what in found.items() if what and what not in NAMED} == {}


@pytest.mark.slow
@given(items=drawn_streams)
@settings(max_examples=30, phases=[Phase.generate])
def test_the_client_has_the_messages_of_drawn_streams(judge: Judge, items: Any) -> None:
    for extensions in (False, True):
        what = _of_client(judge, items, extensions=extensions)
        assert what is None or what in NAMED


@pytest.mark.slow
def test_the_client_sees_a_stream_that_breaks_a_rule(judge: Judge) -> None:
    begun = {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
    run = {"threadId": "t", "runId": "r"}
    events = [{"type": "RUN_STARTED", **run}, begun, {"type": "RUN_FINISHED", **run}]
    assert "still active" in judge.ask("ag-ui-events", events=events)["refused"]


def _events(items: list[Any], *, extensions: bool) -> list[Json]:
    writer = formats.writer("ag-ui", version="1.0", extensions=extensions)
    return [event for item in items for event in writer.feed(item)] + writer.finish()


def _of_client(judge: Judge, items: list[Any], *, extensions: bool) -> str | None:
    """Return how the client's messages differ from ours; None where they do not.

    What our own events bring beside the protocol's the client does not have.
    """
    events = _events(items, extensions=extensions)
    if not events:
        return None
    answer = judge.ask("ag-ui-events", events=events)
    if "messages" not in answer:
        return str(answer)
    reader = formats.reader("ag-ui", run_id="run_1", timestamp="2026-01-02T03:04:05Z")
    run = formats.RunAssembler()
    for event in events:
        if event["type"] != "CUSTOM":
            run.feed_all(reader.feed(event))
    run.feed_all(reader.finish())
    ours = _unordered(said(plain(run.finish())))
    theirs = _unordered(said(plain(read_given("ag-ui", answer["messages"]).messages)))
    for kind, name in (("TOOL_CALL_RESULT", "two results"), ("TOOL_CALL_START", "two calls")):
        ids = [event["toolCallId"] for event in events if event["type"] == kind]
        if len(ids) != len(set(ids)):
            return name
    unlike = differences(theirs, ours)
    if unlike and sorted(theirs, key=repr) == sorted(ours, key=repr):
        return "late reasoning"
    return f"{unlike[:2]}" if unlike else None


def _unordered(items: list[Item]) -> list[Item]:
    """Return items without an order within an answer, where texts and calls stand apart."""
    made: list[Item] = []
    for role, group in groupby(items, lambda item: item[0]):
        kept = [item for item in group if item[1] != "approval_request"]  # of a run, not a message
        if role != "assistant":
            made += kept
            continue
        for kind in ("thinking", "text"):
            text = "".join(item[2] for item in kept if item[1] == kind)
            made += [(role, kind, text)] if text else []
        made += [item for item in kept if item[1] not in ("thinking", "text")]
    return made
