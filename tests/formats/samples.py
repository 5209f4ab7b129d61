"""Samples of formats with what others say of them, where they are to be had.

They are not part of the project: PARTWIRE_FORMATS names their folder, or it is beside the checkout,
or one folder further up.
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
    """One sample: the document, and what an independent reading says of it."""

    name: str
    document: Any
    expected: dict[str, Any]


@cache
def _rows() -> dict[str, tuple[dict[str, Any], Path]]:
    named = os.environ.get("PARTWIRE_FORMATS")
    beside = [folder / "shared" / "formats" for folder in _ROOT.parents[:2]]
    for folder in [Path(named)] if named else beside:
        index = folder / "index.json"
        if index.is_file():
            return {row["id"]: (row, folder) for row in json.loads(index.read_text("utf-8"))}
    return {}


def ids(format: str) -> list[str]:  # noqa: A002
    """Return the names of the samples of a format; one dummy name where there are none."""
    found = [name for name, (row, _) in _rows().items() if row["format"] == format]
    return found or [_NONE]


def load(name: str) -> Sample:
    """Return a sample; the test is skipped where the folder is missing."""
    text, expected = load_text(name)
    return Sample(name, json.loads(text), expected)


def load_text(name: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a sample, as of a stream, and what an independent reading says of it."""
    if name == _NONE:
        pytest.skip("no samples: set PARTWIRE_FORMATS, or put them at ../shared/formats")
    row, folder = _rows()[name]
    apart = row.get("expectedFile")
    expected = json.loads((folder / apart).read_text("utf-8")) if apart else row["expected"]
    return (folder / row["file"]).read_text("utf-8"), expected
