"""The drawn view of ``--follow``. Imported late: rich is an extra, and not quick to import."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from ...message import MessageAssembler
from ..report.render import safe_text
from .follow import Follower, part_text

__all__ = ["RichFollower"]

_FRAMES_PER_SECOND = 20
_TAIL_CHARS = 4000


class RichFollower(Follower):
    """Draws the parts, open calls and usage in place."""

    def __init__(self) -> None:
        self._live = Live(
            console=Console(stderr=True),
            auto_refresh=False,
            vertical_overflow="visible",
        )
        self._next = 0.0

    def view(self) -> AbstractContextManager[Any]:
        return self._live

    def show(self, assembler: MessageAssembler, delta: Any) -> None:
        now = time.monotonic()
        if now >= self._next and assembler.status != "idle":
            self._next = now + 1 / _FRAMES_PER_SECOND
            self._live.update(_drawing(assembler), refresh=True)

    def end(self, assembler: MessageAssembler) -> None:
        if assembler.status != "idle":
            self._live.update(_drawing(assembler), refresh=True)


def _drawing(assembler: MessageAssembler) -> Group:
    progress = assembler.progress()
    colours = {"text": "green", "thinking": "magenta", "tool_call": "cyan"}
    drawn: list[RenderableType] = []
    for part in progress.snapshot.parts:
        style = "italic" if part.kind == "thinking" else ""
        body = Text(part_text(part)[-_TAIL_CHARS:], style=style)
        drawn.append(
            Panel(
                body,
                title=part.kind,
                title_align="left",
                border_style=colours.get(part.kind, "white"),
            )
        )
    for call in progress.open_calls:
        body = Text(safe_text(f"{call.tool_name} {call.raw_args_text[-_TAIL_CHARS:]}"))
        drawn.append(
            Panel(body, title="tool_call (open)", title_align="left", border_style="yellow")
        )
    drawn.append(Text(_status_line(assembler), style="dim"))
    return Group(*drawn)


def _status_line(assembler: MessageAssembler) -> str:
    words = [assembler.status, f"seq {assembler.last_seq}"]
    usage = assembler.usage
    if usage is not None:
        words.append(f"{usage.input_tokens} in, {usage.output_tokens} out")
    return " · ".join(words)
