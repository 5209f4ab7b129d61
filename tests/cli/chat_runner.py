"""Run ``partwire chat`` in tests, and read what it leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.runner import run
from tests.fixture_cases import case_file
from tests.providers.provider_streams import NOW

LONG = str(case_file("v0.1/providers/anthropic-messages/long-answer", "input"))
TEXT = str(case_file("v0.1/providers/openai-chat/text", "input"))


def chat(*args: str, stdin: bytes = b"") -> tuple[int, list[str], str]:
    """Return status, lines of stdout, stderr."""
    result = run("chat", *args, stdin=stdin)
    return result.exit_code, result.stdout.splitlines(), result.stderr


def messages(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def said(text: str, role: str = "user", run_id: str = "run_1") -> dict[str, Any]:
    parts = [{"kind": "text", "payload": {"text": text}}]
    return {"runId": run_id, "role": role, "timestamp": NOW, "parts": parts}
