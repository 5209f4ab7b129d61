"""A guide as a newcomer follows it: its files are written and its commands run, in an empty folder.

In a guide are run, in their order:

- a block of any language with a title: the file of that name, written anew;
- a block ``console``: lines ``$ command``, each with what it prints. ``…`` is any text; alone in a
  line it is any number of lines. ``$ echo $?`` shows the status of the command before; where it
  is not shown, the command has to succeed. A command with ``&`` goes on until the guide ends.

Lines that install something are not run: the test has done so.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from partwire.cli import main

__all__ = ["PORT", "File", "Guide", "Step", "fits", "steps"]

PORT: Final = "8040"
"""What guides say; a service gets a free one."""
_BLOCK: Final = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_INSTALLS: Final = ("pip install ", "npm install ", "npm init ")
_OF_A_SHELL: Final = re.compile(r"[|<>;&$`]")
_PATIENCE: Final = 120.0


class File(NamedTuple):
    """A file that a guide shows."""

    name: str
    text: str


class Step(NamedTuple):
    """A command that a guide shows, with what it prints."""

    command: str
    output: str


def steps(guide: str) -> Iterator[File | Step]:
    """Yield the files and the commands of a guide, as they come."""
    for language, title, text in _BLOCK.findall(guide):
        if title:
            yield File(title, text)
        elif language == "console":
            first, *commands = re.split(r"^\$ ", text, flags=re.MULTILINE)
            assert not first, f"a block begins without a command: {first}"
            for each in commands:
                command, _, output = each.partition("\n")
                while command.endswith("\\"):
                    more, _, output = output.partition("\n")
                    command = f"{command[:-1]}{more.lstrip()}"
                yield Step(command, output)


def fits(shown: str, printed: str) -> bool:
    """Whether a guide shows what was printed; ``…`` in it is any text."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…\n" else re.escape(line).replace("…", ".*")
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, printed) is not None


class Guide:
    """A walk through a guide, in a folder that is empty at first; to be closed by ``with``."""

    def __init__(self, folder: Path, environment: Mapping[str, str], tools: Path) -> None:
        """Walk in ``folder``; ``tools`` is a folder for the commands of the package."""
        for name in ("python", "partwire"):
            module = " -m partwire" if name == "partwire" else ""
            path = tools / name
            path.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
            path.chmod(0o755)
        self._folder = folder
        self._environment = {**environment, "PATH": f"{tools}{os.pathsep}{environment['PATH']}"}
        self._status = 0
        self._services: list[subprocess.Popen[bytes]] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = str(free.getsockname()[1])

    def __enter__(self) -> Self:
        """Return the walk."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the services that the guide has started."""
        for service in self._services:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(service.pid, signal.SIGTERM)
            service.wait(_PATIENCE)

    def take(self, step: File | Step) -> None:
        """Write a file, or run a command; an AssertionError where it does not do what is shown."""
        if isinstance(step, File):
            path = self._folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text.replace(PORT, self._port), "utf-8")
            return
        command, output = step
        if command.startswith(_INSTALLS):
            assert output in ("", "…\n"), "what is installed prints what it likes"
            return
        command = command.replace(PORT, self._port)
        if command.endswith(" &"):
            self._serve(command.removesuffix(" &"), output)
            return
        if command != "echo $?":
            assert self._status == 0, f"status {self._status}, and it is not shown"
        printed, self._status = self._run(command)
        printed = printed.replace(self._port, PORT)
        assert fits(output, printed), f"$ {step.command}\n{printed}\n--- shown is\n{output}"

    def end(self) -> None:
        """Refuse a last command that failed without its status being shown."""
        assert self._status == 0, f"status {self._status}, and it is not shown"

    def _run(self, command: str) -> tuple[str, int]:
        """Return what a command prints in a terminal, and its status."""
        if command.startswith("partwire ") and not _OF_A_SHELL.search(command):
            return _here(shlex.split(command)[1:])
        line = f"(exit {self._status}); {command}"
        printed, status = _in_a_terminal(line, self._folder, self._environment)
        return printed.replace("\r\n", "\n"), status

    def _serve(self, command: str, output: str) -> None:
        """Start a service, and wait until it has printed what is shown."""
        log = self._folder.parent / f"service-{len(self._services)}.log"
        with log.open("wb") as file:
            service = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {command}"],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._services.append(service)
        until = time.monotonic() + _PATIENCE
        printed = ""
        while not fits(output, printed):
            assert service.poll() is None, f"$ {command} ended\n{printed}"
            assert time.monotonic() < until, f"$ {command}\n{printed}\n--- shown is\n{output}"
            time.sleep(0.05)
            printed = log.read_text("utf-8").replace(self._port, PORT)


class _Terminal(io.TextIOWrapper):
    """Text that takes itself for a terminal."""

    def isatty(self) -> bool:
        """Whether this is a terminal: yes."""
        return True


def _here(args: list[str]) -> tuple[str, int]:
    """Run partwire in this process, which saves the start of another one."""
    data = io.BytesIO()
    out, err = (_Terminal(data, "utf-8", write_through=True) for _ in range(2))
    status: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main.main(args, prog_name="partwire")
        except SystemExit as end:
            status = end.code
    return data.getvalue().decode(), int(str(status or 0))


def _in_a_terminal(line: str, folder: Path, environment: Mapping[str, str]) -> tuple[str, int]:
    """Run a line of a shell whose output is a terminal."""
    ours, theirs = os.openpty()
    shell = subprocess.Popen(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    printed = b""
    until = time.monotonic() + _PATIENCE
    try:
        while select.select([ours], [], [], max(0, until - time.monotonic()))[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux says so that nobody writes any more
                piece = b""
            if not piece:
                return printed.decode(), shell.wait(_PATIENCE)
            printed += piece
        raise AssertionError(f"no end within {_PATIENCE} seconds\n{printed.decode()}")
    finally:
        os.close(ours)
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
