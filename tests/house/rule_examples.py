"""Run the examples of ``schemas/rules/``: what each form is, and which rules it shows.

Read by tests/house/test_rules.py. ``schemas/rules.schema.json`` says what an example looks like.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import chdir, contextmanager, nullcontext, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final

from click.testing import CliRunner
from starlette.testclient import TestClient

from codegen.site.outcomes import protocol_input, text_of, write_files
from partwire.cli import main
from partwire.contract.current import LATEST_VERSION
from partwire.errors import Finding, PartwireError
from partwire.service import create_app
from partwire.service.limits import Limits
from partwire_testing.conformance.behaviour import replay_behaviour
from partwire_testing.conformance.operations.table import run_operation
from partwire_testing.conformance.values import bytes_of
from tests.codegen.release_repository import copied, first_released

__all__ = ["FORMS", "shown_by"]

Json = dict[str, Any]
_RULE: Final = re.compile(r"\[([a-z]+/[a-z0-9-]+)\]")
_REGISTRY: Final = "http://registry"
_ABSENT: Final = (404, {"error_code": 40401, "message": "Subject not found."})
_RELEASE: Final = "python -m codegen.release "


def shown_by(example: Json) -> set[str]:
    """Return the rules that an example shows."""
    (form,) = FORMS.keys() & example.keys()
    return FORMS[form](example)


def _operation(example: Json) -> set[str]:
    """Run an operation of the conformance protocol."""
    try:
        result = run_operation(example["operation"], LATEST_VERSION, protocol_input(example))
    except PartwireError as error:
        return _rules(error.findings)
    return _rules_in(result)


def _command(example: Json) -> set[str]:
    """Run a command in a folder that holds the files."""
    command, files = example["command"], example.get("files", {})
    if command.startswith(_RELEASE):
        return _release(command.removeprefix(_RELEASE).split(), files)
    program, *arguments = shlex.split(command)
    assert program == "partwire"
    serving = _registry(example["registry"]) if "registry" in example else nullcontext(_REGISTRY)
    with TemporaryDirectory() as folder, chdir(folder), serving as address:
        write_files(Path(folder), files)
        arguments = [each.replace(_REGISTRY, address) for each in arguments]
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return set(_RULE.findall(result.output))


@contextmanager
def _registry(answers: Json) -> Iterator[str]:
    """Yield the address of a schema registry that answers by method and beginning of path."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            asked = f"{self.command} {self.path}"
            known = [begin for begin in answers if asked.startswith(begin)]
            status, body = answers[max(known, key=len)] if known else _ABSENT
            data = text_of(body).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = answer

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _release(arguments: list[str], patches: Json) -> set[str]:
    """Run a release in a repository whose v0.1 is released."""
    with TemporaryDirectory() as folder:
        repository = copied(first_released(), Path(folder) / "repository")
        for name, patch in patches.items():
            path = repository.root / name
            if patch is None:
                repository.remove(name)
            elif isinstance(patch, str) or not path.is_file():
                repository.write(name, patch)
            else:
                repository.write(name, _patched(json.loads(path.read_bytes()), patch))
        if any(name.startswith("schemas/v0.2/") for name in patches):
            with suppress(AssertionError):  # what is not a schema has no code
                repository.generate()
        told = repository.release(*arguments)
    return set(_RULE.findall(told.err))


def _patched(value: Any, patch: Any) -> Any:
    """Return a value with a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    made = dict(value) if isinstance(value, dict) else {}
    for name, each in patch.items():
        if each is None:
            made.pop(name, None)
        else:
            made[name] = _patched(made.get(name), each)
    return made


def _python(example: Json) -> set[str]:
    """Run a snippet: what it raises counts, and what it leaves in ``findings``."""
    names: Json = {}
    try:
        exec("\n".join(example["python"]), names)
    except PartwireError as error:
        return _rules(error.findings)
    return _rules(names.get("findings", ()))


def _golden(example: Json) -> set[str]:
    """Run golden cases of v0.1 through today's code."""
    with TemporaryDirectory() as folder:
        write_files(Path(folder) / "v0.1", example["golden"])
        verdicts, _ = replay_behaviour("v0.1", folder=Path(folder))
    return {change.rule for verdict in verdicts for change in verdict.changes}


def _request(example: Json) -> set[str]:
    """Send a request to the service, and read what it answers."""
    method, target = example["request"].split()
    body = example.get("body")
    service = create_app(Limits(**example.get("limits", {})))
    with TestClient(service) as client:
        answer = client.request(
            method,
            target,
            headers=example.get("headers"),
            content=None if body is None else bytes_of(text_of(body)),
        )
    if "json" not in answer.headers["content-type"]:
        return set()
    return _rules_in(answer.json())


def _rules(findings: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def _rules_in(value: Any) -> set[str]:
    """Return every value of a member ``rule`` of a result."""
    if isinstance(value, dict):
        mine = {value["rule"]} if isinstance(value.get("rule"), str) else set()
        return mine.union(*map(_rules_in, value.values()))
    return set().union(*map(_rules_in, value)) if isinstance(value, list) else set()


FORMS: Final[dict[str, Callable[[Json], set[str]]]] = {
    "operation": _operation,
    "command": _command,
    "golden": _golden,
    "python": _python,
    "request": _request,
}
"""The member that tells a form → what runs it."""
