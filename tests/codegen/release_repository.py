"""A small repository with two versions of a contract, and copies of it, for tests of releases."""

from __future__ import annotations

import atexit
import copy
import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from codegen.__main__ import main as codegen
from codegen.release import main as release

__all__ = ["THINGS", "Outcome", "Repository", "copied", "drafts", "first_released"]

Json = dict[str, Any]
FILE = "sample/thing.schema.json"
DAY = "2026-01-02"


def _object(says: str, required: list[str], example: Json, **properties: Json) -> Json:
    return {
        "type": "object",
        "description": says,
        "properties": properties,
        "required": required,
        "examples": [example],
    }


def _text(says: str, **members: Any) -> Json:
    return {"type": "string", "description": says, **members}


THINGS: Json = {
    "Name": _text("A name.", minLength=1, examples=["a"]),
    "Colour": _text("A colour.", enum=["red", "green"], examples=["red"])
    | {"x-safe-default": "red"},
    "Thing": _object(
        "A thing.",
        ["name"],
        {"name": "a"},
        name={"$ref": "#/$defs/Name"},
        colour={"$ref": "#/$defs/Colour"},
        note=_text("A remark."),
    )
    | {"x-entrypoint": True},
    "Plan": _object("A plan.", ["body"], {"body": {"text": "a"}}, body={"$ref": "#/$defs/PlanBody"})
    | {"x-entrypoint": True, "x-status": "reserved"},
    "Loose": _text("What nobody uses.", examples=["a"]),
    "PlanBody": _object("What a plan says.", ["text"], {"text": "a"}, text=_text("The words.")),
}
"""The definitions of the contract; a plan is reserved, its body only a plan's."""


class Outcome(NamedTuple):
    """What a command ended with, and what it said."""

    status: int
    out: str
    err: str


class Repository:
    """A folder with what a release looks at."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def schema(self, version: str) -> Path:
        return self.root / "schemas" / version / FILE

    def add(self, version: str, change: Callable[[Json], Any] | None = None) -> None:
        """Make a draft like the contract, changed, with code, fixture and changelog."""
        definitions = copy.deepcopy(THINGS)
        if change is not None:
            change(definitions)
        document = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"https://partwire.dev/schemas/{version}/{FILE}",
            "title": "Things",
            "description": "Things.",
            "$defs": definitions,
        }
        self.write(f"schemas/{version}/{FILE}", document)
        self.write(f"fixtures/{version}/documents/a.json", {"name": "a"})
        catalog = self.catalog()
        catalog["versions"].setdefault(version, {"status": "draft", "families": ["sample"]})
        self.write("schemas/catalog.json", catalog)
        changelog = self.root / "CHANGELOG.md"
        text = changelog.read_text("utf-8") if changelog.is_file() else "# Changelog\n"
        section = f"\n### Contract {version}\n"
        if section not in text:
            changelog.write_text(f"{text}{section}\n- What is new.\n", "utf-8")
        self.generate()

    def generate(self) -> None:
        made = run(lambda: codegen(self._codegen_options()))
        assert made.status == 0, made

    def check(self) -> Outcome:
        """Run ``python -m codegen --check``."""
        return run(lambda: codegen(["--check", *self._codegen_options()]))

    def _codegen_options(self) -> list[str]:
        package = self.root / "python" / "partwire"
        return ["--schemas", str(self.root / "schemas"), "--output", str(package)]

    def release(self, version: str, *options: str) -> Outcome:
        """Run ``python -m codegen.release``."""
        arguments = [version, "--root", str(self.root), *options]
        return run(lambda: release(arguments))

    def catalog(self) -> Json:
        path = self.root / "schemas" / "catalog.json"
        empty: Json = {"$comment": "The versions.", "versions": {}}
        return json.loads(path.read_bytes()) if path.is_file() else empty

    def row(self, version: str) -> Json:
        row: Json = self.catalog()["versions"][version]
        return row

    def write(self, name: str, value: Any) -> Path:
        """Write a file of the repository; bytes and text as they are, anything else as JSON."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, (str, bytes)) else json.dumps(value, indent=2) + "\n"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def remove(self, name: str) -> Path:
        """Remove a file or a folder."""
        path = self.root / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        return path

    def contents(self) -> dict[str, bytes]:
        """Return every file with its bytes; of a link, where it points."""
        return {
            path.relative_to(self.root).as_posix(): (
                str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            )
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }


def run(command: Callable[[], int]) -> Outcome:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = command()
    return Outcome(status, out.getvalue(), err.getvalue())


@cache
def drafts() -> Path:
    """Return a repository with two drafts, v0.1 and v0.2, which are alike; not to be changed."""
    root = Path(tempfile.mkdtemp(prefix="release-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    repository = Repository(root / "drafts")
    repository.write("schemas/rules/sample.json", {"rules": {}})
    for version in ("v0.1", "v0.2"):
        repository.add(version)
    return repository.root


@cache
def first_released() -> Path:
    """Return the same with v0.1 released; not to be changed."""
    repository = copied(drafts(), drafts().parent / "released")
    done = repository.release("v0.1", "--date", DAY)
    assert done.status == 0, done
    return repository.root


def copied(template: Path, folder: Path) -> Repository:
    """Return a copy that may be changed."""
    shutil.copytree(template, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return Repository(folder)
