"""Proof that no case of the fixtures was lost or changed: ``python -m tests.fixture_trees COMMIT``.

Every case of the commit is read by the code of that commit, every case of this checkout by the code
here. Both have the same ids; the same purposes, requirements, tags and provenance; and the same
runs, with equal input and equal expectation. Numbers and the order of members count. A JSON text
may be written with other white space between its tokens, and with no other difference.

The commit may be one in which a case was a folder, with a ``case.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

__all__ = ["differences"]

ROOT: Final = Path(__file__).resolve().parent.parent
_KEPT: Final = ("purpose", "requirements", "tags", "provenance")
_TEXTS: Final = ("document", "input", "reply")
_LINES: Final = ("deltas", "chunks", "messages", "lines")
_STYLES: Final[tuple[dict[str, Any], ...]] = ({"indent": 2}, {}, {"separators": (",", ":")})

Json = dict[str, Any]


def main() -> int:
    """Compare, print the counts, and return 0 where nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fixture_trees", description=__doc__)
    parser.add_argument("commit", help="whose fixtures are compared with those of this checkout")
    commit = parser.parse_args().commit
    with TemporaryDirectory() as folder:
        old_root = Path(folder) / "old"
        _git("worktree", "add", "--quiet", "--detach", str(old_root), commit)
        try:
            old = _read(old_root, Path(folder) / "old.json")
        finally:
            _git("worktree", "remove", "--force", str(old_root))
        new = _read(ROOT, Path(folder) / "new.json")
    found = list(differences(old, new))
    counts = {name: (len(old[name]), len(new[name])) for name in ("cases", "runs", "others")}
    print(*found[:50], sep="\n")
    print(", ".join(f"{name}: {before} and {after}" for name, (before, after) in counts.items()))
    print(f"{len(found)} differences")
    return 1 if found else 0


def differences(old: Json, new: Json) -> Iterator[str]:
    """Yield what is not the same in two trees, as :func:`_dump` writes them."""
    for kind in ("cases", "runs", "others"):
        before, after = old[kind], new[kind]
        yield from (f"{kind}: {name}: gone" for name in before.keys() - after.keys())
        yield from (f"{kind}: {name}: added" for name in after.keys() - before.keys())
        for name in before.keys() & after.keys():
            same = _same_run if kind == "runs" else _same
            if not same(before[name], after[name]):
                yield f"{kind}: {name}: not as it was"


def _same_run(old: list[Any], new: list[Any]) -> bool:
    (operation, given, expected), (operation_now, given_now, expected_now) = old, new
    return (
        operation == operation_now
        and list(given) == list(given_now)
        and all(_same_input(name, given[name], given_now[name]) for name in given)
        and _same(expected, expected_now)
    )


def _same_input(name: str, old: Any, new: Any) -> bool:
    if name in _TEXTS:
        return _same_text(old, new)
    if name in _LINES:
        return len(old) == len(new) and all(map(_same_text, old, new))
    return _same(old, new)


def _same_text(old: Any, new: Any) -> bool:
    """Whether two texts are equal, or one JSON value in two plain styles: token by token alike."""
    if old == new:
        return True
    if not isinstance(old, str) or not isinstance(new, str):
        return False
    return new.strip() in _plain(old) and old.strip() in _plain(new)


def _plain(text: str) -> list[str]:
    value = json.loads(text)
    return [json.dumps(value, ensure_ascii=False, **style) for style in _STYLES]


def _same(old: Any, new: Any) -> bool:
    """Whether two JSON values are equal: 1 and 1.0 are not, nor members in another order."""
    return json.dumps(old) == json.dumps(new)


# --- reading: also by the code of the commit, whose package is another one ------------------------


def _read(root: Path, out: Path) -> Json:
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    command = [sys.executable, __file__, "--dump", str(root / "fixtures"), str(out)]
    subprocess.run(command, cwd=root, env=environment, check=True)
    tree: Json = json.loads(out.read_bytes())
    return tree


def _dump(fixtures: Path) -> Json:
    from partwire_testing.conformance import all_cases, runs_of, versions  # noqa: PLC0415 - of the commit

    tree: Json = {"cases": {}, "runs": {}, "others": {}}
    for case in (each for version in versions() for each in all_cases(version)):
        tree["cases"][case.id] = _about({**_group(case), **case.spec})
        if case.suite == "cloudevents":
            tree["others"][case.id] = _values(case, case.spec)
        for run in () if case.suite == "cloudevents" else runs_of(case):
            assert run.id not in tree["runs"]
            tree["runs"][run.id] = [run.operation, run.given, run.expected]
    for spec, case in _compat(fixtures):
        tree["cases"][f"compat/{spec['name']}"] = _about(spec)
        tree["others"][f"compat/{spec['name']}"] = _values(case, spec)
    return tree


def _group(case: Any) -> Json:
    """Return what the documents of a folder shared in its ``cases.json``."""
    path = getattr(case, "path", ROOT) / "cases.json"
    group: Json = json.loads(path.read_bytes()) if path.is_file() else {}
    return {"provenance": group.get("provenance")}


def _about(spec: Json) -> Json:
    return {name: spec.get(name) or None for name in _KEPT}


def _compat(fixtures: Path) -> Iterator[tuple[Json, Any]]:
    for path in sorted((fixtures / "compat").rglob("case.json")):
        yield json.loads(path.read_bytes()), path.parent
    for path in sorted((fixtures / "compat").glob("*.json")):
        for each in json.loads(path.read_bytes())["cases"]:
            yield each, None


def _values(case: Any, spec: Json) -> Json:
    """Return the JSON values that a case has, once each, and how often: wherever they are."""
    folder = case if isinstance(case, Path) else getattr(case, "path", None)
    if folder is not None:
        found = [
            json.loads(path.read_bytes())
            for path in sorted(folder.iterdir())
            if path.name != "case.json"
        ]
    elif "mirror" in spec:
        found = [spec[name] for name in ("old", "new", "witness")]
    else:
        outcome = [] if "error" in spec["expect"] else spec["expect"].values()
        found = [spec["input"], *outcome]
    rest: Json = {
        name: spec[name]
        for name in ("call", "form", "type", "given", "mode", "reading", "mirror", "findings")
        if name in spec
    }
    if "mirror" in spec or "error" in spec["expect"]:
        rest["expect"] = spec["expect"]
    counted = Counter(json.dumps(each) for each in found)
    return {"values": sorted(counted.items()), "rest": rest}


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--dump"]:
        Path(sys.argv[3]).write_text(json.dumps(_dump(Path(sys.argv[2]))))
    else:
        sys.exit(main())
