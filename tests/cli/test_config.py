"""What the configuration decides: types, files, findings that are left out, and defaults."""

from __future__ import annotations

import json
import os
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from partwire.cli.config.configured import configured_files
from partwire.cli.config.globs import fits
from partwire.cli.config.ignores import IgnoreFilter
from partwire.cli.config.paths import load_config
from partwire.cli.config.shape import config_schema
from partwire.errors import Finding, UsageError
from tests.cli.config_texts import ROW, write
from tests.cli.runner import run

pytestmark = pytest.mark.usefixtures("empty_folder")


# --- what it decides ------------------------------------------------------------------------------


def test_the_first_row_that_fits_decides_and_excluded_files_have_none() -> None:
    write(
        "partwire.toml",
        'contract = "v0.1"\nexclude = ["**/broken/**"]\n'
        '[[paths]]\nglob = "old/**"\ntype = "message.Message"\n'
        '[[paths]]\nglob = "**/*.jsonl"\ntype = "message.MessageDelta"\nversion = "v0.2"\n',
    )
    config = load_config(Path())
    rows = {
        name: config.row_of(Path(name))
        for name in ("old/a.jsonl", "new/a.jsonl", "new/broken/a.jsonl", "new/a.json", "../a.jsonl")
    }
    told = {name: row and (row.type, config.version_of(row)) for name, row in rows.items()}
    assert told == {
        "old/a.jsonl": ("message.Message", "v0.1"),
        "new/a.jsonl": ("message.MessageDelta", "v0.2"),
        "new/broken/a.jsonl": None,
        "new/a.json": None,
        "../a.jsonl": None,
    }


