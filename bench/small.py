"""The smaller figures: what an import costs, and the validation of one document."""

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
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from bench.ways import WAYS, Way, take

__all__ = ["SmallRow", "measure_import", "measure_validation"]

_SAMPLE_S: Final = 0.05


class SmallRow(NamedTuple):
    """A figure with its unit, or in ``note`` the reason why there is none."""

    label: str
    value: float | None
    unit: str
    note: str = ""


def measure_import(rounds: int) -> Iterator[SmallRow]:
    """Yield median CPU times of imports in fresh interpreters, less a bare interpreter's."""
    package = importlib.import_module("partwire")
    where = str(Path(str(package.__file__)).parent.parent)
    environment = {**os.environ, "PYTHONPATH": where}

    def start(code: str) -> float:
        process = subprocess.Popen([sys.executable, "-c", code], env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, code)
        return usage.ru_utime + usage.ru_stime

    codes = ("pass", "import partwire", "from partwire import *")
    start(codes[-1])  # writes the byte code
    taken = zip(*([start(code) for code in codes] for _ in range(rounds)), strict=True)
    bare, *full = (statistics.median(column) * 1e3 for column in taken)
    for code, figure in zip(codes[1:], full, strict=True):
        note = f"{figure:.0f} ms less {bare:.0f} ms of a bare interpreter"
        yield SmallRow(code, figure - bare, "ms", note)


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


def measure_validation(sample_s: float = _SAMPLE_S) -> Iterator[SmallRow]:
    """Yield microseconds per Message document, from JSON bytes to the verdict."""
    data = msgspec.json.encode(_document())
    broken = data.replace(b'"assistant"', b'"nobody"')
    for label, way, make in _VALIDATORS:
        take(way)
        try:
            refuses = make()
        except ImportError as error:
            if (error.name or "").startswith("partwire"):
                raise
            yield SmallRow(label, None, "µs", f"not installed ({error})")
            continue
        if refuses(data) or not refuses(broken):
            raise ValueError(f"{label} gives the wrong verdict on a Message document")
        seconds = _seconds_per_call(functools.partial(refuses, data), sample_s)
        yield SmallRow(label, seconds * 1e6, "µs")


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


_VALIDATORS: Final[tuple[tuple[str, Way | None, Callable[[], Refuses]], ...]] = (
    ("typed decode alone (types only)", None, _typed_decode),
    *((f"partwire.read, {way}", way, _read) for way in WAYS),
    *((f"partwire.validate, {way}", way, _validate) for way in WAYS),
    ("jsonschema-rs, is_valid", None, _jsonschema_rs),
    ("pydantic, our generated models", None, _models),
    ("jsonschema, is_valid", None, _jsonschema),
)
