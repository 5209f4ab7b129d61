"""How signals end a run: what it has begun is cleaned up first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

__all__ = ["end_at_once", "ending_cleanly", "undisturbed"]

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


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold back the signals that end a program: a fork between is whole in both processes.

    One that came just before would have its handler run in the child too. The child lets signals
    through again by :func:`end_at_once`.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, (*_ENDS, signal.SIGINT))
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_at_once() -> None:
    """Undo :func:`ending_cleanly` and :func:`undisturbed` in a process that was forked in them.

    An interrupt is for the process that was there first; it ends this one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for each in _ENDS:
        if signal.getsignal(each) is _end:
            signal.signal(each, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (*_ENDS, signal.SIGINT))


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(128 + number)
