"""Completion in a shell: bash, zsh and fish themselves, and what every parameter completes to."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from partwire.cli import completers
from partwire.cli.commands.completion import Taught
from partwire.cli.lazy import COMPLETION_VARIABLE, CommandTable
from partwire.cli.main import COMMANDS, _Group
from partwire.contract.current import FAMILIES
from partwire.contract.resources import read_rules
from partwire.formats import FORMATS
from partwire.model.opening import KINDS
from tests.cli.runner import run
from tests.house.ci_surroundings import clean_environment

READY = "READY> "
PATIENCE = 120
"""Seconds for a shell to do what it was told; it takes one, on a machine that has time."""

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(partwire completion bash)"'),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -Uz compinit && compinit -u -D && eval "$(partwire completion zsh)"',
    ),
    "fish": (["fish", "--no-config", "-i"], "partwire completion fish | source"),
}
"""How each shell is started, and what docs/ci.md tells its users to write."""

TYPED = {
    "valid\t --help": "validate --help",
    "explain stream/tool-call-clo\t": "explain stream/tool-call-closed",
    "validate --type message.MessageD\t x": "validate --type message.MessageDelta x",
    "validate --format gith\t x": "validate --format github x",
    "assemble --from anth\t x": "assemble --from anthropic-messages x",
    "schema sh\t x": "schema show x",
    "validate --contract v0.1 --type envelope.TaskE\t x": (
        "validate --contract v0.1 --type envelope.TaskEvent x"
    ),
    "validate some-fi\t": "validate some-file.jsonl",
    "validate --output-file some-fi\t x": "validate --output-file some-file.jsonl x",
    "conformance --suite streams,brid\t x": "conformance --suite streams,bridges x",
    "compat --against git:some-br\t x": "compat --against git:some-branch x",
    "chat --model replay:some-fi\t x": "chat --model replay:some-file.jsonl x",
}
"""What is typed behind the command's name, with the key Tab, and what the command is given."""


OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)
"""Makes stdin the terminal that a shell controls, which fish asks for."""


class Shell:
    """A shell at its own terminal."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._terminal, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *command],
            cwd=folder,
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def read(self) -> None:
        """Take in what is shown, for a moment."""
        if select.select([self._terminal], [], [], 0.05)[0]:
            self.shown += os.read(self._terminal, 1 << 16).decode("utf-8", "replace")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)


@pytest.fixture
def environment(root: Path, tmp_path: Path) -> dict[str, str]:
    """A folder of commands that holds ours: it completes, and otherwise notes what it is given."""
    commands = tmp_path / "bin"
    commands.mkdir()
    real = "import sys; from partwire.cli import main; main(prog_name='partwire')"
    wrapper = commands / "partwire"
    wrapper.write_text(
        "#!/bin/sh\n"
        f'if [ -n "${COMPLETION_VARIABLE}" ] || [ "$1" = completion ]; then\n'
        f'  exec "{sys.executable}" -c "{real}" "$@"\n'
        "fi\n"
        f'echo "$*" >>"{tmp_path}/given"\n'
    )
    wrapper.chmod(0o755)
    (tmp_path / "given").touch()
    path = f"{commands}:{os.environ['PATH']}"
    more = {"PATH": path, "PYTHONPATH": str(root / "python"), "HOME": str(tmp_path)}
    more |= {"PS1": READY, "PROMPT": READY, "TERM": "xterm", "XDG_CONFIG_HOME": str(tmp_path)}
    return clean_environment(**more, XDG_DATA_HOME=str(tmp_path))


def commit(folder: Path) -> None:
    """Make a folder a repository with one commit, some branches and a tag."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    who = ("-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false")
    for words in (
        ("init", "-q", "-b", "some-branch"),
        (*who, "commit", "-q", "--allow-empty", "-m", "first"),
        ("branch", "other/branch"),
        ("tag", "v0.1"),
    ):
        subprocess.run(("git", *words), cwd=folder, check=True, env=clean_environment())


@pytest.fixture
def shell(
    request: pytest.FixtureRequest, tmp_path: Path, environment: dict[str, str]
) -> Iterator[Shell]:
    command, teach = START[request.param]
    if shutil.which(command[0]) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{command[0]} is not installed")
        pytest.skip(f"{command[0]} is not installed")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "some-file.jsonl").touch()
    commit(folder)
    if request.param == "fish":
        command = [*command, "-C", f'function fish_prompt; echo -n "{READY}"; end']
    shell = Shell(command, folder, environment)
    try:
        wait(shell, lambda: READY.strip() in shell.shown)
        # The answer tells that the script is read; it is not what was typed.
        shell.type(f"{teach}; partwire tau''ght\r")
        wait(shell, lambda: given(tmp_path) == ["taught"])
        yield shell
    finally:
        shell.close()


