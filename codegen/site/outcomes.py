"""What an example of ``schemas/rules/`` comes to: the command that shows its rule, or a call.

``schemas/rules.schema.json`` says what an example looks like. What needs a server or a repository
of its own is not run here; the tests run all of them.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from click.testing import CliRunner

from partwire.cli import main
from partwire.contract.current import LATEST_VERSION
from partwire.errors import PartwireError
from partwire_testing.conformance.operations.table import run_operation

__all__ = [
    "File",
    "Found",
    "Outcome",
    "file_of",
    "outcome",
    "protocol_input",
    "text_of",
    "write_files",
]

Json = dict[str, Any]

_TEXTS: Final = ("document", "input", "reply")
_LINES: Final = ("deltas", "messages", "lines", "chunks")
_CLOCK: Final = {"start": "2026-01-02T03:04:05Z", "step_ms": 0}
_PROGRAM: Final = "partwire "


@dataclass(frozen=True, slots=True)
class Found:
    """One finding: its rule, its place, and what it says, where that is known."""

    rule: str
    place: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found, and the command that says so with its output, where there is one."""

    found: tuple[Found, ...] = ()
    command: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """The file that an example is: its name, its text, its values, and their type."""

    name: str
    text: str
    values: tuple[Any, ...]
    type: str


_HELD: Final = {
    "validate": ("document", ""),
    "assemble": ("deltas", "message.MessageDelta"),
    "check_history": ("messages", "message.Message"),
    "collect": ("chunks", "blocks.StreamChunk"),
    "adapt": ("input", ""),
}
"""Operation → the member of its input that is a file for a command, and the type of its values."""


def file_of(example: Mapping[str, Any]) -> File | None:
    """Return the file that an example of an operation is, where that is all of its input."""
    operation = example.get("operation", "")
    if operation not in _HELD or not example["input"].keys() <= {_HELD[operation][0], *_SETTINGS}:
        return None
    name, content, _ = _FILES[operation](protocol_input(example))
    if not isinstance(content, str):
        return None
    member, type_ = _HELD[operation]
    value = example["input"][member]
    values = value if member in _LINES else [value]
    return File(name, content, tuple(values), example["input"].get("type", type_))


_SETTINGS: Final = ("type", "api")


def outcome(rule: str, example: Mapping[str, Any]) -> Outcome:
    """Return what a bad example comes to; empty where it cannot be run here."""
    if "operation" in example:
        return _operation(rule, example)
    if "command" in example and example["command"].startswith(_PROGRAM):
        if "registry" in example:
            return Outcome()
        return _command(rule, example["command"], example.get("files", {}))
    if "python" in example:
        return _with(rule, _called(example["python"]))
    return Outcome()


# --- calls ----------------------------------------------------------------------------------------


def protocol_input(example: Mapping[str, Any]) -> Json:
    """Return the input of an operation as the protocol has it: JSON values become their text."""
    given = dict(example["input"])
    given.update({name: text_of(given[name]) for name in _TEXTS if name in given})
    given.update(
        {name: [text_of(line) for line in given[name]] for name in _LINES if name in given}
    )
    if example["operation"] != "adapt":
        return given
    if isinstance(example["input"]["input"], list):
        given["input"] = "".join(map(_event, example["input"]["input"]))
    return {"run_id": "run_1", "clock": _CLOCK, **given}


def text_of(value: Any) -> Any:
    """Return the Text of the protocol that a value stands for."""
    if isinstance(value, str) or (isinstance(value, dict) and value.keys() == {"base64"}):
        return value
    return json.dumps(value, ensure_ascii=False)


def _event(data: Any) -> str:
    """Return a server-sent event with the data, under the name that the data says it has."""
    name = f"event: {data['type']}\n" if isinstance(data, dict) and "type" in data else ""
    return f"{name}data: {text_of(data)}\n\n"


def _operation(rule: str, example: Mapping[str, Any]) -> Outcome:
    given = protocol_input(example)
    shown = _as_command(rule, example["operation"], given)
    if shown is not None:
        return shown
    try:
        result = run_operation(example["operation"], LATEST_VERSION, given)
    except PartwireError as error:
        return _with(rule, map(_placed, error.findings))
    return _with(rule, _findings(result))


def _with(rule: str, found: Iterable[Found]) -> Outcome:
    """Return what was found where the rule is among it: another reason is none of an example."""
    once = tuple(dict.fromkeys(found))
    return Outcome(once) if any(each.rule == rule for each in once) else Outcome()


def _findings(value: Any) -> Iterator[Found]:
    """Yield what a result has of findings, wherever they are in it."""
    if isinstance(value, dict):
        if isinstance(value.get("rule"), str):
            places = [f"{name} {value[name]}" for name in ("line", "step") if name in value]
            yield Found(value["rule"], " ".join(filter(None, (*places, value.get("pointer")))))
            return
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _findings(each)


def _called(lines: list[str]) -> Iterator[Found]:
    """Run a snippet: what it raises counts, and what it leaves in ``findings``."""
    names: Json = {}
    try:
        exec("\n".join(lines), names)  # noqa: S102  # the project's own examples
    except PartwireError as error:
        yield from map(_placed, error.findings)
    except ModuleNotFoundError:  # an extra of the package that the site does without
        return
    else:
        yield from map(_placed, names.get("findings", ()))


def _placed(finding: Any) -> Found:
    """Return a finding, or a change of schemas, with the place that it has."""
    return Found(finding.rule, getattr(finding, "pointer", None) or "", finding.message)


# --- commands -------------------------------------------------------------------------------------


def _as_command(rule: str, operation: str, given: Json) -> Outcome | None:
    """Return the command that reports the same rule for the input of an operation, if one does."""
    name, content, command = _FILES.get(operation, _no_file)(given)
    if not isinstance(content, str):
        return None
    shown = _command(rule, f"{_PROGRAM}{command} {name}", {name: content})
    return shown if shown.command else None


def _no_file(_given: Json) -> tuple[str, Any, str]:
    return "", None, ""


def _lines(given: Json, name: str) -> Any:
    lines = given.get(name, ())
    whole = all(isinstance(line, str) for line in lines)
    return "".join(f"{line}\n" for line in lines) if whole else None


_FILES: Final[dict[str, Callable[[Json], tuple[str, Any, str]]]] = {
    "validate": lambda given: (
        "document.json",
        given["document"],
        f"validate --type {given['type']}",
    ),
    "assemble": lambda given: ("deltas.jsonl", _lines(given, "deltas"), "assemble"),
    "adapt": lambda given: ("stream.sse", given["input"], f"deltas --from {given['api']}"),
    "check_history": lambda given: ("messages.jsonl", _lines(given, "messages"), "history"),
    "collect": lambda given: (
        "chunks.jsonl",
        _lines(given, "chunks"),
        "validate --type blocks.StreamChunk --stream",
    ),
    "envelope": lambda given: (
        "message.json",
        given.get("input"),
        f"validate --type {given.get('type')}",
    ),
}
"""Operation → name and content of a file, and the command that reads it."""


def _command(rule: str, command: str, files: Mapping[str, Any]) -> Outcome:
    """Run a command in a folder that holds the files; of its output what names the rule."""
    with TemporaryDirectory() as folder, chdir(folder):
        write_files(Path(folder), files)
        result = CliRunner().invoke(main, shlex.split(command)[1:], env={"COLUMNS": "100"})
    for output in (result.stderr, result.stdout, result.output):
        if f"[{rule}]" in output:
            return Outcome(command=command, output=output)
        if f'"rule": "{rule}"' in output:  # one JSON object per line, for programs
            return Outcome(tuple(map(_reported, map(json.loads, output.splitlines()))), command)
    return Outcome()


def _reported(finding: Mapping[str, Any]) -> Found:
    line = f"line {finding['line']}" if "line" in finding else ""
    place = " ".join(filter(None, (line, finding.get("pointer"))))
    return Found(finding["rule"], place, finding["message"])


def write_files(folder: Path, files: Mapping[str, Any]) -> None:
    """Write the files of an example into a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_content(name, content), "utf-8")


def _content(name: str, content: Any) -> str:
    if isinstance(content, str):
        return content
    if name.endswith(".jsonl"):
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in content)
    return json.dumps(content, ensure_ascii=False)
