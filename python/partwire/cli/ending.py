"""How signals end a run: what it has begun is cleaned up first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

__all__ = ["end_at_once", "ending_cleanly"]

_ENDS: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Let the signals that end a program unwind it: its exit status is 128 and the signal's number.

    A signal that is ignored (``nohup``) or that somebody handles is left alone, and so are all in
    other threads than the main one. The second signal ends the program at once.
    """
    is_main = threading.current_thread() is threading.main_thread()
    taken = [each for each in _ENDS if is_main and signal.getsignal(each) is signal.SIG_DFL]
    for each in taken:
        signal.signal(each, _end)
    try:
        yield
    finally:
        for each in taken:
            signal.signal(each, signal.SIG_DFL)


def end_at_once() -> None:
    """Undo :func:`ending_cleanly` in a process that was forked under it."""
    for each in _ENDS:
        if signal.getsignal(each) is _end:
            signal.signal(each, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(128 + number)
