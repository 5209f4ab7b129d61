"""Who may import whom, read from the source: a room imports only what is below it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "partwire"
TESTING = PACKAGE.with_name("partwire_testing")

# Lowest first. A room is a module or a folder of the package; "partwire" is the package's own
# __init__, which gathers the public names; "partwire_testing" is a package of its own.
ROOMS = (
    "tables",
    "errors",
    "lazy",
    "version",
    "native_core",
    "extras",
    "losses",
    "json",
    "bindings",
    "v0_1",
    "v0_2",
    "v0_3",
    "contract",
    "types",
    "models",
    "severities",
    "reading",
    "reporting",
    "message",
    "session",
    "convert",
    "blocks",
    "envelope",
    "providers",
    "files",
    "formats",
    "build",
    "model",
    "compat",
    "inspector",
    "archive",
    "service",
    "registry",
    "partwire",
    "partwire_testing",
    "cli",
    "__main__",
)

# Values in, values out: whoever calls owns the clock, the network, the files and the event loop.
SANS_IO = frozenset({"message", "session", "envelope", "convert", "providers", "formats"})
# Knows an event loop, but only by what asyncio and trio have in common.
ANYIO_ONLY = frozenset({"blocks"})
IO_MODULES = frozenset(
    {
        "anyio",
        "asyncio",
        "http.client",
        "requests",
        "httpx",
        "selectors",
        "socket",
        "ssl",
        "subprocess",
        "tempfile",
        "time",
        "trio",
        "urllib.request",
    }
)
IO_CALLS = frozenset({"open", "io.open", "os.open", "codecs.open", "input", "print"})
IO_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})
CLOCKS = frozenset({"now", "utcnow", "today"})

# Where a dependency may be imported when its room is; elsewhere only inside a function that
# needs it. Rich is nowhere: it is imported when a terminal is being drawn on, or by a module
# named ..._rich, which is then imported as late as rich itself.
AT_IMPORT = {
    "msgspec": frozenset(ROOMS),
    "click": frozenset({"cli"}),
    "pydantic": frozenset({"v0_1", "v0_2", "v0_3", "bindings"}),
    "typing_extensions": frozenset({"v0_1", "v0_2", "v0_3", "bindings"}),
    # The service's __init__ imports none of its modules that need them.
    "h11": frozenset({"service"}),
    "prometheus_client": frozenset({"service"}),
    "starlette": frozenset({"service"}),
    "uvicorn": frozenset({"service"}),
    # Its strategies are imported by those who have hypothesis.
    "hypothesis": frozenset({"partwire_testing"}),
    # A distribution of its own, which the extra `testing` brings.
    "partwire_testing": frozenset({"partwire_testing"}),
}
LATE_MODULE = "_rich"
# What shows a run of the conformance suite is imported as late as the suite itself.
WITH_TESTING = "partwire.cli.report.conformance"
CLIENTS = ("anyio", "anthropic", "boto3", "botocore", "cohere", "google.genai", "httpx", "openai")
IMPORTED_AS: dict[str, str] = {"PyYAML": "yaml", "backports.zstd": "backports"}


class Import(NamedTuple):
    module: str
    line: int
    late: bool
    """Inside a function, or for type checkers only."""


def imports_of(tree: ast.Module, module: str, is_package: bool) -> Iterator[Import]:
    """Every module that ``tree`` imports, as an absolute name; ``from x import y`` is ``x.y``."""
    for node, late in walk(tree, late=False):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(name.name, node.lineno, late)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                parts = package[: len(package) - node.level + 1]
                base = ".".join([*parts, base] if base else parts)
            for name in node.names:
                yield Import(f"{base}.{name.name}", node.lineno, late)


def walk(node: ast.AST, late: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        yield child, late
        inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            inside = True
        yield from walk(child, inside)


def room_of(module: str) -> str | None:
    """The room that a module of ours belongs to; None for somebody else's module."""
    parts = module.split(".")
    if parts[0] == TESTING.name:
        return TESTING.name
    if parts[0] != "partwire":
        return None
    if len(parts) == 1 or (parts[1] not in ROOMS and not is_room(parts[1])):
        return "partwire"  # `from partwire import assemble`: a name of the package's __init__
    return parts[1]


