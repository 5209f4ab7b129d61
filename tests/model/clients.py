"""The official clients, pointed at a local server, and the models over them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import anthropic
import boto3
import cohere
import httpx
import openai
import pytest
from botocore.config import Config
from google import genai

from partwire import model
from partwire.contract.current.message import MessageDelta
from partwire.model.provider_model import ProviderModel
from partwire.providers import ByteAdapter, open_adapter
from partwire_testing.conformance.drawn.aws_frames import converse_frames
from tests.model.http_replay import ReplayServer, replay_server, until
from tests.providers.provider_streams import RUN, Ran, check_stream, fixed_clock
from tests.providers.recordings import Recording

MODEL_ID = "model-1"
METADATA = {"sessionId": "session_1", "runId": RUN, "traceId": "trace_1"}
CONFIG: dict[str, Any] = {"modelId": MODEL_ID, "maxTokens": 100}

Opened = tuple[Any, Callable[[], Awaitable[None]]]
"""A client, and how it is closed."""


def _anthropic(url: str, timeout_s: float) -> Opened:
    client = anthropic.AsyncAnthropic(
        api_key="sk-test-0123456789abcdef", base_url=url, max_retries=0, timeout=timeout_s
    )
    return client, client.close


def _openai(url: str, timeout_s: float) -> Opened:
    client = openai.AsyncOpenAI(
        api_key="sk-test-0123456789abcdef", base_url=url, max_retries=0, timeout=timeout_s
    )
    return client, client.close


def _gemini(url: str, timeout_s: float) -> Opened:
    options: Any = {"base_url": url, "timeout": int(timeout_s * 1000)}
    client = genai.Client(api_key="AIza-test-0123456789", http_options=options)

    async def close() -> None:
        await client.aio.aclose()
        client.close()

    return client, close


def _bedrock(url: str, timeout_s: float) -> Opened:
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="AKIATEST0123456789AB",
        aws_secret_access_key="secret",
        config=Config(
            retries={"total_max_attempts": 1},
            read_timeout=timeout_s,
            connect_timeout=timeout_s,
        ),
    )

    async def close() -> None:
        client.close()

    return client, close


def _cohere(url: str, timeout_s: float) -> Opened:
    http = httpx.AsyncClient(timeout=timeout_s)
    return cohere.AsyncClientV2("co-test-0123456789", base_url=url, httpx_client=http), http.aclose


class Provider(NamedTuple):
    """One model class over its client."""

    name: str
    open: Callable[[str, float], Opened]
    config: Mapping[str, Any] = MappingProxyType({})
    """What the class's calls are given besides, for tests: no retries."""

    @property
    def model(self) -> type[ProviderModel]:
        """The class."""
        found: type[ProviderModel] = getattr(model, self.name)
        return found

    @property
    def dialect(self) -> str:
        """The dialect that it speaks."""
        return self.model.dialect

    @property
    def content_type(self) -> str:
        """What the provider calls its streams."""
        is_aws = self.dialect == "bedrock-converse"
        return "application/vnd.amazon.eventstream" if is_aws else "text/event-stream"


PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("AnthropicModel", _anthropic),
        Provider("OpenAIChatModel", _openai),
        Provider("OpenAIResponsesModel", _openai),
        Provider("GeminiModel", _gemini),
        Provider("BedrockModel", _bedrock),
        Provider("CohereModel", _cohere, {"request_options": {"max_retries": 0}}),
    )
}
NAMES = list(PROVIDERS)

# Fixtures that Google's client is not sent: it reads events and makes objects of them.
NOT_THROUGH_GOOGLES_CLIENT: Final = {
    "array-body": "the client asks for events",
    "array-body-cut": "the client asks for events",
    "error-body-in-array": "the client asks for events",
    "names-with-underscores": "the provider's own names have none",
    "other-dialect": "the client knows none of its members",
}

# Collecting garbage after each test must not walk over all these packages each time.
gc.collect()
gc.freeze()

# A proxy of this machine must not be between the clients and the server.
for _name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
    os.environ.pop(_name, None)


@contextlib.asynccontextmanager
async def opened(
    provider: Provider, url: str, timeout_s: float = 120.0, **options: Any
) -> AsyncIterator[ProviderModel]:
    """Open a model of ``provider`` that talks to ``url``; its client is closed in the end."""
    client, close = provider.open(url, timeout_s)
    config = {**CONFIG, **provider.config, **options.pop("config", {})}
    try:
        yield provider.model(client, config, clock=fixed_clock, **options)
    finally:
        await close()


@pytest.fixture(params=NAMES)
def provider(request: pytest.FixtureRequest) -> Provider:
    """Return each provider in turn."""
    return PROVIDERS[request.param]


def user(text: str) -> dict[str, Any]:
    """Return a user's message."""
    return {
        "runId": RUN,
        "role": "user",
        "parts": [{"kind": "text", "payload": {"text": text}}],
        "timestamp": "2026-01-02T03:04:05Z",
    }


def asking(name: str) -> list[dict[str, Any]]:
    """Return a conversation that asks the server for the reply ``name``."""
    return [user(f"play:{name} ")]


def play(main: Callable[[ReplayServer], Awaitable[None]]) -> None:
    """Run ``main`` against a server; afterwards no connection and no task may be left."""

    async def run() -> None:
        async with replay_server() as server:
            mine = asyncio.all_tasks()
            await main(server)
            # urllib3 closes connections with their pool, and boto3 leaves that to the collector.
            await until(lambda: server.open == 0 or (gc.collect() < 0))
            await until(lambda: not asyncio.all_tasks() - mine)

    asyncio.run(run())
    gc.collect()  # what was left open warns now, in the test that left it
    gc.freeze()


async def deltas_of(over: ProviderModel, name: str, **options: Any) -> list[MessageDelta]:
    """Return all deltas of the reply ``name``."""
    options = {"request_metadata": METADATA, **options}
    async with over.stream(asking(name), **options) as stream:
        return [delta async for delta in stream]


async def ran(over: ProviderModel, name: str, **options: Any) -> Ran:
    """Return the deltas of the reply ``name``, checked against the laws of every stream."""
    deltas = await asyncio.wait_for(deltas_of(over, name, **options), 60)
    check_stream(deltas)
    return Ran(deltas, open_adapter(over.dialect, RUN, clock=fixed_clock))


def adapted(dialect: str, data: bytes, request_id: str = "") -> Ran:
    """Return what adapter and framing make of the same bytes."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock)
    reader = ByteAdapter(adapter)
    deltas: list[MessageDelta] = []
    if dialect in ("bedrock-converse", "cohere-v2"):  # their streams do not name the model
        deltas += adapter.identify(MODEL_ID, request_id)
    deltas += reader.feed(data)
    return Ran(deltas + reader.close(), adapter)


def wire(recording: Recording) -> bytes | None:
    """Return a recording as the bytes of a response, None where the client cannot be sent it."""
    if recording.dialect != "bedrock-converse":
        return recording.raw_sse or recording.sse
    raw = str(recording.entry.get("raw", ""))
    if raw.endswith(".eventstream"):
        return (recording.folder / raw).read_bytes()
    events = [json.loads(text) for text in recording.texts]
    return converse_frames(events) if all(len(event) == 1 for event in events) else None


def differences(seen: Sequence[MessageDelta], due: Sequence[MessageDelta]) -> list[Any]:
    """Return the first delta in which two streams differ."""
    for a, b in zip(seen, due, strict=False):
        if a != b:
            return [a, b]
    return [len(seen), len(due)] if len(seen) != len(due) else []