def given(folder: Path) -> list[str]:
    return (folder / "given").read_text().splitlines()


def wait(shell: Shell, done: object) -> None:
    assert callable(done)
    end = time.monotonic() + PATIENCE
    while not done():
        shell.read()
        assert time.monotonic() < end, f"{shell.shown[-3000:]!r}"


@pytest.mark.slow
@pytest.mark.parametrize("shell", START, indirect=True)
def test_a_shell_completes(shell: Shell, tmp_path: Path) -> None:
    for number, (keys, expected) in enumerate(TYPED.items(), 2):
        shell.type(f"partwire {keys}\r")
        wait(shell, lambda: len(given(tmp_path)) == number)  # noqa: B023 - called at once
        # A shell may put a space behind what it completed.
        assert given(tmp_path)[-1].split() == expected.split()


# --- what there is to choose from -----------------------------------------------------------------


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Iterator[click.Group]:
    """The commands as they are when a shell asks; afterwards they are as they were."""
    monkeypatch.setenv(COMPLETION_VARIABLE, "bash_complete")
    group = _Group("partwire", commands=CommandTable(COMMANDS))
    yield group
    for _, param in parameters(group, ""):
        if isinstance(param.type, Taught):
            param.type = param.type.inner


def offered(group: click.Group, typed: str, word: str) -> list[str]:
    shell = ShellComplete(group, {}, "partwire", COMPLETION_VARIABLE)
    return [str(each.value) for each in shell.get_completions(typed.split(), word)]


