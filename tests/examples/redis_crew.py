"""What the test of the example on Redis Streams needs: a server, messages, and workers to kill."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as NotConnected

from examples.redis_loop.roles import RESULTS, ROLES, TASKS
from examples.redis_loop.samples import changed, new_task, newer_evaluation

__all__ = ["ROOT", "SERVER", "Crew", "Load", "free_port", "start_server", "tries"]

ROOT = Path(__file__).resolve().parents[2]
SERVER = shutil.which("redis-server")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_server(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server; another program may take the port first, so there are several tries."""
    assert SERVER is not None
    for _ in range(5):
        port = free_port()
        command = [SERVER, "--port", str(port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--dir", str(folder)]
        with (folder / "redis.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        redis = Redis(port=port)
        for _ in range(3000):
            try:
                if process.poll() is None and redis.ping():
                    return process, f"redis://127.0.0.1:{port}/0"
            except NotConnected:
                time.sleep(0.02)
            if process.poll() is not None:
                break
        process.kill()
        process.wait()
    pytest.fail(f"no Redis came up: {(folder / 'redis.log').read_text()[-500:]}")


class Load:
    """Messages of every kind, and what has to become of them."""

    def __init__(self, total: int) -> None:
        self.messages: list[tuple[str, bytes]] = []
        self.outcomes: dict[str, str] = {}
        self.dead: Counter[bytes] = Counter()
        self.kinds: Counter[str] = Counter()
        self._chance = random.Random(20)
        while len(self.messages) < total:
            (kind,) = self._chance.choices(list(KINDS), list(KINDS.values()))
            kind = kind if self.messages else "good"
            self.kinds[kind] += 1
            self.messages.append(getattr(self, kind)())

    def _task(self, outcome: str, message: bytes) -> tuple[str, bytes]:
        self.outcomes[json.loads(message)["task_id"]] = outcome
        return TASKS, message

    def _dead(self, message: bytes) -> tuple[str, bytes]:
        self.dead[message] += 1
        return TASKS, message

    def good(self) -> tuple[str, bytes]:
        return self._task("pass", new_task())

    def retried(self) -> tuple[str, bytes]:
        return self._task("pass", new_task(attempts_needed=self._chance.randint(2, 4)))

    def hopeless(self) -> tuple[str, bytes]:
        return self._task("fail", new_task(attempts_needed=5))

    def redelivered(self) -> tuple[str, bytes]:
        while True:
            stream, message = self._chance.choice(self.messages)
            if message not in self.dead:
                return stream, message

    def newer(self) -> tuple[str, bytes]:
        return self._task("pass", changed(new_task(), schema_version="v0.9", priority="high"))

    def newer_evaluation(self) -> tuple[str, bytes]:
        message = newer_evaluation()
        self.outcomes[json.loads(message)["task_id"]] = "fail"
        return RESULTS, message

    def out_of_date(self) -> tuple[str, bytes]:
        return self._dead(changed(new_task(), schema_version="v0.0"))

    def broken(self) -> tuple[str, bytes]:
        return self._dead(changed(new_task(), payload=None))

    def no_message(self) -> tuple[str, bytes]:
        return self._dead(b"\xff" + self._chance.randbytes(20))


KINDS = {
    "good": 76,
    "retried": 8,
    "hopeless": 2,
    "redelivered": 5,
    "newer": 3,
    "newer_evaluation": 2,
    "out_of_date": 1,
    "broken": 2,
    "no_message": 1,
}
"""Kind of message → how many of a hundred."""


class Crew:
    """The workers, as processes of their own."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        # Their coverage is not asked for, and half a report of a killed one breaks the whole.
        self._environment = {
            name: value for name, value in os.environ.items() if not name.startswith("COV")
        } | {"PYTHONPATH": str(ROOT / "python")}

    def start(self, role: str, name: str) -> None:
        options = ("work", role, "--name", name, "--claim-after-ms", "2000")
        self.start_module("examples.redis_loop", name, "--redis", self._url, *options)

    def start_module(self, module: str, name: str, *args: str) -> None:
        command = [sys.executable, "-m", module, *args]
        with (self._folder / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                command, cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )

    def kill(self, redis: Any, role: str, name: str) -> int:
        """Kill a worker while it holds messages; return how many those are."""
        process = self._running.pop(name)
        for _ in range(1000):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.02)  # what it has sent, the server takes in
            held = redis.xpending_range(ROLES[role].stream, role, "-", "+", 1000, name)
            if held:
                process.kill()
                assert process.wait(60) == -signal.SIGKILL
                return len(held)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.003)
        process.kill()
        pytest.fail(f"{name} never held a message")

    def end(self, name: str) -> None:
        """Kill a worker, whatever it does."""
        process = self._running.pop(name)
        process.kill()
        process.wait(60)

    def end_all(self) -> None:
        """Kill all that are left."""
        for name in list(self._running):
            self.end(name)

    def stop(self) -> dict[str, int]:
        """Ask all to stop; return their exit codes."""
        for process in self._running.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
        return {name: process.wait(120) for name, process in self._running.items()}

    def errors(self) -> str:
        return "".join(path.read_text() for path in sorted(self._folder.glob("*.log")))


def tries(load: Load) -> int:
    """How often an agent has to work: once per task, and once per retry."""
    tasks = {message for stream, message in load.messages if stream == TASKS} - set(load.dead)
    payloads = [json.loads(message) for message in tasks]
    return sum(
        min(each["payload"]["attempts_needed"], each["max_attempts"] + 1) for each in payloads
    )
