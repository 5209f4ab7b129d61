"""What the tests of the command line share: a runner in an empty folder, and a stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from click.testing import CliRunner, Result

from partwire.cli import main

DELTA = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
STREAM = [
    {**DELTA, "seq": 0, "kind": "start", "payload": {"modelId": "m", "requestId": "r"}},
    {**DELTA, "seq": 1, "kind": "thinking", "payload": {"textDelta": "Hm."}},
    {**DELTA, "seq": 2, "kind": "text", "payload": {"textDelta": "Grüße, "}},
    {**DELTA, "seq": 3, "kind": "text", "payload": {"textDelta": "世界"}},
    {
        **DELTA,
        "seq": 4,
        "kind": "tool_call_start",
        "payload": {"toolCallId": "c1", "toolName": "weather"},
    },
    {
        **DELTA,
        "seq": 5,
        "kind": "tool_call_args",
        "payload": {"toolCallId": "c1", "argsTextDelta": '{"city":'},
    },
    {
        **DELTA,
        "seq": 6,
        "kind": "tool_call_args",
        "payload": {"toolCallId": "c1", "argsTextDelta": '"Oslo"}'},
    },
    {**DELTA, "seq": 7, "kind": "tool_call_end", "payload": {"toolCallId": "c1"}},
    {**DELTA, "seq": 8, "kind": "done", "payload": {"finishReason": "tool_calls"}},
]
PARTS = [
    {"kind": "thinking", "payload": {"text": "Hm."}},
    {"kind": "text", "payload": {"text": "Grüße, 世界"}},
    {
        "kind": "tool_call",
        "payload": {"toolCallId": "c1", "toolName": "weather", "arguments": {"city": "Oslo"}},
    },
]
USER = {
    "runId": "run_1",
    "role": "user",
    "parts": [{"kind": "text", "payload": {"text": "Hi"}}],
    "timestamp": "2026-01-02T03:04:05Z",
}

Run = Callable[..., Result]


def run(*args: str, stdin: bytes | None = None) -> Result:
    """Run the command in this process; what escapes it fails the test."""
    return CliRunner().invoke(main, args, input=stdin, catch_exceptions=False)


def lines(documents: list[Any]) -> bytes:
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in documents)


def stderr_json(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stderr.splitlines()]


def details(stdout: str) -> dict[str, Any]:
    """Return what a command says in its JSON report, findings and details side by side.

    The report has to be as its schema says.
    """
    from tests.reporting.report_runs import checked  # noqa: PLC0415 - which runs commands itself

    report = checked(stdout)
    return {**report["details"], "findings": report["findings"]}
