"""Values in memory, beside what msgspec alone takes for encoding or decoding the same.

``python -m bench.values`` prints the table. All ways take turns, round after round; what counts is
the time of the processor, and the median of the rounds.
"""

from __future__ import annotations

import contextlib
import gc
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from partwire import check_history, native_core
from partwire.convert import convert, migrate
from partwire.reading import dump, read, to_wire, validate
from partwire.types import Message

__all__ = ["Measured", "measure_values"]

_RUN: Final = {"runId": "run_7f3a", "timestamp": "2026-11-02T09:15:30.250Z"}
_USAGE: Final = {"inputTokens": 812, "outputTokens": 64, "totalTokens": 876, "cost": 0.00421}
_CALL: Final = {"toolCallId": "call_1", "toolName": "get_weather"}
_HISTORY: Final[list[dict[str, Any]]] = [
    {
        **_RUN,
        "role": "user",
        "parts": [{"kind": "text", "payload": {"text": "What is the weather like in Zürich?"}}],
    },
    {
        **_RUN,
        "role": "assistant",
        "parts": [
            {"kind": "thinking", "payload": {"text": "The user wants the weather of a city."}},
            {"kind": "text", "payload": {"text": "I am looking that up."}},
            {
                "kind": "tool_call",
                "payload": {**_CALL, "arguments": {"city": "Zürich", "days": 3, "units": "metric"}},
            },
        ],
        "meta": {"usage": _USAGE, "completedAt": "2026-11-02T09:15:32.100Z"},
    },
    {
        **_RUN,
        "role": "tool",
        "parts": [
            {
                "kind": "tool_result",
                "payload": {
                    "toolCallId": "call_1",
                    "isError": False,
                    "content": {"temperature": 11.5, "sky": "clear", "days": [11.5, 9.0, 12.25]},
                },
            }
        ],
    },
    {
        **_RUN,
        "role": "assistant",
        "parts": [
            {"kind": "text", "payload": {"text": "It is clear in Zürich, and 11.5 degrees warm."}}
        ],
        "meta": {"usage": _USAGE, "completedAt": "2026-11-02T09:15:34.700Z"},
    },
]
"""A question, a call, its result and an answer; every version takes them as they are."""

_SAMPLE_S: Final = 0.01
_ROUNDS: Final = 11


class Measured(NamedTuple):
    """What one thing takes, in microseconds for each message; ``ratio`` is native to floor."""

    what: str
    native: float | None
    """None where the native core is not installed."""
    plain: float
    floor: float
    ratio: float


class _Way(NamedTuple):
    what: str
    run: Callable[[], object]
    floor: Callable[[], object]
    """What msgspec alone does with the same: encoding, decoding, or both."""
    messages: int


def measure_values(rounds: int = _ROUNDS) -> list[Measured]:
    """Return what values in memory take, with the native core and without."""
    return [_measured(way, rounds) for way in _ways()]


def _measured(way: _Way, rounds: int) -> Measured:
    native, plain, floor = list[float](), list[float](), list[float]()
    count, floor_count = _runs_in_a_sample(way.run), _runs_in_a_sample(way.floor)
    for _ in range(rounds):
        floor.append(_us(way.floor, floor_count, way.messages))
        if native_core.native is not None:
            native.append(_us(way.run, count, way.messages))
        with _without_the_core():
            plain.append(_us(way.run, count, way.messages))
    ours = native or plain
    ratio = statistics.median(each / least for each, least in zip(ours, floor, strict=True))
    return Measured(
        way.what,
        statistics.median(native) if native else None,
        statistics.median(plain),
        statistics.median(floor),
        ratio,
    )


@contextlib.contextmanager
def _without_the_core() -> Iterator[None]:
    found = native_core.core()
    native_core._core = None
    try:
        yield
    finally:
        native_core._core = found


def _runs_in_a_sample(run: Callable[[], object]) -> int:
    run()
    start = time.process_time()
    for _ in range(20):
        run()
    return max(1, round(_SAMPLE_S * 20 / max(time.process_time() - start, 1e-6)))


