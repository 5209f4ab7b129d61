"""Migrate the documents of an archive to another version of the contract."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ...convert.versions.errors import MigrationError
from ...convert.versions.texts import TextMigrator
from ...errors import ReadError
from .lost import note_lost
from .options import Migrate
from .rows import Lines

__all__ = ["MigrateLines"]


@dataclass(frozen=True)
class MigrateLines:
    """Write each document as the other version has it; one that is there already stays as it is.

    Counted are documents that have ``changed``, and losses by severity and code.
    """

    options: Migrate
    keeps_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise UsageError for versions or a type that are wrong."""
        self._made()

    def _made(self) -> TextMigrator:
        given = self.options
        return TextMigrator(given.to, given.type, given.version, strict=given.strict)

    @cached_property
    def _migrator(self) -> TextMigrator:
        return self._made()

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        migrate = self._migrator.run
        for at, text in lines.documents():
            try:
                made = migrate(text)
            except (ReadError, MigrationError) as error:
                lines.quarantine(at, error.findings[0])
                continue
            lines.write("documents", made.text)
            lines.used += 1
            if made.text is not text:
                lines.counts["changed"] += made.text != text
                note_lost(lines, at, text, made.losses)
