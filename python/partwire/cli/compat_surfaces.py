"""Options of ``partwire compat`` about more than schemas: recorded documents, and surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

__all__ = ["surface_options"]

F = TypeVar("F", bound=Callable[..., Any])

_SURFACES = ("behaviour", "bindings", "documents")


def surface_options(command: F) -> F:
    """Add ``--documents`` and ``--surface`` to a command."""
    documents = click.option(
        "--documents",
        multiple=True,
        metavar="PATH",
        help="Documents recorded under OLD: files, folders or globs of JSON or JSON Lines.",
    )
    surfaces = click.option(
        "--surface",
        "surfaces",
        multiple=True,
        type=click.Choice(["schema", *_SURFACES]),
        default=_SURFACES,
        help="What is compared beside the schemas; all that there is, if not told otherwise.",
    )
    return documents(surfaces(command))
