"""Recorded provider streams, where they are to be had: they are not part of the project.

The folder is found as in ``conftest.py``; a test takes its ``recordings`` fixture as well, which
skips the test, or fails it, where the folder is missing.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[2]


class Recording(NamedTuple):
    """One recorded response: its row in the index, and where its files are."""

    entry: dict[str, Any]
    folder: Path

    @property
    def dialect(self) -> str:
        """The dialect that it speaks."""
        return str(self.entry["dialect"])

    @property
    def expected(self) -> dict[str, Any]:
        """What other people's accumulators make of it."""
        expected: dict[str, Any] = self.entry["expected"]
        return expected

    @property
    def texts(self) -> list[str]:
        """The events as text; recordings leave ``[DONE]`` out and say where there was none."""
        path = self.folder / self.entry["file"]
        texts = [line for line in path.read_text("utf-8").split("\n") if line]
        if self.dialect == "openai-chat" and "no [DONE]" not in self.entry.get("notes", ()):
            texts.append("[DONE]")
        return texts

    @property
    def raw_sse(self) -> bytes | None:
        """The bytes as they came, where they were kept and are an event stream."""
        raw = self.entry.get("raw", "")
        return (self.folder / raw).read_bytes() if raw.endswith(".sse") else None

    @property
    def sse(self) -> bytes:
        """An event stream of the recorded events."""
        return "".join(f"data: {text}\n\n" for text in self.texts).encode()


@cache
def load() -> dict[str, Recording]:
    """Return all recordings by id; none where the folder is missing."""
    named = os.environ.get("PARTWIRE_RECORDINGS")
    folder = Path(named) if named else _ROOT.parent / "shared" / "recordings"
    index = folder / "index.json"
    if not index.is_file():
        return {}
    return {row["id"]: Recording(row, folder) for row in json.loads(index.read_text("utf-8"))}


def ids(*dialects: str) -> list[str]:
    """Return the ids of the recordings of ``dialects``; one dummy id where there are none."""
    found = [name for name, recording in load().items() if recording.dialect in dialects]
    return found or ["no-recordings"]
