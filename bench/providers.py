"""Provider streams, bytes → Message: ``assemble(adapt(…))`` against the official accumulators.

The streams are the recordings, where they are to be had, and the provider cases of the fixtures.
All sides get the same bytes, in chunks as a network brings them and in large ones: framing, JSON
and assembling are timed, sockets are not. Deltas have the time of the machine's own clock. A stream
that the official accumulator refuses, or in which it reads another text, is counted and not
compared.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from bench.content import Content, make_content
from bench.measure import frozen
from bench.ours import CHUNKS, cut
from bench.peers.anthropic_events import events as anthropic_events
from bench.peers.openai_chunks import events as openai_chunks
from bench.ways import WAYS, take
from partwire import StreamFailed, adapt, assemble
from partwire.types import Message, TextPart
from partwire_testing.conformance.suites import own_cases
from tests.providers import recordings

__all__ = [
    "DIALECTS",
    "LONG_EVENTS",
    "CostRow",
    "ProviderRow",
    "measure_costs",
    "measure_providers",
    "streams",
]

DIALECTS: Final = ("anthropic-messages", "openai-chat", "openai-responses")
LONG_EVENTS: Final = 50
"""A stream of more events is a long one."""

Accumulate = Callable[[list[bytes]], Any]


class Official(NamedTuple):
    """An official accumulator, and how the text is read from what it gives."""

    run: Accumulate
    text: Callable[[Any], str]


class ProviderRow(NamedTuple):
    """One stream in one cut.

    ``seconds`` by side: our ways and ``official``; ``ratios`` by way: the official one's time by
    ours. Both are medians of the rounds, and empty where the official accumulator has no result or
    another, of which ``note`` says which.
    """

    dialect: str
    chunks: str
    name: str
    events: int
    seconds: dict[str, float]
    ratios: dict[str, float]
    note: str = ""


class CostRow(NamedTuple):
    """What a stream costs one side, and each event more: the line through two lengths."""

    dialect: str
    chunks: str
    side: str
    stream_us: float
    event_us: float


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
    """Return the message of the bytes, what there is of it where the stream ended in an error."""
    try:
        return assemble(adapt(dialect, chunks))
    except StreamFailed as error:
        partial_message: Message = error.partial
        return partial_message


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
    """Yield a row per stream and cut; all sides in turn, ``rounds`` times, ``sample_s`` each."""
    official = load_official()
    with frozen(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one serializer warns of each value that is not a string
        for dialect, name, events, data in streams():
            for label, size in CHUNKS.items():
                sides = _sides(official[dialect], dialect, cut(data, size))
                note = _why_not(official[dialect].text, sides)
                taken = {} if note else _seconds(sides, rounds, sample_s)
                middle = {side: statistics.median(each) for side, each in taken.items()}
                ratios: dict[str, float] = {way: _ratio(taken, way) for way in WAYS if taken}
                yield ProviderRow(dialect, label, name, events, middle, ratios, note)


def measure_costs(lengths: tuple[int, int], rounds: int, sample_s: float) -> Iterator[CostRow]:
    """Yield a row per dialect, cut and side, of answers with as many pieces of text."""
    official = load_official()
    cases = itertools.product(_MADE.items(), CHUNKS.items())
    with frozen():
        for (dialect, made), (label, size) in cases:
            found = []
            for length in lengths:
                events = [json.dumps(event) for event in made(make_content("text", length))]
                sides = _sides(official[dialect], dialect, cut(_sse(events), size))
                note = _why_not(official[dialect].text, sides)
                if note:
                    raise ValueError(f"the official accumulator of {dialect} {note}")
                taken = _seconds(sides, rounds, sample_s)
                found.append({side: statistics.median(each) for side, each in taken.items()})
            for side, short in found[0].items():
                event = (found[1][side] - short) / (lengths[1] - lengths[0])
                stream = short - event * lengths[0]
                yield CostRow(dialect, label, side, stream * 1e6, event * 1e6)


_Sides = dict[str, Callable[[], Any]]


def _sides(official: Official, dialect: str, chunks: list[bytes]) -> _Sides:
    own: _Sides = dict.fromkeys(WAYS, partial(ours, dialect, chunks))
    return {**own, "official": partial(official.run, chunks)}


def _run(side: str, call: Callable[[], Any], loops: int = 1) -> Any:
    take("plain" if side == "plain" else "native")
    for _ in range(loops - 1):
        call()
    return call()


def _why_not(text: Callable[[Any], str], sides: _Sides) -> str:
    """Return why the official accumulator's result cannot be compared, "" where it can.

    Raises ValueError where our ways differ from each other.
    """
    own = {way: _run(way, sides[way]) for way in WAYS}
    read = {
        "".join(part.payload.text for part in message.parts if isinstance(part, TextPart))
        for message in own.values()
    }
    if len(read) > 1:
        raise ValueError("the native core reads another text than the package")
    try:
        found = text(sides["official"]())
    except Exception as error:  # noqa: BLE001  whatever it raises, it has no result
        return f"raises {type(error).__name__}"
    return "" if {found} == read else "reads another text"


def _seconds(sides: _Sides, rounds: int, sample_s: float) -> dict[str, list[float]]:
    """Return CPU seconds per call of each round, each over about ``sample_s``, in turn."""
    loops, taken = {}, {side: list[float]() for side in sides}
    for side, call in sides.items():
        begin = time.process_time()
        _run(side, call)
        loops[side] = max(1, int(sample_s / max(time.process_time() - begin, 1e-6)))
    for _ in range(rounds):
        for side, call in sides.items():
            gc.collect()
            begin = time.process_time()
            _run(side, call, loops[side])
            taken[side].append((time.process_time() - begin) / loops[side])
    return taken


def _ratio(taken: dict[str, list[float]], way: str) -> float:
    pairs = zip(taken["official"], taken[way], strict=True)
    return statistics.median(official / own for official, own in pairs)


def _responses_events(content: Content) -> Iterator[dict[str, Any]]:
    """Yield text as Responses API stream events."""
    numbers = iter(range(content.size + 10))
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": []}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress"}
    head = {"id": "resp_1", "object": "response", "created_at": 1793700000, "model": "model-1"}
    tools = {"tools": [], "tool_choice": "auto", "parallel_tool_calls": True}
    base = {**head, **tools, "status": "in_progress", "output": []}

    def event(kind: str, **members: Any) -> dict[str, Any]:
        return {"type": f"response.{kind}", **members, "sequence_number": next(numbers)}

    yield event("created", response=base)
    yield event("output_item.added", output_index=0, item={**item, "content": []})
    yield event("content_part.added", **place, part=part)
    for _, piece in content.pieces:
        yield event("output_text.delta", **place, delta=piece, logprobs=[])
    done = {**item, "status": "completed", "content": [{**part, "text": content.text}]}
    yield event("output_text.done", **place, text=content.text, logprobs=[])
    yield event("content_part.done", **place, part=done["content"][0])
    yield event("output_item.done", output_index=0, item=done)
    yield event("completed", response={**base, "status": "completed", "output": [done]})


_MADE: Final[dict[str, Callable[[Content], Iterator[dict[str, Any]]]]] = {
    "anthropic-messages": anthropic_events,
    "openai-chat": openai_chunks,
    "openai-responses": _responses_events,
}
