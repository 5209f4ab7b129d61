"""The example of a chat service: what it streams, and what is stored when anything breaks."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from examples.chat_service import __main__ as command
from examples.chat_service.app import create_app
from partwire import check_history, validate
from partwire.contract.current import LATEST_VERSION
from partwire.model import Model, ReplayModel
from tests.examples.dialect_streams import DIALECTS, cut, path_of, replay

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "chat_service"
QUESTION = {"text": "Where does it rain?"}

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


class Said(NamedTuple):
    """What a client has heard: the name of each event and its document."""

    events: list[tuple[str, Any]]

    def documents(self, name: str) -> list[Any]:
        """Return the documents of the events of a name."""
        return [document for each, document in self.events if each == name]


def said(text: str) -> Said:
    """Read a whole event stream."""
    events = re.findall(r"^event: (\w+)\ndata: (.*)\n\n", text, re.MULTILINE)
    assert text == "".join(f"event: {name}\ndata: {data}\n\n" for name, data in events)
    return Said([(name, json.loads(data)) for name, data in events])


def ask(model: Model, database: Path, session: str = "s1") -> tuple[Said, list[Any]]:
    """Ask a service that has just been started; return what it says, and what it has stored."""

    async def main() -> tuple[Said, list[Any]]:
        transport = httpx.ASGITransport(create_app(model, str(database)))
        async with httpx.AsyncClient(transport=transport, base_url="http://chat") as client:
            answer = await client.post(f"/sessions/{session}", json=QUESTION)
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            history = await client.get(f"/sessions/{session}")
            return said(answer.text), history.json()

    return asyncio.run(main())


def roles(history: list[Any]) -> list[str]:
    """Return the roles of a history that is whole."""
    assert check_history(history) == []
    assert all("incomplete" not in message.get("meta", {}) for message in history)
    return [message["role"] for message in history]


@every_dialect
def test_answers_stream_and_are_stored(dialect: str, tmp_path: Path) -> None:
    heard, history = ask(replay(dialect, "calls", "answer"), tmp_path / "chat.db")
    assert roles(history) == ["user", "assistant", "tool", "assistant"]
    assert heard.documents("message") == history[1:]
    deltas = heard.documents("delta")
    assert all(validate(delta, "message.MessageDelta") == [] for delta in deltas)
    assert [each["kind"] for each in deltas].count("done") == 2
    results = [part["payload"] for part in history[2]["parts"]]
    assert [each["content"] for each in results] == ["rain, 4 °C", "sun, 18 °C"]


@every_dialect
def test_a_cut_answer_is_not_stored(dialect: str, tmp_path: Path) -> None:
    database = tmp_path / "chat.db"
    short = cut(path_of(dialect, "answer"), tmp_path)
    model = ReplayModel([path_of(dialect, "calls"), short], dialect=dialect)
    heard, history = ask(model, database)
    assert roles(history) == ["user", "assistant", "tool"]
    assert heard.events[-1][1]["payload"]["errorCode"] == "truncated_stream"
    # The next process goes on with the same session.
    _, history = ask(replay(dialect, "answer"), database)
    assert roles(history) == ["user", "assistant", "tool", "user", "assistant"]


def test_records_name_their_version_and_sessions_are_apart(tmp_path: Path) -> None:
    database = tmp_path / "chat.db"
    ask(replay("openai-chat", "answer"), database, "one")
    _, history = ask(replay("openai-chat", "answer"), database, "two")
    assert roles(history) == ["user", "assistant"]
    with closing(sqlite3.connect(database)) as db:
        rows = [json.loads(record) for (record,) in db.execute("SELECT record FROM messages")]
    assert {(row["contract"], row["version"], row["type"]) for row in rows} == {
        ("partwire", LATEST_VERSION, "message.Message")
    }
    assert len(rows) == 4


def test_records_of_an_older_version_are_read(tmp_path: Path) -> None:
    database = tmp_path / "chat.db"
    create_app(replay("gemini", "answer"), str(database))
    old = {
        "runId": "run_1",
        "role": "user",
        "parts": [{"kind": "text", "payload": {"text": "Hello"}}],
        "timestamp": "2026-01-02T03:04:05Z",
    }
    record = {"contract": "partwire", "version": "v0.1", "type": "message.Message", "data": old}
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("INSERT INTO messages VALUES ('s1', ?)", (json.dumps(record).encode(),))
    _, history = ask(replay("gemini", "answer"), database)
    assert history[0] == old
    assert roles(history) == ["user", "user", "assistant"]


def test_a_tool_that_does_not_exist_is_an_error_result(tmp_path: Path) -> None:
    _, history = ask(replay("anthropic-messages", "right", "answer"), tmp_path / "chat.db")
    assert roles(history) == ["user", "assistant", "tool", "assistant"]
    (result,) = history[2]["parts"]
    assert result["payload"] == {
        "toolCallId": "call_2",
        "isError": True,
        "content": "KeyError: 'Recipe'",
    }


# --- over a socket --------------------------------------------------------------------------------


@contextmanager
def served(database: Path, *files: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start the service as a process; yield its address. It is killed at the end."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ["tests.examples.slow_chat", str(database), str(port), *map(str, files)]
    process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT)
    try:
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/sessions", process
    finally:
        process.kill()
        process.wait()


def leave_in_text(url: str, streams: int, leave: Callable[[], object] = lambda: None) -> None:
    """Ask, and leave as soon as text of the given stream of deltas has come."""
    begun = 0
    with httpx.stream("POST", url, json=QUESTION, timeout=60) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                kind = json.loads(line.removeprefix("data: ")).get("kind")
                begun += kind == "start"
                if kind == "text" and begun == streams:
                    leave()
                    return
    pytest.fail("the stream has ended")


@pytest.mark.slow  # it starts two servers
def test_neither_a_reader_who_leaves_nor_a_kill_stores_half_an_answer(tmp_path: Path) -> None:
    database = tmp_path / "chat.db"
    calls, answer = (path_of("anthropic-messages", name) for name in ("calls", "answer"))
    with served(database, calls, calls, answer) as (url, process):
        leave_in_text(f"{url}/left", 1)
        assert roles(httpx.get(f"{url}/left").json()) == ["user"]
        leave_in_text(f"{url}/killed", 2, process.kill)
    with served(database, answer) as (url, _):
        assert roles(httpx.get(f"{url}/left").json()) == ["user"]
        assert roles(httpx.get(f"{url}/killed").json()) == ["user", "assistant", "tool"]
        assert httpx.post(f"{url}/killed", json=QUESTION, timeout=60).status_code == 200
        again = httpx.get(f"{url}/killed").json()
        assert roles(again) == ["user", "assistant", "tool", "user", "assistant"]


# --- the example as such --------------------------------------------------------------------------


def test_the_example_is_short() -> None:
    lines = (EXAMPLE / "app.py").read_text("utf-8").splitlines()
    assert sum(1 for line in lines if line.strip() and not line.strip().startswith("#")) <= 70


def test_the_command_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = re.findall(
        r"^python -m examples.chat_service (\S+) &$",
        (EXAMPLE / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    ran: list[Any] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("uvicorn.run", lambda app, **options: ran.append((app.title, options)))
    monkeypatch.setattr("sys.argv", ["chat_service", line, "--db", str(tmp_path / "chat.db")])
    command.main()
    assert ran == [("Chat", {"host": "127.0.0.1", "port": 8020})]
    monkeypatch.setattr("sys.argv", ["chat_service", "nobody:model"])
    with pytest.raises(SystemExit, match="No such model"):
        command.main()
