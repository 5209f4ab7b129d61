"""A registry that listens, the client's own mock, and subjects to publish there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from partwire.registry import Credentials, Registry, Wanted, wanted_subjects
from tests.registry.server import LocalRegistry, local_registry

Json = dict[str, Any]


@pytest.fixture(scope="module")
def listening() -> Iterator[LocalRegistry]:
    with local_registry() as registry:
        yield registry


@pytest.fixture
def server(listening: LocalRegistry) -> LocalRegistry:
    listening.forget()
    return listening


OPEN: list[Registry] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def connected(url: str, credentials: Credentials | None = None, **more: Any) -> Registry:
    OPEN.append(Registry(url, credentials, **more))
    return OPEN[-1]


@contextmanager
def silent(server: LocalRegistry) -> Iterator[threading.Event]:
    """Let a registry not answer what every plan asks first, until the block ends."""
    hold = threading.Event()

    def wait() -> None:
        hold.wait(60)

    server.faults["GET /config"] = wait
    try:
        yield hold
    finally:
        hold.set()


@pytest.fixture
def mock() -> Registry:
    return connected("mock://test")


def one(name: str = "message.ToolSpec", **more: Any) -> Wanted:
    (wanted,) = wanted_subjects([name], **more)
    return wanted


def looser(wanted: Wanted) -> Json:
    """A predecessor that asks for less: what comes after it breaks its documents."""
    return {**wanted.schema, "required": wanted.schema["required"][1:]}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client waits before it tries again; here it does not."""
    name = "confluent_kafka.schema_registry._sync.schema_registry_client.time.sleep"
    monkeypatch.setattr(name, lambda seconds: None)
