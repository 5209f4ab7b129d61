"""A conversation on its way to the screen, piece by piece: coloured where rich can, else plain."""

from __future__ import annotations

import sys
from typing import Any

import click

from ...errors import Finding
from ..report.render import safe_text, safe_words

__all__ = ["ChatView", "chat_view"]

_USUAL_ENDS = ("stop", "tool_calls")


class ChatView:
    """Prints who says what as plain text: for logs, pipes, and where rich is missing.

    Every speaker begins on its own line, ``name> ``; what they say is not wrapped, which a
    terminal of any width does itself.
    """

    def __init__(self) -> None:
        self._head = ""
        self._at_line_start = True

    def ask(self, head: str) -> str:
        """End the line, and return the prompt for what is to be typed."""
        self.end()
        return f"{safe_text(head)}> "

    def typed(self) -> None:
        """Say that a line has been typed, its end included."""
        self._head, self._at_line_start = "", True

    def say(self, head: str, text: str) -> None:
        """Show a whole text, on separate lines."""
        self.end()
        self._piece(head, text)
        self.end()

    def delta(self, delta: Any) -> None:
        """Show what a delta adds."""
        kind, payload = delta.kind, delta.payload
        if kind == "text":
            self._piece("answer", payload.text_delta)
        elif kind == "thinking":
            self._piece("thinking", payload.text_delta)
        elif kind == "tool_call_start":
            self.end()
            self._piece(f"call {payload.tool_call_id}", f"{payload.tool_name} ")
        elif kind == "tool_call_args":
            self._piece(f"call {payload.tool_call_id}", payload.args_text_delta)
        elif kind == "done" and payload.finish_reason not in _USUAL_ENDS:
            self.say("note", f"The answer ends for the reason {payload.finish_reason}.")
        elif kind == "error":
            message = payload.message or "The provider says no more."
            again = " (worth another try)" if payload.retryable is True else ""
            self.say("error", f"{payload.error_code}: {safe_words(message)}{again}")

    def finding(self, finding: Finding) -> None:
        """Show why something was refused."""
        self.say("error", safe_words(str(finding)))

    def end(self) -> None:
        """End the line, if anything is on it."""
        if not self._at_line_start:
            self._write("\n", "")
        self.typed()

    def _piece(self, head: str, text: str) -> None:
        if not text:
            return
        if head != self._head:
            self.end()
            self._head = head
            self._write(f"{safe_text(head)}> ", f"bold {_style(head)}".strip())
        self._write(safe_text(text), _style(head))
        self._at_line_start = text.endswith("\n")

    def _write(self, text: str, style: str) -> None:
        click.echo(text, nl=False)


def _style(head: str) -> str:
    styles = {"thinking": "italic magenta", "call": "cyan", "result": "cyan", "error": "red"}
    return styles.get(head.split(" ", 1)[0], "")


def chat_view() -> ChatView:
    """Return what shows a conversation on stdout."""
    if sys.stdout.isatty():
        try:
            from .view_rich import RichChatView  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            return ChatView()
        return RichChatView()
    return ChatView()
