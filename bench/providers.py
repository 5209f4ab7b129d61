"""Provider streams, bytes → Message: adapter and assembler against the official accumulators.

The streams are the recordings, where they are to be had, and the provider cases of the fixtures.
Both sides get the same bytes, 64 KiB at a time: framing, JSON and assembling are timed, sockets
are not. A stream that the official accumulator refuses, or in which it reads another text, is
counted and not compared.
"""

from __future__ import annotations

import gc
import importlib
import json
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from partwire import MessageAssembler
from partwire.providers import ByteAdapter, open_adapter
from partwire.types import Message, TextPart
from partwire_testing.conformance.suites import own_cases
from tests.providers import recordings

__all__ = ["DIALECTS", "LONG_EVENTS", "ProviderRow", "measure_providers", "streams"]

DIALECTS: Final = ("anthropic-messages", "openai-chat", "openai-responses")
LONG_EVENTS: Final = 50
"""A stream of more events is a long one."""
_CHUNK: Final = 64 * 1024
_NOW: Final = "2026-01-02T03:04:05Z"

Accumulate = Callable[[list[bytes]], Any]


class Official(NamedTuple):
    """An official accumulator, and how the text is read from what it gives."""

    run: Accumulate
    text: Callable[[Any], str]


class ProviderRow(NamedTuple):
    """One stream: CPU seconds of both sides; ``ratio``: median over the rounds, theirs by ours.

    Where the official accumulator has no result, or another, ``note`` says which, and there is no
    ratio.
    """

    dialect: str
    name: str
    events: int
    ours: float | None
    theirs: float | None
    ratio: float | None
    note: str = ""

    @property
    def is_recording(self) -> bool:
        """Whether it is a recorded stream, not a fixture."""
        return not self.name.startswith("fixture ")


def streams() -> Iterator[tuple[str, str, int, bytes]]:
    """Yield dialect, name, number of events, and the bytes of an event stream."""
    for name, recording in recordings.load().items():
        if recording.dialect in DIALECTS:
            yield recording.dialect, name, len(recording.texts), _sse(recording.texts)
    for case in own_cases("v0.1"):
        is_stream = case.suite == "providers" and case.spec["input_file"].endswith(".sse")
        if is_stream and case.spec["api"] in DIALECTS and case.result:
            data = case.data("input")
            name = case.name.rpartition("/")[2]
            yield case.spec["api"], f"fixture {name}", data.count(b"data:"), data


def _sse(texts: list[str]) -> bytes:
    """Return the events as the provider frames them: with the name of each that has one."""
    out = []
    for text in texts:
        value = json.loads(text) if text.startswith("{") else {}
        name = value.get("type")
        out.append(f"event: {name}\ndata: {text}\n\n" if name else f"data: {text}\n\n")
    return "".join(out).encode()


def ours(dialect: str, chunks: list[bytes]) -> Message:
    """Return the message that adapter and assembler make of the bytes."""
    reader = ByteAdapter(open_adapter(dialect, "run_1", clock=_clock))
    assembler = MessageAssembler()
    for chunk in chunks:
        for delta in reader.feed(chunk):
            assembler.consume(delta)
    for delta in reader.close():
        assembler.consume(delta)
    if assembler.status == "done":
        return assembler.build_final_message()
    return assembler.build_partial()


def _clock() -> str:
    return _NOW


# --- the official accumulators -------------------------------------------------------------------


def load_official() -> dict[str, Official]:
    """Return the official accumulator of each dialect. Raises ImportError where one is missing."""
    return {
        "anthropic-messages": Official(_anthropic(), _anthropic_text),
        "openai-chat": Official(_openai_chat(), _chat_text),
        "openai-responses": Official(_openai_responses(), _responses_text),
    }


