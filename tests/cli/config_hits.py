"""How the rules about the configuration are hit; read by tests/house/rule_coverage.py."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from partwire.cli.config.ignores import IgnoreFilter
from partwire.cli.config.paths import load_config
from partwire.errors import Finding, UsageError

__all__ = ["CONFIG_HITS"]

_IGNORE = '[[ignore]]\nrule = "shape/enum"\n'
_ENDED = _IGNORE + 'reason = "old"\nuntil = 2026-01-31\n'


def _refused(*texts: str) -> set[str]:
    """Return the rules that refuse a folder: its partwire.toml, and its pyproject.toml if given."""
    with TemporaryDirectory() as folder:
        for name, text in zip(("partwire.toml", "pyproject.toml"), texts, strict=False):
            Path(folder, name).write_text(text)
        try:
            load_config(Path(folder))
        except UsageError as error:
            return {finding.rule for finding in error.findings}
    return set()


def _expired() -> set[str]:
    with TemporaryDirectory() as folder:
        Path(folder, "partwire.toml").write_text(_ENDED)
        ignored = IgnoreFilter(load_config(Path(folder)), date(2026, 2, 1))
        ignored.ignores(Finding("shape/enum", "No such value"))
        return {finding.rule for finding in ignored.findings()}


CONFIG_HITS: Final[dict[str, Callable[[], set[str]]]] = {
    "config/ignore-expired": _expired,
    "config/invalid-value": partial(_refused, "format = 1\n"),
    "config/missing-key": partial(_refused, _IGNORE),
    "config/two-files": partial(_refused, "schemas = []\n", "[tool.partwire]\nschemas = []\n"),
    "config/unknown-key": partial(_refused, "formt = 1\n"),
}
