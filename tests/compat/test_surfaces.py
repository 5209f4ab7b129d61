"""Behaviour and bindings beside schemas: each rule by code, fixtures or names that were changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from partwire.compat.report import Change
from partwire.compat.sources.inputs import load_source
from partwire.compat.surfaces import version_of
from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import read_catalog, read_rules
from partwire.errors import Finding, StreamProtocolError
from partwire.message import MessageAssembler
from partwire_testing.conformance import bindings
from partwire_testing.conformance.behaviour import replay_behaviour
from partwire_testing.conformance.bindings import (
    compare_bindings,
    compare_names,
    files_of,
    manifest,
    python_names,
)
from partwire_testing.conformance.operations import histories as on_histories
from partwire_testing.conformance.operations import streams as on_streams
from partwire_testing.conformance.suites import all_cases, own_cases
from partwire_testing.conformance.surfaces import golden_documents
from tests.cli.runner import details, run
from tests.fixture_cases import ROOT, write_topic

Json = dict[str, Any]

SUITES = ("streams", "transitions", "histories")


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A copy of some suites, to be changed."""
    for suite in SUITES:
        write_topic(tmp_path, [each for each in own_cases("v0.1") if each.suite == suite])
    return tmp_path


def changes(folder: Path, suite: str | None = None) -> list[Change]:
    for cached in (all_cases, own_cases):
        cached.cache_clear()  # files change here
    verdicts, replay = replay_behaviour("v0.1", folder=folder)
    found = [change for verdict in verdicts for change in verdict.changes]
    assert replay.differing == len(found)
    assert all(verdict.status == "breaking" for verdict in verdicts)
    assert all(verdict.entrypoint.startswith("behaviour v0.1/") for verdict in verdicts)
    return [change for change in found if suite is None or f"/{suite}/" in change.old_source]


def rules(found: list[Change]) -> set[str]:
    return {change.rule for change in found}


# --- behaviour ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("untraced")
def test_todays_code_does_what_it_did() -> None:
    for version in read_catalog():
        if version != LATEST_VERSION:
            verdicts, replay = replay_behaviour(version)
            assert [change.message for each in verdicts for change in each.changes] == []
            assert replay.tried > 2400


class Forgetful(MessageAssembler):
    """Loses the last part."""

    def build_final_message(self) -> Any:
        message = super().build_final_message()
        message.parts[-1:] = []
        return message


def test_another_message_is_another_result(monkeypatch: pytest.MonkeyPatch, few: Path) -> None:
    monkeypatch.setattr(on_streams, "MessageAssembler", Forgetful)
    found = changes(few, "streams")
    assert rules(found) == {"compat/behaviour-result"}
    assert len(found) > 50
    assert all((each.old_pointer or "").startswith("/message/parts/") for each in found)
    assert {each.values[0] for each in found} == {"assemble", "resume"}
    assert {each.surface for each in found} == {"behaviour"}


class Lenient(MessageAssembler):
    """Drops what it should refuse."""

    def consume(self, delta: Any) -> None:
        try:
            super().consume(delta)
        except StreamProtocolError:
            return


class Strict(MessageAssembler):
    """Refuses the delta with the number 2."""

    def consume(self, delta: Any) -> None:
        if getattr(delta, "seq", None) == 2:
            raise StreamProtocolError(Finding("stream/after-terminal", "No."), seq=2)
        super().consume(delta)


class Renaming(MessageAssembler):
    """Refuses the same, for another reason."""

    def consume(self, delta: Any) -> None:
        try:
            super().consume(delta)
        except StreamProtocolError as error:
            raise StreamProtocolError(Finding("stream/not-done", "No."), seq=error.seq) from None


class Failing(MessageAssembler):
    """Falls over."""

    def consume(self, delta: Any) -> None:
        raise RuntimeError("no such thing")


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (Lenient, "compat/behaviour-accepted"),
        (Strict, "compat/behaviour-refused"),
        (Renaming, "compat/behaviour-error"),
        (Failing, "compat/behaviour-failed"),
    ],
)
def test_code_that_is_changed(
    kind: type, rule: str, monkeypatch: pytest.MonkeyPatch, few: Path
) -> None:
    monkeypatch.setattr(on_streams, "MessageAssembler", kind)
    found = changes(few, "streams")
    assert rule in rules(found)
    assert rule in read_rules()
    others = changes(few, "histories") + changes(few, "transitions")
    assert others == []


def test_other_findings_are_told(monkeypatch: pytest.MonkeyPatch, few: Path) -> None:
    monkeypatch.setattr(on_histories, "check_history", lambda *_, **__: [])
    found = changes(few)
    assert rules(found) == {"compat/behaviour-findings"}
    assert {change.values[0] for change in found} == {"check"}


def edit(folder: Path, case: str, **members: Any) -> None:
    suite, name = case.split("/", 1)
    path = folder / "v0.1" / suite / "topic.json"
    topic = json.loads(path.read_bytes())
    (changed,) = (each for each in topic["cases"] if each["name"] == name)
    changed.update(members)
    path.write_text(json.dumps(topic))


