"""The house in figures: ``python -m tests.house.measure``.

Files, lines and functions written by hand, how modules and rooms lean on each other, and walks: how
often a reader who follows one call goes to another file, and how often back to one already read.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, Final, NamedTuple

from tests.house.test_layers import imports_of

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "python" / "partwire"
_GENERATED: Final = re.compile(
    r"python/partwire/(v\d+_\d+/|contract/current/|severities\.py|types/)"
    r"|/generated/|/v\d+_\d+/|src/contract/(current/|current\.rs|versions\.rs)"
)
_SMALL: Final = 120


class Module(NamedTuple):
    """A module of the package: its source, and whether it is a package's own."""

    path: Path
    tree: ast.Module
    is_package: bool


def tracked(pattern: str) -> list[str]:
    """Return the files of the repository that git knows and nobody generates."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [name for name in listed.split("\0") if name and not _GENERATED.search(name)]


def lines_of(name: str) -> int:
    """Return how many lines a file has."""
    return (ROOT / name).read_bytes().count(b"\n")


def modules() -> dict[str, Module]:
    """Return the hand-written modules of the package by their dotted names."""
    found = {}
    for name in tracked("python/partwire/*.py"):
        parts = list(Path(name).with_suffix("").parts[1:])
        is_package = parts[-1] == "__init__"
        tree = ast.parse((ROOT / name).read_bytes())
        found[".".join(parts[:-1] if is_package else parts)] = Module(ROOT / name, tree, is_package)
    return found


def arrows(found: dict[str, Module]) -> dict[str, set[str]]:
    """Return which modules each module imports, at once or late."""
    made: dict[str, set[str]] = {name: set() for name in found}
    for name, module in found.items():
        for each in imports_of(module.tree, name, module.is_package):
            target = each.module if each.module in found else each.module.rpartition(".")[0]
            if target in found and target != name:
                made[name].add(target)
    return made


def room(name: str) -> str:
    """Return the room of a module: the folder below the package, or a module at its root."""
    return ".".join(name.split(".")[1:2]) or "partwire"


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of names that lead to each other (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root, targets in graph.items():
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(sorted(targets)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            name, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in stack:
                    low[name] = min(low[name], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    group, stack[at:] = stack[at:], []
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


def functions(found: Iterable[Module]) -> list[int]:
    """Return the lines of every function, in order of size."""
    return sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for module in found
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def walk(call: Callable[[], object]) -> tuple[int, int]:
    """Return how many stays in a file a walk through ``call`` has, and how many are returns.

    A reader reads each function once, where it is first called; generated code is not read.
    """
    seen: set[Any] = set()
    stays: list[str] = []

    def enter(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code in seen or code.co_name.startswith("<"):
            return
        path = code.co_filename
        if path.startswith(str(PACKAGE)) and not _GENERATED.search(path):
            seen.add(code)
            if not stays or stays[-1] != path:
                stays.append(path)

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(stays), len(stays) - len(set(stays))


def walks() -> dict[str, tuple[int, int]]:
    """Walk through the calls that people make most."""
    import partwire  # noqa: PLC0415 - what is imported by then is not walked through
    from partwire.compat import compare  # noqa: PLC0415
    from partwire.providers import encode_request  # noqa: PLC0415

    at = "2026-01-02T03:04:05Z"
    base = {"runId": "r", "timestamp": at}
    payloads: list[tuple[str, dict[str, object]]] = [
        ("start", {"modelId": "m", "requestId": "q"}),
        ("text", {"textDelta": "Hello"}),
        ("done", {"finishReason": "stop"}),
    ]
    lines = [
        json.dumps({**base, "seq": seq, "kind": kind, "payload": payload}).encode()
        for seq, (kind, payload) in enumerate(payloads)
    ]
    text: dict[str, object] = {"kind": "text", "payload": {"text": "Hello"}}
    message = {**base, "role": "user", "parts": [text]}
    document = json.dumps(message).encode()
    config = {"modelId": "m", "maxTokens": 10}
    calls: dict[str, Callable[[], object]] = {
        "validate": lambda: partwire.validate(document, "message.Message"),
        "assemble": lambda: partwire.assemble(lines),
        "encode_request": lambda: encode_request("openai-chat", [message], config=config),
        "compat.compare": lambda: compare({"type": "integer"}, {"type": "string"}),
    }
    for call in calls.values():  # imports and caches are not part of a walk
        call()
    return {name: walk(call) for name, call in calls.items()}


def main() -> None:
    """Print the figures."""
    found = modules()
    graph = arrows(found)
    sizes = functions(found.values())
    importers = {name: sum(name in targets for targets in graph.values()) for name in graph}
    single = [name for name in found if importers[name] == 1 and not found[name].is_package]
    small = [n for n in single if lines_of(str(found[n].path.relative_to(ROOT))) <= _SMALL]
    rooms = {room(name) for name in found}
    between = {
        (room(a), room(b)) for a, targets in graph.items() for b in targets if room(a) != room(b)
    }
    leaning = {each: {b for a, b in between if a == each} for each in rooms}
    for title, pattern in (
        ("Python", "python/partwire/*.py"),
        ("TypeScript", "typescript/src/*.ts"),
        ("Rust", "rust/src/*.rs"),
        ("tests", "tests/*.py"),
        ("codegen", "codegen/*.py"),
    ):
        counts = [lines_of(name) for name in tracked(pattern)]
        print(
            f"{title:12} {len(counts):5} files {sum(counts):7,} lines, "
            f"median {median(counts):.0f}, largest {max(counts)}"
        )
    p95 = sizes[len(sizes) * 95 // 100]
    print(f"functions    median {median(sizes):.0f}, p95 {p95}, largest {sizes[-1]} lines")
    print(f"one importer {len(single)} modules, {len(small)} of them of at most {_SMALL} lines")
    print(f"rooms        {len(rooms)}, {len(between)} arrows between them")
    print(f"circles      {len(circles(leaning))} of rooms, {len(circles(graph))} of modules")
    for group in circles(graph):
        print(f"             {', '.join(group)}")
    print(f"tracked      {len(tracked('*')):,} files, {len(tracked('fixtures/*'))} of fixtures")
    for name, (stays, returns) in walks().items():
        print(f"walk         {name}: {stays} stays, {returns} returns")


if __name__ == "__main__":
    main()
