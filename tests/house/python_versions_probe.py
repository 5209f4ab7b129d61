"""Run by house/test_python_versions.py in another Python: use all generated code on documents.

Prints one JSON object. Needs nothing but the package and what it depends on: no test tools.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

import partwire
from partwire_testing.conformance.suites import own_cases, versions


def generated_modules() -> Iterator[str]:
    versions = [
        info.name for info in pkgutil.iter_modules(partwire.__path__) if info.name[:2] == "v0"
    ]
    for version in versions:
        room = importlib.import_module(f"partwire.{version}")
        yield room.__name__
        for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(info.name)
            yield info.name


def judge(
    data: bytes, type_name: str, version: str, expect: dict[str, Any]
) -> tuple[list[Any], str | None]:
    """Return what is the same on every Python, and what is wrong."""
    findings = partwire.validate(data, type_name, version)
    errors = [found for found in findings if found.severity == "error"]
    seen: list[Any] = [[found.rule, found.pointer, found.severity] for found in findings]
    try:
        value = partwire.read(data, type_name, version=version)
        seen.append(partwire.dump(value, type_name, version).decode())
    except partwire.ReadError as error:
        seen.append(error.findings[0].rule)
        refused = True
    else:
        refused = False
    if refused != bool(errors):
        return seen, f"validate found {errors}, read {'refused' if refused else 'accepted'}"
    if "error" not in expect:
        return seen, str(errors) if errors else model_fault(data, type_name, version)
    if expect["error"]["level"] == "shape" and model_fault(data, type_name, version) is None:
        return seen, "the model takes it"
    rule = expect["error"]["rule"]
    if rule not in [found.rule for found in errors]:
        return seen, f"expected {rule}, found {errors}"
    return seen, None


def model_fault(data: bytes, type_name: str, version: str) -> str | None:
    """Models refuse nothing valid, and write back a document that is valid again."""
    family, name = type_name.split(".")
    models = importlib.import_module(f"partwire.{version.replace('.', '_')}.models.{family}")
    adapter: TypeAdapter[Any] = TypeAdapter(getattr(models, name))
    try:
        written = adapter.dump_json(adapter.validate_json(data), by_alias=True)
    except ValidationError as error:
        return f"the model refuses it: {error}"
    found = partwire.validate(written, type_name, version)
    again = [each for each in found if each.severity == "error"]
    return f"the model writes {written!r}: {again}" if again else None


def main(fixtures: Path) -> dict[str, Any]:
    modules = list(generated_modules())
    faults: list[str] = []
    counts = {"valid": 0, "invalid": 0}
    digest = hashlib.sha256()
    for case in (each for version in versions(fixtures) for each in own_cases(version, fixtures)):
        if case.suite == "documents":
            seen, fault = judge(case.data("document"), case.spec["type"], case.version, case.expect)
            counts["invalid" if "error" in case.expect else "valid"] += 1
            digest.update(json.dumps([case.name, seen]).encode())
            if fault:
                faults.append(f"{case.id}: {fault}")
    version = "{}.{}".format(*sys.version_info)
    return {
        "python": version,
        "modules": len(modules),
        **counts,
        "digest": digest.hexdigest(),
        "faults": faults,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))))