def _us(run: Callable[[], object], count: int, messages: int) -> float:
    run()
    gc.collect()
    start = time.process_time()
    for _ in range(count):
        run()
    return (time.process_time() - start) / count / messages * 1e6


def _ways() -> list[_Way]:
    history = _HISTORY
    texts = [msgspec.json.encode(each) for each in history]
    structs = [read(each, Message) for each in texts]
    delta = {**_RUN, "kind": "text", "seq": 4, "payload": {"textDelta": "I am looking"}}
    delta_struct = read(delta, _DELTA)
    ids = {"messageId": "msg_1", "turnId": "turn_1"}  # only the newer version has them
    with_ids = [{**each, **ids} for each in history]
    structs_with_ids = [read(each, Message) for each in with_ids]
    delta_with_ids = read({**delta, **ids}, _DELTA)
    sessions = convert(structs, "session").value
    blocks = convert(structs, "blocks").value
    return [
        _way("validate, dicts", _each(history, lambda each: validate(each, Message)), history),
        _way("validate, JSON text", _each(texts, lambda each: validate(each, Message)), texts),
        _way("check_history, dicts", lambda: check_history(history), history),
        _way("check_history, JSON text", lambda: check_history(texts), texts),
        _way("check_history, structs", lambda: check_history(structs), structs),
        _way("read, dicts", _each(history, lambda each: read(each, Message)), history),
        _way("dump, structs", _each(structs, dump), structs),
        _way("dump, dicts", _each(history, lambda each: dump(each, Message)), history),
        _way("to_wire, structs", _each(structs, to_wire), structs),
        _way("migrate down, deltas", lambda: migrate(delta_struct, "v0.1"), [delta_struct]),
        _way(
            "migrate down, deltas with ids",
            lambda: migrate(delta_with_ids, "v0.1"),
            [delta_with_ids],
        ),
        _way("migrate down, delta dicts", lambda: migrate(delta, "v0.1", _DELTA, "v0.2"), [delta]),
        _way("migrate down, structs", _each(structs, _down), structs),
        _way("migrate down, structs with ids", _each(structs_with_ids, _down), structs_with_ids),
        _way("migrate down, dicts", _each(history, _migrated("v0.2", "v0.1")), history),
        _way("migrate down, dicts with ids", _each(with_ids, _migrated("v0.2", "v0.1")), with_ids),
        _way("migrate down, JSON text", _each(texts, _migrated("v0.2", "v0.1")), texts),
        _way("migrate up, dicts", _each(history, _migrated("v0.1", "v0.2")), history),
        _way("migrate up, JSON text", _each(texts, _migrated("v0.1", "v0.2")), texts),
        _way("convert, messages to session", lambda: convert(structs, "session"), structs),
        _way("convert, session to messages", lambda: convert(sessions, "message"), structs),
        _way("convert, messages to blocks", lambda: convert(structs, "blocks"), structs),
        _way("convert, blocks to messages", lambda: convert(blocks, "message"), structs),
        _way(
            "convert, dicts to session",
            lambda: convert(history, "session", type=Message),
            history,
        ),
    ]


_DELTA: Final = "message.MessageDelta"
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def _down(each: Any) -> object:
    return migrate(each, "v0.1")


def _migrated(source: str, target: str) -> Callable[[Any], object]:
    return lambda each: migrate(each, target, "message.Message", source)


def _way(what: str, run: Callable[[], object], values: list[Any]) -> _Way:
    if isinstance(values[0], bytes):
        return _Way(what, run, _each(values, _decode), len(values))
    return _Way(what, run, _each(values, _encode), len(values))


def _each(values: list[Any], work: Callable[[Any], object]) -> Callable[[], object]:
    def run() -> None:
        for each in values:
            work(each)

    return run


def _printed(found: float | None) -> str:
    return "-" if found is None else f"{found:.2f}"


if __name__ == "__main__":
    print("| µs per message | native | plain | floor | native / floor |\n|---|---|---|---|---|")
    for each in measure_values():
        row = (each.what, *map(_printed, each[1:]))
        print(f"| {' | '.join(row)} |")
