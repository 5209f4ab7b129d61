"""docs/ci.md: every key, input, hook and command is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from partwire.cli.config.paths import load_config
from partwire.cli.config.shape import config_schema
from tests.cli.runner import run
from tests.cli.test_completion import START

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "ci.md").read_text("utf-8")
YAML = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
TEMPLATE = (ROOT / "templates" / "gitlab" / "partwire.yml").read_text("utf-8")


def section(name: str) -> str:
    return GUIDE.split(f"\n## {name}\n")[1].split("\n## ")[0]


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of the tables in ``text``: the name in the first cell, and the others."""
    found = re.findall(r"^\| `([^`]+)` \|(.*)\|$", text, re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split(" |")] for name, rest in found}


def test_every_key_of_the_configuration_is_told() -> None:
    assert set(rows(section("Configuration"))) == set(config_schema()["properties"])


def test_the_configuration_that_is_shown_uses_every_key(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", section("Configuration"), re.DOTALL)
    (tmp_path / "partwire.toml").write_text(text)
    config = load_config(tmp_path)
    assert config.file is not None
    assert set(config.file.content) == set(config_schema()["properties"])
    for name, table in (("path", "paths"), ("ignore", "ignore")):
        used = {key for row in config.file.content[table] for key in row}
        assert used == set(config_schema()["definitions"][name]["properties"])


def test_what_a_slip_looks_like(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(
        r"```console\n(\$ partwire validate\n.*?)```", section("Configuration"), re.DOTALL
    )
    monkeypatch.chdir(tmp_path)
    Path("partwire.toml").write_text("[[path]]\n")
    result = run("validate")
    assert result.exit_code == 2
    assert shown == f"$ partwire validate\n{result.output}"


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    glob = 'glob = "logs/*.jsonl"\ntype = "message.ToolChoice"\n'
    Path("partwire.toml").write_text(f"[[paths]]\n{glob}")
    for name in ("logs/today.jsonl", "a.json", "b.json"):
        Path(name).write_text('"auto"\n')
    commands = re.findall(r"^partwire validate.*", GUIDE, re.MULTILINE)
    assert len(commands) >= 3
    for command in commands:
        result = run(*shlex.split(command, comments=True)[1:])
        assert result.exit_code == 0, result.output
    (accepting,) = re.findall(r"`partwire (validate --baseline[^`]*)`", GUIDE)
    Path("logs/today.jsonl").write_text('"often"\n')
    assert run(*accepting.split()).exit_code == 0
    assert run(*accepting.split()[:-1]).exit_code == 0
    Path("logs/new.jsonl").write_text('"often"\n')
    assert run(*accepting.split()[:-1]).exit_code == 1


def test_every_input_of_the_action_is_told() -> None:
    told = rows(section("GitHub"))
    inputs = {name: row["default"] for name, row in ACTION["inputs"].items()}
    assert {name: cells[0].strip("`") for name, cells in told.items()} == inputs


def test_every_variable_of_the_template_is_told() -> None:
    told = set(rows(section("GitLab")))
    head, _, jobs = TEMPLATE.partition("\n.partwire:")
    assert told == set(re.findall(r"^#   (PARTWIRE_\w+)", head, re.MULTILINE))
    assert told == set(re.findall(r"PARTWIRE_\w+", jobs))


@pytest.mark.parametrize("text", YAML, ids=range(len(YAML)))
def test_what_is_shown_of_hooks_action_and_template_exists(text: str) -> None:
    shown = yaml.safe_load(text)
    seen = list(uses(shown))
    for step in seen:
        assert set(step.get("with", {})) <= set(ACTION["inputs"])
    if "repos" in text:
        manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
        used = [hook["id"] for repository in shown["repos"] for hook in repository["hooks"]]
        assert set(used) == {hook["id"] for hook in manifest}
    elif "include" in text:
        assert shown["include"][0]["remote"].endswith("/templates/gitlab/partwire.yml")
        assert set(shown["variables"]) <= set(rows(section("GitLab")))
    else:
        assert len(seen) == 1


def uses(node: Any) -> list[dict[str, Any]]:
    """Return the steps that use the action, however deep they are."""
    if isinstance(node, list):
        return [each for item in node for each in uses(item)]
    if not isinstance(node, dict):
        return []
    if "/partwire@" in str(node.get("uses", "")):
        return [node]
    return uses(list(node.values()))


def test_the_lines_for_shells_are_those_that_are_tried() -> None:
    shells = section("Completion in a shell")
    for shell, (_, line) in START.items():
        (told,) = re.findall(rf"^.*partwire completion {shell}.*$", shells, re.MULTILINE)
        assert told in line


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", GUIDE)
    assert targets
    assert [each for each in targets if not (ROOT / "docs" / each).exists()] == []