@pytest.mark.parametrize(
    ("typed", "word", "expected"),
    [
        ("validate --contract", "v", list(FAMILIES)),
        ("migrate --to", "", list(FAMILIES)),
        ("compat", "v0", list(FAMILIES)),
        ("negotiate", "v0.1", ["v0.1"]),
        ("schema show", "message.MessageD", ["message.MessageDelta"]),
        ("schema show", "message.TextDeltaP", ["message.TextDeltaPayload"]),
        ("schema bundle", "e", ["envelope"]),
        ("validate --contract v9 --type", "message.", []),
        ("validate --format", "", ["text", "json", "github", "gitlab", "sarif", "junit"]),
        ("deltas --from", "gem", ["gemini"]),
        ("inspect --from", "gem", ["gemini", "gemini-cli"]),
        ("convert --to", "", ["message", "session", "blocks", "envelope", *FORMATS]),
        ("convert --from", "openai-c", ["openai-chat"]),
        ("convert --to ai-sdk --to-version", "", ["6", "5", "7"]),
        ("convert --to gemini --to-version", "", []),
        ("convert --to-version", "mess", ["messages", "messages_to_dict"]),
        ("completion", "", ["bash", "fish", "zsh"]),
        ("archive plan", "ass", ["assemble"]),
        ("archive validate --type", "message.MessageD", ["message.MessageDelta"]),
        ("archive plan statistics --type", "message.MessageD", ["message.MessageDelta"]),
        ("archive convert --from", "openai-c", ["openai-chat"]),
        ("explain", "config/two", ["config/two-files"]),
        ("conformance --suite", "documents", ["documents", "documents-raw"]),
        ("conformance --suite", "streams,str", []),
        ("conformance --suite", "streams,tr", ["streams,transitions"]),
        ("conformance --version", "v0.1,", ["v0.1,v0.2", "v0.1,v0.3"]),
        ("negotiate --supported", "v0.2,", ["v0.2,v0.1", "v0.2,v0.3"]),
        ("chat --model", "", [f"{kind}:" for kind in KINDS]),
        ("chat --model", "openai", ["openai-chat:", "openai-responses:"]),
        ("chat --model", "anthropic:x", []),
        ("compat --against", "", ["git:"]),
        ("compat --against", "main", []),
    ],
)
def test_what_is_offered(group: click.Group, typed: str, word: str, expected: list[str]) -> None:
    assert offered(group, typed, word) == expected


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    commit(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("repository")
def test_branches_and_tags_are_offered(group: click.Group) -> None:
    refs = ["HEAD", "other/branch", "some-branch", "v0.1"]
    assert offered(group, "compat --against", "git:") == [f"git:{ref}" for ref in refs]
    assert offered(group, "compat --against", "git:o") == ["git:other/branch"]
    assert offered(group, "compat", "git:s") == ["git:some-branch:"]
    assert offered(group, "compat", "git:some-branch:sch") == []


@pytest.mark.parametrize("trouble", ["no repository", "no git", "slow", "hostile"])
def test_nothing_is_said_where_git_does_not_answer(
    group: click.Group,
    trouble: str,
    repository: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if trouble == "no repository":
        shutil.rmtree(repository / ".git")
    else:
        git = repository / "bin/git"
        git.parent.mkdir()
        monkeypatch.setenv("PATH", str(git.parent))
        if trouble != "no git":
            answer = "exec /bin/sleep 600" if trouble == "slow" else "kill -9 $$"
            git.write_text(f"#!/bin/sh\n{answer}\n")
            git.chmod(0o755)
    monkeypatch.setattr(completers, "_GIT_SECONDS", 0.2)
    assert offered(group, "compat --against", "git:") == []
    assert capfd.readouterr() == ("", "")


def test_recordings_are_offered(
    group: click.Group, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    for name in ("a.jsonl", "logs/b.jsonl", ".hidden"):
        (tmp_path / name).touch()
    assert offered(group, "chat --model", "replay:") == ["replay:a.jsonl", "replay:logs/"]
    assert offered(group, "chat --model", "replay:logs/") == ["replay:logs/b.jsonl"]
    assert offered(group, "chat --model", "replay:gone/") == []
    assert offered(group, "chat --model", "replay:\0/") == []


@pytest.mark.parametrize(
    ("words", "cword", "args", "incomplete", "offers"),
    [
        (["compat", "git", ":", "ma"], 4, ["compat"], "git:ma", "plain,main"),
        (["compat", "git", ":"], 3, ["compat"], "git:", "plain,main"),
        (["compat", "git:ma"], 2, ["compat"], "git:ma", "plain,git:main"),
        (["compat", "git", ":", "a", "ma"], 5, ["compat", "git:a"], "ma", "plain,git:main"),
    ],
)
def test_bash_breaks_words_at_colons(
    words: list[str],
    cword: int,
    args: list[str],
    incomplete: str,
    offers: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COMP_WORDS", "\n".join(["partwire", *words]))
    monkeypatch.setenv("COMP_CWORD", str(cword))
    maker = get_completion_class("bash")
    assert maker is not None
    bash = maker(click.Command("c"), {}, "partwire", COMPLETION_VARIABLE)
    assert bash.get_completion_args() == (args, incomplete)
    assert bash.format_completion(CompletionItem("git:main")) == offers


def test_every_rule_is_offered(group: click.Group) -> None:
    assert set(read_rules()) <= set(offered(group, "explain", ""))


def test_public_types_are_offered_with_what_they_are(group: click.Group) -> None:
    names = offered(group, "validate --type", "")
    assert "message.MessageDelta" in names
    assert "message.TextDeltaPayload" not in names
    shell = ShellComplete(group, {}, "partwire", COMPLETION_VARIABLE)
    (item,) = shell.get_completions(["validate", "--type"], "message.MessageDelta")
    assert item.help


PLACES = re.compile(
    r"FILE|FOLDER|PATH|HISTORY|\bTYPE\b|\bVERSIONS?\b|\bFAMILY\b|RULE|\bOLD NEW\b|git:|KIND:|NAME,"
)


def parameters(command: click.Command, path: str) -> Iterator[tuple[str, click.Parameter]]:
    for param in command.params:
        yield path, param
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from parameters(each, f"{path} {name}".strip())


def test_a_family_is_offered_before_its_types(group: click.Group) -> None:
    assert offered(group, "convert --from", "blocks")[:2] == ["blocks", "blocks.Message"]


def test_every_placeholder_that_can_be_completed_is(group: click.Group) -> None:
    seen = 0
    for path, param in parameters(group, ""):
        if param.metavar and PLACES.search(param.metavar):
            seen += 1
            context = click.Context(click.Command("c"))
            assert param.shell_complete(context, ""), f"{path}: {param.name} {param.metavar}"
    assert seen > 20


def test_a_command_that_runs_is_not_taught() -> None:
    assert COMPLETION_VARIABLE not in os.environ
    command = CommandTable(COMMANDS)["validate"]
    (option,) = (each for each in command.params if each.name == "type_name")
    assert type(option.type) is click.types.StringParamType


def test_an_unknown_shell_is_refused() -> None:
    result = run("completion", "csh")
    assert result.exit_code == 2
    assert "'bash', 'fish', 'zsh'" in result.stderr
