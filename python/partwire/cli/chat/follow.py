"""``--follow``: the message growing on stderr, drawn by rich on a terminal, else as plain text."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from ...message import MessageAssembler
from ..report.render import safe_text

__all__ = ["Follower", "follower", "part_text"]


class Follower:
    """Shows a message as it grows; ``show`` after every delta, ``end`` once."""

    def view(self) -> AbstractContextManager[Any]:
        """Return the context in which the view is on the screen."""
        return nullcontext()

    def show(self, assembler: MessageAssembler, delta: Any) -> None:
        """Show what ``delta`` has changed; cheap enough to be called after every delta."""

    def end(self, assembler: MessageAssembler) -> None:
        """Show the last state."""


class _PlainFollower(Follower):
    """Prints the content of each delta: for logs, pipes, and where rich is missing."""

    def __init__(self) -> None:
        self._head = ""

    def show(self, assembler: MessageAssembler, delta: Any) -> None:
        head, text = _delta_text(delta)
        if not text:
            return
        if head != self._head:
            click.echo(f"{chr(10) if self._head else ''}{safe_text(head):<10} ", nl=False, err=True)
            self._head = head
        click.echo(safe_text(text), nl=False, err=True)

    def end(self, assembler: MessageAssembler) -> None:
        if self._head:
            click.echo(err=True)


def _delta_text(delta: Any) -> tuple[str, str]:
    """Return which part a delta adds to, and what; nothing for kinds without content."""
    if delta.kind in ("text", "thinking"):
        return delta.kind, delta.payload.text_delta
    if delta.kind == "tool_call_start":
        return f"tool_call {delta.payload.tool_call_id}", f"{delta.payload.tool_name} "
    if delta.kind == "tool_call_args":
        return f"tool_call {delta.payload.tool_call_id}", delta.payload.args_text_delta
    return "", ""


def part_text(part: Any) -> str:
    """Return the content of a part as text that is safe to print."""
    if part.kind == "tool_call":
        arguments = json.dumps(part.payload.arguments, ensure_ascii=False)
        return safe_text(f"{part.payload.tool_name} {arguments}")
    return safe_text(part.payload.text)


def follower(enabled: bool) -> Follower:
    """Return what shows the message: nothing, plain text, or rich on a terminal that has it."""
    if not enabled:
        return Follower()
    if sys.stderr.isatty():
        try:
            from .follow_rich import RichFollower  # noqa: PLC0415 - an extra, and slow to import
        except ImportError:
            return _PlainFollower()
        return RichFollower()
    return _PlainFollower()
