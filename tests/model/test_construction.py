"""How models are made: clients, keys and extras; and error mappers of one's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anthropic
import boto3
import cohere
import openai
import pytest

from partwire import UsageError
from partwire.model import MappedError, Model
from partwire.model.provider_model import ProviderModel
from tests.model.answers import last
from tests.model.clients import (
    CONFIG,
    METADATA,
    NAMES,
    PROVIDERS,
    Provider,
    deltas_of,
    opened,
    play,
    provider,
)
from tests.model.http_replay import ReplayServer, Reply
from tests.providers.provider_streams import RUN

__all__ = ["provider"]


def test_a_model_is_a_model(provider: Provider) -> None:
    client, _ = provider.open("http://127.0.0.1:9", 1.0)
    model = provider.model(client, {"modelId": "m"})
    assert isinstance(model, Model)
    assert model.client is client


def test_construction_sends_nothing(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            model.model_info()
            model.get_config()
            model.update_config(temperature=0.5)
        assert server.requests == []

    play(main)


@pytest.mark.parametrize(
    ("name", "client"),
    [
        ("AnthropicModel", anthropic.Anthropic(api_key="x")),
        ("OpenAIChatModel", openai.OpenAI(api_key="x")),
        ("OpenAIResponsesModel", openai.OpenAI(api_key="x")),
        ("CohereModel", cohere.ClientV2("x")),
        ("GeminiModel", openai.AsyncOpenAI(api_key="x")),
        ("BedrockModel", openai.AsyncOpenAI(api_key="x")),
        *((name, wrong) for name in NAMES for wrong in (7, "key", object())),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_client_of_the_class_is_refused_at_once(name: str, client: Any) -> None:
    with pytest.raises(UsageError) as caught:
        PROVIDERS[name].model(client, {"modelId": "m"})
    assert caught.value.rule == "usage/invalid-argument"
    assert caught.value.findings[0].expected == PROVIDERS[name].model.takes


KEYS = {
    "AnthropicModel": {"ANTHROPIC_API_KEY": "sk-x"},
    "OpenAIChatModel": {"OPENAI_API_KEY": "sk-x"},
    "OpenAIResponsesModel": {"OPENAI_API_KEY": "sk-x"},
    "GeminiModel": {"GEMINI_API_KEY": "x"},
    "BedrockModel": {"AWS_DEFAULT_REGION": "eu-west-1"},
    "CohereModel": {"CO_API_KEY": "x"},
}


def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for keys in KEYS.values():
        for name in keys:
            monkeypatch.delenv(name, raising=False)
    for name in ("GOOGLE_API_KEY", "AWS_REGION", "AWS_PROFILE", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def test_without_a_client_one_is_made_from_the_environment(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _bare(monkeypatch, tmp_path)
    for name, value in KEYS[provider.name].items():
        monkeypatch.setenv(name, value)
    assert provider.model(config={"modelId": "m"}).client is not None


@pytest.mark.parametrize("name", ["OpenAIChatModel", "GeminiModel", "BedrockModel"])
def test_without_a_key_construction_says_what_is_missing(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _bare(monkeypatch, tmp_path)
    if name == "BedrockModel":
        boto3.DEFAULT_SESSION = None
    with pytest.raises(UsageError) as caught:
        PROVIDERS[name].model(config={"modelId": "m"})
    assert caught.value.rule == "usage/invalid-argument"
    assert caught.value.__suppress_context__  # a client may show an address or a key


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("AnthropicModel", "anthropic", "anthropic"),
        ("OpenAIChatModel", "openai", "openai"),
        ("OpenAIResponsesModel", "openai", "openai"),
        ("GeminiModel", "google.genai", "gemini"),
        ("BedrockModel", "boto3", "bedrock"),
        ("CohereModel", "cohere", "cohere"),
    ],
)
def test_a_missing_extra_says_how_to_install_it(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as caught:
        PROVIDERS[name].model(config={"modelId": "m"})
    assert caught.value.rule == "usage/missing-extra"
    assert f'pip install "partwire[{extra}]"' in str(caught.value)


def test_no_client_is_imported_before_it_is_needed(root: Path) -> None:
    packages = ["anthropic", "openai", "google.genai", "boto3", "botocore", "cohere", "httpx"]
    packages += ["httpx2", "anyio", "pydantic"]
    code = (
        f"import sys; sys.path += {[str(root / 'python'), *sys.path]!r}\n"
        "import json, partwire, partwire.model as model\n"
        "for name in model.__all__: getattr(model, name)\n"
        f"print(json.dumps([n for n in {packages!r} if n in sys.modules]))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []


# --- a mapper of one's own, and clients that are not quite the official ones ----------------------


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (MappedError("quota_exceeded", "mine", True), "quota_exceeded"),
        (("overloaded", "mine", False), "overloaded"),
        (MappedError("no_such_code", "mine", True), "rate_limited"),
        (None, "rate_limited"),
        (RuntimeError("broken"), "rate_limited"),
    ],
    ids=repr,
)
def test_an_error_mapper_of_ones_own(said: Any, code: str) -> None:
    provider = PROVIDERS["AnthropicModel"]

    def mapper(error: Exception) -> MappedError:
        assert isinstance(error, anthropic.APIStatusError)
        if isinstance(said, Exception):
            raise said
        return said  # type: ignore[no-any-return]

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = Reply([b"{}"], status=429, content_type="application/json")
        async with opened(provider, server.url, error_mapper=mapper) as model:
            assert last(await deltas_of(model, "it"))["errorCode"] == code

    play(main)


def test_what_is_no_mapper_is_refused() -> None:
    client, _ = PROVIDERS["CohereModel"].open("http://127.0.0.1:9", 1.0)
    with pytest.raises(UsageError):
        PROVIDERS["CohereModel"].model(client, CONFIG, error_mapper="no")  # type: ignore[arg-type]


def test_every_class_is_tried_here() -> None:
    def leaves(kind: type[Any]) -> set[str]:
        below = kind.__subclasses__()
        return {kind.__name__} if not below else {n for k in below for n in leaves(k)}

    for each in PROVIDERS.values():
        assert each.model is not None
    ours = {n for n in leaves(ProviderModel) if not n.startswith("_")}
    assert ours == set(NAMES)
    assert METADATA["runId"] == RUN
