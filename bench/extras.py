"""Import time, validation of one document, and framing: the smaller figures."""

from __future__ import annotations

import functools
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

__all__ = [
    "ExtraRow",
    "measure_framing",
    "measure_import",
    "measure_validation",
]

_SAMPLE_S: Final = 0.05
_STREAM_BYTES: Final = 8 * 1024 * 1024


@dataclass(frozen=True)
class ExtraRow:
    """A figure with its unit, or the reason why there is none."""

    label: str
    value: float | None
    unit: str
    note: str = ""


def measure_import(rounds: int) -> ExtraRow:
    """Median wall time of importing all public names, in a fresh interpreter, less a bare one's.

    ``import partwire`` alone imports none of them.
    """
    package = importlib.import_module("partwire")
    where = str(Path(str(package.__file__)).parent.parent)
    environment = {**os.environ, "PYTHONPATH": where}

    def start(code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return time.perf_counter() - begin

    start("from partwire import *")  # writes the byte code
    pairs = [(start("pass"), start("from partwire import *")) for _ in range(rounds)]
    bare, full = (statistics.median(column) for column in zip(*pairs, strict=True))
    note = f"{full * 1e3:.0f} ms less {bare * 1e3:.0f} ms of a bare interpreter"
    return ExtraRow("import partwire", (full - bare) * 1e3, "ms", note)


def _document() -> dict[str, Any]:
    """Return a Message as an assistant sends it: thinking, text, two tool calls, usage."""
    path = {"path": "src/module.py", "lines": [1, 40], "encoding": "utf-8"}
    calls = [
        {"toolCallId": f"call_{number}", "toolName": "read_file", "arguments": path}
        for number in (1, 2)
    ]
    usage = {"inputTokens": 1200, "outputTokens": 340, "totalTokens": 1540}
    return {
        "runId": "run-1",
        "role": "assistant",
        "timestamp": "2026-11-03T10:00:00.000Z",
        "parts": [
            {"kind": "thinking", "payload": {"text": "Two files have to be read first. " * 8}},
            {"kind": "text", "payload": {"text": "I read both files and compare them. " * 8}},
            *({"kind": "tool_call", "payload": call} for call in calls),
        ],
        "meta": {"modelId": "model-1", "finishReason": "tool_calls", "usage": usage},
    }


def measure_validation(sample_s: float = _SAMPLE_S) -> Iterator[ExtraRow]:
    """Yield microseconds per Message document, from JSON bytes to the verdict."""
    data = msgspec.json.encode(_document())
    broken = data.replace(b'"assistant"', b'"nobody"')
    for label, make in _VALIDATORS:
        try:
            refuses = make()
        except ImportError as error:
            if (error.name or "").startswith("partwire"):
                raise
            yield ExtraRow(label, None, "µs", f"not installed ({error})")
            continue
        if refuses(data) or not refuses(broken):
            raise ValueError(f"{label} gives the wrong verdict on a Message document")
        seconds = _seconds_per_call(functools.partial(refuses, data), sample_s)
        yield ExtraRow(label, seconds * 1e6, "µs")


def _seconds_per_call(call: Callable[[], object], sample_s: float) -> float:
    """Return the median over five samples of about ``sample_s`` each."""
    begin = time.process_time()
    call()
    loops = max(1, int(sample_s / max(time.process_time() - begin, 1e-6)))
    samples = []
    for _ in range(5):
        begin = time.process_time()
        for _ in range(loops):
            call()
        samples.append((time.process_time() - begin) / loops)
    return statistics.median(samples)


Refuses = Callable[[bytes], bool]


def _typed_decode() -> Refuses:
    structs = importlib.import_module("partwire.types")
    decode = msgspec.json.Decoder(structs.Message).decode

    def refuses(data: bytes) -> bool:
        try:
            decode(data)
        except msgspec.ValidationError:
            return True
        return False

    return refuses


def _read() -> Refuses:
    read = importlib.import_module("partwire.reading.pipeline").read
    error_type = importlib.import_module("partwire.errors").ReadError

    def refuses(data: bytes) -> bool:
        try:
            read(data, "message.Message")
        except error_type:
            return True
        return False

    return refuses


def _validate() -> Refuses:
    validate = importlib.import_module("partwire.reading.pipeline").validate
    return lambda data: bool(validate(data, "message.Message"))


def _models() -> Refuses:
    pydantic = importlib.import_module("pydantic")
    model = importlib.import_module("partwire.models").Message

    def refuses(data: bytes) -> bool:
        try:
            model.model_validate_json(data)
        except pydantic.ValidationError:
            return True
        return False

    return refuses


def _schema() -> dict[str, Any]:
    bundle = importlib.import_module("partwire.contract.resources").bundle("message")
    return {**bundle, "$ref": "#/$defs/Message"}


def _jsonschema() -> Refuses:
    validator = importlib.import_module("jsonschema").Draft202012Validator(_schema())
    return lambda data: not validator.is_valid(json.loads(data))


def _jsonschema_rs() -> Refuses:
    validator = importlib.import_module("jsonschema_rs").Draft202012Validator(_schema())
    return lambda data: not validator.is_valid(json.loads(data))


_VALIDATORS: Final[tuple[tuple[str, Callable[[], Refuses]], ...]] = (
    ("typed decode alone (types only)", _typed_decode),
    ("partwire.read", _read),
    ("partwire.validate", _validate),
    ("jsonschema-rs, is_valid", _jsonschema_rs),
    ("pydantic, our generated models", _models),
    ("jsonschema, is_valid", _jsonschema),
)


def measure_framing(stream_bytes: int = _STREAM_BYTES) -> Iterator[ExtraRow]:
    """Yield MB/s of the decoders, fed 64 KiB at a time with events of about 130 bytes."""
    payload = b'{"kind":"text","seq":12345,"payload":{"textDelta":"some text "},"runId":"run-1"}'
    sse_event = b"event: delta\ndata: " + payload + b"\n\n"
    line = payload + b"\n"
    sse = importlib.import_module("partwire.providers.framing.sse")
    json_lines = importlib.import_module("partwire.providers.framing.jsonlines")
    for label, decoder_type, unit in (
        ("framing: server-sent events", sse.SSEDecoder, sse_event),
        ("framing: JSON Lines", json_lines.JSONLinesDecoder, line),
    ):
        repeats = stream_bytes // len(unit)
        data = unit * repeats
        best = float("inf")
        for _ in range(3):
            decoder, count = decoder_type(), 0
            begin = time.process_time()
            for start in range(0, len(data), 64 * 1024):
                count += len(decoder.feed(data[start : start + 64 * 1024]))
            count += len(decoder.close())
            best = min(best, time.process_time() - begin)
            if count != repeats:
                raise ValueError(f"{label}: {count} events instead of {repeats}")
        note = f"{repeats / best / 1e3:,.0f} thousand events per second"
        yield ExtraRow(label, len(data) / best / 1e6, "MB/s", note)
