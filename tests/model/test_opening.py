"""Models by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from partwire import UsageError
from partwire.model import ReplayModel, open_model
from partwire.providers import ADAPTERS
from tests.fixture_cases import case_file

ALIASES = {
    "anthropic": "anthropic-messages",
    "bedrock": "bedrock-converse",
    "cohere": "cohere-v2",
    "google": "gemini",
    "openai": "openai-chat",
}
TEXT = case_file("v0.1/providers/openai-chat/text", "input")
CLASSES = {
    "anthropic-messages": "AnthropicModel",
    "openai-chat": "OpenAIChatModel",
    "openai-responses": "OpenAIResponsesModel",
    "gemini": "GeminiModel",
    "bedrock-converse": "BedrockModel",
    "cohere-v2": "CohereModel",
}


def made(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Any]:
    """Return class and configuration of what a name makes; no client is made."""
    kinds = []
    for kind in CLASSES.values():
        monkeypatch.setattr(
            f"partwire.model.{kind}",
            lambda config, kind=kind, **options: kinds.append((kind, {**config, **options})),
        )
    open_model(name, max_retries=0)
    return kinds[0]


@pytest.mark.parametrize("name", [*ADAPTERS, *ALIASES])
def test_a_dialect_and_an_alias_name_a_class(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, options = made(f"{name}:vendor/model:1", monkeypatch)
    assert kind == CLASSES[ALIASES.get(name, name)]
    assert options == {"modelId": "vendor/model:1", "max_retries": 0}


def test_a_replay_plays_its_files(tmp_path: Path) -> None:
    with_comma = tmp_path / "a,b.sse"
    with_comma.write_bytes(TEXT.read_bytes())
    for files, count in ((f"{TEXT}", 1), (f"{TEXT},{TEXT}", 2), (str(with_comma), 1)):
        model = open_model(f"replay:{files}", timing="none")
        assert isinstance(model, ReplayModel)
        assert model.remaining == count


@pytest.mark.parametrize("name", ["", "replay", "replay:", "anthropic:", "claude", "nobody:m"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_model(name)
    assert caught.value.rule == "usage/invalid-argument"
    assert "openai-chat" in str(caught.value.findings[0].expected)
