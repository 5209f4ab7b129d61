"""docs/service.md: its limits, statuses and figures are those of the service, its commands run."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from partwire.service import Limits
from partwire.service.problems import status_of
from tests.fixture_cases import case_of
from tests.service.process import Answer, Service, serving

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "service.md").read_text("utf-8")
CURLS = re.findall(r"```console\n\$ (curl .*?)\n(.*?)```", GUIDE, re.DOTALL)
FILES = {
    "message.json": b'{"runId":"r","role":"robot","parts":[],"timestamp":"2026-01-02T03:04:05Z"}',
    "claude.sse": case_of("v0.1/providers/anthropic-messages/long-answer").data("input"),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("docs")) as running:
        yield running


def rows(heading: str) -> list[list[str]]:
    section = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)
    return [line.split(" | ") for line in lines]


def curl(service: Service, command: str) -> Answer:
    """Do what a command asks for; it knows the options that the guide uses."""
    _, *words = shlex.split(command)
    headers, body, url = {}, b"", ""
    while words:
        word = words.pop(0)
        if word == "-H":
            name, value = words.pop(0).split(": ")
            headers[name.replace("-", "_")] = value
        elif word == "--data-binary":
            body = FILES[words.pop(0).removeprefix("@")]
        elif word not in ("-s", "-sN"):
            url = word
    parts = urlsplit(url)
    assert parts.netloc == "127.0.0.1:8750"
    return service.ask("POST", f"{parts.path}?{parts.query}", body, **headers)


@pytest.mark.parametrize(("command", "shown"), CURLS[:2])
def test_answers_are_as_shown(service: Service, command: str, shown: str) -> None:
    assert curl(service, command).body.decode() == shown.rstrip("\n")


def test_events_are_as_shown(service: Service) -> None:
    command, shown = CURLS[2]
    answer = curl(service, command).body.decode()
    first, last = shown.split("…\n…\n")
    assert answer.startswith(first)
    assert last.removesuffix("…\n") in answer
    assert json.loads(answer.rstrip().rpartition("data: ")[2])["role"] == "assistant"


def test_there_are_no_other_commands() -> None:
    assert len(CURLS) == GUIDE.count("$ curl") == 3
    assert "listening on http://127.0.0.1:8750" in GUIDE


def test_every_limit_is_told_with_its_default() -> None:
    told = {row[0].strip("`"): row[1] for row in rows("Limits")[1:]}
    assert told == {
        f"--{field.name.replace('_', '-')}": str(field.default) for field in fields(Limits)
    }


def test_every_status_is_told_with_its_rules() -> None:
    rules = {}
    for row in rows("Status")[1:]:
        for rule in re.findall(r"`([a-z]+/[a-z-…]+)`", row[1]):
            rules[rule] = row[0]
    for rule, told in rules.items():
        assert str(status_of(rule.replace("…", "x"))) in told.split(", "), rule
    known = set(re.findall(r'"(service/[a-z-]+)"', source("problems.py")))
    assert known == {rule for rule in rules if rule.startswith("service/")}


def source(name: str) -> str:
    return (ROOT / "python/partwire/service" / name).read_text("utf-8")


def test_every_route_and_figure_that_is_told_is_there(service: Service) -> None:
    paths = re.findall(r"`(?:GET|POST) (/[^`? ]*)[^`]*`", GUIDE)
    assert len(paths) >= 8
    for path in paths:
        assert service.ask("OPTIONS", path).status == 204, path
    figures = service.ask("GET", "/metrics").body.decode()
    for name in re.findall(r"`(partwire_[a-z_]+)`", GUIDE):
        assert f"# HELP {name.removesuffix('_total')}" in figures, name


def test_the_python_block_runs() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "service.md", "exec"), {"__name__": "guide"})
    assert "/v1/validate" in out.getvalue()
