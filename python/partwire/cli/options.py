"""Options that several commands have, word for word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

__all__ = ["accept_option", "reading_option", "text_or_json"]

F = TypeVar("F", bound=Callable[..., Any])


def text_or_json(help_text: str) -> Callable[[F], F]:
    """Add ``--format text|json`` to a command that makes no report of findings."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help=help_text,
    )


reading_option: Final = click.option(
    "--reading",
    type=click.Choice(["declared", "exact"]),
    default="declared",
    show_default=True,
    help="Which documents count: with declared names only, or all that the schema allows.",
)

accept_option: Final = click.option(
    "--accept", metavar="FILE", help="Breaks that are known: a JSON array of entries."
)
