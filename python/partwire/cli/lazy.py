"""Commands that are imported when they are asked for: nobody waits for what does not run."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["COMPLETION_VARIABLE", "CommandTable", "LazyGroup", "Row"]

COMPLETION_VARIABLE: Final = "_PARTWIRE_COMPLETE"
"""What a shell sets to ask for completions: no command runs then."""


class Row(NamedTuple):
    """A command: its module in ``commands``, which holds it by its name, and what it does."""

    module: str
    short_help: str


class CommandTable(MutableMapping[str, click.Command]):
    """Commands by name; looking at the names imports nothing."""

    def __init__(self, rows: dict[str, Row]) -> None:
        self.rows = dict(rows)
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            row = self.rows[name]
            command: click.Command = getattr(
                import_module(f".commands.{row.module}", __package__), name.replace("-", "_")
            )
            command.short_help = row.short_help
            if COMPLETION_VARIABLE in os.environ:
                from .commands.completion import teach  # noqa: PLC0415

                teach(command)
            self._loaded[name] = command
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.rows[name] = Row("", command.get_short_help_str())
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self.rows[name]
        self._loaded.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


class LazyGroup(click.Group):
    """A group over a :class:`CommandTable`: help and completion read the table alone."""

    def _rows(self) -> list[tuple[str, str]]:
        table = self.commands
        assert isinstance(table, CommandTable)
        return sorted((name, row.short_help) for name, row in table.rows.items())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and what they do."""
        with formatter.section("Commands"):
            formatter.write_dl(self._rows())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the names and options that begin so."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        names = [
            CompletionItem(name, help=short)
            for name, short in self._rows()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)
