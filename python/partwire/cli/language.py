"""The language in which the command line tells about rules: the environment's, if it has a say."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeVar, cast, get_args

import click

__all__ = ["LANGUAGES", "Language", "language_of", "language_option"]

Language = Literal["en", "zh"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")
_CHINESE: Final = re.compile(r"(?:zh(?![a-z])|chinese)", re.IGNORECASE)

F = TypeVar("F", bound=Any)


def language_of(environment: Mapping[str, str]) -> Language:
    """Return the language that the environment asks for.

    The first of LC_ALL, LC_MESSAGES, LANG and LANGUAGE that is not empty decides, as in
    ``zh_CN.UTF-8`` or ``zh:en``. Whatever is not Chinese is English.
    """
    value = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return "zh" if _CHINESE.match(value) else "en"


def _chosen(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Language:
    return language_of(os.environ) if value is None else cast("Language", value)


def language_option(command: F) -> F:
    """Add ``--lang`` to a command."""
    option = click.option(
        "--lang",
        "language",
        type=click.Choice(LANGUAGES),
        callback=_chosen,
        help="Language of the texts; if left out, that of LC_ALL, LC_MESSAGES, LANG or LANGUAGE.",
    )
    return option(command)
