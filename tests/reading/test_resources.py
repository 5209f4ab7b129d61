"""Finding the package's own data: in a checkout, in an installed package, missing, damaged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for

from partwire.contract import resources
from partwire.errors import PartwireError

CACHED = (
    resources.schemas_dir,
    resources.fixtures_dir,
    resources.read_catalog,
    resources.read_rules,
)


def forget() -> None:
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package folder, as deep as in a checkout, which resources takes for its own."""
    folder = tmp_path / "checkout" / "python" / "partwire"
    folder.mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", folder)
    forget()
    yield folder
    forget()


def rule_of(call: Callable[[], Any]) -> tuple[str, str | None]:
    """The first finding's rule and its expectation; anything else than a PartwireError escapes."""
    try:
        value = call()
    except PartwireError as error:
        return error.findings[0].rule, error.findings[0].expected
    raise AssertionError(f"nothing raised, but returned {value!r}")


def families() -> list[tuple[str, str]]:
    versions = resources.read_catalog()
    return [(version, family) for version in versions for family in versions[version]["families"]]


def test_checkout_serves_its_own_folders(root: Path) -> None:
    assert resources.schemas_dir() == root / "schemas"
    assert resources.fixtures_dir() == root / "fixtures"


def test_rules_and_catalog_are_what_the_files_hold(root: Path) -> None:
    rules: dict[str, Any] = {}
    for path in (root / "schemas" / "rules").iterdir():
        rules |= json.loads(path.read_bytes())["rules"]
    catalog = json.loads((root / "schemas" / "catalog.json").read_bytes())["versions"]
    assert resources.read_rules() == rules
    assert resources.read_catalog() == catalog
    assert {"message", "session", "blocks", "envelope"} <= set(catalog["v0.1"]["families"])
    assert resources.read_rules() is resources.read_rules()


@pytest.mark.parametrize("draft", ["2020-12", "draft-07"])
def test_every_family_has_a_self_contained_bundle(draft: resources.BundleDraft) -> None:
    pairs = families()
    assert pairs
    for version, family in pairs:
        schema = resources.bundle(family, version, draft)
        validator = validator_for(schema)
        assert draft in schema["$schema"]
        validator.check_schema(schema)
        outside = [ref for ref in references(schema) if not ref.startswith("#")]
        assert not outside, (version, family)


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "$ref" and isinstance(member, str):
                yield member
            yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_a_bundle_belongs_to_its_caller() -> None:
    resources.bundle("message").clear()
    assert resources.bundle("message")


@pytest.mark.parametrize(
    ("arguments", "rule", "expected"),
    [
        (("message", "v9.9", "2020-12"), "usage/unknown-version", "v0.1"),
        (("mesage", "v0.1", "2020-12"), "usage/unknown-family", "message"),
        (("../message", "v0.1", "2020-12"), "usage/unknown-family", "message"),
        (("message", "v0.1", "draft-04"), "usage/invalid-argument", "draft-07"),
    ],
)
def test_bundle_refuses_names_that_do_not_exist(
    arguments: tuple[str, str, Any], rule: str, expected: str
) -> None:
    found, known = rule_of(lambda: resources.bundle(*arguments))
    assert found == rule
    assert expected in str(known)


def test_installed_data_comes_before_a_folder_beside_the_package(root: Path, package: Path) -> None:
    for base in (package / "_data", package.parent.parent):
        (base / "schemas").mkdir(parents=True)
        shutil.copy(root / "schemas" / "catalog.json", base / "schemas")
    assert resources.schemas_dir() == package / "_data" / "schemas"


def test_fixtures_are_a_package_of_their_own(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a checkout they are beside the package; an installed one looks nowhere but in theirs."""
    beside = package.parent.parent / "fixtures"
    theirs = tmp_path / "site" / "partwire_fixtures"
    for folder in (beside, theirs):
        folder.mkdir(parents=True)
        (folder / "case.schema.json").write_text("{}")
    assert resources.fixtures_dir() == beside
    (package / "_data").mkdir()
    forget()
    with pytest.raises(PartwireError, match=r"pip install 'partwire\[testing\]'") as caught:
        resources.fixtures_dir()
    assert caught.value.findings[0].rule == "usage/missing-resource"
    monkeypatch.syspath_prepend(theirs.parent)
    assert resources.fixtures_dir() == theirs


def test_a_strangers_folder_of_that_name_is_not_taken(package: Path) -> None:
    (package.parent.parent / "schemas").mkdir()
    (package.parent.parent / "fixtures").mkdir()
    for call in (resources.schemas_dir, resources.read_rules):
        rule, expected = rule_of(call)
        assert rule == "usage/missing-resource"
        assert str(package / "_data") in str(expected)
    assert rule_of(resources.fixtures_dir)[0] == "usage/missing-resource"


def test_a_bundle_that_was_not_generated_is_named(root: Path, package: Path) -> None:
    shutil.copytree(root / "schemas", package / "_data" / "schemas")
    for call in (resources.bundle_path, resources.bundle):
        rule, expected = rule_of(partial(call, "message"))
        assert rule == "usage/missing-resource"
        assert expected == str(package / "v0_2" / "bundles" / "message.schema.json")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"{}", "has no object 'rules'"),
        (None, "are not there"),
    ],
)
def test_damaged_data_is_a_clear_error(package: Path, content: bytes | None, part: str) -> None:
    folder = package / "_data" / "schemas"
    folder.mkdir(parents=True)
    (folder / "catalog.json").write_text("{}")
    if content is not None:
        (folder / "rules").mkdir()
        (folder / "rules" / "shape.json").write_bytes(content)
    with pytest.raises(PartwireError) as caught:
        resources.read_rules()
    assert caught.value.findings[0].rule == "usage/missing-resource"
    assert part in caught.value.findings[0].message
