"""``partwire inspect``: what the page gets of each file, and who is served what comes live."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse, IncompleteRead
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from partwire import dump, formats, to_wire
from partwire.cli.files import inspected
from partwire.cli.files.sessions import growing
from partwire.cli.terminal import results
from partwire.contract.current.session import ModelRef
from partwire.files.inputs import Source
from partwire.formats import FORMATS
from partwire.inspector.live import LiveServer
from partwire.session import WithPartsBuilder
from tests.cli.runner import STREAM, USER, lines, run, stderr_json
from tests.fixture_cases import ROOT, provider_cases
from tests.formats.sessions import ClaudeCode, jsonl
from tests.inspector.stand_in import STAND_IN, bytes_of, put_in_place, sources_in
from tests.patience import PATIENCE

PACKAGE = ROOT / "python"
CHAT = b'data: {"id":"a","model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
HISTORY = json.dumps([{"role": "user", "content": "Hi"}]).encode()
REQUEST = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}).encode()
MESSAGE = json.dumps(USER).encode()
CONTENTS = json.dumps({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}).encode()
UI = b'data: {"type":"start"}\n\ndata: {"type":"text-start","id":"t"}\n\ndata: [DONE]\n\n'
GRAPH = jsonl(
    [
        ["messages", [{"type": "AIMessageChunk", "id": "r", "content": "Hel"}, {}]],
        ["messages", [{"type": "AIMessageChunk", "id": "r", "content": "lo"}, {}]],
    ]
)


@pytest.fixture(autouse=True)
def page(empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page, and no browser whatever is forgotten."""
    put_in_place(monkeypatch, empty_folder)
    monkeypatch.setattr(webbrowser, "get", lambda: pytest.fail("a browser was opened"))


def written(*words: str, stdin: bytes | None = None) -> list[dict[str, Any]]:
    """The sources of the page that a command line writes."""
    result = run("inspect", "--output", "page.html", *words, stdin=stdin)
    assert result.exit_code == 0, result.output
    assert result.output == ""
    return sources_in(Path("page.html").read_text("utf-8"))


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "options", "members"),
    [
        (CHAT, [], {}),
        (CHAT, ["--from", "openai"], {"as": "openai-chat"}),
        (REQUEST, [], {}),
        (REQUEST, ["--from", "openai-chat"], {"as": "openai-chat", "history": True}),
        (HISTORY, ["--from", "anthropic"], {"as": "anthropic-messages", "history": True}),
        (b'{"error":{"message":"no"}}', ["--from", "gemini"], {"as": "gemini"}),
        (b'{"candidates":[]}', [], {"as": "gemini"}),
        (UI, [], {}),
        (UI, ["--from", "ai-sdk"], {"as": "ai-sdk", "run": True}),
        (b'[{"type":"start"}]', ["--from", "ai-sdk"], {"as": "ai-sdk", "run": True}),
        (b"[]", ["--from", "ai-sdk"], {"as": "ai-sdk", "history": True}),
        (b'[{"type":"RUN_STARTED"}]', ["--from", "ag-ui"], {"as": "ag-ui", "run": True}),
        (lines(STREAM), [], {}),
        (lines(STREAM), ["--from", "deltas"], {"as": "deltas"}),
        (MESSAGE, ["--from", "history"], {"as": "history"}),
        (b"not JSON", [], {}),
        (b"\xff\0", ["--from", "report"], {"as": "report"}),
    ],
)
@pytest.mark.parametrize("name", ["file", "file.json", "file.gz", "-"])
def test_what_the_page_reads_stays_as_it_is(
    data: bytes, options: list[str], members: dict[str, Any], name: str
) -> None:
    if name != "-":
        Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (source,) = written(*options, name, stdin=data)
    assert bytes_of(source) == data
    del source["gzip"]
    assert source == {"name": "<stdin>" if name == "-" else name, **members}


