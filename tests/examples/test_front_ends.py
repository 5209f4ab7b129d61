"""The example for AI SDK's client: the service alone, and the client in a real browser over it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest

from examples.use_chat import __main__ as command
from examples.use_chat.app import PAGES, create_app
from partwire import check_history, dump
from partwire.contract.clock import now
from partwire.model import Model, ReplayModel
from partwire.providers import adapt_bytes
from partwire.types import Message, TextDelta, ThinkingDelta
from tests.examples.browser import Page, built_pages, page_when_over, serve
from tests.examples.dialect_streams import DIALECTS, cut, path_of, replay

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / "examples" / "use_chat"
LONG: Final = ROOT / "examples" / "streams" / "long-answer.sse"
QUESTION: Final = {
    "id": "m1",
    "role": "user",
    "parts": [{"type": "text", "text": "Where does the sun shine?"}],
}
FAILURE: Final = b"""event: error
data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}

"""


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


class Breaking(Watched):
    """A model whose process ends in the midst of an answer."""

    def stream(self, messages: Sequence[Any], *words: Any, **options: Any) -> Any:
        """Stream some deltas, and break."""
        return _Broken(super().stream(messages, *words, **options))


class _Broken:
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aenter__(self) -> Any:
        return self._deltas(await self._stream.__aenter__())

    async def __aexit__(self, *error: Any) -> Any:
        return await self._stream.__aexit__(*error)

    async def _deltas(self, deltas: Any) -> Any:
        count = 0
        async for delta in deltas:
            count += delta.kind == "text"
            if count > 1:
                await asyncio.sleep(0.5)  # what was sent is shown by then
                raise RuntimeError("the process ends")
            yield delta


def failing(folder: Path) -> Path:
    """Return an answer of which some text comes, and then an error."""
    events = path_of("anthropic-messages", "answer").read_bytes().split(b"\n\n")
    path = folder / "failing.sse"
    path.write_bytes(b"\n\n".join(events[:3]) + b"\n\n" + FAILURE)
    return path


# --- the service ----------------------------------------------------------------------------------


def ask(model: Any, body: Any) -> httpx.Response:
    async def main() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(model))
        async with httpx.AsyncClient(transport=transport, base_url="http://chat") as client:
            return await client.post("/api/ai-sdk", json=body)

    return asyncio.run(main())


def chunks(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return the chunks of a whole answer."""
    assert answer.status_code == 200
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
    *data, last = re.findall(r"^data: (.*)\n\n", answer.text, re.MULTILINE)
    assert last == "[DONE]"
    return [json.loads(each) for each in data]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_run_is_one_stream(dialect: str) -> None:
    model = Watched(replay(dialect, "calls", "answer"))
    said = chunks(ask(model, {"id": "chat_1", "messages": [QUESTION]}))
    kinds = [each["type"] for each in said]
    assert (kinds[0], kinds[-1]) == ("start", "finish")
    assert kinds.count("start-step") == kinds.count("finish-step") == 2
    outputs = [each["output"] for each in said if each["type"] == "tool-output-available"]
    assert outputs == ["rain, 4 °C", "sun, 18 °C"]
    asked, answered = model.histories
    assert [(each.role, each.run_id) for each in asked] == [("user", "chat_1")]
    assert check_history(answered) == []


def test_what_is_not_a_conversation_is_refused() -> None:
    for body in ({}, {"messages": 1}, {"messages": [1]}, {"messages": [QUESTION], "id": 5}):
        assert ask(replay("gemini", "answer"), body).status_code == 400


def test_a_call_of_a_run_that_was_cut_gets_a_result() -> None:
    call = {"type": "tool-weather", "toolCallId": "c9", "state": "input-available", "input": {}}
    cut_off = {"id": "m2", "role": "assistant", "parts": [{"type": "step-start"}, call]}
    model = Watched(replay("openai-chat", "answer"))
    chunks(ask(model, {"id": "chat_1", "messages": [QUESTION, cut_off, {**QUESTION, "id": "m3"}]}))
    (history,) = model.histories
    assert check_history(history) == []
    assert [message.role for message in history] == ["user", "assistant", "tool", "user"]


# --- the page -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_pages(PAGES, tmp_path_factory.mktemp("use_chat"))


def shown(model: Any, pages: Path, folder: Path, *questions: str) -> Page:
    """Return the page of AI SDK's client when all questions are answered, or one failed."""
    words = "&".join(f"ask={quote(question)}" for question in questions)
    with serve(create_app(model, pages)) as url:
        return page_when_over(f"{url}/ai-sdk.html?{words}", folder / "browser")


