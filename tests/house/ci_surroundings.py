"""What the tests of hooks, actions and templates share: a clean environment, a repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["BAD", "GOOD", "SCHEMA", "Repository", "clean_environment", "copy_project"]

GOOD = '"auto"\n{"toolName": "weather"}\n'
BAD = '"auto"\n"often"\n'
"""Lines of the type message.ToolChoice."""

SCHEMA = '{\n  "type": "object",\n  "properties": {\n    "id": {"type": "string"}\n  }\n}\n'
_CONFIG = """\
schemas = ["schemas"]

[[paths]]
glob = "logs/**/*.jsonl"
type = "message.ToolChoice"
"""
_PACKED = ("python", "schemas", "codegen", "fixtures", "pyproject.toml", "README.md", "LICENSE")


def clean_environment(**more: str) -> dict[str, str]:
    """Return the environment with nothing of this test run's own that could lend a package."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "COV", "PARTWIRE_", "PYTEST", "GIT_", "VIRTUAL_ENV"))
        and name not in ("NO_COLOR", "FORCE_COLOR", "CI")
    }
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **more}


def copy_project(root: Path, target: Path, *more: str) -> None:
    """Copy what the package is built from, and ``more`` files, as they are in the checkout."""
    target.mkdir()
    for name in (*_PACKED, *more):
        if (root / name).is_dir():
            skipped = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / name, target / name, ignore=skipped)
        else:
            shutil.copy2(root / name, target / name)


class Repository:
    """A git repository with a configuration: lines of tool choices, and a schema."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def fill(self, lines: str = GOOD) -> None:
        """Write a configuration, documents and a schema, and commit them."""
        self.write("partwire.toml", _CONFIG)
        self.write("logs/a.jsonl", lines)
        self.write("schemas/answer.schema.json", SCHEMA)
        self.write("package.json", "{}\n")
        self.commit("first")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, message: str) -> subprocess.CompletedProcess[str]:
        """Commit everything, with the hooks that are installed."""
        self.git("add", "-A")
        return self.run(["git", *self._who, "commit", "-qm", message])

    _who = ("-c", "user.name=A", "-c", "user.email=a@example.com")

    def git(self, *args: str) -> str:
        result = self.run(["git", *self._who, *args])
        assert result.returncode == 0, result.stdout
        return result.stdout.strip()

    def run(
        self, command: Sequence[str | Path], folder: str = ".", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run in the folder, or in one below it; stdout and stderr come together."""
        return subprocess.run(
            command,
            cwd=self.folder / folder,
            env={**self.environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=600,
        )