def test_cohere_is_not_taken_for_langchain() -> None:
    """Their events have words in common."""
    for case in provider_cases("v0.2", "cohere-v2")[:5]:
        Path("stream.sse").write_bytes(case.data("input"))
        (source,) = written("stream.sse")
        assert set(source) == {"name", "gzip"}


def test_a_session_of_ours_is_not_taken_for_opencode() -> None:
    """Their messages are alike."""
    ours = WithPartsBuilder.for_user(
        "0197c6f0-5a00-7000-8000-000000000001",
        created=5,
        agent="build",
        model=ModelRef(provider_id="acme", model_id="model-1"),
    )
    ours.add_text("Hi")
    Path("session.json").write_bytes(dump(ours.build()))
    (source,) = written("session.json")
    assert set(source) == {"name", "gzip"}


def session() -> ClaudeCode:
    made = ClaudeCode()
    first = made.user("a")
    made.says("msg_1", "left")
    made.user("b", parent=first)
    made.says("msg_2", "c")
    return made


@pytest.mark.parametrize(
    ("name", "data", "options"),
    [
        ("claude-code", jsonl(session().lines), []),
        ("claude-code", jsonl(["not JSON", *session().lines]), []),
        ("claude-code", jsonl(session().lines), ["--from", "claude-code"]),
        ("gemini", CONTENTS, []),
        ("gemini", CONTENTS, ["--from", "gemini"]),
        ("cohere-v2", HISTORY, ["--from", "cohere"]),
        ("bedrock-converse", b'[{"role":"user","content":[{"text":"Hi"}]}]', []),
        ("langchain", b'[{"type":"human","content":"Hi"}]', ["--from", "langchain"]),
        ("finetune", b'{"conversations":[{"from":"human","value":"Hi"}]}', []),
    ],
)
def test_what_only_python_reads_becomes_messages_and_losses(
    name: str, data: bytes, options: list[str]
) -> None:
    Path("file.jsonl").write_bytes(data)
    (source,) = written(*options, "file.jsonl")
    expected = formats.read(name, data if FORMATS[name].is_session else json.loads(data))
    assert expected.messages
    assert [json.loads(line) for line in bytes_of(source).splitlines()] == [
        to_wire(message) for message in expected.messages
    ]
    assert (source["as"], source["readAs"]) == ("history", name)
    assert source["losses"] == [loss.to_wire() for loss in expected.losses]
    assert all({"pointer", "code", "severity", "detail"} == set(each) for each in source["losses"])


@pytest.mark.parametrize("options", [[], ["--from", "langchain"]])
def test_an_event_stream_that_only_python_reads_becomes_messages(options: list[str]) -> None:
    Path("file.jsonl").write_bytes(GRAPH)
    (source,) = written(*options, "file.jsonl")
    (message,) = map(json.loads, bytes_of(source).splitlines())
    assert [part["payload"]["text"] for part in message["parts"]] == ["Hello"]
    assert (source["as"], source["readAs"]) == ("history", "langchain")
    assert isinstance(source["losses"], list)


def test_what_the_page_reads_is_what_the_typescript_package_reads() -> None:
    folder = ROOT / "typescript" / "src" / "formats"
    text = "".join((folder / name).read_text("utf-8") for name in ("registry.ts", *_ROWS))
    names = set(re.findall(r'^ +name: "([a-z-]+)"', text, re.MULTILINE))
    assert names == inspected._READ_BY_PAGE
    assert names < set(FORMATS)


_ROWS = ("ag-ui/format.ts", "ai-sdk/format.ts")


def test_yaml_becomes_json() -> None:
    Path("file.yaml").write_bytes(b"runId: r\nrole: user\n---\n[1, 2]\n")
    (source,) = written("file.yaml")
    documents = [json.loads(line) for line in bytes_of(source).splitlines()]
    assert documents == [{"runId": "r", "role": "user"}, [1, 2]]