def a_transition(folder: Path, kind: str) -> str:
    topic = json.loads((folder / "v0.1" / "transitions" / "topic.json").read_bytes())
    return next(f"transitions/{each['name']}" for each in topic["cases"] if kind in each["expect"])


def test_a_golden_case_that_was_otherwise(few: Path) -> None:
    """As if the code had done something else when the case was written."""
    refused, moved = a_transition(few, "error"), a_transition(few, "state")
    error = {"rule": "session/state-changed", "pointer": "/input"}
    edit(few, refused, expect={"error": error})
    edit(few, moved, expect={"error": error})
    found = {change.old_source: change for change in changes(few)}
    assert {name: each.rule for name, each in found.items()} == {
        f"fixtures/v0.1/{refused}": "compat/behaviour-error",
        f"fixtures/v0.1/{moved}": "compat/behaviour-accepted",
    }
    edit(few, refused, expect={"same": True})
    assert {each.rule for each in changes(few)} == {
        "compat/behaviour-refused",
        "compat/behaviour-accepted",
    }


def test_fingerprints_stay_and_tell_apart(few: Path) -> None:
    case = a_transition(few, "error")
    marks = []
    for pointer in ("/input", "/input", "/time"):
        edit(few, case, expect={"error": {"rule": "session/state-changed", "pointer": pointer}})
        (change,) = changes(few)
        marks.append(change.fingerprint)
    assert marks[0] == marks[1] != marks[2]


# --- bindings -------------------------------------------------------------------------------------

NAMES = {
    "structs.a.T": "class",
    "structs.a.T.run_id": "field runId",
    "structs.a.T.seq": "field seq",
    "structs.a.U": "class",
    "structs.a.U.x": "field x",
    "checks.a.CHECKS": "name",
    "checks.a.CHECKS[T]": "check",
    "pkg.f": "function",
    "pkg.f(mode)": "parameter",
}


def told(found: list[Change]) -> list[tuple[str, str | None, str | None]]:
    return [(each.rule, each.old_pointer, each.new_pointer) for each in found]


def without(*names: str, **more: str) -> dict[str, str]:
    return {name: kind for name, kind in NAMES.items() if name not in names} | more


def test_names_that_stay_or_come_are_no_change() -> None:
    assert compare_names("python", NAMES, NAMES) == []
    assert compare_names("python", NAMES, {**NAMES, "pkg.g": "function"}) == []


@pytest.mark.parametrize(
    "gone",
    ["structs.a.T.seq", "checks.a.CHECKS[T]", "pkg.f(mode)"],
)
def test_a_name_that_is_gone(gone: str) -> None:
    (change,) = compare_names("python", NAMES, without(gone))
    assert (change.rule, change.old_pointer) == ("compat/bindings-removed", f"/{gone}")
    assert change.place == f"bindings/python#/{gone}"
    assert (change.surface, change.bump) == ("bindings", "major")


def test_what_belongs_to_a_name_is_gone_with_it() -> None:
    left = without("structs.a.T", "structs.a.T.run_id", "structs.a.T.seq", "pkg.f", "pkg.f(mode)")
    found = compare_names("python", NAMES, left)
    assert [each.old_pointer for each in found] == ["/structs.a.T", "/pkg.f"]


def test_a_field_of_the_same_wire_name_is_renamed() -> None:
    renamed = {**without("structs.a.T.run_id"), "structs.a.T.runid": "field runId"}
    assert told(compare_names("python", NAMES, renamed)) == [
        ("compat/bindings-renamed", "/structs.a.T.run_id", "/structs.a.T.runid")
    ]
    elsewhere = {**without("structs.a.T.run_id"), "structs.a.U.runid": "field runId"}
    assert told(compare_names("python", NAMES, elsewhere)) == [
        ("compat/bindings-removed", "/structs.a.T.run_id", None)
    ]


def test_python_lost_no_name_since() -> None:
    for version in read_catalog():
        verdicts, replay = compare_bindings(version, LATEST_VERSION)
        assert [change.message for each in verdicts for change in each.changes] == []
        assert replay.tried > 1000


GENERATED = ("structs.", "models.", "checks.", "vocabulary.")


def test_the_manifest_of_an_older_version_is_what_is_generated() -> None:
    recorded = manifest("python", "v0.1")
    assert recorded is not None

    def generated(names: dict[str, str]) -> dict[str, str]:
        return {name: kind for name, kind in names.items() if name.startswith(GENERATED)}

    assert generated(recorded) == generated(python_names("v0.1"))
    assert recorded["structs.message.Message.run_id"] == "field runId"
    assert recorded["models.message.Message.run_id"] == "field runId"
    assert recorded["checks.session.CHECKS[ToolState]"] == "check"
    assert recorded["partwire.assemble(run_id)"] == "parameter"
    assert recorded["partwire.Finding.to_wire"] == "member"