@pytest.mark.slow  # it starts a browser
def test_text_and_reasoning(pages: Path, tmp_path: Path) -> None:
    answer = path_of("anthropic-messages", "answer")
    model = Watched(ReplayModel([LONG, answer, answer]))
    page = shown(model, pages, tmp_path, "Bike or train?", "Sure?")
    assert page.status == "ready"
    texts: dict[str, list[str]] = {"text": [], "thinking": []}
    for stream in (LONG, answer):
        for delta in adapt_bytes("anthropic-messages", stream.read_bytes(), "r", clock=now):
            if isinstance(delta, TextDelta | ThinkingDelta):
                texts[delta.kind].append(delta.payload.text_delta)
    assert "".join(page.all("p", "reasoning")) == "".join(texts["thinking"]) != ""
    said = "".join(texts["text"])
    assert "".join(page.all("p", "text")).startswith(f"Bike or train?{said}Sure?")
    comes_back(model)


def comes_back(model: Watched) -> None:
    """The client sends back what it was told, and it is the same: the provider's state, too."""
    _, second, third = model.histories
    assert check_history(third) == []
    assert [message.role for message in third] == ["user", "assistant", "tool", "assistant", "user"]
    assert _parts(third[:3]) == _parts(second)


def _parts(messages: Sequence[Message]) -> list[Any]:
    said = [dump(part) for message in messages for part in message.parts]
    # An error is an outcome, too, where a format says it: the code outcome-form.
    return [each.replace(b',"outcome":"error"', b"") for each in said]


@pytest.mark.slow
def test_calls_with_results_and_a_second_question(pages: Path, tmp_path: Path) -> None:
    model = Watched(replay("anthropic-messages", "calls", "answer", "answer"))
    page = shown(model, pages, tmp_path, "Where does the sun shine?", "Are you sure?")
    assert page.status == "ready"
    tools = page.all("details", "tool")
    assert [re.sub(r"\s+", " ", each) for each in tools] == [
        'weather {"city":"Oslo"} output-availablerain, 4 °C',
        'weather {"city":"Rome"} output-availablesun, 18 °C',
    ]
    comes_back(model)


@pytest.mark.slow
def test_a_failure(pages: Path, tmp_path: Path) -> None:
    page = shown(ReplayModel(failing(tmp_path)), pages, tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert page.all("p", "error") == ["Overloaded"]
    question, answer = page.all("p", "text")
    assert (question, bool(answer)) == ("Well?", True)


@pytest.mark.slow
def test_a_stream_of_the_provider_that_is_cut(pages: Path, tmp_path: Path) -> None:
    path = cut(path_of("anthropic-messages", "answer"), tmp_path)
    page = shown(ReplayModel(path), pages, tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert page.all("p", "error") == ["An event is cut or broken: its content is lost"]


@pytest.mark.slow
def test_a_service_that_ends_midway(pages: Path, tmp_path: Path) -> None:
    page = shown(Breaking(replay("openai-chat", "answer")), pages, tmp_path, "Well?", "And?")
    assert page.status == "error"
    assert len(page.all("p", "text")) == 2


# --- the example as such --------------------------------------------------------------------------


def test_the_example_is_short() -> None:
    lines = (EXAMPLE / "app.py").read_text("utf-8").splitlines()
    assert sum(1 for line in lines if line.strip() and not line.strip().startswith("#")) <= 60


def test_the_lock_file_names_no_registry_and_every_platform() -> None:
    packages = json.loads((PAGES / "package-lock.json").read_bytes())["packages"]
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    there = {name.rpartition("node_modules/")[2] for name in packages}
    wanted = {name for each in packages.values() for name in each.get("optionalDependencies", ())}
    assert wanted
    assert wanted <= there


def test_the_command_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = re.findall(
        r"^python -m examples.use_chat (\S+)$",
        (EXAMPLE / "README.md").read_text("utf-8"),
        re.MULTILINE,
    )
    ran: list[Any] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("uvicorn.run", lambda app, **options: ran.append((app.title, options)))
    monkeypatch.setattr("sys.argv", ["use_chat", line])
    command.main()
    assert ran == [("Chat", {"host": "127.0.0.1", "port": 8030})]
    monkeypatch.setattr("sys.argv", ["use_chat", "nobody:model"])
    with pytest.raises(SystemExit, match="No such model"):
        command.main()
