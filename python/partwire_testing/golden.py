"""Golden files: what a test's result was when somebody looked at it, as JSON beside the test.

``golden/<test module>/<name>.json`` in the folder of the test. They are written by
``pytest --golden-update`` alone, and read by people: members in the order of their names, one to a
line. They compare as JSON values.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from partwire.errors import ReadError, bad_argument

from .conformance.equality import difference
from .plain_json import plain

__all__ = ["FOLDER", "Golden", "GoldenFactory", "GoldenRun", "golden_text", "unused_files"]

FOLDER: Final = "golden"
_SUFFIX: Final = ".json"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_TEST_MODULE: Final = re.compile("test_.*|.*_test")
_DIFF_LINES: Final = 120
_MAX_EXACT: Final = 2**53


def golden_text(value: Any) -> str:
    """Return a JSON value as golden files have it: one text for values that are equal as JSON."""
    return json.dumps(_normal(value), ensure_ascii=False, indent=2) + "\n"


def _normal(value: Any) -> Any:
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return {name: _normal(value[name]) for name in names}
    if isinstance(value, list):
        return [_normal(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _MAX_EXACT:
        return int(value)
    return value


@dataclass
class GoldenRun:
    """What a test run has done with golden files."""

    update: bool = False
    used: dict[str, set[str]] = field(default_factory=dict)
    """Test module → names of its golden files that a test has asked for."""
    written: dict[str, str] = field(default_factory=dict)
    """File → what was written into it."""

    def to_wire(self) -> dict[str, Any]:
        """Return what the other processes of a run have to know, as JSON value."""
        used = {module: sorted(names) for module, names in self.used.items()}
        return {"used": used, "written": sorted(self.written)}


class GoldenFactory:
    """Gives the golden files of one test module; the fixture ``golden``."""

    def __init__(self, module: Path, run: GoldenRun) -> None:
        self._module = module
        self._run = run

    def __call__(self, name: str) -> Golden:
        """Return the golden file of this name: letters, digits, ``_``, ``.`` and ``-``.

        Raises UsageError ``usage/invalid-argument`` for another one.
        """
        if not _NAME.fullmatch(name):
            raise bad_argument(
                "No name of a golden file",
                "letters, digits, _ . and -, at most 100, not - . _ first",
                name,
            )
        self._run.used.setdefault(str(self._module), set()).add(name)
        path = self._module.parent / FOLDER / self._module.stem / f"{name}{_SUFFIX}"
        return Golden(path, self._run)


class Golden:
    """One golden file."""

    def __init__(self, path: Path, run: GoldenRun) -> None:
        self.path = path
        self._run = run

    def check(self, value: Any) -> None:
        """Assert that ``value`` is what the file holds, as JSON values.

        ``value`` is a JSON value, JSON text (bytes), a struct or model, or a list of those. With
        ``--golden-update`` the file is written instead. The message has the differing lines.
        Raises WriteError for what has no JSON.
        """
        __tracebackhide__ = True
        found = plain(value)
        if self._run.update:
            self._write(found)
            return
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            raise AssertionError(
                f"golden file {self.path} is missing; look at the value and write it with "
                f"pytest --golden-update:\n{_cut(golden_text(found).splitlines())}"
            ) from None
        expected = self._parsed(text)
        place = difference(expected, found, exact=True)
        if place is not None:
            raise AssertionError(f"{self.path}: {place}\n{_diff(self.path.name, expected, found)}")

    def _parsed(self, text: str) -> Any:
        __tracebackhide__ = True
        try:
            return plain(text.encode())
        except ReadError as error:
            raise AssertionError(f"golden file {self.path} is not JSON: {error}") from None

    def _write(self, found: Any) -> None:
        __tracebackhide__ = True
        text, key = golden_text(found), str(self.path)
        before = self._run.written.get(key)
        if before is not None and before != text:
            raise AssertionError(f"golden file {self.path} gets two values in one run")
        if before is None and self.path.is_file():
            try:
                if difference(plain(self.path.read_bytes()), found, exact=True) is None:
                    return
            except ReadError:
                pass  # whatever it is, it is replaced
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(text, "utf-8", newline="\n")
        self._run.written[key] = text


def _diff(name: str, expected: Any, actual: Any) -> str:
    old, new = golden_text(expected).splitlines(), golden_text(actual).splitlines()
    return _cut(difflib.unified_diff(old, new, f"golden {name}", "this run", lineterm=""))


def _cut(lines: Iterable[str]) -> str:
    shown = list(lines)
    if len(shown) > _DIFF_LINES:
        shown[_DIFF_LINES:] = [f"… and {len(shown) - _DIFF_LINES} lines more"]
    return "\n".join(shown)


def unused_files(used: Mapping[str, Iterable[str]], complete: Iterable[str]) -> list[Path]:
    """Return golden files that no test asks for any more.

    ``used``: test module → names that were asked for; ``complete``: modules of which every test
    has run and passed, so that nothing else can ask. Files of modules that are gone count too.
    """
    whole = set(complete)
    found: list[Path] = []
    for folder in sorted({Path(module).parent / FOLDER for module in used}):
        for own in sorted(each for each in folder.glob("*") if each.is_dir()):
            module = folder.parent / f"{own.name}.py"
            known = {f"{name}{_SUFFIX}" for name in used.get(str(module), ())}
            gone = _TEST_MODULE.fullmatch(own.name) and not module.exists()
            if gone or str(module) in whole:
                found += [
                    each for each in sorted(own.glob(f"*{_SUFFIX}")) if each.name not in known
                ]
    return found
