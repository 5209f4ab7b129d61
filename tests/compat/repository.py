"""Schemas on disk and in real git repositories, for the tests of `partwire compat`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["PERSON", "Repository", "person", "write"]

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}


def person(**members: Any) -> dict[str, Any]:
    """The schema of a person, with other members."""
    return {**PERSON, **members}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), "utf-8")
    return path


class Repository:
    """A git repository of its own, which knows nothing of the user's configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> str:
        settings = ("user.name=t", "user.email=t@example.test", "commit.gpgsign=false")
        options = [part for setting in settings for part in ("-c", setting)]
        done = subprocess.run(
            ["git", *options, *args], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout

    def commit(self, **files: Any) -> None:
        """Write files, ``__`` of a name for ``/``, and commit all."""
        for name, value in files.items():
            write(self.folder / f"{name.replace('__', '/')}.json", value)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "schemas")
