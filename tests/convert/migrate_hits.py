"""How the rules of rewriting files are hit: a fixture is not a file that changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from partwire.cli import main
from partwire.cli.files.atomic import Draft
from partwire.convert import TextMigrator
from tests.convert.stored_texts import message, record, text_lines

__all__ = ["MIGRATE_HITS"]


def shown(target: Any, name: str, instead: Callable[[Path], Any]) -> set[str]:
    """Return the rules that migrating a file in place shows, with a method put in its way."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(text_lines([record(message(n), "v0.1") for n in range(3)]))
        before = path.read_bytes()
        with patch.object(target, name, instead(path)):
            result = CliRunner().invoke(
                main, ["migrate", "--to", "v0.2", "--in-place", str(path)], catch_exceptions=False
            )
        assert result.exit_code == 1
        assert path.read_bytes().startswith(before)
        assert list(Path(folder).iterdir()) == [path]
        return set(re.findall(r"\[([a-z]+/[a-z-]+)\]$", result.stderr, re.MULTILINE))


def changed() -> set[str]:
    real = TextMigrator.run

    def instead(path: Path) -> Callable[..., Any]:
        def run(self: TextMigrator, text: bytes) -> Any:
            with path.open("ab") as file:
                file.write(b"\n")
            return real(self, text)

        return run

    return shown(TextMigrator, "run", instead)


def miscounted() -> set[str]:
    real = Draft.write

    def write(self: Draft, data: bytes) -> None:
        if b"run_1" not in data:
            real(self, data)

    return shown(Draft, "write", lambda _path: write)


MIGRATE_HITS: dict[str, Callable[[], set[str]]] = {
    "migrate/count-mismatch": miscounted,
    "migrate/file-changed": changed,
}
