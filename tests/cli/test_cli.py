"""The command line as a whole: schema, explain, help, errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import partwire
from partwire import __version__
from partwire.blocks import CHUNK_LOSSES, DELTA_LOSSES
from partwire.cli import main
from partwire.cli.lazy import CommandTable, LazyGroup
from partwire.cli.main import COMMANDS
from partwire.contract.resources import read_rules
from partwire.convert import LOSSES
from tests.cli.runner import STREAM, lines, run

pytestmark = pytest.mark.usefixtures("empty_folder")

LOSS_TABLES = {
    "documents": LOSSES,
    "chunks to deltas": CHUNK_LOSSES,
    "deltas to chunks": DELTA_LOSSES,
}


# --- schema and explain ---


def test_schema_list_names_public_types_with_their_description() -> None:
    result = run("schema", "list")
    assert result.exit_code == 0
    rows = result.stdout.splitlines()
    assert any(row.startswith("message.Message ") for row in rows)
    assert any(row.endswith("(reserved)") for row in rows)
    assert not any(row.startswith("message.TextPayload") for row in rows)
    assert len(run("schema", "list", "--all").stdout.splitlines()) > len(rows)


@pytest.mark.parametrize(("draft", "keyword"), [("2020-12", "$defs"), ("draft-07", "definitions")])
def test_schema_show_and_bundle_print_json_schemas(draft: str, keyword: str) -> None:
    shown = json.loads(run("schema", "show", "message.ToolSpec", "--draft", draft).stdout)
    assert shown["$ref"] == f"#/{keyword}/ToolSpec"
    assert "MessageDelta" not in shown[keyword]
    bundle = json.loads(run("schema", "bundle", "message", "--draft", draft).stdout)
    assert "MessageDelta" in bundle[keyword]


@pytest.mark.parametrize(
    ("args", "rule"),
    [
        (["schema", "show", "nope"], "usage/unknown-type"),
        (["schema", "bundle", "nope"], "usage/unknown-family"),
        (["schema", "list", "--contract", "v7"], "usage/unknown-version"),
        (["explain", "stream/nope"], "usage/unknown-rule"),
    ],
)
def test_unknown_names_exit_2_with_their_rule(args: list[str], rule: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"[{rule}]" in result.stderr


def test_explain_tells_every_rule() -> None:
    for rule, row in read_rules().items():
        result = run("explain", "--lang", "en", rule)
        assert result.exit_code == 0
        assert row["summary"] in " ".join(result.stdout.split())
    as_json = json.loads(run("explain", "--format", "json", "shape/required").stdout)
    assert as_json["rule"] == "shape/required"


def test_explain_tells_every_loss() -> None:
    for name, table in LOSS_TABLES.items():
        for code, (severity, detail) in table.items():
            result = run("explain", "--lang", "en", code)
            assert result.exit_code == 0
            told = " ".join(result.stdout.split())  # as it was before it was wrapped
            assert f" {name}: {detail} ({severity})" in told
            as_json = json.loads(run("explain", "--lang", "en", "--format", "json", code).stdout)
            row = {"conversion": name, "severity": severity, "detail": detail}
            assert as_json["loss"] == code
            assert row in as_json["meanings"]
    assert run("explain", "run-id").stdout.count("\n") == 4


@pytest.mark.parametrize(
    ("name", "near"), [("run-iid", "run-id"), ("stream/not-don", "stream/not-done")]
)
def test_explain_names_what_is_near(name: str, near: str) -> None:
    assert near in run("explain", name).stderr


# --- the program as a whole ---


@pytest.mark.parametrize(
    "args",
    [[], ["validate"], ["assemble"], ["deltas"], ["schema", "list"], ["schema", "show"],
     ["schema", "bundle"], ["explain"]],
)  # fmt: skip
def test_every_help_has_an_example(args: list[str]) -> None:
    result = run(*args, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert "  partwire " in result.stdout


def test_the_version_is_the_packages() -> None:
    core = "with" if partwire.native else "without"
    assert run("--version").stdout == f"partwire, version {__version__} ({core} its native core)\n"


def program(*args: str, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from partwire.cli import main; main()", *args]
    paths = [str(Path(__file__).parents[2] / "python"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.run(
        command, input=stdin, capture_output=True, env=environment, check=False, **options
    )


def test_debug_shows_a_traceback_and_only_then() -> None:
    assert b"Traceback" not in program("schema", "show", "nope").stderr
    assert b"Traceback" in program("--debug", "schema", "show", "nope").stderr
    assert b"Traceback" in program("--debug", "assemble", "-", stdin=b"{}").stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(lines(STREAM[:1] * 20_000).replace(b"run_1", b""))
    command = f'"{sys.executable}" -c "from partwire.cli import main; main()"'
    script = f'{command} validate --type message.MessageDelta "{path}" | head -n 1'
    paths = str(Path(__file__).parents[2] / "python")
    done = subprocess.run(
        ["sh", "-c", script],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
        timeout=60,
    )
    assert done.stdout.startswith(str(path).encode())
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


# --- the table of commands ---


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_row_names_a_command_and_says_what_it_does(name: str) -> None:
    command = main.commands[name]
    assert command.name == name
    assert command.help
    assert command.short_help == COMMANDS[name].short_help
    assert COMMANDS[name].short_help.endswith(".")


def test_the_help_names_every_command_and_imports_none() -> None:
    code = (
        "import sys; from partwire.cli import main; main(standalone_mode=False); "
        "print(*sorted(name for name in sys.modules if name.startswith('partwire.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True
    )
    *helped, modules = done.stdout.splitlines()
    shown = "\n".join(helped)
    for name, row in COMMANDS.items():
        assert f"\n  {name} " in shown
        assert row.short_help in shown
        assert f"partwire.cli.commands.{row.module} " not in f"{modules} "


def test_a_command_that_is_nearly_named_is_named() -> None:
    result = run("validat")
    assert result.exit_code == 2
    assert "validate" in result.stderr


def test_names_are_completed_from_the_table() -> None:
    context = click.Context(main)
    found = main.shell_complete(context, "con")
    assert [(each.value, each.help) for each in found] == [
        (name, COMMANDS[name].short_help) for name in ("config", "conformance", "convert")
    ]
    assert [each.value for each in main.shell_complete(context, "--deb")] == ["--debug"]


def test_a_table_of_commands_is_a_mapping() -> None:
    table = CommandTable({})
    group = LazyGroup("group", commands=table)
    group.add_command(click.Command("one", help="First."))
    assert (list(table), len(table), "one" in table) == (["one"], 1, True)
    assert "First." in group.get_help(click.Context(group))
    del table["one"]
    assert "one" not in table
