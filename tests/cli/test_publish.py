"""``partwire publish``, as people run it, against a registry on a real socket."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from starlette.responses import Response

from partwire.registry import wanted_subjects
from tests.cli.runner import run
from tests.registry.runs import silent
from tests.registry.server import LocalRegistry, Refused, local_registry
from tests.reporting.report_runs import checked, problems

Json = dict[str, Any]

SPEC = "partwire.message.ToolSpec-value"
CALL = "partwire.message.ToolCall-value"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalRegistry]:
    """A registry of one's own: what a client that gave up has asked another one does not count."""
    name = "confluent_kafka.schema_registry._sync.schema_registry_client.time.sleep"
    monkeypatch.setattr(name, lambda seconds: None)
    with local_registry() as registry:
        monkeypatch.setenv("PARTWIRE_REGISTRY", registry.url)
        yield registry


def stricter(server: LocalRegistry) -> None:
    """Leave a predecessor of ToolSpec that asks for less: ours breaks what was written by it."""
    schema = wanted_subjects(["message.ToolSpec"])[0].schema
    server.put(SPEC, {**schema, "required": schema["required"][1:]})


def report(result: Result) -> tuple[Json, dict[str, Json]]:
    """Return the report in JSON, and its subjects by name."""
    document = checked(result.stdout)
    return document, {each["subject"]: each for each in document["details"]["subjects"]}


def test_publishing_once_and_again(server: LocalRegistry) -> None:
    dry = run("publish", "--dry-run", "message.Tool*")
    assert dry.exit_code == 0, dry.stderr
    assert [line.split() for line in dry.stdout.splitlines()] == [
        [f"partwire.message.{name}-value", "new", "no", "version", "BACKWARD"]
        for name in ("ToolCall", "ToolResult", "ToolSpec", "ToolChoice")
    ]
    assert dry.stderr == f"{server.url}: 4 would be new; nothing is published, as asked\n"
    assert (server.subjects, server.writes) == ({}, [])
    first = run("publish", "message.Tool*")
    assert (first.exit_code, first.stderr) == (0, f"{server.url}: 4 published\n")
    assert len(server.subjects) == 4
    again = run("publish", "message.Tool*")
    assert (again.exit_code, again.stderr) == (0, f"{server.url}: 0 published, 4 as they were\n")
    assert len(server.writes) == 4


def test_the_whole_contract_and_its_next_version(server: LocalRegistry) -> None:
    old = run("publish", "--contract", "v0.1", "--compatibility", "backward")
    assert old.exit_code == 0, old.stderr
    assert old.stderr.endswith(": 34 published, 34 levels set\n")
    new = run("publish", "--format", "json")
    document, subjects = report(new)
    assert new.exit_code == 0
    assert len(subjects) == 34
    assert document["errors"] == 0
    assert document["passed"]
    changed = [each for each in subjects.values() if each["action"] == "changed"]
    assert len(changed) > 10
    for each in changed:
        assert (each["status"], each["version"], each["level"]) == ("published", 2, "BACKWARD")
        assert {row["status"] for row in each["verdicts"]} == {"compatible"}
        assert {row["direction"] for row in each["verdicts"]} == {"backward"}
        assert each["registryAccepts"] is True
    same = [each for each in subjects.values() if each["action"] == "same"]
    assert {(each["status"], each["version"]) for each in same} == {("unchanged", 1)}
    assert len(changed) + len(same) == 34


def test_a_new_kind_of_part_breaks_readers_of_the_older_version(server: LocalRegistry) -> None:
    run("publish", "message.Message", "--contract", "v0.1")
    refused = run("publish", "message.Message", "--compatibility", "FULL", "--dry-run")
    assert refused.exit_code == 1
    assert "forward, asks for" in refused.stdout


