"""Both clients over a real socket: the TypeScript client says the same as the Python consumer.

The TypeScript client is built with the compiler and the package of ``typescript/``. Where Node.js
is missing its test is skipped, and says so; with CI set it fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn

from examples.service.app import create_app
from examples.service.consumer import ask
from examples.service.test_service import QUESTION, clock
from partwire import read, to_wire
from partwire.model import Model
from partwire_testing import ReplayFactory

CLIENT = Path(__file__).resolve().parent / "client"
PACKAGE = CLIENT.parent.parent.parent / "typescript"


@pytest.fixture
def serve() -> Iterator[Callable[[Model], str]]:
    """Serve a model on a free port of the loopback address; returns the URL."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(model: Model) -> str:
        config = uvicorn.Config(create_app(model), port=0, log_level="warning", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        deadline = time.monotonic() + 60
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


def need_node() -> None:
    if shutil.which("node") and (PACKAGE / "node_modules" / ".bin" / "tsc").exists():
        return
    reason = "the TypeScript client is left out: no node, or no `make -C typescript build` yet"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, compiled with strict types against the package."""
    need_node()
    folder = tmp_path_factory.mktemp("client")
    for name in ("ask.ts", "package.json", "tsconfig.json"):
        shutil.copy(CLIENT / name, folder)
    # What `npm install` would put there.
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "partwire").symlink_to(PACKAGE)
    (folder / "node_modules" / "@types").symlink_to(PACKAGE / "node_modules" / "@types")
    compiler = PACKAGE / "node_modules" / ".bin" / "tsc"
    run = subprocess.run([compiler, "-p", folder], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder / "dist" / "ask.js"


STREAMS = ["streams/text-around-call", "providers/anthropic-messages/long-answer"]


@pytest.mark.parametrize("source", STREAMS)
def test_both_clients_say_the_same(
    source: str, client: Path, serve: Callable[[Model], str], replay_model: ReplayFactory
) -> None:
    url = serve(replay_model(source, clock=clock, loop=True))
    texts: list[str] = []
    message = to_wire(ask(url, read(QUESTION, "message.Message"), texts.append))
    other = {**QUESTION, "runId": "run_8"}
    run = subprocess.run(
        ["node", client, url],
        input=json.dumps(other),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)
    assert said["answer"] == {**message, "runId": "run_8"}
    assert said["shown"] == "".join(texts) != ""


def test_a_failed_stream_is_no_answer_for_either(
    client: Path, serve: Callable[[Model], str], replay_model: ReplayFactory
) -> None:
    url = serve(replay_model("streams/error-with-open-call", clock=clock))
    run = subprocess.run(
        ["node", client, url],
        input=json.dumps(QUESTION),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode != 0
    assert run.stdout == ""
    assert "stream/failed" in run.stderr
