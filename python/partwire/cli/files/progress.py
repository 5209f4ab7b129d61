"""A progress bar for what takes long, where somebody looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import click

from ...files.inputs import Source

__all__ = ["progress"]

_FROM_BYTES: Final = 8 << 20


@contextmanager
def progress(source: Source) -> Iterator[Callable[[int], None]]:
    """Give what takes the bytes that are done; for a large file on a terminal, with a bar."""
    size = source.size_bytes()
    if (
        size is None
        or size < _FROM_BYTES
        or not sys.stderr.isatty()
        or source.compression() is not None
    ):
        yield lambda _size: None
        return
    with click.progressbar(length=size, label=source.label, file=sys.stderr) as bar:
        yield bar.update
