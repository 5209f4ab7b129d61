"""Validate the documents of an archive: what is wrong, and where, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ...contract.versions import parse_type
from ...reading.pipeline import Binding
from ..lines import BLANK
from ..operations import Validate
from .rows import Lines

__all__ = ["ValidateLines"]


@dataclass(frozen=True)
class ValidateLines:
    """Write a row of the table ``findings`` for each thing that is wrong.

    Counted are ``valid`` and ``invalid`` documents, and findings by severity and rule
    (``error shape/type``).
    """

    options: Validate
    keeps_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raise UsageError for what is not a type."""
        parse_type(self.options.type, self.options.version)

    @cached_property
    def _binding(self) -> Binding:
        return Binding.of(self.options.type, self.options.version)

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        binding, texts, unknown = self._binding, lines.texts, self.options.unknown_members
        invalid = 0
        for at in binding.refused(texts, unknown):
            line = texts[at]
            if not line.strip(BLANK):
                lines.blank += 1
                continue
            found, _ = binding.findings_within(line, self.options.max_findings, unknown=unknown)
            for finding in found:
                lines.counts[f"{finding.severity} {finding.rule}"] += 1
                lines.note("findings", at, finding._replace(line=None).to_wire())
            invalid += any(finding.severity == "error" for finding in found)
        lines.used += len(texts) - lines.blank
        lines.counts["invalid"] += invalid
        lines.counts["valid"] += len(texts) - lines.blank - invalid
