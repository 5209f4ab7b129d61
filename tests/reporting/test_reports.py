"""Every command that yields findings, in every format, as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from partwire.cli.report.locator import Locator
from partwire.contract.resources import read_rules, rule_url
from partwire.errors import Finding
from partwire.reporting import FORMATS, Spot
from tests.cli.runner import run
from tests.conformance.drivers import importable
from tests.reporting.report_runs import BAD, GOOD, HOSTILE, SCHEMA, checked, folder, sarif_faults

pytestmark = pytest.mark.usefixtures("importable")
__all__ = ["folder", "importable"]

Json = dict[str, Any]
COMMANDS = list(BAD)


def with_options(words: tuple[str, ...], *options: str) -> tuple[str, ...]:
    """Put options behind the command's name: a driver's own are behind the dashes."""
    return (words[0], *options, *words[1:])


def report(words: tuple[str, ...], form: str, status: int, *options: str) -> str:
    result = run(*with_options(words, "--format", form, *options))
    assert result.exit_code == status, result.output
    return result.stdout_bytes.decode("utf-8")


def test_the_schema_of_reports_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


# --- json ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_as_its_schema_says(command: str) -> None:
    bad = checked(report(BAD[command], "json", 1))
    assert (bad["command"], bad["passed"]) == (command, False)
    assert bad["errors"] == sum(each["severity"] == "error" for each in bad["findings"]) > 0
    assert sum(bad["statistics"].values()) == len(bad["findings"])
    assert {each["rule"] for each in bad["findings"]} == set(bad["statistics"]) <= set(read_rules())
    good = checked(report(GOOD[command], "json", 0))
    assert (good["findings"], good["statistics"], good["passed"]) == ([], {}, True)
    assert good["sources"] == 1
    assert good["documents"] > 0


def test_the_schema_of_reports_is_closed() -> None:
    good = checked(report(GOOD["validate"], "json", 0))
    for name in list(good):
        fewer = {key: value for key, value in good.items() if key != name}
        assert not Draft202012Validator(SCHEMA).is_valid(fewer), name
    others: list[Json] = [{"more": 1}, {"details": {}}, {"errors": -1}, {"command": "compat"}]
    for more in others:
        assert not Draft202012Validator(SCHEMA).is_valid({**good, **more}), more


def test_compat_tells_what_is_open_and_what_is_noted_as_the_schema_says() -> None:
    Path("a.json").write_text(json.dumps({"type": "string", "pattern": "^(a*)b\\1$"}))
    Path("b.json").write_text(json.dumps({"type": "string", "pattern": "^(b|a+ba+)$"}))
    told = checked(report(("compat", "a.json", "b.json", "--direction", "full"), "json", 1))
    assert "unproven" in {each["status"] for each in told["details"]["reports"][0]["verdicts"]}
    Path("c.json").write_text('{"$defs": {"A": {}, "B": {}}}')
    Path("d.json").write_text('{"$defs": {"A": {}, "C": {}}}')
    told = checked(report(("compat", "--definitions", "c.json", "d.json"), "json", 1))
    (comparison,) = told["details"]["reports"]
    assert [each["rule"] for each in comparison["notes"]] == ["compat/entrypoint-added"]
    assert {each["severity"] for each in told["findings"]} == {"error", "info"}
    assert told["infos"] == 1


def test_fingerprints_stay_where_lines_and_prose_move() -> None:
    before = checked(report(BAD["validate"], "json", 1))
    data = Path("bad.jsonl").read_bytes()
    Path("bad.jsonl").write_bytes(Path("good.jsonl").read_bytes() + data)
    words = (
        "validate",
        "--type",
        "message.MessageDelta",
        "./bad.jsonl",
        str(Path("bad.json").resolve()),
    )
    after = checked(report(words, "json", 1))
    assert [each.get("line") for each in before["findings"]] != [
        each.get("line") for each in after["findings"]
    ]
    told = [[each["fingerprint"] for each in one["findings"]] for one in (before, after)]
    assert told[0] == told[1]
    assert len(set(told[0])) > 5


# --- github, gitlab ---


@pytest.mark.parametrize("command", COMMANDS)
def test_github_has_one_command_per_finding_and_no_other_line(command: str) -> None:
    found = json.loads(report(BAD[command], "json", 1))["findings"]
    annotations = report(BAD[command], "github", 1).split("\n")
    assert annotations.pop() == ""
    assert len(annotations) == len(found)
    for line, finding in zip(annotations, found, strict=True):
        level = {"error": "error", "warning": "warning", "info": "notice"}[finding["severity"]]
        head = re.fullmatch(rf"::{level} ([^:]*)::(.*)", line)
        assert head, line
        fields = dict(field.split("=") for field in head[1].split(","))
        assert 0 < len(fields["title"]) < 200
        assert line.endswith(f" [{finding['rule']}]")
        assert unquote(fields.get("file", "")) == finding.get("source", "")
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)
    assert report(GOOD[command], "github", 0) == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_gitlab_has_one_issue_per_finding_each_with_a_fingerprint_of_its_own(command: str) -> None:
    found = json.loads(report(BAD[command], "json", 1))["findings"]
    issues = json.loads(report(BAD[command], "gitlab", 1))
    assert [each["check_name"] for each in issues] == [each["rule"] for each in found]
    assert len({each["fingerprint"] for each in issues}) == len(issues)
    for issue, finding in zip(issues, found, strict=True):
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["lines"]["begin"] == finding.get("line", 1)
        path = issue["location"]["path"]
        assert not path.startswith(("/", "./"))
        assert path == finding["source"]
    assert json.loads(report(GOOD[command], "gitlab", 0)) == []


def test_what_is_found_twice_is_two_issues_for_gitlab(folder: Path) -> None:
    (folder / "same.jsonl").write_bytes(b'{"kind": 1}\n' * 3)
    words = ("validate", "--type", "message.MessageDelta", *["same.jsonl"] * 2, "bad.json")
    issues = json.loads(report(words, "gitlab", 1))
    assert len({each["fingerprint"] for each in issues}) == len(issues) == 7
    again = json.loads(report(words, "gitlab", 1))
    assert again == issues


def test_an_issue_stays_the_same_for_gitlab_when_another_is_gone(folder: Path) -> None:
    words = ("validate", "--type", "message.ToolChoice", "t.jsonl")
    (folder / "t.jsonl").write_bytes(b'"often"\n"often"\n"often"\n')
    before = json.loads(report(words, "gitlab", 1))
    (folder / "t.jsonl").write_bytes(b'"auto"\n"often"\n"auto"\n')
    (left,) = json.loads(report(words, "gitlab", 1))
    assert left == before[1]


# --- sarif ---


@pytest.mark.parametrize("command", COMMANDS)
def test_sarif_is_as_oasis_says(command: str) -> None:
    found = json.loads(report(BAD[command], "json", 1))["findings"]
    log = json.loads(report(BAD[command], "sarif", 1))
    assert sarif_faults(log) == []
    (one,) = log["runs"]
    rules = one["tool"]["driver"]["rules"]
    assert len({each["id"] for each in rules}) == len(rules)
    for result, finding in zip(one["results"], found, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding["rule"]
        assert result["partialFingerprints"] == {"partwire/v1": finding["fingerprint"]}
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        region = {"startLine": finding.get("line", 1)}
        assert physical["region"] == region | (
            {"startColumn": finding["column"]} if "column" in finding else {}
        )
        assert unquote(physical["artifactLocation"]["uri"]) == finding["source"]
    for rule in rules:
        row = read_rules()[rule["id"]]
        assert rule["shortDescription"]["text"] == row["summary"]
        assert row["reason"] in rule["help"]["text"]
        assert rule["helpUri"] == rule_url(rule["id"])
        assert not any(number in rule["help"]["text"] for number in row["requirements"])
    assert one["invocations"] == [{"executionSuccessful": True}]
    good = json.loads(report(GOOD[command], "sarif", 0))
    assert sarif_faults(good) == []
    assert good["runs"][0]["results"] == []


def test_the_schema_of_sarif_sees_what_is_wrong() -> None:
    log = json.loads(report(BAD["history"], "sarif", 1))
    del log["runs"][0]["results"][0]["message"]
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert len(sarif_faults(log)) == 2


def test_sarif_says_what_could_not_be_read(folder: Path) -> None:
    (folder / "köln b.json").mkdir()
    words = ("validate", "--type", "message.Message", "köln b.json", "none.json", "/no/such")
    log = json.loads(report(words, "sarif", 2))
    assert sarif_faults(log) == []
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    places = [
        each["locations"][0]["physicalLocation"]["artifactLocation"]
        for each in invocation["toolExecutionNotifications"]
    ]
    assert [each["uri"] for each in places] == [
        "k%C3%B6ln%20b.json",
        "none.json",
        "file:///no/such",
    ]
    assert [each.get("uriBaseId") for each in places] == ["%SRCROOT%", "%SRCROOT%", None]


def test_a_viewer_finds_no_link_in_what_a_document_says() -> None:
    text = report(BAD["validate"], "sarif", 1)
    assert "javascript:alert" in text
    messages = [each["message"]["text"] for each in json.loads(text)["runs"][0]["results"]]
    assert not any(re.search(r"(?<!\\)\](?=\()", each) for each in messages)


# --- junit ---


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "conformance"])
def test_junit_has_one_case_per_finding_and_counts_them(command: str) -> None:
    found = json.loads(report(BAD[command], "json", 1))["findings"]
    root = ElementTree.fromstring(report(BAD[command], "junit", 1))
    assert root.tag == "testsuites"
    suites = root.findall("testsuite")
    cases = [case for suite in suites for case in suite.findall("testcase")]
    failures = [case.find("failure") for case in cases if case.find("failure") is not None]
    assert len(failures) == sum(each["severity"] == "error" for each in found)
    for element, tag in [(root, "testsuite/testcase"), *((suite, "testcase") for suite in suites)]:
        assert int(element.get("tests", "")) == len(element.findall(tag))
        assert int(element.get("failures", "")) == len(element.findall(f"{tag}/failure"))
        assert int(element.get("errors", "")) == len(element.findall(f"{tag}/error"))
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names)
    assert all(case.get("name") and case.get("file") for case in cases)
    good = ElementTree.fromstring(report(GOOD[command], "junit", 0))
    assert (good.get("tests"), good.get("failures"), good.get("errors")) == ("1", "0", "0")
    (case,) = good.findall("testsuite/testcase")
    assert list(case) == []


def test_junit_tells_an_unreadable_source_as_an_error() -> None:
    words = ("validate", "--type", "message.MessageDelta", "none.json", "good.jsonl")
    root = ElementTree.fromstring(report(words, "junit", 2))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "0", "1")
    assert [suite.get("name") for suite in root] == ["none.json", "good.jsonl"]


def test_junit_shows_a_warning_as_output_of_a_test_that_passes(folder: Path) -> None:
    task = {
        "message_id": "6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
        "sent_at": "2025-07-15T02:03:04Z",
        "schema_version": "v0.1",
        "task_id": "190efc4c-3094-41d4-a6dc-4a0e140bd73e",
        "payload": {},
        "retry_count": 4,
        "max_attempts": 3,
    }
    (folder / "t.json").write_text(json.dumps(task))
    root = ElementTree.fromstring(
        report(("validate", "--type", "envelope.TaskEvent", "t.json"), "junit", 0)
    )
    assert root.get("failures") == "0"
    assert "retry" in (root.findtext("testsuite/system-out") or "")


# --- text ---


@pytest.mark.parametrize("command", COMMANDS)
def test_text_steers_no_terminal_and_no_runner(command: str) -> None:
    text = report(BAD[command], "text", 1)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", text)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_a_file_named_like_a_workflow_command_is_none(folder: Path) -> None:
    name = "::error title=x::forged.json"
    (folder / name).write_text("{}")
    text = report(("validate", "--type", "message.Message", name), "text", 1)
    assert text.startswith(f"./{name}: ")


@pytest.mark.parametrize("form", FORMATS)
def test_hostile_values_are_told_and_kept_short(form: str) -> None:
    text = report(BAD["validate"], form, 1, "--max-shown", "0")
    assert len(text) < 40_000
    assert "forged" in text
    if form == "junit":
        cases = ElementTree.fromstring(text).iter("testcase")
        assert all(case.get("name") != "forged" for case in cases)


@pytest.mark.parametrize("form", FORMATS)
def test_stdin_has_no_place_in_the_repository(form: str) -> None:
    result = run(
        "validate", "--type", "message.Message", "--format", form, "-", stdin=b'{"role": 1}'
    )
    assert result.exit_code == 1
    if form == "sarif":
        log = json.loads(result.stdout)
        assert sarif_faults(log) == []
        assert "physicalLocation" not in log["runs"][0]["results"][0]["locations"][0]
    elif form == "gitlab":
        assert json.loads(result.stdout)[0]["location"]["path"] == "<stdin>"


def test_the_longest_of_names_is_among_the_hostile_values() -> None:
    assert max(map(len, HOSTILE)) == 100_000


# --- lines in documents that are not lines --------------------------------------------------------


def pretty(role: Any) -> str:
    message = {"runId": "run_1", "role": role, "parts": [], "timestamp": "2026-01-02T03:04:05Z"}
    return json.dumps(message, indent=2)


@pytest.mark.parametrize("form", ["github", "gitlab", "sarif", "junit"])
def test_a_finding_in_a_document_is_shown_at_its_line(form: str, folder: Path) -> None:
    (folder / "m.json").write_text(pretty("robot"))
    text = report(("validate", "--type", "message.Message", "m.json"), form, 1)
    if form == "gitlab":
        line = json.loads(text)[0]["location"]["lines"]["begin"]
    elif form == "sarif":
        (result,) = json.loads(text)["runs"][0]["results"]
        line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
    else:
        line = int((re.search(r'line="?(\d+)', text) or [0, 0])[1])
    assert line == 3
    told = checked(report(("validate", "--type", "message.Message", "m.json"), "json", 1))
    assert (told["findings"][0]["line"], told["findings"][0]["column"]) == (3, 3)


def test_a_message_of_an_array_is_shown_at_its_line(folder: Path) -> None:
    orphan = {"kind": "tool_result", "payload": {"toolCallId": "c1", "isError": False}}
    messages = [json.loads(pretty("user")), {**json.loads(pretty("tool")), "parts": [orphan]}]
    (folder / "h.json").write_text(json.dumps(messages, indent=1))
    found = checked(report(("history", "h.json"), "json", 1))["findings"]
    lines = [
        each["location"]["lines"]["begin"]
        for each in json.loads(report(("history", "h.json"), "gitlab", 1))
    ]
    text = (folder / "h.json").read_text().splitlines()
    assert len(lines) == len(found) > 0
    at = {each["pointer"]: text[line - 1] for each, line in zip(found, lines, strict=True)}
    assert at == {"/1/parts/0/payload": '    "payload": {'}


@pytest.mark.parametrize("content", ["[" * 50_000, '{"a": ', "{} {}", "\udcff"])
def test_a_file_that_has_changed_meanwhile_has_no_lines(content: str, folder: Path) -> None:
    (folder / "m.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    locator = Locator()
    found = Finding("shape/type", "No", "/a/0")
    assert locator.locate(found._replace(source="m.json")).line in (None, 1)
    for source in (None, "none.json", ".", "\0"):
        assert locator.locate(found._replace(source=source)) == Spot()
    assert locator.locate(found._replace(source="m.json", line=7)) == Spot(7)


def test_a_large_file_is_not_read_again(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "m.json").write_text(pretty("robot"))
    finding = Finding("shape/enum", "No", "/role", source="m.json")
    assert Locator().locate(finding)[:2] == (3, 3)
    monkeypatch.setattr("partwire.cli.report.locator._MOST_BYTES", 10)
    assert Locator().locate(finding) == Spot()
