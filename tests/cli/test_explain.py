"""``partwire explain``: rules and losses in two languages, on paper and as JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from click.testing import CliRunner

from partwire.cli import main
from partwire.cli.report.explain import json_lines, language_of, wrapped
from partwire.contract.resources import read_loss_texts, read_rules, rule_url

RULES = read_rules()
SPECIMENS = ["shape/required", "compat/bound-relaxed", "service/too-large", "migrate/file-changed"]


def explained(*args: str, **environment: str) -> str:
    result = CliRunner().invoke(main, ["explain", *args], env=environment, catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def joined(text: str) -> str:
    """Return a text without the blanks between its words, which wrapping moves."""
    return "".join(text.split())


# --- text ---------------------------------------------------------------------------------------


def test_a_rule_on_paper() -> None:
    assert explained("shape/integer", "--lang", "en") == (
        "shape/integer  (error)\n"
        "  The number is not integral.\n"
        "\n"
        "  Why\n"
        "    Counts, positions and milliseconds are whole. A fraction would be cut by one\n"
        "    reader and rounded by the next.\n"
        "\n"
        "  Bad example\n"
        "    validate\n"
        "      type: message.UsageSummary\n"
        '      document: {"inputTokens": 12, "outputTokens": 7.5, "totalTokens": 19}\n'
        "\n"
        "  Good example\n"
        "    validate\n"
        "      type: message.UsageSummary\n"
        '      document: {"inputTokens": 12, "outputTokens": 7, "totalTokens": 19}\n'
        "\n"
        "  Its page: https://partwire.dev/rules/shape/integer.html\n"
    )


def test_a_rule_on_paper_in_chinese() -> None:
    assert explained("usage/unreadable-input", "--lang", "zh") == (
        "usage/unreadable-input  （错误）\n"
        "  输入必须可读。\n"
        "\n"
        "  原因\n"
        "    不存在的文件当然没有错误；若直接跳过，什么都没检查也会算作成功。\n"
        "\n"
        "  错误示例\n"
        "    $ partwire validate --type message.ToolChoice chioce.json\n"
        "    choice.json:\n"
        '      "auto"\n'
        "\n"
        "  正确示例\n"
        "    $ partwire validate --type message.ToolChoice choice.json\n"
        "    choice.json:\n"
        '      "auto"\n'
        "\n"
        "  网页：https://partwire.dev/rules/usage/unreadable-input.html\n"
    )


def told(example: Any) -> list[str]:
    """Return every text of an example that has to be readable as it is."""
    if isinstance(example, dict):
        return [text for value in example.values() for text in told(value)]
    if isinstance(example, list):
        return [text for value in example for text in told(value)]
    return [example] if isinstance(example, str) else []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_rule_is_told_whole(language: str) -> None:
    for rule, row in RULES.items():
        page = explained(rule, "--lang", language)
        texts = row if language == "en" else row["zh"]
        seen = joined(page)
        assert joined(texts["summary"]) in seen, rule
        assert joined(texts["reason"]) in seen, rule
        for kind in ("bad", "good"):
            for text in told(row["examples"].get(kind)):
                escaped = json.dumps(text, ensure_ascii=False)[1:-1]
                assert joined(text) in seen or joined(escaped) in seen, (rule, text)
        if "none" in row["examples"]:
            none = row["examples"]["none" if language == "en" else "zh"]
            assert joined(none) in seen, rule
        assert page.count("\n") < 85, rule


def test_every_loss_is_told_in_chinese() -> None:
    names = {"losses": "文档", "migration_losses": "版本"}
    for name, table in read_loss_texts().items():
        for code, words in table.items():
            page = explained(code, "--lang", "zh")
            assert words in page
            if name in names:
                assert f"  {names[name]}：{words}（" in page


def test_lines_of_a_stream_stay_lines() -> None:
    page = explained("stream/duplicate-start", "--lang", "en")
    deltas = [json.loads(line) for line in page.splitlines() if '"seq"' in line]
    assert [delta["kind"] for delta in deltas] == ["start", "start", "done", "start", "done"]


# --- language -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "zh-Hans"}, "zh"),
        ({"LANG": "ZH_SG"}, "zh"),
        ({"LANG": "Chinese_China.936"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zha"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANGUAGE": "zh_CN:en"}, "zh"),
        ({"LANGUAGE": "en:zh"}, "en"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_GB.UTF-8"}, "zh"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_GB"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8", "LANGUAGE": "zh"}, "en"),
        ({"LC_MESSAGES": "en_GB", "LANG": "zh_CN"}, "en"),
        ({"LANG": "fr_FR", "LANGUAGE": "zh"}, "en"),
    ],
)
def test_the_environment_says_the_language(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language


EMPTY = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": "", "LANGUAGE": ""}


def test_an_option_says_it_before_the_environment() -> None:
    chinese = explained("shape/type", "--lang", "zh", **EMPTY)
    english = explained("shape/type", "--lang", "en", **EMPTY)
    assert "原因" in chinese
    assert "Why" in english
    assert explained("shape/type", **EMPTY) == english
    assert explained("shape/type", **{**EMPTY, "LANG": "zh_CN.UTF-8"}) == chinese
    assert explained("shape/type", "--lang", "en", **{**EMPTY, "LC_ALL": "zh_CN"}) == english


def test_there_are_two_languages() -> None:
    result = CliRunner().invoke(main, ["explain", "--lang", "fr", "shape/type"])
    assert result.exit_code == 2
    assert "'en', 'zh'" in result.stderr


# --- JSON ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", SPECIMENS)
def test_a_rule_as_json(rule: str) -> None:
    row = RULES[rule]
    english = json.loads(explained("--format", "json", "--lang", "en", rule))
    chinese = json.loads(explained("--format", "json", "--lang", "zh", rule))
    left_out = ("zh", "examples", "requirements")  # numbers that mean nothing to users
    rest = {name: value for name, value in row.items() if name not in left_out}
    rest["url"] = rule_url(rule)
    examples = {name: value for name, value in row["examples"].items() if name != "zh"}
    assert english == {"rule": rule, "lang": "en", **rest, "examples": examples}
    if "none" in examples:
        examples["none"] = row["examples"]["zh"]
    expected = {"rule": rule, "lang": "zh", **rest, **row["zh"], "examples": examples}
    assert chinese == expected
    assert "zh" in RULES[rule]  # what is shown is a copy


def test_a_loss_as_json_in_chinese() -> None:
    assert json.loads(explained("--format", "json", "--lang", "zh", "run-id")) == {
        "loss": "run-id",
        "lang": "zh",
        "meanings": [
            {
                "conversion": conversion,
                "severity": "lossy",
                "detail": read_loss_texts()[name]["run-id"],
            }
            for name, conversion in (
                ("losses", "documents"),
                ("delta_losses", "deltas to chunks"),
                ("format_losses", "formats of others to messages"),
            )
        ],
    }


def test_an_unknown_rule_is_a_line_of_json() -> None:
    result = CliRunner().invoke(main, ["explain", "--format", "json", "stream/not-don"])
    assert (result.exit_code, result.stdout) == (2, "")
    (finding,) = json.loads(result.stderr)["findings"]
    assert finding["rule"] == "usage/unknown-rule"
    assert "stream/not-done" in finding["expected"]


# --- colour and shape ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SPECIMENS, "run-id"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_colour_changes_no_word(name: str, language: str) -> None:
    plain = explained(name, "--lang", language, NO_COLOR="", FORCE_COLOR="")
    coloured = explained(name, "--lang", language, NO_COLOR="", FORCE_COLOR="1")
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert explained(name, "--lang", language, NO_COLOR="1", FORCE_COLOR="1") == plain


@pytest.mark.parametrize("width", [8, 20, 92])
def test_chinese_breaks_between_characters(width: int) -> None:
    for row in RULES.values():
        text = row["zh"]["reason"]
        lines = wrapped(text, "zh", width)
        assert joined("".join(lines)) == joined(text)
        for line in lines:
            assert line[0] not in "，。；：、）" + " "
            assert not line.endswith(" ")
        for line, behind in pairwise(lines):
            # A word is never parted: what breaks between two of them was a blank.
            if line[-1].isascii() and behind[0].isascii():
                assert f"{line[-1]} {behind[0]}" in text


def test_chinese_columns_count_twice() -> None:
    assert wrapped("一二三四五", "zh", 6) == ["一二三", "四五"]
    assert wrapped("一二三，四", "zh", 6) == ["一二", "三，四"]
    assert wrapped("用 schema 检查", "zh", 9) == ["用 schema", "检查"]


@pytest.mark.parametrize(
    "value",
    [{}, [], "text", None, {"a": []}, [[1, {"b": "x" * 90}], {"c": ["y" * 40] * 3}], {"": {"": 1}}],
    ids=json.dumps,
)
def test_json_is_parted_where_it_is_long(value: Any) -> None:
    lines = json_lines(value, 60, 60)
    assert json.loads("\n".join(lines)) == value
    assert len(lines) == 1 or len(json.dumps(value)) > 60
    assert all(len(line) <= 60 or '"x' in line for line in lines)
    assert json_lines(value, 1000) == [json.dumps(value)]
    wide = json_lines(value, 60, 1000)
    assert json.loads("\n".join(wide)) == value
    assert not isinstance(value, list) or len(wide) in (1, len(value) + 2)


def test_names_complete() -> None:
    environment = {
        "_PARTWIRE_COMPLETE": "zsh_complete",
        "COMP_WORDS": "partwire explain shape/ma",
        "COMP_CWORD": "2",
    }
    result = CliRunner().invoke(main, [], env=environment, prog_name="partwire")
    names = result.stdout.split("\n")[1::3]
    assert names == ["shape/max-length", "shape/maximum"]


# --- cost ---------------------------------------------------------------------------------------

CALL = "from partwire.cli import main\nmain({}, standalone_mode=False)"
READS = """
import builtins, pathlib, sys
read = []
def hook(event, args):
    if event == "open" and isinstance(args[0], (str, pathlib.Path)):
        path = pathlib.Path(args[0])
        read.append("rules" if path.parent.name == "rules" else path.name)
sys.addaudithook(hook)
{what}
print(sorted(set(read) & set(("rules", "losses.json"))))
"""


@pytest.mark.parametrize(
    ("what", "read"),
    [
        ("import partwire", []),
        (CALL.format(["validate", "--type", "message.ToolChoice", "a.json"]), []),
        (CALL.format(["explain", "--lang", "zh", "run-id"]), ["losses.json", "rules"]),
    ],
    ids=["import", "validate", "explain"],
)
def test_texts_are_read_for_nobody_else(what: str, read: list[str], tmp_path: Any) -> None:
    (tmp_path / "a.json").write_text('"auto"')
    run = subprocess.run(
        [sys.executable, "-c", READS.format(what=what)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == str(read)
