"""``partwire serve`` as a command: its options, its words, and what it says when it cannot."""

from __future__ import annotations

import gc
import json
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from partwire.cli.commands import serve as command
from partwire.service import Limits
from tests.cli.runner import run
from tests.service.process import serving


def test_every_limit_is_an_option_and_a_variable() -> None:
    output = run("serve", "--help").stdout
    for field in fields(Limits):
        assert f"--{field.name.replace('_', '-')} " in output
    assert set(command._HELP) == {field.name for field in fields(Limits)}
    assert "127.0.0.1" in output
    assert "PARTWIRE_SERVE_" in output


def test_options_come_from_the_environment_too(tmp_path: Path) -> None:
    environment = {"PARTWIRE_SERVE_BODY_BYTES": "10", "PARTWIRE_SERVE_ACCESS_LOG": "1"}
    with serving(tmp_path, **environment) as service:
        answer = service.post("/v1/validate?type=message.Message", b" " * 11)
        assert (answer.status, answer.rule) == (413, "service/too-large")
        assert service.end() == 0
        assert service.entries[0]["event"] == "request"


def test_the_log_is_lines_of_json_behind_one_line_for_people(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        service.ask("GET", "/healthz")
        assert service.end() == 0
        first, *others = service.output.splitlines()
    assert first == f"partwire serve: listening on http://127.0.0.1:{service.port}"
    assert [json.loads(line)["event"] for line in others] == ["draining", "ended"]


def test_a_service_looks_for_garbage_more_often_than_other_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Connections are cycles: five hundred clients would keep tens of megabytes of gone ones."""
    seen: list[tuple[int, int, int]] = []

    def serve(listener: socket.socket, *_: Any, **__: Any) -> int:
        listener.close()
        seen.append(gc.get_threshold())
        return 0

    monkeypatch.setattr("partwire.service.server.run", serve)
    usual = gc.get_threshold()
    gc.set_threshold(20_000)
    try:
        assert run("serve", "--port", "0").exit_code == 0
    finally:
        gc.set_threshold(*usual)
    assert seen == [(700, 10, 10)]


def test_other_machines_are_let_in_only_when_told_and_with_a_warning(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as service:
        assert service.ask("GET", "/healthz").status == 200
        (warning,) = [each for each in service.entries if each["event"] == "warning"]
        assert "0.0.0.0" in warning["message"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--streams", "0"], "usage/invalid-argument"),
        (["--idle-seconds", "nan"], "usage/invalid-argument"),
        (["--depth", "1000"], "usage/invalid-argument"),
        (["--port", "70000"], "70000"),
        (["--host", "no such host"], "usage/unusable-address"),
        (["--streams", "many"], "many"),
        (["--stream", "1"], "--streams"),
    ],
)
def test_what_cannot_be_is_said_and_ends_with_2(arguments: list[str], told: str) -> None:
    result = run("serve", *arguments)
    assert result.exit_code == 2
    assert told in result.stderr


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "prometheus_client"])
def test_without_the_extra_the_command_says_what_to_install(package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from partwire.cli import main; main(['serve'])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "usage/missing-extra" in result.stderr
    assert 'pip install "partwire[serve]"' in result.stderr
    assert "Traceback" not in result.stderr
