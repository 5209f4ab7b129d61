"""The example for front ends: the service alone, and their clients in a real browser over it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from examples.front_ends import __main__ as command
from examples.front_ends.app import PAGES, create_app
from partwire import check_history, dump
from partwire.contract.clock import now
from partwire.model import Model, ReplayModel
from partwire.providers import adapt_bytes
from partwire.types import Message, TextDelta, ThinkingDelta
from tests.examples.browser import Page, built_pages, page_when_over, serve
from tests.examples.dialect_streams import DIALECTS, cut, path_of, replay

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / "examples" / "front_ends"
LONG: Final = ROOT / "examples" / "streams" / "long-answer.sse"
FRONT_ENDS: Final = ("ai-sdk", "ag-ui")
ASKED: Final = "Where does the sun shine?"
QUESTION: Final[dict[str, dict[str, Any]]] = {
    "ai-sdk": {"id": "m1", "role": "user", "parts": [{"type": "text", "text": ASKED}]},
    "ag-ui": {"id": "m1", "role": "user", "content": ASKED},
}
NOT_WHOLE: Final[dict[str, dict[str, Any]]] = {
    "ai-sdk": {
        "parts": [
            {"type": "tool-weather", "toolCallId": "c9", "state": "input-available", "input": {}}
        ]
    },
    "ag-ui": {
        "toolCalls": [
            {"id": "c9", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
        ]
    },
}
FAILURE: Final = b"""event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}

"""

each_front_end = pytest.mark.parametrize("name", FRONT_ENDS)


class Watched:
    """A model that remembers what it was asked."""

    def __init__(self, model: Model) -> None:
        self.histories: list[Sequence[Any]] = []
        self._model = model

    def stream(self, messages: Sequence[Any], *words: Any, **options: Any) -> Any:
        """Stream as the model does."""
        self.histories.append(list(messages))
        return self._model.stream(messages, *words, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class Halting(Watched):
    """A model that halts in the midst of an answer: there it does what ``halt`` does."""

    def __init__(self, model: Model, halt: Any) -> None:
        super().__init__(model)
        self._halt = halt

    def stream(self, messages: Sequence[Any], *words: Any, **options: Any) -> Any:
        """Stream the first text, halt, and go on."""
        return _Halting(super().stream(messages, *words, **options), self._halt)


class _Halting:
    def __init__(self, stream: Any, halt: Any) -> None:
        self._stream = stream
        self._halt = halt

    async def __aenter__(self) -> Any:
        return self._deltas(await self._stream.__aenter__())

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)

    async def _deltas(self, deltas: Any) -> Any:
        count = 0
        async for delta in deltas:
            count += delta.kind == "text"
            if count == 2:
                await self._halt()
            yield delta


async def the_process_ends() -> None:
    """Break when what was sent is shown."""
    await asyncio.sleep(0.5)
    raise RuntimeError("the process ends")


def failing(folder: Path) -> Path:
    """Return an answer of which some text comes, and then an error."""
    events = path_of("anthropic-messages", "answer").read_bytes().split(b"\n\n")
    path = folder / "failing.sse"
    path.write_bytes(b"\n\n".join(events[:3]) + b"\n\n" + FAILURE)
    return path


def app_of(model: Any, *rest: Any) -> FastAPI:
    """Return the service over a model, or over what does as one."""
    return create_app(model, *rest)


# --- the service ----------------------------------------------------------------------------------


def ask(model: Any, name: str, body: Any) -> httpx.Response:
    async def main() -> httpx.Response:
        transport = httpx.ASGITransport(app_of(model))
        async with httpx.AsyncClient(transport=transport, base_url="http://chat") as client:
            return await client.post(f"/api/{name}", json=body)

    return asyncio.run(main())


def asked(name: str, *messages: Any) -> dict[str, Any]:
    """Return what a client sends."""
    if name == "ai-sdk":
        return {"id": "chat_1", "messages": list(messages)}
    rest: dict[str, Any] = {"tools": [], "context": [], "state": {}, "forwardedProps": {}}
    return {"threadId": "t1", "runId": "chat_1", "messages": list(messages), **rest}


def said(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the events of a whole answer."""
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    data = re.findall(r"^data: (.*)\n\n", answer.text, re.MULTILINE)
    if data[-1] == "[DONE]":
        assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
        data.pop()
    return [json.loads(each) for each in data]


