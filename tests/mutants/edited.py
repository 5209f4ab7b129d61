"""One change of partwire's source, through the suite, in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from tests.mutants.mutant import Edit, Mutant

__all__ = ["cases_of"]

ROOT = Path(__file__).resolve().parents[2]


def cases_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the cases that catch a change of the source; raise RuntimeError if it cannot run."""
    if mutant.edit is None:
        raise RuntimeError(f"{mutant.name} is not a change of the source")
    asked = json.dumps({"edit": asdict(mutant.edit), "operations": mutant.operations})
    folders = [str(ROOT), str(ROOT / "python")]
    code = f"import sys; sys.path[:0] = {folders!r}; from tests.mutants.edited import main; main()"
    # Coverage counts lines of the source as it is, and not of one that says something else.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    run = subprocess.run(
        [sys.executable, "-c", code, asked],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=env,
        check=False,
    )
    if run.returncode:
        raise RuntimeError(f"{mutant.name} could not be run:\n{run.stderr}")
    return tuple(json.loads(run.stdout))


class _Finder(MetaPathFinder):
    """Finds one module, and gives it another source."""

    def __init__(self, edit: Edit) -> None:
        self._edit = edit

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._edit.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            raise ImportError(f"no source of {fullname}")
        spec.loader = _Loader(fullname, spec.origin, self._edit)
        return spec


class _Loader(SourceFileLoader):
    """Loads a source with one text replaced; nothing of it is cached."""

    def __init__(self, fullname: str, path: str, edit: Edit) -> None:
        super().__init__(fullname, path)
        self._edit = edit

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text("utf-8")
        if (times := source.count(self._edit.old)) != 1:
            raise ImportError(f"{fullname} has {times} times what is to be changed")
        return compile(source.replace(self._edit.old, self._edit.new), self.path, "exec")


def main() -> None:
    """Print the cases that catch the change that the argument names, as a JSON array."""
    asked = json.loads(sys.argv[1])
    edit = Edit(**asked["edit"])
    sys.meta_path.insert(0, _Finder(edit))
    from partwire_testing.conformance import OPERATIONS  # noqa: PLC0415 (after the change)
    from tests.mutants.running import caught_by  # noqa: PLC0415

    if edit.module not in sys.modules:
        raise SystemExit(f"{edit.module} is not imported")
    print(json.dumps(caught_by(tuple(asked["operations"]), OPERATIONS)))
