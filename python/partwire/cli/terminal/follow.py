"""``--follow``: the message growing; drawn on a terminal, else the plain text of each delta."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO

import click

from ..report.render import is_terminal, safe_text
from .layout import layout_of
from .live import LiveStream
from .screen import Screen

__all__ = ["Follower", "follower", "terminal_view"]

_FRAME_SECONDS: Final = 0.08
_SHARE: Final = 5
"""Of the time between two pictures at most a fifth is spent on one."""
_LOOK_SECONDS: Final = 0.25
"""How often somebody looks whether anything has come; a pause is drawn, too."""


class Follower:
    """Shows a message as it grows; this one shows nothing."""

    is_drawn = False
    """Whether all of the message is on a terminal at the end."""

    @contextmanager
    def view(self) -> Iterator[None]:
        """Return the context in which the view is on the screen; its end shows the last state."""
        yield

    def show(self, delta: Any) -> None:
        """Show what a delta changes; cheap enough to be called with every delta."""

    def say(self, text: str) -> None:
        """Show what is to be said of the stream, where this is drawn."""


class _PlainFollower(Follower):
    """Prints the content of each delta, for logs and pipes."""

    def __init__(self) -> None:
        self._head = ""

    @contextmanager
    def view(self) -> Iterator[None]:
        yield
        if self._head:
            click.echo(err=True)

    def show(self, delta: Any) -> None:
        head, text = _delta_text(delta)
        if not text:
            return
        if head != self._head:
            click.echo(f"{chr(10) if self._head else ''}{safe_text(head):<10} ", nl=False, err=True)
            self._head = head
        click.echo(safe_text(text), nl=False, err=True)


def _delta_text(delta: Any) -> tuple[str, str]:
    """Return which part a delta adds to, and what; nothing for kinds without content."""
    if delta.kind in ("text", "thinking"):
        return delta.kind, delta.payload.text_delta
    if delta.kind == "tool_call_start":
        return f"tool_call {delta.payload.tool_call_id}", f"{delta.payload.tool_name} "
    if delta.kind == "tool_call_args":
        return f"tool_call {delta.payload.tool_call_id}", delta.payload.args_text_delta
    return "", ""


class _LineFollower(Follower):
    """Writes to a terminal whose cursor cannot be moved: what is finished, and how it ends."""

    is_drawn = True

    def __init__(self, *, err: bool, is_paced: bool) -> None:
        self._err = err
        self._stream = LiveStream(is_paced=is_paced)

    @contextmanager
    def view(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._write(self._stream.summary(layout_of(err=self._err)))

    def show(self, delta: Any) -> None:
        self._stream.feed(delta)
        self._write(self._stream.staying(layout_of(err=self._err)))

    def say(self, text: str) -> None:
        self._stream.note("warning", text)

    def _write(self, lines: Iterator[str]) -> None:
        for line in lines:
            click.echo(line, err=self._err, color=True)


class _DrawnFollower(Follower):
    """Draws what is open in place, below what is finished; a second thread draws pauses."""

    is_drawn = True

    def __init__(self, file: TextIO, *, err: bool, is_paced: bool) -> None:
        self._err = err
        self._screen = Screen(file)
        self._stream = LiveStream(is_paced=is_paced)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._next = 0.0
        self._is_behind = False

    @contextmanager
    def view(self) -> Iterator[None]:
        watcher = threading.Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self._ended.set()
            watcher.join()
            self._screen.draw([*self._stream.summary(layout_of(err=self._err))], [])

    def show(self, delta: Any) -> None:
        with self._lock:
            self._stream.feed(delta)
            self._is_behind = True
            if time.monotonic() >= self._next:
                self._draw()

    def say(self, text: str) -> None:
        with self._lock:
            self._stream.note("warning", text)

    def _draw(self) -> None:
        began, self._is_behind = time.monotonic(), False
        layout = layout_of(err=self._err)
        staying = [*self._stream.staying(layout)]
        self._screen.draw(staying, self._stream.drawn(layout, self._screen.rows()))
        # What takes long to draw is drawn less often: the stream is not to wait for its picture.
        spent = time.monotonic() - began
        self._next = began + max(_FRAME_SECONDS, _SHARE * spent)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            with self._lock:
                if self._is_behind or self._stream.stalled():
                    with suppress(OSError, ValueError):  # the terminal has gone
                        self._draw()


def follower(enabled: bool, *, is_paced: bool = False) -> Follower:
    """Return what shows the message on stderr: nothing, plain text in a pipe, or the view of a
    terminal. ``is_paced``: a recording is played at a pace that its times do not have.
    """
    if not enabled:
        return Follower()
    if not is_terminal(err=True):
        return _PlainFollower()
    return terminal_view(err=True, is_paced=is_paced)


def terminal_view(*, err: bool, is_paced: bool = False) -> Follower:
    """Return the view of a terminal, on stderr or stdout; where nothing can be drawn in place,
    finished lines alone.
    """
    if not is_terminal(err=err) or os.environ.get("TERM", "dumb") == "dumb":
        return _LineFollower(err=err, is_paced=is_paced)
    return _DrawnFollower(sys.stderr if err else sys.stdout, err=err, is_paced=is_paced)
