"""The way from a chat log to a page: what its README says, run in an empty folder."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from examples.front_ends import __main__ as command
from examples.front_ends.app import PAGES
from partwire import check_history, read
from partwire.types import Message
from tests.examples.browser import built_pages, page_when_over, serve
from tests.examples.dialect_streams import replay
from tests.examples.test_front_ends import Watched, app_of, each_front_end

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / "examples" / "chat_log"
README: Final = (EXAMPLE / "README.md").read_text("utf-8")
LOG: Final = json.loads((EXAMPLE / "chat.json").read_text("utf-8"))
TEXTS: Final = [each["content"] for each in LOG if each["role"] != "tool" and each["content"]]


def blocks(language: str) -> list[str]:
    """Return the blocks of code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which the commands have been run, all but the installation."""
    folder = tmp_path_factory.mktemp("chat_log")
    shutil.copy(EXAMPLE / "chat.json", folder)
    install, change, *steps = [
        line for line in blocks("sh")[0].splitlines() if line and line[0] != "#"
    ]
    assert (install, change) == ("pip install partwire", "cd examples/chat_log")
    assert len(steps) == 5
    for step in steps:
        line = re.sub(r"^partwire ", f"{sys.executable} -m partwire ", step)
        run = subprocess.run(
            ["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        assert all("code" in json.loads(each) for each in run.stderr.splitlines() if "{" in each)
    return folder


def messages(folder: Path) -> list[Message]:
    lines = (folder / "messages.jsonl").read_bytes().splitlines()
    return [read(line, Message) for line in lines]


def test_the_log_becomes_messages(walked: Path) -> None:
    history = messages(walked)
    assert [each.role for each in history] == [each["role"] for each in LOG]
    assert {each.run_id for each in history} == {"trip"}
    assert check_history(history) == []


def test_the_messages_become_a_request_and_those_of_a_page(walked: Path) -> None:
    request = json.loads((walked / "anthropic.json").read_bytes())
    assert [each["role"] for each in request["messages"]] == ["user", "assistant"] * 3
    assert request["system"][0]["text"] == LOG[0]["content"]
    page = json.loads((walked / "page.json").read_bytes())
    assert [each["role"] for each in page] == ["system", "user", "assistant", "user", "assistant"]
    assert len({each["id"] for each in page}) == len(page)
    lost = [json.loads(line) for line in (walked / "lost.jsonl").read_text("utf-8").splitlines()]
    assert {each["code"] for each in lost} == {"message-form", "message-id", "run-id", "timestamp"}


def test_the_program_makes_the_request(walked: Path) -> None:
    (program,) = blocks("python")
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=walked, capture_output=True, text=True, check=False
    )
    members = ["max_tokens", "messages", "model", "stream", "system"]
    assert (run.returncode, run.stdout) == (0, f"{members} 7 []\n"), run.stderr


@pytest.mark.slow  # it starts a browser
@each_front_end
def test_the_page_shows_the_log_and_goes_on(name: str, walked: Path, tmp_path: Path) -> None:
    model = Watched(replay("anthropic-messages", "answer"))
    pages = built_pages(PAGES, tmp_path / "pages")
    history = messages(walked)
    with serve(app_of(model, pages, history)) as url:
        page = page_when_over(f"{url}/{name}.html?ask=Sure%3F", tmp_path / "browser")
    assert page.status == "ready"
    assert page.all("p", "text") == [*TEXTS, "Sure?", "Rain in Oslo, sun in Rome."]
    assert [each.partition("}")[2] for each in page.all("div", "tool")] == [
        each["content"] for each in LOG if each["role"] == "tool"
    ]
    (asked,) = model.histories
    assert check_history(asked) == []
    assert _said(asked[:-1]) == _said(history)


def _said(history: Any) -> list[Any]:
    return [part for message in history for part in message.parts]


def test_the_command_shows_it(walked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = re.findall(r"^python -m examples.front_ends (.*)$", README, re.MULTILINE)
    words = line.replace("examples/chat_log/", f"{walked}/").split()
    ran: list[Any] = []
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("uvicorn.run", lambda app, **options: ran.append((app.title, options)))
    monkeypatch.setattr("sys.argv", ["front_ends", *words])
    command.main()
    assert len(ran) == 1
    (walked / "odd.jsonl").write_text("{}\n")
    monkeypatch.setattr("sys.argv", ["front_ends", *words[:-1], f"{walked}/odd.jsonl"])
    with pytest.raises(SystemExit, match="runId"):
        command.main()
    (walked / "odd.jsonl").unlink()
    with pytest.raises(SystemExit, match=r"odd\.jsonl"):
        command.main()
