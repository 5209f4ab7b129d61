"""Banners, and writing or comparing a generated room."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from codegen import GENERATOR_VERSION
from codegen.targets.dcg import REQUIRED_VERSION

_IGNORED = "__pycache__"


def notice(version: str, digest: str) -> list[str]:
    """Return what every generated file says of itself."""
    tools = f"codegen {GENERATOR_VERSION} with datamodel-code-generator {REQUIRED_VERSION}"
    return [
        f"Generated from schemas/{version} (digest {digest}) by {tools}.",
        "Do not edit: change the schemas, then run `python -m codegen`.",
    ]


def banner(version: str, digest: str) -> str:
    """Return the first lines of a generated Python file."""
    return "".join(f"# {line}\n" for line in notice(version, digest)) + "\n"


def present(room: Path) -> dict[str, str]:
    """Return the files of a room as they are there."""
    return {
        path.relative_to(room).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in sorted(room.rglob("*"))
        if path.is_file() and _IGNORED not in path.parts
    }


def differences(room: Path, files: Mapping[str, str]) -> list[str]:
    """Return one line per file that is missing, left over or different."""
    there = present(room)
    lines = [f"missing: {name}" for name in files if name not in there]
    lines += [f"left over: {name}" for name in there if name not in files]
    lines += [f"different: {name}" for name in files if there.get(name, files[name]) != files[name]]
    return sorted(lines)


def write(room: Path, files: Mapping[str, str]) -> list[str]:
    """Make the room hold exactly ``files``; return what changed."""
    changed = differences(room, files)
    for name in present(room):
        if name not in files:
            (room / name).unlink()
    for name, text in files.items():
        path = room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
    return changed


def put_file(root: Path, name: str, text: str, check: bool) -> list[str]:
    """Make one generated file, beside files by hand, hold ``text``; say what changed."""
    path = root / name
    if path.is_file() and path.read_bytes() == text.encode():
        return []
    if not check:
        path.write_bytes(text.encode())
    return [f"different: {name}"]
