"""Who speaks for the user: somebody at a terminal, the lines of a pipe, or a recording."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...contract.clock import now
from ...contract.current.message import (
    Message,
    TextPart,
    TextPayload,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
)
from ...contract.ids import uuid7
from ...errors import printable
from ...files.inputs import STDIN, read_chunks
from ...files.unreadable import unreadable
from ...model import Model, ReplayModel
from ...reading.pipeline import read
from ...reading.tolerant import Unknown
from .history import ChatHistory, tool_message
from .view import ChatView

__all__ = ["Turns", "open_turns"]


class Turns(ABC):
    """Adds to a history what its user says next."""

    leaves_errors: bool = False
    """Whether nobody is there to see an error, so that the exit status has to say it."""

    @abstractmethod
    def take(self, history: ChatHistory) -> bool:
        """Add the results of open calls, or else a message of the user; False at the end."""


class _Lines(Turns):
    """Turns that are lines of text; results of calls are lines as well."""

    def __init__(self, view: ChatView) -> None:
        self._view = view

    @abstractmethod
    def _line(self, head: str) -> str | None:
        """Return the next line without its end, None at the end."""

    def take(self, history: ChatHistory) -> bool:
        """See :class:`Turns`. Lines without a word are not turns, but they are results."""
        if calls := history.open_calls():
            return self._results(history, calls)
        text = self._line("you")
        while text is not None and not text.strip():
            text = self._line("you")
        if text is None:
            return False
        part = TextPart(payload=TextPayload(text=text))
        history.add(Message(run_id=uuid7(), role="user", parts=[part], timestamp=now()))
        return True

    def _results(self, history: ChatHistory, calls: list[ToolCallPayload]) -> bool:
        results = []
        for call in calls:
            text = self._line(f"result of {call.tool_name} ({call.tool_call_id})")
            if text is None:
                break
            results.append(ToolResult(tool_call_id=call.tool_call_id, is_error=False, content=text))
        if results:
            history.add(tool_message(history.messages[-1].run_id, results))
        return len(results) == len(calls)


class _Terminal(_Lines):
    """Somebody types."""

    def __init__(self, view: ChatView, replay: ReplayModel | None) -> None:
        super().__init__(view)
        self._replay = replay
        with suppress(ImportError):
            import readline  # noqa: F401, PLC0415 - editing and history of lines; not everywhere

    def take(self, history: ChatHistory) -> bool:
        """See :class:`Turns`. A replay that has nothing left to play ends it."""
        if self._replay is not None and self._replay.remaining == 0:
            self._view.say("note", "The recording has been played.")
            return False
        return super().take(history)

    def _line(self, head: str) -> str | None:
        prompt = self._view.ask(head)
        while True:
            try:
                text = input(prompt)
            except EOFError:
                self._view.say("note", "End of the conversation.")
                return None
            except UnicodeDecodeError:
                self._view.say("note", "That line is not in the terminal's encoding.")
                continue
            self._view.typed()
            return printable(text)


class _Piped(_Lines):
    """The lines of stdin, shown as they are taken."""

    leaves_errors = True

    def __init__(self, view: ChatView, lines: Iterator[str]) -> None:
        super().__init__(view)
        self._lines = lines

    def _line(self, head: str) -> str | None:
        text = next(self._lines, None)
        if text is not None:
            self._view.say(head, text or " ")
        return text


class _Recorded(Turns):
    """What was asked when the streams were recorded, as far as they say."""

    leaves_errors = True

    def __init__(self, view: ChatView, replay: ReplayModel) -> None:
        self._view = view
        self._replay = replay
        self._left: int | None = None

    def take(self, history: ChatHistory) -> bool:
        """See :class:`Turns`. Calls whose results were not recorded are answered as interrupted."""
        left = self._replay.remaining
        if not left or left == self._left:  # all is played, or the last turn was refused
            return False
        self._left = left
        request = self._replay.requests[-left]
        asked = [] if request is None else _asked(request["messages"])
        waiting = {call.tool_call_id for call in history.open_calls()}
        results = {
            part.payload.tool_call_id
            for message in asked
            for part in message.parts
            if isinstance(part, ToolResultPart)
        }
        if not waiting <= results:
            history.settle()
        for message in asked:
            self._show(message)
            history.add(message)
        return True

    def _show(self, message: Message) -> None:
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                content = part.payload.content
                text = content if isinstance(content, str) else "(not a text)"
                self._view.say(f"result of {part.payload.tool_call_id}", text or " ")
            elif isinstance(part, TextPart):
                who = "you" if message.role == "user" else message.role
                self._view.say(who, part.payload.text)
            else:
                kind = part.tag if isinstance(part, Unknown) else part.kind
                self._view.say("you", f"({kind})")


def _asked(messages: list[Any]) -> list[Message]:
    """Return what a request says after the last answer."""
    begin = 0
    for index, message in enumerate(messages):
        if message.get("role") == "assistant":
            begin = index + 1
    return [read(message, "message.Message", "tolerant") for message in messages[begin:]]


def open_turns(model: Model, view: ChatView) -> Turns:
    """Return who speaks for the user.

    On a terminal it is whoever types, unless a recording says what was asked; else the lines of
    stdin, and for a replay without any the recording.
    """
    replay = model if isinstance(model, ReplayModel) else None
    if sys.stdin is not None and sys.stdin.isatty():
        if replay is not None and any(replay.requests):
            return _Recorded(view, replay)
        return _Terminal(view, replay)
    lines = _stdin_lines()
    first = next(lines, None)
    if first is None and replay is not None:
        return _Recorded(view, replay)
    return _Piped(view, _chained(first, lines))


def _chained(first: str | None, lines: Iterator[str]) -> Iterator[str]:
    if first is not None:
        yield first
        yield from lines


def _stdin_lines() -> Iterator[str]:
    rest = b""
    for chunk in read_chunks(STDIN) if sys.stdin is not None else ():
        *lines, rest = (rest + chunk).split(b"\n")
        yield from map(_text, lines)
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        raise unreadable(STDIN, "a line of stdin is not UTF-8") from None
