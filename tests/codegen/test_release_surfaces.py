"""A release looks at more than schemas: what code does, and what its names are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from codegen.release_checks import Repository
from codegen.release_compat import surfaces
from partwire.contract.current import LATEST_VERSION
from partwire.errors import Finding
from partwire.message.assembler.machine import MessageAssembler
from partwire_testing.conformance import bindings
from partwire_testing.conformance.operations import streams as on_streams
from tests.codegen.release_repository import copied, first_released
from tests.conftest import ROOT

ROWS = {"v0.1": {"status": "released"}, LATEST_VERSION: {"status": "draft"}}


class Shouting(MessageAssembler):
    """Makes another message of the same deltas."""

    def build_final_message(self) -> Any:
        message = super().build_final_message()
        return type(message)(**{**_fields(message), "run_id": message.run_id.upper() + "!"})


def _fields(message: Any) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__struct_fields__}


def told(version: str = LATEST_VERSION, root: Path = ROOT) -> list[Finding]:
    return list(surfaces(Repository(root), version, ROWS))


def test_the_contract_as_it_is_breaks_nothing() -> None:
    assert told() == []


@pytest.mark.usefixtures("untraced")
def test_another_result_of_a_golden_case_is_no_minor_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_streams, "MessageAssembler", Shouting)
    found = told()
    assert {each.rule for each in found} == {"release/breaking"}
    assert all("compat/behaviour-" in each.message for each in found)
    assert all((each.source or "").startswith("fixtures/v0.1/") for each in found)
    assert found[0].expected == "as in v0.1, or v1.0"


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("language", bindings.LANGUAGES)
def test_a_name_that_is_gone_is_no_minor_version(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(iter(bindings.manifest(language, "v0.1") or ()))
    manifest: Callable[..., Any] = bindings.manifest

    def without(asked: str, version: str, folder: Path | None = None) -> Any:
        names = manifest(asked, version, folder)
        if (asked, version) == (language, LATEST_VERSION):
            return {each: kind for each, kind in names.items() if each != name}
        return names

    monkeypatch.setattr(bindings, "manifest", without)
    (found,) = told()
    assert (found.rule, found.source) == ("release/breaking", f"bindings/{language}")
    assert f"compat/bindings-removed; bindings {language}" in found.message
    assert found.actual == "gone"


def test_only_the_version_that_the_code_speaks_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_streams, "MessageAssembler", Shouting)
    assert told("v0.1") == []
    other = copied(first_released(), tmp_path / "repository")
    assert told(root=other.root) == []


def test_a_release_asks_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = copied(first_released(), tmp_path / "repository")
    broken = Finding("release/breaking", "A name is gone", source="bindings/rust")
    monkeypatch.setattr("codegen.release.surfaces", lambda *_: [broken])
    refused = repository.release("v0.2")
    assert (refused.status, repository.row("v0.2")["status"]) == (1, "draft")
    assert "bindings/rust: A name is gone [release/breaking]" in refused.err
