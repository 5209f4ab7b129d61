"""Finding the package's own data: in a checkout, in an installed package, missing, damaged."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for

from partwire.contract import resources
from partwire.contract.current import FAMILIES, LATEST_VERSION
from partwire.contract.packed import files_of, folders, pack
from partwire.errors import PartwireError

CACHED = (resources.read_folder, resources.read_catalog, resources.read_rules)


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
    return [(version, family) for version in FAMILIES for family in FAMILIES[version]]


def test_checkout_serves_its_own_files(root: Path) -> None:
    path = root / "schemas" / "v0.1" / "message" / "delta.schema.json"
    folder = resources.read_folder("v0.1")
    assert folder["message/delta.schema.json"] == path.read_bytes()
    assert list(folder) == sorted(folder)
    assert "bundles/message.schema.json" in folder


def test_the_generated_families_are_those_of_the_catalog() -> None:
    catalog = resources.read_catalog()
    assert {name: tuple(row["families"]) for name, row in catalog.items()} == FAMILIES
    assert list(catalog) == list(FAMILIES)


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


def packed_into(package: Path, folder: str, files: dict[str, bytes]) -> Path:
    """Put a packed folder into the package, as a wheel has it."""
    path = package / "_data" / f"{folder}.xz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pack(files))
    return path


def test_what_is_packed_comes_out_byte_for_byte(root: Path, package: Path) -> None:
    catalog = (root / "schemas" / "catalog.json").read_bytes()
    packed_into(package, "schemas", {"catalog.json": catalog, "empty": b"", "line": b"{}\n\xff"})
    (package.parent.parent / "schemas").mkdir()
    (package.parent.parent / "schemas" / "catalog.json").write_text("{}")
    assert resources.read_folder("schemas") == {
        "catalog.json": catalog,
        "empty": b"",
        "line": b"{}\n\xff",
    }
    assert "v0.1" in resources.read_catalog()


def test_every_folder_of_the_checkout_is_packed_and_read(root: Path, package: Path) -> None:
    for folder in folders(root):
        files = {name: path.read_bytes() for name, path in files_of(root, folder).items()}
        assert files
        packed_into(package, folder, files)
        assert resources.read_folder(folder) == files
    assert resources.bundle("message", "v0.1", "draft-07")["definitions"]
    assert resources.interface("openapi-3.1")["openapi"].startswith("3.1")
    assert resources.read_rules()
    assert resources.read_loss_texts()


def test_a_python_without_lzma_is_told_so(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed_into(package, "rules", {"shape.json": b"{}"})
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(PartwireError, match="built without lzma") as caught:
        resources.read_rules()
    assert caught.value.findings[0].rule == "usage/missing-resource"


def test_a_strangers_folder_of_that_name_is_not_taken(package: Path) -> None:
    (package.parent.parent / "schemas").mkdir()
    for call in (resources.read_catalog, resources.read_rules):
        rule, expected = rule_of(call)
        assert rule == "usage/missing-resource"
        assert str(package / "_data") in str(expected)


def test_a_bundle_that_was_not_generated_is_named(root: Path, package: Path) -> None:
    shutil.copytree(root / "schemas", package.parent.parent / "schemas")
    rule, expected = rule_of(partial(resources.bundle, "message"))
    assert rule == "usage/missing-resource"
    assert expected == f"{LATEST_VERSION}/bundles/message.schema.json"


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"{}", "has no object 'rules'"),
    ],
)
def test_damaged_data_is_a_clear_error(package: Path, content: bytes, part: str) -> None:
    packed_into(package, "rules", {"shape.json": content})
    with pytest.raises(PartwireError) as caught:
        resources.read_rules()
    assert caught.value.findings[0].rule == "usage/missing-resource"
    assert part in caught.value.findings[0].message


@pytest.mark.parametrize(
    ("data", "part"),
    [(None, "cannot be read"), (b"", "cannot be read"), (b"not xz", "cannot be read")],
)
def test_a_damaged_package_is_a_clear_error(package: Path, data: bytes | None, part: str) -> None:
    path = packed_into(package, "rules", {})
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(PartwireError) as caught:
        resources.read_rules()
    assert caught.value.findings[0].rule == "usage/missing-resource"
    assert part in caught.value.findings[0].message