def test_a_break_keeps_everything_from_being_published(server: LocalRegistry) -> None:
    stricter(server)
    server.level = "NONE"  # the registry itself lets everything through
    refused = run("publish", "message.ToolSpec", "message.ToolCall")
    assert refused.exit_code == 1
    assert server.writes == []
    assert "breaking, the registry says compatible" in refused.stdout
    assert "[compat/required-added]" in refused.stdout
    assert "witness" in refused.stdout
    assert "nothing is published: it is refused (1 would be new, 1 would change)" in refused.stderr
    told = run("publish", "message.ToolSpec", "message.ToolCall", "--format", "json")
    document, subjects = report(told)
    assert (told.exit_code, document["details"]["published"]) == (1, False)
    assert [each["rule"] for each in document["findings"]] == ["compat/required-added"]
    assert subjects[SPEC]["verdicts"][0]["status"] == "breaking"
    assert {each["status"] for each in subjects.values()} == {"unchanged"}
    dry = run("publish", "--dry-run", "message.ToolSpec")
    assert dry.exit_code == 1


@pytest.mark.parametrize(
    "how", [["--force"], ["--compatibility", "NONE"], ["--compatibility", "none"]]
)
def test_a_break_that_is_asked_for(server: LocalRegistry, how: list[str]) -> None:
    stricter(server)
    server.level = "NONE"
    forced = run("publish", "message.ToolSpec", *how)
    assert forced.exit_code == 0, forced.stderr
    assert "[compat/required-added]" in forced.stdout
    assert "accepted  everything is, as asked" in forced.stdout
    assert len(server.subjects[SPEC]) == 2


def test_a_break_that_is_accepted(server: LocalRegistry, tmp_path: Path) -> None:
    stricter(server)
    server.level = "NONE"
    known = run("publish", "message.ToolSpec", "--dry-run", "--format", "json")
    (finding,) = json.loads(known.stdout)["findings"]
    told = run("publish", "message.ToolSpec", "--dry-run").stdout
    place = next(line.split()[1] for line in told.splitlines() if line.strip().startswith("at "))
    entry = {
        "fingerprint": finding["fingerprint"],
        "rule": finding["rule"],
        "pointer": place,
        "reason": "Nobody wrote without it.",
    }
    file = tmp_path / "accepted.json"
    file.write_text(json.dumps([entry]), "utf-8")
    result = run("publish", "message.ToolSpec", "--accept", str(file))
    assert result.exit_code == 0, result.stdout
    assert "Nobody wrote without it." in result.stdout
    assert len(server.subjects[SPEC]) == 2
    other = run("publish", "message.ToolCall", "--accept", str(file))
    assert "[compat/accepted-unused]" in other.stdout


def test_what_the_registry_refuses_is_refused_before_anything_is_published(
    server: LocalRegistry,
) -> None:
    """Its check is another one: what it calls a break may break nobody."""
    stricter(server)
    accepted = run(
        "publish", "message.ToolSpec", "message.ToolCall", "--reading", "exact", "--force"
    )
    assert accepted.exit_code == 1
    assert "[registry/incompatible]" in accepted.stdout
    assert list(server.subjects) == [SPEC, CALL]
    assert len(server.subjects[SPEC]) == 1
    before = len(server.writes)
    plain = run("publish", "message.ToolChoice", "message.ToolSpec")
    assert (plain.exit_code, len(server.writes)) == (1, before)
    assert "the registry says incompatible" in plain.stdout
    assert len(server.subjects) == 2


def test_what_breaks_nobody_but_is_refused_by_the_registry(server: LocalRegistry) -> None:
    run("publish", "message.Message", "--contract", "v0.1")
    before = len(server.writes)
    server.faults["POST /compatibility"] = Response(b'{"is_compatible": false}')
    refused = run("publish", "message.Message", "message.ToolSpec")
    assert (refused.exit_code, len(server.writes)) == (1, before)
    assert "compatible, the registry says incompatible" in refused.stdout
    assert "[registry/incompatible]" in refused.stdout
    assert "nothing is published: it is refused" in refused.stderr