def test_several_files_are_in_one_page_in_order_and_always_the_same() -> None:
    for name in ("b.json", "a.json"):
        Path(name).write_bytes(MESSAGE)
    Path("s.jsonl").write_bytes(jsonl(session().lines))
    sources = written("b.json", "s.jsonl", "a*.json")
    assert [each["name"] for each in sources] == ["b.json", "s.jsonl", "a.json"]
    first = Path("page.html").read_bytes()
    assert written("b.json", "s.jsonl", "a*.json") == sources
    assert Path("page.html").read_bytes() == first


def test_without_a_file_the_page_is_empty() -> None:
    assert written() == []
    result = run("inspect", "--output", "-")
    assert (result.exit_code, result.stdout) == (0, STAND_IN)


def test_a_file_that_only_looks_like_a_format_is_shown_as_it_is_with_a_warning() -> None:
    data = b'{"conversations":[5]}'
    Path("file.json").write_bytes(data)
    result = run("inspect", "--output", "-", "file.json")
    (source,) = sources_in(result.stdout)
    assert bytes_of(source) == data
    assert set(source) == {"name", "gzip"}
    (told,) = stderr_json(result)
    assert (result.exit_code, told["severity"], told["source"]) == (0, "warning", "file.json")


@pytest.mark.parametrize("options", [[], ["--from", "anthropic-messages"]])
def test_a_terminal_shows_a_stream_without_a_page(options: list[str]) -> None:
    name = str(ROOT / "examples/streams/trip-calls.sse")
    result = run("inspect", "--terminal", *options, name)
    assert result.exit_code == 0
    assert 'city: "Oslo"' in result.stdout
    assert "finish     tool_calls" in result.stdout


def test_a_terminal_takes_a_glob_that_one_file_fits() -> None:
    Path("only.jsonl").write_bytes(lines(STREAM))
    assert "Grüße" in run("inspect", "--terminal", "on*.jsonl").stdout


