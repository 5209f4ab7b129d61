"""``partwire chat`` on a recording of a newer version: what it does not know is shown by name."""

from __future__ import annotations

import json
from pathlib import Path

import anyio

from partwire.model import RecordingModel, ReplayModel
from tests.cli.runner import run
from tests.fixture_cases import case_file
from tests.providers.provider_streams import NOW

TEXT = case_file("v0.1/providers/openai-chat/text", "input")
HOLOGRAM = {"kind": "hologram\x1b[2J", "payload": {"beams": 3}}
HELLO = {"kind": "text", "payload": {"text": "Hello"}}


def test_a_recorded_part_that_is_not_known_is_named_and_saved_as_it_is(tmp_path: Path) -> None:
    path, saved = tmp_path / "r.jsonl", tmp_path / "h.jsonl"
    asked = {"runId": "run_1", "role": "user", "timestamp": NOW, "parts": [HOLOGRAM, HELLO]}
    with RecordingModel(ReplayModel(TEXT), path) as model:
        anyio.run(model.stream([asked]).message)
    result = run("chat", "--model", f"replay:{path}", "--save", str(saved))
    assert (result.exit_code, result.stderr) == (0, "")
    shown = result.stdout.splitlines()
    assert shown[0].startswith("you> (hologram")
    assert shown[1] == "you> Hello"
    assert "\x1b" not in result.stdout
    assert json.loads(saved.read_bytes().splitlines()[0])["parts"] == [HOLOGRAM, HELLO]
