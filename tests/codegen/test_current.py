"""What is generated of the catalog: a version that becomes the current one is named everywhere."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from codegen.load import current_version, load_contract
from codegen.problems import LintError
from codegen.targets import current
from partwire.contract.current import LATEST_VERSION

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


def test_the_next_version_takes_the_place_of_this_one() -> None:
    now = load_contract(SCHEMAS, LATEST_VERSION)
    following = dataclasses.replace(now, version="v7.3")
    for folder, files in current.rooms([following], following).items():
        named = {name: text for name, text in files.items() if "7_3" in text or "v7.3" in text}
        assert named or folder in {"python/partwire/types", "python/partwire/models"}
        old = {name for name, text in files.items() if now.module in text or now.version in text}
        assert not old
    single = current.files([now, following], following)
    assert all("v7.3" in text or "V7_3" in text or "v7_3" in text for text in single.values())
    assert now.module.upper() not in single["rust/src/contract/current.rs"]


def test_a_name_of_two_families_is_the_first_ones() -> None:
    now = load_contract(SCHEMAS, LATEST_VERSION)
    backwards = dataclasses.replace(now, families=dict(reversed([*now.families.items()])))
    taken = "from ..contract.current.{} import TextPart as TextPart"
    for contract, family in ((now, "message"), (backwards, "session")):
        text = current.rooms([contract], contract)["python/partwire/types"]["__init__.py"]
        assert taken.format(family) in text
        assert text.count(" import TextPart as TextPart") == 1


@pytest.mark.parametrize("named", [{}, {"current": "v9"}, {"current": None}, {"current": ["v0.1"]}])
def test_the_current_version_is_one_of_the_catalog(named: object, tmp_path: Path) -> None:
    assert isinstance(named, dict)
    catalog = {**named, "versions": {"v0.1": {"status": "draft", "families": ["message"]}}}
    (tmp_path / "catalog.json").write_text(json.dumps(catalog))
    with pytest.raises(LintError) as caught:
        current_version(tmp_path)
    assert [(each.pointer, each.rule) for each in caught.value.problems] == [
        ("/current", "lint/unknown-version")
    ]