def _anthropic_text(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def _chat_text(completion: Any) -> str:
    message = completion.choices[0].message
    return f"{message.content or ''}{message.refusal or ''}"


def _responses_text(response: Any) -> str:
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    return "".join(part.text if part.type == "output_text" else part.refusal for part in parts)


def _anthropic() -> Accumulate:
    construct = importlib.import_module("anthropic._models").construct_type
    event_type = importlib.import_module("anthropic.types").RawMessageStreamEvent
    accumulate = importlib.import_module("anthropic.lib.streaming._messages").accumulate_event
    decoder_type = importlib.import_module("anthropic._streaming").SSEDecoder

    def run(chunks: list[bytes]) -> object:
        snapshot, buffers = None, dict[int, bytes]()
        for sse in decoder_type().iter_bytes(iter(chunks)):
            if sse.event in ("ping", None) or not sse.data:
                continue
            event = construct(type_=event_type, value=sse.json())
            snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=buffers)
        return snapshot

    return run


def _openai_events(chunks: list[bytes], event_type: Any) -> Iterator[Any]:
    construct = importlib.import_module("openai._models").construct_type
    decoder_type = importlib.import_module("openai._streaming").SSEDecoder
    for sse in decoder_type().iter_bytes(iter(chunks)):
        if sse.data.startswith("[DONE]"):
            break
        if sse.data:
            yield construct(type_=event_type, value=sse.json())


def _openai_chat() -> Accumulate:
    chunk_type = importlib.import_module("openai.types.chat").ChatCompletionChunk
    state_type = importlib.import_module("openai.lib.streaming.chat").ChatCompletionStreamState

    def run(chunks: list[bytes]) -> object:
        state = state_type()
        for chunk in _openai_events(chunks, chunk_type):
            state.handle_chunk(chunk)
        return state.current_completion_snapshot

    return run


def _openai_responses() -> Accumulate:
    event_type = importlib.import_module("openai.types.responses").ResponseStreamEvent
    omit = importlib.import_module("openai").omit
    module = importlib.import_module("openai.lib.streaming.responses._responses")

    def run(chunks: list[bytes]) -> object:
        state = module.ResponseStreamState(input_tools=omit, text_format=omit)
        for event in _openai_events(chunks, event_type):
            state.handle_event(event)
        return state._completed_response

    return run


# --- measuring -----------------------------------------------------------------------------------


def measure_providers(rounds: int, sample_s: float) -> Iterator[ProviderRow]:
    """Yield a row per stream; both sides in turn, ``rounds`` times, ``sample_s`` each."""
    official = load_official()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one serializer warns of each value that is not a string
        for dialect, name, events, data in streams():
            chunks = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
            mine, theirs = partial(ours, dialect, chunks), partial(official[dialect].run, chunks)
            note = _why_not(official[dialect].text, mine(), theirs)
            if note:
                yield ProviderRow(dialect, name, events, None, None, None, note)
                continue
            pairs = [(_seconds(mine, sample_s), _seconds(theirs, sample_s)) for _ in range(rounds)]
            seconds = [statistics.median(column) for column in zip(*pairs, strict=True)]
            ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
            yield ProviderRow(dialect, name, events, seconds[0], seconds[1], ratio)


def _why_not(text: Callable[[Any], str], message: Message, theirs: Callable[[], Any]) -> str:
    """Return why the official accumulator's result cannot be compared, "" where it can."""
    try:
        found = text(theirs())
    except Exception as error:  # noqa: BLE001  whatever it raises, it has no result
        return f"raises {type(error).__name__}"
    mine = "".join(part.payload.text for part in message.parts if isinstance(part, TextPart))
    return "" if found == mine else "reads another text"


def _seconds(call: Callable[[], object], sample_s: float) -> float:
    """Return CPU seconds per call, over about ``sample_s``."""
    gc.collect()
    begin = time.process_time()
    call()
    once = time.process_time() - begin
    loops = max(1, int(sample_s / max(once, 1e-6)))
    begin = time.process_time()
    for _ in range(loops):
        call()
    return (time.process_time() - begin) / loops