@pytest.mark.parametrize("option", ["--terminal", "--output=-"])
@pytest.mark.parametrize("is_terminal", [False, True])
def test_what_is_wrong_is_for_people_on_a_terminal_and_else_json(
    option: str, is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("cut.json.gz").write_bytes(gzip.compress(MESSAGE)[:-9])
    monkeypatch.setattr(results, "is_terminal", lambda err: err and is_terminal)
    words = ("inspect", option, "cut.json.gz")
    texts = [run(*words), run(*words, "--format", "text")]
    as_json = [run(*words, "--format", "json"), *([] if is_terminal else [texts.pop(0)])]
    for result in texts:
        assert "[document/damaged-compression]" in result.stderr
    for result in as_json:
        (told,) = stderr_json(result)
        assert (told["rule"], told["source"]) == ("document/damaged-compression", "cut.json.gz")
    assert {each.exit_code for each in (*texts, *as_json)} == {1}


@pytest.mark.parametrize("kind", ["message", "history"])
def test_a_terminal_prints_the_messages_that_a_file_is_said_to_hold(kind: str) -> None:
    words = ("inspect", "--terminal", "--from", kind)
    result = run(*words, "-", stdin=json.dumps([USER, USER]).encode())
    assert (result.exit_code, result.stdout.count("text       Hi")) == (0, 2)
    result = run(*words, str(ROOT / "examples/streams/trip-calls.sse"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert stderr_json(result)[0]["rule"] == "document/invalid-json"


def test_messages_before_what_is_broken_are_printed() -> None:
    result = run("inspect", "--terminal", "--from", "message", "-", stdin=b"[%s, 5 6]" % MESSAGE)
    assert (result.exit_code, result.stdout.count("text       Hi")) == (1, 1)
    rules = [each["rule"] for each in stderr_json(result)]
    assert rules == ["shape/type", "document/invalid-json"]


def test_a_terminal_gives_the_exit_status_of_the_stream() -> None:
    whole = (ROOT / "examples/streams/trip-calls.sse").read_bytes()
    Path("cut.sse").write_bytes(whole[: len(whole) // 2])
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "no"}}
    failed = f"event: error\ndata: {json.dumps(error)}\n\n".encode()
    Path("failed.sse").write_bytes(whole[: whole.index(b"\n\n") + 2] + failed)
    for name in ("cut.sse", "failed.sse"):
        assert run("inspect", "--terminal", name).exit_code == 1


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["folder"], 2, "it is a folder"),
        (["--follow", "folder"], 2, "it is a folder"),
        (["nowhere"], 2, "usage/unreadable-input"),
        (["--follow", "nowhere"], 2, "usage/unreadable-input"),
        (["no*where"], 2, "no file fits the glob"),
        (["empty"], 1, "document/empty"),
        (["blank"], 1, "document/empty"),
        (["cut.gz"], 1, "document/damaged-compression"),
        (["--follow", "whole.gz"], 2, "compressed cannot be followed"),
        (["--from", "claude-code", "chat.json"], 1, "format/wrong-shape"),
        (["--from", "mcp", "chat.json"], 1, "format/wrong-shape"),
        (["--from", "mpc", "chat.json"], 2, "'mpc' is not one of"),
        (["--follow", "--from", "mcp", "chat.json"], 2, "--follow is not for the format mcp"),
        (["--follow", "--from", "langchain", "-"], 2, "--follow is not for the format langchain"),
        (["--follow"], 2, "--follow is for a FILE"),
        (["-", "-"], 2, "stdin (-) can be read once"),
        (["http://127.0.0.1:1/x"], 2, "An address is for --follow"),
        (["--follow", "http://127.0.0.1:1/x"], 2, "usage/unreadable-input"),
        (["--follow", "http://["], 2, "usage/unreadable-input"),
        (["--follow", "http://a b/"], 2, "usage/unreadable-input"),
        (["--output", "p.html", "--follow", "chat.json"], 2, "--output takes no --follow"),
        (["--output", "p.html", "--no-browser"], 2, "--output takes no --no-browser"),
        (["--output", "folder", "chat.json"], 2, "usage/unwritable-output"),
        (["--output", "no/p.html", "chat.json"], 2, "usage/unwritable-output"),
        (["--terminal"], 2, "--terminal is for one FILE"),
        (["--terminal", "chat.json", "chat.json"], 2, "--terminal is for one FILE"),
        (["--terminal", "--follow", "chat.json"], 2, "--terminal is for one FILE"),
        (["--terminal", "--follow", "/dev/zero"], 2, "--terminal is for one FILE"),
        (["--terminal", "http://127.0.0.1:1/x"], 2, "an address is for --follow, in the page"),
        (["--terminal", "folder"], 2, "it is a folder"),
        (["--terminal", "no*where"], 2, "no file fits the glob"),
        (["--terminal", "*.gz"], 2, "2 files fit the glob *.gz"),
        (["--terminal", "--format", "json", "nowhere"], 2, '{"status": 2, "findings": ['),
        (["--format", "json", "--from", "mpc"], 2, '{"status": 2, "findings": ['),
        (["--terminal", "--from", "report", "chat.json"], 2, "report has a page"),
        (["--terminal", "nan.json"], 1, "document/not-finite"),
        (["--output", "./chat.json", "chat.json"], 2, "--output is one of the FILEs"),
        (["--terminal", "chat.json"], 2, "openai-chat"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], status: int, told: str) -> None:
    Path("folder").mkdir()
    Path("empty").touch()
    Path("blank").write_bytes(b"\n \n")
    Path("nan.json").write_bytes(b'{"runId":"r","role":"user","parts":[],"timestamp":NaN}')
    Path("chat.json").write_bytes(b"5")
    Path("whole.gz").write_bytes(gzip.compress(CHAT))
    Path("cut.gz").write_bytes(gzip.compress(CHAT)[:-9])
    result = run("inspect", *words, stdin=b"")
    assert (result.exit_code, result.stdout) == (status, "")
    assert told in result.stderr
    assert not Path("p.html").exists()


@pytest.mark.parametrize(
    ("names", "stdin", "size"),
    [
        (["a.json"], None, "151 bytes"),
        (["b.json", "c.json"], None, "80 bytes"),
        (["a.gz"], None, "more"),
        (["-"], b"x" * 151, "more"),
    ],
)
def test_too_much_for_one_page_is_refused_with_size_and_limit(
    names: list[str], stdin: bytes | None, size: str
) -> None:
    for name, length in (("a.json", 151), ("b.json", 80), ("c.json", 80)):
        Path(name).write_bytes(b"x" * length)
    Path("a.gz").write_bytes(gzip.compress(b"x" * 151))
    result = run(
        "--max-document-bytes", "150", "inspect", "--output", "-", *names, stdin=stdin or b""
    )
    assert (result.exit_code, result.stdout) == (2, "")
    (told,) = stderr_json(result)
    assert (told["rule"], told["actual"]) == ("framing/document-too-large", size)
    assert told["source"] == {"b.json": "c.json", "-": "<stdin>"}.get(names[0], names[0])
    assert told["expected"].startswith("at most 150 bytes of all files together")
    assert told["expected"].count("--max-document-bytes") == 1
    assert "expected" not in told["message"]


def test_without_the_page_the_command_says_how_it_is_built(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, tmp_path_factory.mktemp("none"), None)
    result = run("inspect", "nowhere")
    assert result.exit_code == 2
    assert "make inspector" in result.stderr
    assert "usage/missing-resource" in result.stderr


# --- in a browser ---------------------------------------------------------------------------------


def watching(
    monkeypatch: pytest.MonkeyPatch, watch: Callable[[str], Any]
) -> Callable[..., tuple[int, str, str, Any]]:
    """What runs a command; while it serves, ``watch`` is called with the address, then Ctrl-C."""

    def command(*words: str, stdin: bytes | None = None) -> tuple[int, str, str, Any]:
        seen: list[Any] = []

        def serve(self: LiveServer) -> None:
            thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
            thread.start()
            try:
                seen.append(watch(self.address))
            finally:
                self.shutdown()
                thread.join(PATIENCE)
            raise KeyboardInterrupt

        monkeypatch.setattr(LiveServer, "serve", serve)
        result = run("inspect", *words, stdin=stdin)
        assert seen or result.exit_code, result.output
        return result.exit_code, result.stdout, result.stderr, seen[0] if seen else None

    return command


def fetch(address: str) -> bytes:
    with urlopen(address, timeout=PATIENCE) as answer:
        data: bytes = answer.read()
    return data


class Browser:
    def __init__(self, *, opens: bool = True) -> None:
        self.opens = opens
        self.opened: list[str] = []
        self.done = threading.Event()

    def open(self, url: str) -> bool:
        self.opened.append(url)
        self.done.set()
        return self.opens


def test_a_browser_is_opened_with_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.json").write_bytes(MESSAGE)
    browser = Browser()
    monkeypatch.setattr(webbrowser, "get", lambda: browser)

    def watch(address: str) -> tuple[str, str]:
        assert browser.done.wait(PATIENCE)
        return address, fetch(address).decode()

    status, out, told, (address, page) = watching(monkeypatch, watch)("a.json")
    assert (status, out) == (0, "")
    assert told == f"partwire inspect: {address} until Ctrl-C\n"
    assert browser.opened == [address]
    (source,) = sources_in(page)
    assert (source["name"], bytes_of(source)) == ("a.json", MESSAGE)


def test_without_a_browser_the_address_alone_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, told, address = watching(monkeypatch, lambda address: address)("--no-browser")
    assert (status, out, told) == (0, f"{address}\n", "")


def no_browser() -> Any:
    raise webbrowser.Error


@pytest.mark.parametrize(
    "get",
    [no_browser, lambda: Browser(opens=False), lambda: webbrowser.GenericBrowser("lynx")],
    ids=["none", "fails", "of the terminal"],
)
def test_where_no_browser_opens_that_is_said(
    get: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "get", get)
    monkeypatch.delenv("BROWSER", raising=False)

    def watch(_: str) -> None:
        for thread in threading.enumerate():
            if thread.name == "partwire-browser":
                thread.join(PATIENCE)

    status, _, told, _ = watching(monkeypatch, watch)()
    assert status == 0
    assert told.splitlines()[1:] == ["No browser could be opened: open the address in one."]


# --- what grows -----------------------------------------------------------------------------------


def reading(answer: HTTPResponse, count: int) -> list[Any]:
    return [json.loads(answer.readline()) for _ in range(count)]


def append(data: bytes) -> None:
    with Path("s.jsonl").open("ab") as file:
        file.write(data)


def live_source(address: str) -> dict[str, Any]:
    (source,) = sources_in(fetch(address).decode())
    return source


def test_a_file_is_served_as_it_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lines(STREAM).splitlines(keepends=True)
    Path("s.jsonl").write_bytes(rows[0])

    def watch(address: str) -> dict[str, Any]:
        with urlopen(address + "live/0", timeout=PATIENCE) as answer:
            assert answer.readline() == rows[0]
            append(rows[1])
            assert answer.readline() == rows[1]
        with urlopen(address + "live/0", timeout=PATIENCE) as again:
            assert [again.readline(), again.readline()] == rows[:2]
        return live_source(address)

    status, _, _, source = watching(monkeypatch, watch)("--follow", "--no-browser", "s.jsonl")
    assert (status, source) == (0, {"name": "s.jsonl", "as": "deltas", "live": "live/0"})


def test_following_gives_nothing_now_and_then() -> None:
    """So the server sees that its reader has gone."""
    Path("s.jsonl").write_bytes(b"{}\n")
    chunks = growing(Source("s.jsonl"))
    assert [next(chunks), next(chunks)] == [b"{}\n", b""]
    append(b"[]\n")
    assert next(filter(None, chunks)) == b"[]\n"


@pytest.mark.parametrize(
    ("data", "members"),
    [
        (b"", {}),
        (b"x", {}),
        (CHAT, {"as": "openai-chat"}),
        (UI, {"as": "ai-sdk", "run": True}),
        (
            b'data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n',
            {"as": "ag-ui", "run": True},
        ),
        (b"broken\n" + lines(STREAM), {"as": "deltas"}),
        (MESSAGE, {}),
        (GRAPH, {}),
        (CONTENTS, {}),
        (REQUEST, {}),
    ],
)
def test_what_a_live_file_holds_is_said_as_far_as_it_shows(
    data: bytes, members: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("s").write_bytes(data)
    status, _, _, source = watching(monkeypatch, live_source)("--follow", "--no-browser", "s")
    assert (status, source) == (0, {"name": "s", "live": "live/0", **members})


@pytest.mark.parametrize("options", [[], ["--from", "claude-code"]])
def test_a_session_is_served_as_messages_while_it_grows(
    options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = jsonl(session().lines).splitlines(keepends=True)
    Path("s.jsonl").write_bytes(b"".join(rows[:2]))

    def watch(address: str) -> dict[str, Any]:
        with urlopen(address + "live/0", timeout=PATIENCE) as answer:
            texts = [reading(answer, 1)[0]["parts"][0]["payload"]["text"]]
            append(b"".join(rows[2:]))
            texts += [each["parts"][0]["payload"]["text"] for each in reading(answer, 2)]
        assert texts == ["a", "left", "b"]
        return live_source(address)

    words = ("--follow", "--no-browser", *options, "s.jsonl")
    status, _, _, source = watching(monkeypatch, watch)(*words)
    assert status == 0
    assert source == {"name": "s.jsonl", "as": "history", "live": "live/0", "readAs": "claude-code"}


@pytest.mark.parametrize(
    ("now", "told"),
    [(b"", "cut"), (b"[]\n", "written anew"), (b'{"a":1}\n{"b":2}\n', "written anew")],
)
def test_a_file_that_is_another_now_ends_its_stream_and_is_said(
    monkeypatch: pytest.MonkeyPatch, now: bytes, told: str
) -> None:
    Path("s.jsonl").write_bytes(b"{}\n")

    def watch(address: str) -> bytes:
        with urlopen(address + "live/0", timeout=PATIENCE) as answer:
            assert answer.readline() == b"{}\n"
            Path("s.jsonl").write_bytes(now)
            with pytest.raises(IncompleteRead) as caught:
                answer.read()
        return caught.value.partial

    status, _, said, rest = watching(monkeypatch, watch)("--follow", "--no-browser", "s.jsonl")
    assert (status, rest) == (0, b"")
    # Between its being emptied and written anew a file is cut.
    assert f"the file was {told} while" in said or "the file was cut while" in said


def test_stdin_is_served_and_can_be_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def watch(address: str) -> tuple[bytes, bytes, dict[str, Any]]:
        return fetch(address + "live/0"), fetch(address + "live/0"), live_source(address)

    words = ("--follow", "--no-browser", "--from", "ai-sdk", "-")
    status, _, _, (one, two, source) = watching(monkeypatch, watch)(*words, stdin=UI)
    assert (status, one, two) == (0, UI, UI)
    assert source == {"name": "<stdin>", "as": "ai-sdk", "live": "live/0", "run": True}


class _Service(BaseHTTPRequestHandler):
    """A service that streams."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.headers["Accept"])
        if self.path == "/moved":
            self.send_response(307)
            self.send_header("Location", "/stream")
            self.end_headers()
            return
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "ftp://127.0.0.1:1/x")
            self.end_headers()
            return
        if self.path == "/mute":
            return
        if self.path == "/other":
            self.wfile.write(b"220 mail\r\n\r\n")
            return
        known = ("/stream", "/short", "/packed", "/chunks")
        self.send_response(200 if self.path in known else 404)
        self.send_header("Content-Type", "text/event-stream")
        if self.path == "/short":
            self.send_header("Content-Length", str(len(CHAT) + 10))
        if self.path == "/packed":
            self.send_header("Content-Encoding", "gzip")
        if self.path == "/chunks":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n9\r\ncut" % (len(CHAT), CHAT))
            return
        if self.path != "/cut":
            self.end_headers()
            self.wfile.write(CHAT)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as it is called
        pass


@contextmanager
def service() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    _Service.asked = asked
    with ThreadingHTTPServer(("127.0.0.1", 0), _Service) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", asked
        finally:
            server.shutdown()
            thread.join(PATIENCE)


def test_a_service_is_asked_once_whatever_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # which is not on the way to here

    def watch(address: str) -> tuple[bytes, bytes, dict[str, Any]]:
        return fetch(address + "live/0"), fetch(address + "live/0"), live_source(address)

    # What is not asked through a proxy must not be fetched through one either, by the test.
    monkeypatch.setenv("no_proxy", "")
    with service() as (url, asked):
        command = watching(monkeypatch, watch_without_proxy(watch))
        status, _, _, (one, two, source) = command("--follow", "--no-browser", f"{url}/stream")
        assert (status, one, two) == (0, CHAT, CHAT)
        assert source == {"name": f"{url}/stream", "live": "live/0"}
        assert len(asked) == 1
        assert "text/event-stream" in asked[0]


def watch_without_proxy(watch: Callable[[str], Any]) -> Callable[[str], Any]:
    def alone(address: str) -> Any:
        os.environ.pop("http_proxy", None)
        return watch(address)

    return alone


def test_a_service_may_send_elsewhere_and_may_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    def watch(address: str) -> bytes:
        return fetch(address + "live/0")

    with service() as (url, _):
        command = watching(monkeypatch, watch)
        assert command("--follow", "--no-browser", f"{url}/moved")[3] == CHAT
        status, out, told, _ = command("--follow", "--no-browser", f"{url}/none")
        packed, away = (
            command("--follow", "--no-browser", f"{url}/{each}") for each in ("packed", "away")
        )
    assert (status, out) == (2, "")
    assert "the service answers 404 Not Found" in told
    assert (packed[0], away[0]) == (2, 2)
    assert "compressed by gzip" in packed[2]
    assert "ftp" in away[2]


def test_an_answer_that_is_shorter_than_it_says_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    def watch(address: str) -> bytes:
        with pytest.raises(IncompleteRead) as caught:
            fetch(address + "live/0")
        return caught.value.partial

    with service() as (url, _):
        _, _, told, came = watching(monkeypatch, watch)("--follow", "--no-browser", f"{url}/short")
    assert came == CHAT
    assert "10 bytes are missing" in told


def test_what_is_not_an_answer_of_http_is_said_in_plain_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def watch(address: str) -> None:
        with pytest.raises(IncompleteRead):
            fetch(address + "live/0")

    with service() as (url, _):
        command = watching(monkeypatch, watch)
        cut, mute, other = (
            command("--follow", "--no-browser", f"{url}/{name}")
            for name in ("chunks", "mute", "other")
        )
    assert (cut[0], mute[0], other[0]) == (0, 2, 2)
    assert "Cannot be read: the answer breaks off: it ends before its last part" in cut[2]
    assert "Cannot be read: the service ends the connection without an answer" in mute[2]
    assert "Cannot be read: what answers does not speak HTTP" in other[2]


def test_what_comes_without_end_is_said_once_with_its_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def watch(address: str) -> None:
        for _ in range(2):
            with pytest.raises(IncompleteRead):
                fetch(address + "live/0")

    monkeypatch.setenv("PARTWIRE_MAX_DOCUMENT_BYTES", "9")
    _, _, told, _ = watching(monkeypatch, watch)("--follow", "--no-browser", "-", stdin=b"x" * 99)
    first, second = map(json.loads, told.splitlines())
    assert first == second
    assert (first["source"], first["actual"]) == ("<stdin>", "more than 9 bytes")
    assert first["expected"] == "at most 9 bytes; partwire --max-document-bytes N … takes more"


def program(*words: str) -> subprocess.Popen[bytes]:
    """The command as a program, with the page of these tests."""
    Path("page.html").write_text(STAND_IN, "utf-8")
    code = (
        "import pathlib, signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from partwire.inspector import page; page.PAGE = pathlib.Path('page.html')\n"
        "from partwire.cli import main; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.skipif(os.name == "nt", reason="it is ended by a signal")
def test_as_a_program_it_serves_until_ctrl_c() -> None:
    Path("s.jsonl").write_bytes(b"{}\n")
    process = program("inspect", "--follow", "--no-browser", "s.jsonl")
    with process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().decode().strip()
            with urlopen(f"{address}live/0", timeout=PATIENCE) as answer:
                assert answer.readline() == b"{}\n"
                process.send_signal(signal.SIGINT)
                assert process.communicate(timeout=PATIENCE) == (b"", b"")
            assert process.returncode == 0
        finally:
            process.kill()


@pytest.mark.skipif(os.name == "nt", reason="it is ended by a signal")
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, b"Aborted!\n"), (signal.SIGTERM, 143, b"")],
)
@pytest.mark.parametrize("what", ["url", "terminal"])
def test_a_signal_before_the_page_is_there_ends_it_without_a_traceback(
    what: str, number: signal.Signals, status: int, said: bytes
) -> None:
    """130, as shells have it: nothing was served yet."""
    with ExitStack() as stack:
        silent = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        words = ["--follow", "--no-browser", url] if what == "url" else ["--terminal", "-"]
        process = stack.enter_context(program("inspect", *words))
        stack.callback(process.kill)
        if what == "url":
            silent.settimeout(PATIENCE)
            connection = stack.enter_context(silent.accept()[0])
            assert connection.recv(1) == b"G"
        else:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(lines(STREAM[:4]))
            process.stdin.flush()
            assert process.stdout.readline() == b"stream \xc2\xb7 m \xc2\xb7 r\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (status, said)
    assert (b"the stream ended before it was done" in out) is (what == "terminal")
