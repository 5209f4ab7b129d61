"""Findings that the configuration leaves out: each for a reason, some until a day."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from ...errors import Finding
from ...severities import SEVERITIES
from .globs import fits
from .paths import Config, Ignore

__all__ = ["IgnoreFilter"]


class IgnoreFilter:
    """Decides for one finding after another whether the configuration ignores it.

    ``today`` decides which entries have ended.
    """

    def __init__(self, config: Config, today: date) -> None:
        self._config = config
        self._today = today
        self._expired: dict[int, Ignore] = {}
        self._paths: dict[str, str | None] = {}
        self._rules: dict[str, list[tuple[int, Ignore]]] = {}
        for index, entry in enumerate(config.ignores):
            self._rules.setdefault(entry.rule, []).append((index, entry))

    def ignores(self, finding: Finding) -> bool:
        """Return whether ``finding`` is left out."""
        ignored = False
        for index, entry in self._rules.get(finding.rule, ()):
            if not entry.paths or self._is_in(finding.source, entry.paths):
                if entry.until is None or entry.until >= self._today:
                    ignored = True
                else:
                    self._expired[index] = entry
        return ignored

    def findings(self) -> list[Finding]:
        """Return a warning for every entry that has ended although its findings have not."""
        file = self._config.file
        if file is None:
            return []
        return [
            file.finding(
                "config/ignore-expired",
                f"{entry.rule} was ignored until {entry.until}, which is over: {entry.reason}",
                ("ignore", index, "until"),
                severity=SEVERITIES["config/ignore-expired"],
                expected="a later day, or no findings of this rule",
                actual=str(entry.until),
            )
            for index, entry in sorted(self._expired.items())
        ]

    def _is_in(self, source: str | None, globs: tuple[str, ...]) -> bool:
        if source is None:
            return False
        if source not in self._paths:
            self._paths[source] = self._config.relative(Path(source))
        relative = self._paths[source]
        return relative is not None and any(fits(glob, relative) for glob in globs)
