"""What the tests of the configuration share."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ROW", "write"]

ROW = '[[paths]]\nglob = "{}"\ntype = "message.Message"\n'


def write(name: str, text: str = "") -> Path:
    """Write a file in the working folder, and the folders around it."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
