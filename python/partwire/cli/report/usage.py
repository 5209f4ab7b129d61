"""What click says of wrong usage, as a finding for programs that asked for JSON."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence

import click

from ...errors import Finding, UsageError

__all__ = ["FORMAT_VARIABLE", "asks_for_json", "finite", "usage_error"]

_REFUSED = re.compile(r"(?:'(.*?)'|(-?[\w.]+)) is not ", re.DOTALL)  # what click begins with

FORMAT_VARIABLE = "PARTWIRE_FORMAT"
"""The environment's format, for the commands that make reports."""


def asks_for_json(args: Sequence[str], group: click.Group, ctx: click.Context) -> bool:
    """Return whether a command line asks for JSON, before its options are read.

    They may be what is wrong. The last ``--format`` counts, and where there is none the
    environment, if the command looks there.
    """
    words = list(args[: args.index("--")] if "--" in args else args)
    for at in reversed(range(len(words))):
        if words[at] == "--format":
            return words[at + 1 : at + 2] == ["json"]
        if words[at].startswith("--format="):
            return words[at] == "--format=json"
    if os.environ.get(FORMAT_VARIABLE) != "json":
        return False
    name = next((word for word in words if not word.startswith("-")), "")
    command = group.get_command(ctx, name)
    return command is not None and any(
        option.envvar == FORMAT_VARIABLE for option in command.params
    )


def finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    """Refuse NaN and infinity, which pass every range. For options, as ``callback``."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"{value} is not a finite number.", ctx, param)
    return value


def usage_error(error: click.UsageError) -> UsageError:
    """Return what click refuses as a finding: what is wrong, what would do, what was given."""
    expected = actual = None
    if isinstance(error, click.NoSuchOption):
        actual = error.option_name
        expected = _names(error.possibilities)
    elif isinstance(error, click.MissingParameter):
        expected = None if error.param is None else _hint(error.param, error.ctx)
    elif isinstance(error, click.BadParameter) and error.param is not None:
        expected = _choices(error.param) or _numbers(error.param)
        actual = _value(error)
    if expected is None and error.ctx is not None:
        expected = f"as `{error.ctx.command_path} --help` says"
    message = error.format_message()
    return UsageError(Finding("usage/invalid-argument", message, expected=expected, actual=actual))


def _names(possibilities: Sequence[str] | None) -> str | None:
    return " or ".join(sorted(possibilities)) if possibilities else None


def _hint(param: click.Parameter, ctx: click.Context | None) -> str | None:
    return None if ctx is None else param.get_error_hint(ctx).strip("'")


def _choices(param: click.Parameter) -> str | None:
    return ", ".join(map(str, param.type.choices)) if isinstance(param.type, click.Choice) else None


def _numbers(param: click.Parameter) -> str | None:
    """Return which numbers a parameter takes; None where it takes others than numbers."""
    kind = param.type
    if not isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        return None
    words = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    if isinstance(kind, click.IntRange | click.FloatRange):
        if kind.min is not None:
            words += f" {'above' if kind.min_open else 'from'} {kind.min}"
        if kind.max is not None:
            words += f" {'below' if kind.max_open else 'to'} {kind.max}"
    return words


def _value(error: click.BadParameter) -> str | None:
    """Return what was given for the parameter, where click still knows it."""
    if said := _REFUSED.match(error.message):
        return said[1] or said[2]
    known: Mapping[str, object] = error.ctx.params if error.ctx is not None else {}
    value = known.get(error.param.name or "") if error.param is not None else None
    return None if value is None else str(value)
