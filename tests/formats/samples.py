"""Samples of formats with what others say of them, where they are to be had.

They are not part of the project: PARTWIRE_FORMATS names their folder, or it is beside the checkout.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_NONE = "no-samples"


class Sample(NamedTuple):
    """One sample: the document (JSON Lines as text), and what an independent reading says of it."""

    name: str
    document: Any
    expected: dict[str, Any]


@cache
def _rows() -> dict[str, tuple[dict[str, Any], Path]]:
    named = os.environ.get("PARTWIRE_FORMATS")
    folder = Path(named) if named else _ROOT.parent / "shared" / "formats"
    index = folder / "index.json"
    if not index.is_file():
        return {}
    return {row["id"]: (row, folder) for row in json.loads(index.read_text("utf-8"))}


def ids(format: str) -> list[str]:  # noqa: A002
    """Return the names of the samples of a format; one dummy name where there are none."""
    found = [name for name, (row, _) in _rows().items() if row["format"] == format]
    return found or [_NONE]


def load(name: str) -> Sample:
    """Return a sample; the test is skipped where the folder is missing."""
    if name == _NONE:
        pytest.skip("no samples: set PARTWIRE_FORMATS, or put them at ../shared/formats")
    row, folder = _rows()[name]
    text = (folder / row["file"]).read_text("utf-8")
    document = text if row["file"].endswith(".jsonl") else json.loads(text)
    apart = row.get("expectedFile")
    expected = json.loads((folder / apart).read_text("utf-8")) if apart else row["expected"]
    return Sample(name, document, expected)