RUNS: Final = {
    "ai-sdk": ("start", "finish", "tool-output-available", "output"),
    "ag-ui": ("RUN_STARTED", "RUN_FINISHED", "TOOL_CALL_RESULT", "content"),
}


@each_front_end
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_run_is_one_stream(dialect: str, name: str) -> None:
    model = Watched(replay(dialect, "calls", "answer"))
    events = said(ask(model, name, asked(name, QUESTION[name])))
    first, last, result, content = RUNS[name]
    kinds = [each["type"] for each in events]
    assert (kinds[0], kinds[-1]) == (first, last)
    assert kinds.count(first) == kinds.count(last) == 1
    results = [each[content] for each in events if each["type"] == result]
    assert results == ["rain, 4 °C", "sun, 18 °C"]
    to_first, to_second = model.histories
    assert [(each.role, each.run_id) for each in to_first] == [("user", "chat_1")]
    assert check_history(to_second) == []
    if name == "ag-ui":
        assert (events[0]["threadId"], events[0]["runId"]) == ("t1", "chat_1")


@each_front_end
def test_what_is_not_a_conversation_is_refused(name: str) -> None:
    whole = asked(name, QUESTION[name])
    for body in ({}, {**whole, "messages": 1}, {**whole, "messages": [1]}):
        assert ask(replay("gemini", "answer"), name, body).status_code == 400


@each_front_end
def test_ids_that_are_not_text_are_not_taken(name: str) -> None:
    body = {**asked(name, QUESTION[name]), "id": 5, "runId": 5, "threadId": 5}
    answer = ask(replay("gemini", "answer"), name, body)
    if name == "ai-sdk":
        assert answer.status_code == 400
    else:
        started = said(answer)[0]
        assert started["threadId"] == started["runId"] == "run"


@each_front_end
def test_a_call_of_a_run_that_was_cut_gets_a_result(name: str) -> None:
    question = QUESTION[name]
    cut_off = {"id": "m2", "role": "assistant", **NOT_WHOLE[name]}
    model = Watched(replay("openai-chat", "answer"))
    said(ask(model, name, asked(name, question, cut_off, {**question, "id": "m3"})))
    (history,) = model.histories
    assert check_history(history) == []
    assert [message.role for message in history] == ["user", "assistant", "tool", "user"]


@each_front_end
def test_text_is_sent_as_it_comes(name: str) -> None:
    """The model says no more until the client has read the first text."""
    heard = threading.Event()

    async def until_heard() -> None:
        assert await asyncio.to_thread(heard.wait, 30)

    model = Halting(replay("anthropic-messages", "answer"), until_heard)
    body = asked(name, QUESTION[name])
    with (
        serve(app_of(model)) as url,
        httpx.stream("POST", f"{url}/api/{name}", json=body, timeout=60) as answer,
    ):
        for line in answer.iter_lines():
            if '"delta"' in line:
                heard.set()
    assert heard.is_set()


# --- the pages ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_pages(PAGES, tmp_path_factory.mktemp("front_ends"))


def shown(app: FastAPI, name: str, folder: Path, *questions: str) -> Page:
    """Return a page when all questions are answered, or one failed."""
    words = "&".join(f"ask={quote(question)}" for question in questions)
    with serve(app) as url:
        return page_when_over(f"{url}/{name}.html?{words}", folder / "browser")


@pytest.mark.slow  # it starts a browser
@each_front_end
def test_text_and_reasoning(name: str, pages: Path, tmp_path: Path) -> None:
    answer = path_of("anthropic-messages", "answer")
    model = Watched(ReplayModel([LONG, answer, answer]))
    page = shown(app_of(model, pages), name, tmp_path, "Bike or train?", "Sure?")
    assert page.status == "ready"
    texts: dict[str, list[str]] = {"text": [], "thinking": []}
    for stream in (LONG, answer):
        for delta in adapt_bytes("anthropic-messages", stream.read_bytes(), "r", clock=now):
            if isinstance(delta, TextDelta | ThinkingDelta):
                texts[delta.kind].append(delta.payload.text_delta)
    assert "".join(page.all("p", "reasoning")) == "".join(texts["thinking"]) != ""
    answered = "".join(texts["text"])
    assert "".join(page.all("p", "text")).startswith(f"Bike or train?{answered}Sure?")
    comes_back(model)


