"""What is logged, or said on a terminal, shows no credential: an address, a header, a key."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from partwire import UsageError
from partwire.model import AnthropicModel
from tests.cli.chat_runner import chat
from tests.cli.runner import run as cli
from tests.model.test_pump import END, HEAD, Client
from tests.model.test_pump import run as pumped

SECRETS = (
    "cannot connect to https://me:swordfish@proxy.example:8080",
    "sent with {'Authorization': 'Basic bWU6swordfish'}",
    "GET /v1?token=swordfish failed",
)


@pytest.mark.parametrize("said", SECRETS)
@pytest.mark.parametrize("client", ["raises", "raises late", "cannot be closed"])
def test_the_log_of_a_client_that_fails(
    said: str, client: str, caplog: pytest.LogCaptureFixture
) -> None:
    error = RuntimeError(said)
    error.__cause__ = OSError(said)
    with caplog.at_level(logging.DEBUG, "partwire.model"):
        if client == "raises":
            pumped(Client(error))
        elif client == "raises late":
            pumped(Client(HEAD, END, error))
        else:
            pumped(Client(HEAD, END, closing=error))
    assert "RuntimeError: " in caplog.text
    assert "Traceback" in caplog.text
    assert "swordfish" not in caplog.text


@pytest.mark.parametrize("said", SECRETS)
def test_the_log_of_an_error_mapper(said: str, caplog: pytest.LogCaptureFixture) -> None:
    def fails(error: Exception) -> Any:
        raise ValueError(said) from error

    model = AnthropicModel(
        config={"modelId": "m"}, client=AsyncAnthropic(api_key="k"), error_mapper=fails
    )
    assert "swordfish" not in repr(model._mapped(OSError(said)))
    assert "the error mapper failed" in caplog.text
    model.error_mapper = lambda _: ("unknown", said, False)  # type: ignore[assignment]
    assert "swordfish" not in model._mapped(OSError("x")).message
    model.error_mapper = lambda _: (said, "", False)  # type: ignore[assignment]
    model._mapped(OSError("x"))
    assert "no error code" in caplog.text
    assert "swordfish" not in caplog.text


def test_a_client_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: Any, **__: Any) -> None:
        raise ValueError(SECRETS[0])

    monkeypatch.setattr("anthropic.AsyncAnthropic", made)
    with pytest.raises(UsageError) as caught:
        AnthropicModel(config={"modelId": "m"})
    assert "swordfish" not in str(caught.value)
    assert caught.value.__suppress_context__


ADDRESS = "https://me:swordfish@h.example/x?token=swordfish"


@pytest.mark.parametrize(
    "args",
    [
        ("validate", "--type", "message.Message", ADDRESS),
        ("validate", "--type", "message.Message", "--format", "json", ADDRESS),
        ("validate", "--type", ADDRESS, "README.md"),
        ("migrate", "--to", "v0.2", "--from", "v0.1", "--type", "message.Message", ADDRESS),
        ("migrate", ADDRESS),
        ("publish", "--registry", ADDRESS, "--dry-run"),
        ("publish", "--registry", "http://localhost:1", "--timeout", ADDRESS),
        ("publish", "--registry", "http://localhost:1", "--dry-run", ADDRESS),
        ("compat", ADDRESS, ADDRESS),
        ("chat", "--model", ADDRESS),
        ("chat", "--model", f"replay:{ADDRESS}"),
        ("chat", "--model", "replay:x", "--record", f"{ADDRESS}/r.jsonl"),
        ("serve", "--port", ADDRESS),
        ("explain", ADDRESS),
        (ADDRESS,),
    ],
    ids=" ".join,
)
def test_the_command_line_does_not_repeat_a_credential(args: tuple[str, ...]) -> None:
    result = cli(*args)
    assert result.exit_code != 0
    assert "swordfish" not in result.stdout + result.stderr


def test_a_chat_shows_no_credential_of_an_error(tmp_path: Path) -> None:
    recording = tmp_path / "r.jsonl"
    head = {"runId": "run_1", "timestamp": "2026-01-02T03:04:05Z"}
    start = {**head, "kind": "start", "seq": 0, "payload": {"modelId": "m", "requestId": "r"}}
    payload = {"errorCode": "unknown", "message": SECRETS[0]}
    rows = [start, {**head, "kind": "error", "seq": 1, "payload": payload}]
    recording.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    _, out, err = chat("--model", f"replay:{recording}", "--from", "deltas", stdin=b"hi\n")
    assert "cannot connect" in "".join(out) + err
    assert "swordfish" not in "".join(out) + err
