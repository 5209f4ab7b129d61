"""Eight threads that take turns as often as the interpreter lets them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["in_eight_threads", "often_switched"]

T = TypeVar("T")


@contextmanager
def often_switched() -> Iterator[None]:
    """Let threads take turns after a microsecond."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def in_eight_threads(work: Callable[[], Iterable[T]]) -> list[list[T]]:
    """Return what the work has given in each of eight threads that begin together."""
    made: list[list[T]] = [[] for _ in range(8)]
    barrier = threading.Barrier(8)

    def begin(mine: list[T]) -> None:
        barrier.wait()
        mine.extend(work())

    threads = [threading.Thread(target=begin, args=(mine,)) for mine in made]
    with often_switched():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return made
