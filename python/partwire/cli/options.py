"""Options that several commands have, word for word, and options as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, Final, TypeVar

import click

__all__ = ["accept_option", "gathered", "jobs_option", "reading_option", "text_or_json"]

F = TypeVar("F", bound=Callable[..., Any])


def gathered(kind: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Pass a command one object, its last argument by position, in place of the parameters that
    are the fields of the dataclass ``kind``.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_object(*args: Any, **given: Any) -> None:
            values = {field.name: given.pop(field.name) for field in fields(kind)}
            command(*args, kind(**values), **given)

        return with_object

    return decorate


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


def jobs_option(default: str, bound: str = "") -> Callable[[F], F]:
    """Add ``--jobs``: how many processes share the work."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        envvar="PARTWIRE_JOBS",
        show_envvar=True,
        help=f"Processes that share the work{bound and f', {bound}'}.  [default: {default}]",
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