def is_room(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def order_faults(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """One line per import that goes up instead of down."""
    room = room_of(module)
    assert room is not None
    if room not in ROOMS:
        return [f"{module}: room {room!r} has no place in ROOMS"]
    faults = []
    for found in imports_of(ast.parse(source), module, is_package):
        other = room_of(found.module)
        if other is None or other == room:
            continue
        if other not in ROOMS:
            faults.append(f"{module}:{found.line}: room {other!r} has no place in ROOMS")
        elif ROOMS.index(other) > ROOMS.index(room):
            faults.append(f"{module}:{found.line}: {room} may not import {other} ({found.module})")
    return faults


def io_faults(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """One line per clock, network, file or event loop that a sans-IO room reaches for."""
    room = room_of(module)
    if room not in SANS_IO | ANYIO_ONLY:
        return []
    forbidden = IO_MODULES - {"anyio"} if room in ANYIO_ONLY else IO_MODULES
    tree = ast.parse(source)
    faults = [
        f"{module}:{found.line}: imports {found.module}"
        for found in imports_of(tree, module, is_package)
        if any(f"{found.module}.".startswith(f"{name}.") for name in forbidden)
    ]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return faults + [
        f"{module}:{call.lineno}: calls {ast.unparse(call.func)}"
        for call in calls
        if does_io(call.func)
    ]


def does_io(function: ast.expr) -> bool:
    name = ast.unparse(function)
    if name in IO_CALLS:
        return True
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in CLOCKS:
        return ast.unparse(function.value).split(".")[-1] in {"datetime", "date"}
    return function.attr in IO_METHODS


def dependency_faults(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """One line per import of somebody else's package that its room may not have, or not yet."""
    room = room_of(module)
    declared = declared_dependencies()
    faults = []
    for found in imports_of(ast.parse(source), module, is_package):
        name = found.module.split(".")[0]
        if name == "partwire" and any(p.endswith(LATE_MODULE) for p in found.module.split(".")):
            name = "rich"
        if name == "partwire" or name in sys.stdlib_module_names:
            continue
        if name == "rich" and module.endswith(LATE_MODULE):
            continue
        if name == TESTING.name and module == WITH_TESTING:
            continue
        if name not in declared:
            faults.append(f"{module}:{found.line}: {name} is not a dependency in pyproject.toml")
        elif not found.late and room not in AT_IMPORT.get(name, frozenset()):
            faults.append(f"{module}:{found.line}: {name} may only be imported in a function here")
    return faults


def declared_dependencies() -> set[str]:
    project = tomllib.loads((PACKAGE.parent.parent / "pyproject.toml").read_text())["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    lines = [*project["dependencies"], *extras]
    names = {re.split(r"[>=\[]", line)[0].strip() for line in lines}
    return {IMPORTED_AS[name] if name in IMPORTED_AS else name.replace("-", "_") for name in names}


def modules() -> list[tuple[Path, str, bool]]:
    found = []
    for path in sorted([*PACKAGE.rglob("*.py"), *TESTING.rglob("*.py")]):
        parts = [*path.relative_to(PACKAGE.parent).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        found.append((path, ".".join(parts[:-1] if is_package else parts), is_package))
    return found


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("check", [order_faults, io_faults, dependency_faults])
def test_every_module_keeps_to_its_layer(check: Callable[..., list[str]]) -> None:
    assert len(modules()) > 3
    faults: list[str] = []
    for path, module, is_package in modules():
        source = path.read_text(encoding="utf-8")
        faults += check(source, module, is_package=is_package)
    assert not faults, "\n" + "\n".join(faults)


# The checks themselves: each has to see what it is there for.


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        (
            "partwire.message.assembler.machine",
            "from ...session import parts",
            ":1: message may not import",
        ),
        ("partwire.errors", "import partwire.reading", ":1: errors may not import reading"),
        (
            "partwire.compat.surfaces",
            "def f():\n from partwire_testing import cases",
            ":2: compat may not import partwire_testing",
        ),
        ("partwire_testing.cases", "import partwire.cli", "partwire_testing may not import cli"),
        ("partwire.reading", "\nfrom partwire import assemble", ":2: reading may not import"),
        ("partwire.reading", "def f():\n from .cli import main", ":2: reading may not import cli"),
        (
            "partwire.message.assembler.machine",
            "from ... import cli",
            ":1: message may not import cli",
        ),
        ("partwire.attic.junk", "", "room 'attic' has no place"),
    ],
)
def test_an_import_upwards_is_seen(
    module: str, source: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "is_room", lambda name: name != "assemble")
    faults = order_faults(source, module)
    assert len(faults) == 1
    assert fault in faults[0]


@pytest.mark.parametrize(
    "source",
    [
        "from ...errors import Finding",
        "from .partial_json import complete",
        "from partwire.contract.current.message import Message",
        "import partwire.contract.resources",
    ],
)
def test_an_import_downwards_or_sideways_is_no_fault(source: str) -> None:
    assert order_faults(source, "partwire.message.assembler.machine") == []
    assert order_faults(source, "partwire.cli.main") == []


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio",
        "import time as t",
        "from time import monotonic",
        "def f():\n    import socket",
        "import urllib.request",
        "open('x')",
        "with io.open('x') as f: pass",
        "Path('x').read_bytes()",
        "datetime.datetime.now()",
        "date.today()",
    ],
)
def test_input_and_output_are_seen(source: str) -> None:
    assert len(io_faults(source, "partwire.providers.framing.sse")) == 1
    assert io_faults(source, "partwire.contract.resources") == []


def test_an_event_loop_is_known_through_anyio_only() -> None:
    assert io_faults("def f():\n    import anyio.lowlevel", "partwire.blocks.channel") == []
    assert len(io_faults("def f():\n    import asyncio", "partwire.blocks.channel")) == 1
    assert len(io_faults("import anyio", "partwire.session.parts")) == 1


@pytest.mark.parametrize(
    "source", ["import timeit", "x.open()", "self.now()", "from datetime import datetime"]
)
def test_what_only_sounds_like_io_is_no_fault(source: str) -> None:
    assert io_faults(source, "partwire.providers.framing.sse") == []


@pytest.mark.parametrize(
    ("module", "source", "faults"),
    [
        ("partwire.cli.main", "import click", 0),
        ("partwire.reading", "import click", 1),
        ("partwire.cli.report.render", "import rich", 1),
        ("partwire.cli.report.render", "def f():\n    import rich.live", 0),
        ("partwire.cli.live_rich", "import rich.live", 0),
        ("partwire.cli.main", "from .live_rich import draw", 1),
        ("partwire.cli.main", "def f():\n    from . import live_rich", 0),
        ("partwire.reading", "if TYPE_CHECKING:\n    import pydantic", 0),
        ("partwire.reading", "from pydantic import BaseModel", 1),
        ("partwire.reading", "def f():\n    import simplejson", 1),
        ("partwire.envelope.tools", "import yaml", 1),
        ("partwire.envelope.tools", "def f():\n    import yaml", 0),
        ("partwire.cli.commands.conformance", "import partwire_testing", 1),
        ("partwire.cli.commands.conformance", "def f():\n    import partwire_testing", 0),
        ("partwire_testing.cases", "from .conformance import judge", 0),
        ("partwire.reading", "import msgspec.json, json, collections.abc", 0),
    ],
)
def test_dependencies_out_of_place_are_seen(module: str, source: str, faults: int) -> None:
    assert len(dependency_faults(source, module)) == faults


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("partwire", ["msgspec", "partwire.inspector"]),
        (
            "partwire.message, partwire.convert.versions, partwire.reading",
            ["asyncio", "click", "jsonschema", "jsonschema_rs", "pydantic", "rich", "yaml"],
        ),
        ("partwire.cli", ["asyncio", "jsonschema", "jsonschema_rs", "pydantic", "rich"]),
        # What runs in a hook at every commit.
        (
            "partwire.cli.commands.validate",
            [
                *("asyncio", "confluent_kafka", "hypothesis", "jsonschema", "jsonschema_rs"),
                *(
                    "multiprocessing",
                    "partwire.compat",
                    "partwire.providers.core",
                    "pydantic",
                    "rich",
                ),
                *("partwire.message", "partwire.convert.versions", "starlette", "uvicorn"),
            ],
        ),
        # The clients, and event loops: they come with the first model, and the first stream.
        ("partwire.model", ["asyncio", "partwire.providers.core", *CLIENTS]),
        ("partwire.model.replay, partwire.model.recording", ["asyncio", "trio", *CLIENTS]),
        # A test may want one thing of it, and nothing more.
        ("partwire_testing", ["asyncio", "click", "hypothesis", "jsonschema", "pydantic"]),
        # What pytest imports at its start, in every project of the environment.
        ("pytest_partwire", ["hypothesis", "msgspec", "partwire"]),
    ],
)
def test_importing_leaves_the_heavy_packages_alone(module: str, absent: list[str]) -> None:
    # -S: a .pth file of some other package in the environment may import anything at start.
    paths = [str(PACKAGE.parent), *(path for path in sys.path if path.endswith("site-packages"))]
    code = (
        f"import sys; sys.path += {paths!r}\n"
        f"import json, {module}\n"
        f"print(json.dumps([name for name in {absent!r} if name in sys.modules]))"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []
