"""``partwire rules``: every rule in a line, found by its id or its words."""

from __future__ import annotations

import json

import pytest

from partwire.cli.report.explain import rule_row, rule_table
from partwire.contract.resources import read_rules, rule_url
from tests.cli.runner import run
from tests.reporting.report_runs import problems

RULES = read_rules()


def ids(*args: str) -> list[str]:
    result = run("rules", *args, "--lang", "en")
    assert (result.exit_code, result.stderr) == (0, "")
    return [line.split()[0] for line in result.stdout.splitlines()]


def test_every_rule_has_a_line() -> None:
    lines = run("rules", "--lang", "en").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(RULES)
    for line, row in zip(lines, RULES.values(), strict=True):
        assert line.split()[1] == row["severity"]
        assert line.endswith(f"  {row['summary']}")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("shape/re*", ["shape/required"]),
        ("*/required", ["shape/required"]),
        ("shape/m??-items", ["shape/min-items"]),
        ("SHAPE/REQ", ["shape/required"]),
        ("not integral", ["shape/integer"]),
        ("不是整数", ["shape/integer"]),
    ],
)
def test_a_pattern(pattern: str, found: list[str]) -> None:
    if pattern.isascii():
        assert ids(pattern) == found
    else:
        assert run("rules", pattern, "--lang", "zh").stdout.split()[0] == found[0]


def test_json_and_chinese() -> None:
    (row,) = json.loads(run("rules", "shape/integer", "--format", "json", "--lang", "zh").stdout)
    assert row == {
        "rule": "shape/integer",
        "lang": "zh",
        "severity": "error",
        "summary": RULES["shape/integer"]["zh"]["summary"],
        "url": rule_url("shape/integer"),
    }
    line = run("rules", "shape/integer", "--lang", "zh").stdout
    assert line == f"shape/integer  错误  {row['summary']}\n"


@pytest.mark.parametrize("words", [("no/such",), ("no/such*",), ("no/such", "--format", "json")])
def test_a_pattern_that_nothing_fits(words: tuple[str, ...]) -> None:
    result = run("rules", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    if "json" in words:
        (problem,) = problems(result.stderr)["findings"]
        assert (problem["rule"], problem["actual"]) == ("usage/unknown-rule", "no/such")
    else:
        assert "`partwire rules` lists all" in result.stderr


@pytest.mark.parametrize("command", ["rules", "explain"])
def test_a_word_of_any_length_is_said_in_short(command: str) -> None:
    result = run(command, "x" * 9_000)
    assert result.exit_code == 2
    assert 80 < max(map(len, result.stderr.splitlines())) < 200


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 200])
def test_a_line_keeps_to_the_width(language: str, width: int) -> None:
    rows = [rule_row(name, rule, language) for name, rule in RULES.items()]  # type: ignore[arg-type]
    lines = rule_table(rows, language, colour=False, width=width)  # type: ignore[arg-type]
    wide = [line for line in lines if sum(2 if ord(char) > 0x2E80 else 1 for char in line) > width]
    assert wide == []
    assert any(line.endswith("…") for line in lines) == (width == 80)


@pytest.mark.parametrize("name", ["required", "shape/requird"])
def test_explain_names_what_is_near(name: str) -> None:
    assert "  expected  shape/required" in run("explain", name).stderr


@pytest.mark.parametrize("width", [40, 80, 200])
def test_texts_of_explain_keep_to_the_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    page = run("explain", "usage/unreadable-input", "--lang", "en").stdout
    texts = page.split("Bad example")[0].splitlines()
    assert max(map(len, texts)) <= min(width, 96)
    assert max(map(len, texts)) > min(width, 96) - 20