def test_a_level_that_changes_is_not_what_the_registry_checked_by(server: LocalRegistry) -> None:
    stricter(server)
    result = run("publish", "message.ToolSpec", "--compatibility", "NONE")
    assert result.exit_code == 0, result.stdout
    assert server.levels == {SPEC: "NONE"}
    assert result.stderr == f"{server.url}: 1 published, 1 level set\n"
    assert "NONE (to be set)" in result.stdout


def test_a_level_alone(server: LocalRegistry) -> None:
    run("publish", "message.ToolSpec")
    dry = run("publish", "message.ToolSpec", "--compatibility", "FORWARD", "--dry-run")
    assert dry.stderr.endswith(": 1 same, 1 level would be set; nothing is published, as asked\n")
    result = run("publish", "message.ToolSpec", "--compatibility", "FORWARD", "--format", "json")
    _, subjects = report(result)
    assert (subjects[SPEC]["status"], subjects[SPEC]["setLevel"]) == ("level-set", "FORWARD")
    assert server.levels == {SPEC: "FORWARD"}


def test_a_schema_that_is_older(server: LocalRegistry) -> None:
    run("publish", "message.Message", "--contract", "v0.1")
    run("publish", "message.Message")
    result = run("publish", "message.Message", "--contract", "v0.1")
    assert result.exit_code == 0
    assert "[registry/older-version]" in result.stdout
    assert len(server.subjects["partwire.message.Message-value"]) == 2


def test_a_subject_of_somebody_else(server: LocalRegistry) -> None:
    server.put(SPEC, '"string"', schemaType="AVRO")
    result = run("publish", "message.ToolSpec")
    assert result.exit_code == 1
    assert "[registry/foreign-schema]" in result.stdout
    assert server.writes == []
    forced = run("publish", "message.ToolSpec", "--force")
    assert forced.exit_code == 1  # the registry does not let it through
    assert "[registry/incompatible]" in forced.stdout
    server.level = "NONE"
    assert run("publish", "message.ToolSpec", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("status", "exit_code", "rule", "became"),
    [
        (409, 1, "registry/incompatible", "refused"),
        (422, 1, "registry/invalid-schema", "refused"),
        (401, 2, "registry/unauthorized", "unknown"),
        (503, 2, "registry/unavailable", "unknown"),
    ],
)
def test_a_failure_in_the_middle(
    server: LocalRegistry, status: int, exit_code: int, rule: str, became: str
) -> None:
    fault = f"POST /subjects/{SPEC}/versions"
    server.faults[fault] = Refused(status, status, "No.").answer
    text = run("publish", "message.Tool*")
    assert text.exit_code == exit_code
    assert f"[{rule}]" in text.stdout + text.stderr
    choice = "partwire.message.ToolChoice-value"
    assert f": 2 published, 2 not published: {SPEC}, {choice}\n" in text.stderr
    assert text.stdout.count("[registry/not-published]") == 2
    assert f"{choice}: Not published: the run ended before it" in text.stdout
    server.forget()
    server.faults[fault] = Refused(status, status, "No.").answer
    result = run("publish", "message.Tool*", "--format", "json")
    document, subjects = report(result)
    assert (result.exit_code, document["details"]["published"]) == (exit_code, True)
    assert [subjects[name]["status"] for name in (CALL, SPEC, choice)] == [
        "published",
        became,
        "not-reached",
    ]
    rules = {each["rule"] for each in document["findings"]}
    if exit_code == 2:
        assert rules == {"registry/not-published"}
        assert [each["rule"] for each in problems(result.stderr)["findings"]] == [rule]
    else:
        assert rules == {"registry/not-published", rule}
        assert result.stderr == ""


def test_a_registry_that_cannot_be_read(server: LocalRegistry) -> None:
    server.faults["GET /config"] = Refused(403, 40301, "Forbidden").answer
    text = run("publish", "message.ToolSpec")
    assert (text.exit_code, text.stdout) == (2, "")
    assert "[registry/unauthorized]" in text.stderr
    assert text.stderr.endswith(f"{server.url}: nothing is published\n")
    document, subjects = report(run("publish", "message.ToolSpec", "--format", "json"))
    assert (document["unreadable"], subjects, document["passed"]) == (1, {}, False)


