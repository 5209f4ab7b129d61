"""Every command of the command line: how it is called, its options and its examples."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Final

import click

from codegen.site.docstrings import inline
from codegen.site.markdown import Page, code, fence, link, table
from codegen.site.places import COMMANDS, command_page

__all__ = ["pages"]

_PROGRAM: Final = "partwire"
_VERBATIM: Final = "\b"
"""How click marks a paragraph that keeps its lines."""


def pages(group: click.Group) -> Iterator[Page]:
    """Yield a page for each command of a group, and the one that lists them."""
    context = click.Context(group, info_name=_PROGRAM)
    rows = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        path, summary = command_page(name), _summary(command)
        rows.append((link(COMMANDS, path, code(f"{_PROGRAM} {name}")), inline(summary)))
        crumbs = f"{link(path, COMMANDS, 'Commands')} › {name}"
        parts = [crumbs, *_command(command, name, context, "##")]
        about = summary.replace("`", "")
        yield Page(path, f"{_PROGRAM} {name}", "\n\n".join(parts) + "\n", about)
    summary = "Every command of the command line, with its options and examples."
    parts = [table(("command", "what it does"), rows), *_command(group, _PROGRAM, None, "##")]
    yield Page(COMMANDS, "Command line", "\n\n".join(parts) + "\n", summary)


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=200)


def _command(
    command: click.Command, name: str, parent: click.Context | None, mark: str
) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    yield fence(" ".join([context.command_path, *command.collect_usage_pieces(context)]), "sh")
    yield from _help(command.help or "")
    rows = [
        _option(option, context)
        for option in command.get_params(context)
        if isinstance(option, click.Option) and not option.hidden
    ]
    if rows:
        yield f"{mark} Options"
        yield table(("option", "value", "what it does"), rows)
    if isinstance(command, click.Group) and parent is not None:
        for each in command.list_commands(context):
            inner = command.get_command(context, each)
            # A command that is one of the group above as well is shown there.
            if inner is not None and inner not in _commands(parent.command):
                yield f"{mark} {context.command_path} {each}"
                yield from _command(inner, each, context, f"{mark}#")


def _commands(command: click.Command) -> list[click.Command]:
    return list(command.commands.values()) if isinstance(command, click.Group) else []


def _help(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; those that keep their lines are blocks of code."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if not paragraph.startswith(_VERBATIM):
            yield inline(paragraph)
            continue
        lines = paragraph.removeprefix(_VERBATIM).strip("\n").split("\n")
        indented = [line.startswith(" ") for line in lines]
        first = indented.index(True) if True in indented else len(lines)
        if first:
            yield inline(" ".join(lines[:first]))
        yield fence(textwrap.dedent("\n".join(lines[first:])), "sh")


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    """Return the row of an option: its names, its value, and what click says of it."""
    shown = option.get_help_record(context)
    assert shown is not None, option.name
    names = ", ".join(code(each) for each in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag or option.count else code(option.make_metavar(context))
    return names, value, inline(shown[1])
