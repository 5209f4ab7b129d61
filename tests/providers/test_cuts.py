"""The laws of cuts: where bytes are cut changes nothing; an error in them is never a message."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import pytest

from partwire import to_wire
from partwire.providers import ADAPTERS, ByteAdapter, open_adapter
from partwire_testing.conformance.drawn.aws_frames import event_frame, exception_frame
from tests.fixture_cases import Case, case_of, provider_cases
from tests.providers.provider_streams import RUN, fixed_clock

SMALL: Final = {
    "anthropic-messages": "v0.1/providers/anthropic-messages/text",
    "bedrock-converse": "v0.1/providers/bedrock-converse/text",
    "cohere-v2": "v0.1/providers/cohere-v2/text",
    "gemini": "v0.1/providers/gemini/text",
    "openai-chat": "v0.1/providers/openai-chat/done-without-finish-reason",
    "openai-responses": "v0.1/providers/openai-responses/only-completed",
}
ERROR: Final = json.dumps({"error": {"code": 503, "message": "Too busy"}}).encode()
BARE: Final = {
    "bare": ERROR,
    "bare, with line end": ERROR + b"\r\n\r\n",
    "bare, on many lines": json.dumps(json.loads(ERROR), indent=2).encode() + b"\n",
    "bare, in an array": b"[" + ERROR + b"]\n",
    "bare, behind junk": b"{junk\n" + ERROR,
    "bare, behind junk and a blank line": b"{junk\n\n" + ERROR + b"\n\n",
    "bare, behind another value": b'{"a":1}\n' + ERROR + b"\n",
    "bare, before the mark": ERROR + b"\n\ndata: [DONE]\n\n",
    "bare, behind the mark": b"data: [DONE]\n\n" + ERROR,
    "bare, in the event of the mark": b"data: [DONE]\n" + ERROR + b"\n\n",
    "an event": b"data: " + ERROR + b"\n\n",
    "an event behind the mark": b"data: [DONE]\n\ndata: " + ERROR + b"\n\n",
}
"""Tails of which each holds an error."""
ODD: Final = {
    "nothing": b"",
    "a heartbeat": b": ping\n\n",
    "the mark": b"data: [DONE]",
    "no JSON": b"data: {\n\n",
    "half a character": b'data: "\xf0\x9f',
    "no UTF-8": b"data: \xff\n\n",
    "a bare error, cut": ERROR[:-9],
    "half a bare body": b'{"a":[\n',
    "a bare body": b'{"a":1}\n\n',
    "a field in a bare body": b'{"a":\ndata: {}\n1}\n\n',
    "half a field name": b"da",
}
FRAMES: Final = {
    "an exception": exception_frame("throttlingException", {"message": "Too busy"}),
    "an exception, cut": exception_frame("throttlingException", {"message": "Too busy"})[:-5],
    "metadata": event_frame("metadata", {"usage": {"inputTokens": 1, "outputTokens": 1}}),
    "a damaged frame": b"\0\0\0\x10\0\0\0\0abcdefgh",
    "text": ERROR,
    "nothing": b"",
}


def run(dialect: str, chunks: Iterable[bytes]) -> Any:
    """Return everything that comes of a stream: its deltas, and all that was found."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock)
    reader = ByteAdapter(adapter)
    deltas = [delta for chunk in chunks for delta in reader.feed(chunk)] + reader.close()
    return deltas, adapter.findings


def by_bytes(data: bytes) -> Iterator[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


def is_frames(case: Case) -> bool:
    name: str = case.spec["input_file"]
    return name.endswith(".eventstream")


def tails_of(case: Case) -> dict[str, bytes]:
    return FRAMES if is_frames(case) else BARE | ODD


@pytest.mark.parametrize("dialect", ADAPTERS)
@pytest.mark.usefixtures("untraced")
def test_every_input_with_every_tail_gives_the_same_whole_and_byte_by_byte(dialect: str) -> None:
    for case in (*provider_cases("v0.1", dialect), *provider_cases("v0.2", dialect)):
        for name, tail in tails_of(case).items():
            data = case.data("input") + tail
            assert run(dialect, by_bytes(data)) == run(dialect, [data]), (case.id, name)


@pytest.mark.parametrize("dialect", ADAPTERS)
@pytest.mark.usefixtures("untraced")
def test_a_cut_at_any_place_changes_nothing(dialect: str) -> None:
    """In the midst and at the end of a stream, whatever follows."""
    case = case_of(SMALL[dialect])
    whole = case.data("input")
    for end in (len(whole) // 2, len(whole)):
        for name, tail in tails_of(case).items():
            data = whole[:end] + tail
            due = run(dialect, [data])
            for at in range(max(0, end - 30), len(data)):
                assert run(dialect, [data[:at], data[at:]]) == due, (name, end, at)


@pytest.mark.parametrize("dialect", ADAPTERS)
def test_an_error_in_the_bytes_is_never_a_finished_message(dialect: str) -> None:
    """Whatever came before it, but for a message that its provider has ended already."""
    case = case_of(SMALL[dialect])
    whole = case.data("input")
    ends = [0, *(at for at in range(len(whole)) if whole[:at].endswith(b"\n\n")), len(whole)]
    if is_frames(case):
        ends, tails = [0], {"an exception": FRAMES["an exception"]}
    else:
        tails = BARE
    for end in ends:
        before, _ = run(dialect, [whole[:end]])
        eager = open_adapter(dialect, RUN, clock=fixed_clock)
        ByteAdapter(eager, "sse").feed(whole[:end])
        for name, tail in tails.items():
            deltas, findings = run(dialect, [whole[:end] + tail])
            if eager.ended:
                assert deltas == before, (name, end)
                assert findings, (name, end)
            else:
                assert to_wire(deltas[-1])["kind"] == "error", (name, end)


def test_where_white_space_is_cut_does_not_choose_the_framing() -> None:
    for spaces in (4094, 4095, 4096, 4097, 5000):
        data = b" " * spaces + ERROR + b"\n"
        assert run("openai-chat", by_bytes(data)) == run("openai-chat", [data]), spaces