def test_nobody_is_there(server: LocalRegistry) -> None:
    with local_registry() as gone:
        url = gone.url
    result = run("publish", "--registry", url, "message.ToolSpec", "--format", "json")
    assert result.exit_code == 2
    (problem,) = problems(result.stderr)["findings"]
    assert problem["rule"] == "registry/unreachable"


def test_a_registry_that_is_silent(server: LocalRegistry) -> None:
    with silent(server) as hold:
        result = run("publish", "--timeout", "0.3", "message.ToolSpec")
        assert not hold.is_set()
    assert result.exit_code == 2
    assert "[registry/unreachable]" in result.stderr
    assert "Timeout" in result.stderr


def test_credentials_come_from_the_environment_and_are_not_shown(
    server: LocalRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.credentials = "alice:s3cret"
    refused = run("publish", "message.ToolSpec")
    assert refused.exit_code == 2
    monkeypatch.setenv("PARTWIRE_REGISTRY_USER", "alice")
    monkeypatch.setenv("PARTWIRE_REGISTRY_PASSWORD", "s3cret")
    result = run("publish", "message.ToolSpec", "--format", "json")
    assert result.exit_code == 0
    assert "s3cret" not in result.output
    server.credentials = "alice:another"
    wrong = run("--debug", "publish", "message.ToolSpec")
    assert wrong.exit_code == 2
    assert "s3cret" not in wrong.output
    monkeypatch.setenv("PARTWIRE_REGISTRY_TOKEN", "both")
    both = run("publish", "message.ToolSpec")
    assert (both.exit_code, "s3cret" in both.output) == (2, False)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--registry", "localhost"], "usage/invalid-argument"),
        (["--registry", "http://a:s3cret@h"], "usage/invalid-argument"),
        (["--subject-format", "{name}"], "usage/invalid-argument"),
        (["--subject-format", "{nope}"], "usage/invalid-argument"),
        (["--contract", "v9.9"], "usage/unknown-version"),
        (["message.Nope"], "usage/unknown-type"),
        (["--accept", "nothing.json"], "usage/unreadable-input"),
    ],
)
def test_wrong_usage(server: LocalRegistry, arguments: list[str], rule: str) -> None:
    result = run("publish", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"[{rule}]" in result.stderr
    assert "s3cret" not in result.stderr
    assert server.requests == []


@pytest.mark.parametrize("output_format", ["github", "gitlab", "sarif", "junit"])
def test_other_formats(server: LocalRegistry, output_format: str) -> None:
    stricter(server)
    result = run("publish", "message.ToolSpec", "--format", output_format)
    assert result.exit_code == 1
    assert "compat/required-added" in result.stdout
    assert "to be set" not in result.stdout


def test_a_report_in_a_file(server: LocalRegistry, tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    result = run("publish", "message.ToolSpec", "--dry-run", "--output-file", str(file))
    assert (result.exit_code, result.stdout) == (0, "")
    assert file.read_text("utf-8").split() == [SPEC, "new", "no", "version", "BACKWARD"]


def test_the_mock_needs_no_registry() -> None:
    result = run("publish", "--registry", "mock://local", "envelope.TaskEvent")
    assert (result.exit_code, result.stderr) == (0, "mock://local: 1 published\n")
    assert result.stdout.split() == [
        *("partwire.envelope.TaskEvent-value", "new", "no", "version", "no", "level")
    ]


def test_help_does_not_wait_for_the_client() -> None:
    code = (
        "import sys; from partwire.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = {'confluent_kafka', 'httpx', 'httpx2', 'jsonschema'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    for arguments in (["--help"], ["publish", "--help"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stderr == "[]\n"
        assert "publish" in done.stdout