def test_the_files_that_a_configuration_names(tmp_path: Path) -> None:
    kept = ["a.json", "b/c/d.json", "b/e.jsonl", ".hidden/g.json", "z/.config/h.json"]
    left = [".git/a.json", "b/.cache/a.json", "env/lib/a.json", "node_modules/a/a.json", "b/a.txt"]
    left += ["b/__pycache__/a.json", "broken/a.json", "z/.config/.more/a.json"]
    for name in (*kept, *left, "env/pyvenv.cfg"):
        write(name)
    write("elsewhere/x.json")
    (tmp_path / "b" / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    rows = ["**/*.json", "b/*.jsonl", ".hidden/*.json", "z/.config/**", "elsewhere.json"]
    write("known.json", "[]")
    text = 'exclude = ["broken/**", "elsewhere/**"]\nbaseline = "known.json"\n' + "".join(
        map(ROW.format, rows)
    )
    write("partwire.toml", text)
    found = [
        path.relative_to(tmp_path).as_posix() for path in configured_files(load_config(Path()))
    ]
    assert found == sorted(kept, key=Path)


def test_a_folder_that_nobody_may_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    write("partwire.toml", ROW.format("**/*.json"))
    write("a.json")
    Path("closed").mkdir()
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(UsageError) as caught:
        configured_files(load_config(Path()))
    (finding,) = caught.value.findings
    assert (finding.rule, finding.source) == ("usage/unreadable-input", "closed")


@pytest.mark.parametrize("text", ["", 'contract = "v0.2"\n', ROW.format("logs/*.json")])
def test_no_configured_file_is_an_error(text: str) -> None:
    write("partwire.toml", text)
    write("a.json")
    with pytest.raises(UsageError) as caught:
        configured_files(load_config(Path()))
    assert caught.value.rule == "usage/unreadable-input"


def test_what_is_ignored_where_and_until_when() -> None:
    write(
        "partwire.toml",
        '[[ignore]]\nrule = "shape/enum"\nreason = "old"\npaths = ["old/**"]\n'
        '[[ignore]]\nrule = "shape/type"\nreason = "soon"\nuntil = 2026-05-01\n'
        '[[ignore]]\nrule = "shape/null"\nreason = "over"\nuntil = 2026-04-30\n'
        '[[ignore]]\nrule = "shape/const"\nreason = "over, and fixed"\nuntil = 2026-04-30\n',
    )
    ignored = IgnoreFilter(load_config(Path()), date(2026, 5, 1))

    def at(rule: str, source: str | None) -> bool:
        return ignored.ignores(Finding(rule, "m", source=source))

    assert at("shape/enum", "old/a.json")
    assert at("shape/enum", str(Path("old/a.json").resolve()))
    assert not at("shape/enum", "new/a.json")
    assert not at("shape/enum", None)
    assert at("shape/type", None)
    assert not at("shape/null", "old/a.json")
    assert not at("shape/required", "old/a.json")
    (finding,) = ignored.findings()
    assert (finding.rule, finding.severity) == ("config/ignore-expired", "warning")
    assert (finding.pointer, finding.line) == ("/ignore/2/until", 12)
    assert "over" in finding.message


def test_nothing_is_ignored_without_a_configuration() -> None:
    ignored = IgnoreFilter(load_config(Path()), date(2026, 5, 1))
    assert not ignored.ignores(Finding("shape/enum", "m"))
    assert ignored.findings() == []


@pytest.mark.parametrize(
    ("glob", "path", "good"),
    [
        ("*", "a", True),
        ("*", "a/b", False),
        ("**", "a/b", True),
        ("**/a", "a", True),
        ("**/a", "ba", False),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("a?c", "a/c", False),
        ("a", "a\n", False),
        ("", "", True),
    ],
)
def test_what_fits_a_glob(glob: str, path: str, good: bool) -> None:
    assert fits(glob, path) is good


def test_without_files_all_that_is_configured_is_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    write("partwire.toml", ROW.format("**/*.json").replace("Message", "ToolChoice"))
    write("a.json", '"auto"')
    write("[b]/c*.json", '"often"')
    write(".venv/d.json", "{}")
    result = run("validate")
    assert result.exit_code == 1
    assert re.findall(r"^\S+: ", result.stdout, re.MULTILINE) == ["[b]/c*.json: "]
    assert result.stderr == "2 documents in 2 sources: 1 error\n"
    monkeypatch.chdir("[b]")
    result = run("validate")
    assert re.findall(r"^\S+: ", result.stdout, re.MULTILINE) == ["c*.json: "]
    assert result.stderr == "2 documents in 2 sources: 1 error\n"


def test_without_files_and_without_a_configuration_nothing_passes() -> None:
    write("a.json", '"auto"')
    result = run("validate")
    assert result.exit_code == 2
    assert "No FILE is given, and none configured" in result.stderr


def test_files_without_a_type_are_left_out_if_that_is_asked_for() -> None:
    write("partwire.toml", ROW.format("m.json").replace("Message", "ToolChoice"))
    write("m.json", '"auto"')
    write("other.json", "{}")
    assert run("validate", "m.json", "other.json").exit_code == 2
    result = run("validate", "--configured-only", "m.json", "other.json", "../x.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "1 document in 1 source: valid\nleft out, since no row names a type: 2\n"
    )
    result = run("validate", "--configured-only", "--type", "message.Message", "other.json")
    assert result.exit_code == 1


def test_a_row_has_a_version_of_its_own() -> None:
    """turnId of a message came with v0.2; before it was a member like any other."""
    message = {"runId": "r", "role": "user", "timestamp": "2026-01-02T03:04:05Z", "parts": []}
    text = json.dumps({**message, "turnId": 5})
    write("new.json", text)
    write("old.json", text)
    rows = ROW.format("new.json") + ROW.format("old.json") + 'version = "v0.1"\n'
    write("partwire.toml", rows)
    result = run("validate")
    assert result.exit_code == 1
    assert re.findall(r"^(\S+):1:\d+: (.*)", result.stdout, re.MULTILINE) == [
        ("new.json", "Not a string but a number [shape/type]"),
        ("old.json", "The type names no such member [shape/unknown-member]"),
    ]
    assert run("validate", "--contract", "v0.1").exit_code == 0
    write("partwire.toml", 'contract = "v0.1"\n' + rows.replace('"v0.1"', '"v0.2"'))
    result = run("validate")
    assert re.findall(r"^old.json:1:\d+: (.*)", result.stdout, re.MULTILINE) == [
        "Not a string but a number [shape/type]"
    ]


def test_a_history_is_of_its_row_s_version() -> None:
    """The assistant answers with files from v0.2 on."""
    message = {"runId": "r", "role": "assistant", "timestamp": "2026-01-02T03:04:05Z"}
    parts = [{"kind": "file_ref", "payload": {"path": "notes/plan.md"}}]
    write("h.jsonl", json.dumps({**message, "parts": parts}) + "\n")
    assert run("history", "h.jsonl").exit_code == 0
    write("partwire.toml", ROW.format("h.jsonl") + 'version = "v0.1"\n')
    assert run("history", "h.jsonl").exit_code == 1
    assert run("history", "h.jsonl", "--contract", "v0.2").exit_code == 0


ENUM = '[[ignore]]\nrule = "shape/enum"\npaths = ["old.json"]\nreason = "old"\n'


def test_ignored_findings_are_counted_and_nothing_else() -> None:
    write("partwire.toml", ROW.format("*.json").replace("Message", "ToolChoice") + ENUM)
    write("old.json", '"often"')
    write("new.json", '"often"')
    result = run("validate", "old.json", "new.json")
    assert result.exit_code == 1
    assert re.findall(r"^\S+: ", result.stdout, re.MULTILINE) == ["new.json: "]
    assert result.stderr == "2 documents in 2 sources: 1 error, 1 ignored\n"
    report = json.loads(run("validate", "--format", "json", "old.json").stdout)
    assert (report["findings"], report["ignored"], report["errors"]) == ([], 1, 0)
    assert report["passed"] is True
    write("partwire.toml", Path("partwire.toml").read_text() + "until = 2020-01-01\n")
    result = run("validate", "old.json")
    assert result.exit_code == 1
    assert "partwire.toml:8: shape/enum was ignored until 2020-01-01" in result.stdout
    assert result.stderr == "1 document in 1 source: 1 error, 1 warning\n"


def test_defaults_give_way_to_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    write("m.json", '"often"')
    row = ROW.format("**/*.json").replace("Message", "ToolChoice")
    write("partwire.toml", f'format = "github"\nbaseline = "known/all.json"\n{row}')
    missing = run("validate", "m.json")
    assert missing.exit_code == 2
    assert str(Path("known/all.json")) in missing.stderr
    write("known/all.json", "[]")
    assert run("validate", "m.json").stdout.startswith("::error file=m.json")
    assert run("validate", "m.json", "--format", "text").stdout.startswith("m.json: ")
    monkeypatch.setenv("PARTWIRE_FORMAT", "text")
    assert run("validate", "m.json").stdout.startswith("m.json: ")
    assert run("validate", "m.json", "--baseline-update").exit_code == 0
    assert json.loads(Path("known/all.json").read_text())[0]["rule"] == "shape/enum"
    result = run("validate", "m.json")
    assert (result.exit_code, result.stdout) == (0, "")
    Path("below").mkdir()
    monkeypatch.chdir("below")
    result = run("validate", "../m.json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "1 accepted" in result.stderr
    # GitHub wants paths of the repository.
    write("n.json", '"often"')
    result = run("validate", "--format", "github", "n.json")
    assert result.exit_code == 1
    assert result.stdout.startswith("::error file=below/n.json,")


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_a_project_within_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Hosts look for the paths of the repository, a baseline for those of the project."""
    write("sub/partwire.toml", ROW.format("**/m.json").replace("Message", "ToolChoice"))
    write("sub/a/m.json", '"often"')
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir("sub/a")
    assert run("validate", "--format", "github").stdout.startswith("::error file=sub/a/m.json,")
    (issue,) = json.loads(run("validate", "--format", "gitlab").stdout)
    assert issue["location"]["path"] == "sub/a/m.json"
    sarif = json.loads(run("validate", "--format", "sarif").stdout)
    (place,) = sarif["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "sub/a/m.json"
    assert run("validate", "--baseline", "known.json", "--baseline-update").exit_code == 0
    assert json.loads(Path("known.json").read_text())[0]["source"] == "a/m.json"
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert run("validate", "--format", "github").stdout.startswith("::error file=a/m.json,")


def test_the_format_of_the_configuration_is_for_its_errors_too() -> None:
    write("partwire.toml", 'format = "json"\n' + ROW.format("*.json"))
    result = run("validate", "missing.json")
    assert result.exit_code == 2
    assert json.loads(result.stderr)["findings"][0]["rule"] == "usage/unreadable-input"


# --- partwire config ------------------------------------------------------------------------------


def test_the_command_shows_what_was_read() -> None:
    write(
        "partwire.toml",
        'contract = "v0.1"\nformat = "github"\nbaseline = "known.json"\nexclude = ["b.json"]\n'
        'schemas = ["schemas"]\n'
        + ROW.format("*.json")
        + ROW.format("*.jsonl")
        + '[[ignore]]\nrule = "shape/enum"\npaths = ["a.json"]\nreason = "old"\n'
        + "until = 2027-01-31\n",
    )
    write("a.json")
    write("b.json")
    Path("below").mkdir()
    result = run("config")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "partwire.toml\n"
        "  contract  v0.1\n"
        "  format    github\n"
        "  baseline  known.json\n"
        "  paths     *.json: message.Message v0.1, 1 file\n"
        "  paths     *.jsonl: message.Message v0.1, 0 files\n"
        "  exclude   b.json\n"
        "  schemas   schemas\n"
        "  ignore    shape/enum in a.json until 2027-01-31: old\n"
    )
    shown = json.loads(run("config", "--format", "json").stdout)
    assert (shown["file"], shown["paths"][0]["files"]) == ("partwire.toml", 1)
    assert shown["ignore"][0]["until"] == "2027-01-31"


def test_the_command_tells_the_type_of_a_file() -> None:
    write("partwire.toml", ROW.format("*.json") + 'version = "v0.1"\n')
    result = run("config", "a.json")
    assert (result.exit_code, result.stdout) == (0, "a.json: message.Message v0.1, by *.json\n")
    result = run("config", "a.json", "b/a.json", "--format", "json")
    assert result.exit_code == 1
    assert [row["type"] for row in json.loads(result.stdout)["files"]] == ["message.Message", None]
    assert run("config", "b/a.json").stdout == "b/a.json: no type: excluded, or no row fits\n"


def test_the_command_without_a_configuration_and_with_a_bad_one() -> None:
    result = run("config")
    assert result.exit_code == 0
    assert result.stdout.startswith("no configuration: ")
    write("partwire.toml", "formt = 1\n")
    assert json.loads(run("config", "--schema").stdout) == config_schema()
    result = run("config")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("partwire.toml:1: Unknown key; did you mean format?")