def test_names_are_those_that_python_knows() -> None:
    """Found in the source, and there when it is imported."""
    import importlib  # noqa: PLC0415

    names = python_names(LATEST_VERSION)
    room = f"partwire.{LATEST_VERSION.replace('.', '_')}"
    for name in names:
        if name.startswith(("structs.", "models.")):
            kind, family, cls, *member = name.split(".")
            value = getattr(importlib.import_module(f"{room}.{kind}.{family}"), cls)
            fields = getattr(value, "model_fields", None) or getattr(value, "__annotations__", {})
            assert all(each in fields for each in member), name


def test_other_languages_come_as_files(tmp_path: Path) -> None:
    for version, names in (("v0.1", NAMES), (LATEST_VERSION, without("pkg.f(mode)"))):
        for file, text in files_of("typescript", names).items():
            path = tmp_path / version / "typescript" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (verdict,), replay = compare_bindings("v0.1", LATEST_VERSION, folder=tmp_path)
    assert verdict.entrypoint == "bindings typescript"
    assert [change.rule for change in verdict.changes] == ["compat/bindings-removed"]
    assert (replay.tried, replay.differing) == (len(NAMES), 1)


def test_manifests_are_where_they_are_looked_for() -> None:
    folder = ROOT / "schemas" / "bindings"
    for version in folder.iterdir():
        assert version.name in read_catalog()
        for language in version.iterdir():
            assert language.name in bindings.LANGUAGES
            names = manifest(language.name, version.name, folder)
            assert names
            assert list(names) == sorted(names)
            assert all(names.values())


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("untraced")
def test_versions_of_ours_are_compared_on_all_surfaces() -> None:
    result = run("compat", "v0.1", LATEST_VERSION)
    assert result.exit_code == 0, result.stdout
    assert "recorded documents refused, 0 of" in result.stderr
    assert "golden runs other than it was, 0 of" in result.stderr
    assert "names gone" in result.stderr


def test_surfaces_can_be_chosen() -> None:
    result = run("compat", "v0.1", LATEST_VERSION, "--surface", "bindings")
    assert "names gone" in result.stderr
    assert "golden" not in result.stderr
    assert "recorded" not in result.stderr
    result = run("compat", "v0.1", LATEST_VERSION, "--surface", "schema")
    assert "gone" not in result.stderr


def test_only_todays_version_has_todays_code() -> None:
    result = run("compat", LATEST_VERSION, "v0.1", "--unproven", "warn")
    assert "golden" not in result.stderr
    assert "names" not in result.stderr


@pytest.mark.slow
def test_a_change_of_behaviour_breaks_and_can_be_accepted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Late(MessageAssembler):
        """Takes one stream that it should refuse."""

        def consume(self, delta: Any) -> None:
            if getattr(delta, "kind", "") == "start" and self.status != "idle":
                return
            super().consume(delta)

    monkeypatch.setattr(on_streams, "MessageAssembler", Late)
    arguments = ("compat", "v0.1", LATEST_VERSION, "--surface", "behaviour")
    result = run(*arguments)
    assert result.exit_code == 1
    assert "[compat/behaviour-" in result.stdout
    assert "breaks    behaviour v0.1/streams" in result.stdout
    report = details(run(*arguments, "--format", "json").stdout)["reports"][0]
    broken = [each for each in report["changes"] if each["surface"] == "behaviour"]
    assert len(broken) == report["replays"][0]["differing"] > 0
    entries = [
        {name: each[name] for name in ("fingerprint", "rule", "pointer")} | {"reason": "Meant."}
        for each in broken
    ]
    path = tmp_path / "accepted.json"
    path.write_text(json.dumps(entries))
    assert run(*arguments, "--accept", str(path)).exit_code == 0
    path.write_text(json.dumps(entries[1:]))
    assert run(*arguments, "--accept", str(path)).exit_code == 1


def test_a_name_that_is_gone_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    names = python_names(LATEST_VERSION)
    del names["partwire.assemble(run_id)"]
    monkeypatch.setitem(bindings.LIVE, "python", lambda _: names)
    result = run("compat", "v0.1", LATEST_VERSION, "--surface", "bindings")
    assert result.exit_code == 1
    assert "partwire.assemble(run_id) (parameter) [compat/bindings-removed]" in result.stdout
    assert "1 of" in result.stderr


def test_versions_of_ours_want_the_package_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "partwire_testing.conformance.surfaces", None)
    result = run("compat", "v0.1", LATEST_VERSION)
    assert result.exit_code == 2
    assert "[usage/missing-extra]" in result.stderr
    assert 'pip install "partwire[testing]"' in result.stderr
    assert run("compat", "v0.1", LATEST_VERSION, "--surface", "schema").exit_code == 0


def test_golden_documents_have_their_types() -> None:
    found = list(golden_documents("v0.1"))
    assert len(found) > 150
    assert {each.entrypoint for each in found} >= {"message.Message", "session.WithParts"}
    assert list(golden_documents("v9.9")) == []


def test_only_whole_versions_are_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert version_of(load_source("v0.1")) == "v0.1"
    assert version_of(load_source("v0.1/message")) is None
    monkeypatch.chdir(tmp_path)
    Path("v0.1").mkdir()
    Path("v0.1/a.json").write_text("{}")
    assert version_of(load_source("v0.1")) is None
