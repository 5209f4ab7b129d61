"""How each rule of the service is hit; read by tests/house/rule_coverage.py."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

from click.testing import CliRunner

from partwire.cli import main
from partwire.service.heads import head_problem
from partwire.service.limits import Limits
from partwire.service.problems import Problem
from tests.service.calls import called_rules

__all__ = ["SERVICE_HITS"]

VALIDATE: Final = "/v1/validate?type=message.ToolChoice"
JSON: Final = {"content-type": "application/json"}


def post(*pieces: bytes, **options: Any) -> set[str]:
    return called_rules("POST", VALIDATE, *(pieces or (b'"auto"',)), headers=JSON, **options)


def drain(app: Any) -> None:
    app.state.service.drain()


def taken_port() -> set[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        output = CliRunner().invoke(main, ["serve", "--port", port]).output
    return {"usage/unusable-address"} if "[usage/unusable-address]" in output else set()


def fault() -> set[str]:
    """A request in which the service itself fails."""
    with patch(
        "partwire.service.endpoints.publish.msgspec.json.encode", side_effect=KeyError("secret")
    ):
        return called_rules("GET", "/healthz")


def lost() -> set[str]:
    """A worker that is killed while it works."""

    def killed(self: Any, *_: object) -> Any:
        self.kill()
        raise EOFError

    with patch("partwire.service.workers._Process.ask", killed):
        return called_rules("POST", "/v1/compat", b'{"old": {}, "new": {}}', headers=JSON)


def _rules(problem: Problem | None) -> set[str]:
    return set() if problem is None else {problem.rule}


SERVICE_HITS: Final[dict[str, Callable[[], set[str]]]] = {
    "service/bad-request": lambda: called_rules(
        "POST", VALIDATE, b"no gzip", headers={**JSON, "content-encoding": "gzip"}
    ),
    "service/bad-parameter": lambda: called_rules("GET", "/healthz?x=1"),
    "service/unknown-path": lambda: called_rules("GET", "/nothing"),
    "service/method-not-allowed": lambda: called_rules("GET", VALIDATE),
    "service/not-acceptable": lambda: called_rules("GET", "/healthz", headers={"accept": "a/b"}),
    "service/unsupported-type": lambda: called_rules("POST", VALIDATE, b"1"),
    "service/unsupported-encoding": lambda: called_rules(
        "POST", VALIDATE, b"1", headers={**JSON, "content-encoding": "br"}
    ),
    "service/too-large": lambda: post(limits=Limits(body_bytes=5)),
    "service/slow-sender": lambda: post(never_ends=True, limits=Limits(idle_seconds=0.01)),
    "service/time-limit": lambda: post(never_ends=True, limits=Limits(request_seconds=0.01)),
    "service/busy": lambda: post(limits=Limits(held_bytes=5)),
    "service/draining": lambda: post(prepare=drain),
    "service/internal-error": fault,
    "service/unknown-host": lambda: called_rules(
        "GET", "/healthz", headers={"host": "other.example"}, hosts=[]
    ),
    "service/worker-lost": lost,
    "service/unsupported-version": lambda: _rules(head_problem(b"GET / HTTP/9.9\r\n\r\n")),
    "usage/unusable-address": taken_port,
}
"""Rule → what hits it, and returns the rules that were hit."""
