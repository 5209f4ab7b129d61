"""What adapters hide of raw events: one table in data, and the same one in three languages.

The adapters read no files, so each has the table as code.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from partwire.models.credentials import HIDDEN, TABLES, redacted, without_keys
from partwire.providers.core import opaque

ROOT = Path(__file__).resolve().parents[2]
EVENTS = TABLES["events"]


def in_source(path: str, name: str) -> list[str]:
    """Return the strings of the array that is declared as ``name``."""
    found = re.search(rf"const {name}\b.*?=\s+(?:new Set\()?\[(.*?)\]", read(path), re.DOTALL)
    assert found, f"{name} is not in {path}"
    return re.findall(r'"([^"]+)"', found[1])


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


@pytest.mark.parametrize(
    "path", ["rust/src/providers/core/secrets.rs", "typescript/src/providers/core/kept-state.ts"]
)
def test_the_table_of_a_language_is_the_one_in_data(path: str) -> None:
    assert in_source(path, "SECRET_NAMES") == EVENTS["members"]
    parameters = [each.removesuffix("=") for each in in_source(path, "SECRET_PARAMETERS")]
    assert parameters == EVENTS["parameters"]


def test_the_table_of_python_is_the_one_in_data() -> None:
    assert sorted(EVENTS["members"]) == sorted(opaque._SECRET_NAMES)
    assert EVENTS["parameters"] == list(opaque._SECRET_PARAMETERS)


def test_what_an_adapter_hides_a_recording_hides_too() -> None:
    for name in EVENTS["members"]:
        assert redacted({name: ["s"]}) == {name: HIDDEN}
        assert re.sub(r"[^a-z]", "", name) in TABLES["members"]
    for name in EVENTS["parameters"]:
        assert "0a1b2c3d4e5f6a7b8c" not in without_keys(f"/a?{name}=0a1b2c3d4e5f6a7b8c")


def test_the_tables_name_nothing_twice() -> None:
    text = read("python/partwire/models/credentials.json")
    for name, rows in json.loads(text).items():
        for table in rows.values() if isinstance(rows, dict) else [rows]:
            keys = [json.dumps(row) for row in table]
            assert len(keys) == len(set(keys)), name
