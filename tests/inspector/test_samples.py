"""The reports with which the inspector is tested in a browser are reports."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from tests.fixture_cases import ROOT

REPORTS = sorted((ROOT / "typescript" / "inspector" / "test" / "reports").glob("*.json"))
SCHEMA = jsonschema_rs.validator_for(
    json.loads((ROOT / "schemas" / "report.schema.json").read_bytes())
)


def test_there_is_one_of_each_command() -> None:
    commands = {json.loads(path.read_bytes())["command"] for path in REPORTS}
    assert commands == {"validate", "history", "compat", "conformance", "publish"}


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.name)
def test_a_report_has_the_form_of_one(path: Path) -> None:
    SCHEMA.validate(json.loads(path.read_bytes()))