def comes_back(model: Watched) -> None:
    """The client sends back what it was told, and it is the same: the provider's state, too."""
    _, second, third = model.histories
    assert check_history(third) == []
    roles = [role for role, _ in groupby(message.role for message in third)]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert _parts(third)[: len(_parts(second))] == _parts(second)


def _parts(messages: Sequence[Message]) -> list[Any]:
    parts = [dump(part) for message in messages for part in message.parts]
    # An error is an outcome, too, where a format says it (the code outcome-form); AG-UI has no
    # event that says of a result that it is one.
    return [re.sub(rb',"outcome":"error"|"isError":\w+,', b"", each) for each in parts]


@pytest.mark.slow
@each_front_end
def test_calls_with_results_and_a_second_question(name: str, pages: Path, tmp_path: Path) -> None:
    model = Watched(replay("anthropic-messages", "calls", "answer", "answer"))
    page = shown(app_of(model, pages), name, tmp_path, ASKED, "Are you sure?")
    assert page.status == "ready"
    tools = page.all("div", "tool")
    assert [each.replace('": "', '":"') for each in tools] == [
        'weather {"city":"Oslo"}rain, 4 °C',
        'weather {"city":"Rome"}sun, 18 °C',
    ]
    assert len(page.all("p", "text")) == 5
    comes_back(model)


@pytest.mark.slow
@each_front_end
def test_a_failure(name: str, pages: Path, tmp_path: Path) -> None:
    app = app_of(ReplayModel(failing(tmp_path)), pages)
    page = shown(app, name, tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert page.all("p", "error") == ["Overloaded"]
    question, answer = page.all("p", "text")
    assert (question, bool(answer)) == ("Well?", True)


@pytest.mark.slow
@each_front_end
def test_a_stream_of_the_provider_that_is_cut(name: str, pages: Path, tmp_path: Path) -> None:
    path = cut(path_of("anthropic-messages", "answer"), tmp_path)
    page = shown(app_of(ReplayModel(path), pages), name, tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert page.all("p", "error") == ["An event is cut or broken: its content is lost"]


@pytest.mark.slow
@each_front_end
def test_a_service_that_ends_midway(name: str, pages: Path, tmp_path: Path) -> None:
    model = Halting(replay("openai-chat", "answer"), the_process_ends)
    page = shown(app_of(model, pages), name, tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert len(page.all("p", "text")) == 2


@pytest.mark.slow
def test_a_stream_without_its_end_is_not_whole(pages: Path, tmp_path: Path) -> None:
    """AG-UI's client does not tell; that of AI SDK does not either."""
    app = app_of(replay("openai-chat", "answer"), pages)

    @app.middleware("http")
    async def without_the_end(request: Any, follow: Any) -> Any:
        response = await follow(request)
        if request.method == "POST":
            body = b"".join([part async for part in response.body_iterator])
            kept = b"".join(body.partition(b'data: {"type":"RUN_FINISHED"')[:1])

            async def again() -> Any:
                yield kept

            response.body_iterator = again()
        return response

    page = shown(app, "ag-ui", tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert page.all("p", "error") == ["The answer was cut off"]


# --- the example as such --------------------------------------------------------------------------


def test_the_example_is_short() -> None:
    lines = (EXAMPLE / "app.py").read_text("utf-8").splitlines()
    assert sum(1 for line in lines if line.strip() and not line.strip().startswith("#")) <= 75


def test_the_lock_file_names_no_registry_and_every_platform() -> None:
    packages = json.loads((PAGES / "package-lock.json").read_bytes())["packages"]
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    there = {name.rpartition("node_modules/")[2] for name in packages}
    wanted = {name for each in packages.values() for name in each.get("optionalDependencies", ())}
    assert wanted
    assert wanted <= there


def test_the_command_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = re.findall(
        r"^python -m examples.front_ends (\S+)$",
        (EXAMPLE / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    ran: list[Any] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("uvicorn.run", lambda app, **options: ran.append((app.title, options)))
    monkeypatch.setattr("sys.argv", ["front_ends", line])
    command.main()
    assert ran == [("Chat", {"host": "127.0.0.1", "port": 8030})]
    monkeypatch.setattr("sys.argv", ["front_ends", "nobody:model"])
    with pytest.raises(SystemExit, match="No such model"):
        command.main()
