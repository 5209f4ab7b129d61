"""The wheel: what is in it, that it builds to the same bytes, and that it works on its own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import partwire

# One worker does them all: the wheel is built, and the empty environment filled, once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


class Wheels(NamedTuple):
    direct: Path
    """Built from the checkout."""
    from_sdist: Path
    """Built later, elsewhere, from the source distribution."""


def run(command: list[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run with nothing of this test run's own environment that could lend a package or a date."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "COV", "SOURCE_DATE_EPOCH", "PARTWIRE_"))
    }
    return subprocess.run(
        command, cwd=cwd, env=kept, capture_output=True, text=True, check=False, timeout=300
    )


def run_well(command: list[str | Path], cwd: Path) -> str:
    result = run(command, cwd)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheels(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    base = tmp_path_factory.mktemp("dist")
    build: list[str | Path] = [sys.executable, "-m", "build", "--no-isolation"]
    run_well([*build, "--wheel", "--outdir", base / "direct", root], base)
    run_well([*build, "--outdir", base / "sdist", root], base)
    (direct,) = (base / "direct").glob("*.whl")
    (from_sdist,) = (base / "sdist").glob("*.whl")
    return Wheels(direct, from_sdist)


@pytest.fixture(scope="module")
def installed(root: Path, wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel and its dependencies, nothing else."""
    base = tmp_path_factory.mktemp("installed")
    run_well([sys.executable, "-m", "venv", "--without-pip", base / "venv"], base)
    # The versions that the rest of the tests use; without the hashes, which would have to cover
    # the wheel as well.
    pins = re.findall(
        r"^\S+==[^\\\n]+", (root / "requirements" / "runtime.txt").read_text(), re.MULTILINE
    )
    (base / "constraints.txt").write_text("\n".join(pins))
    folder = base / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", folder / "python"]
    options: list[str | Path] = ["--quiet", "--no-input", "--disable-pip-version-check"]
    run_well([*pip, "install", *options, "-c", base / "constraints.txt", wheels.direct], base)
    return folder


def project_of(root: Path) -> dict[str, Any]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert isinstance(project, dict)
    return project


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(name).decode()


def shipped_files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_two_builds_are_the_same_bytes(wheels: Wheels) -> None:
    digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels]
    assert names(wheels.direct) == names(wheels.from_sdist)
    assert digests[0] == digests[1]


@pytest.mark.parametrize("folder", ["schemas", "fixtures"])
def test_the_wheel_holds_every_schema_and_fixture(root: Path, wheels: Wheels, folder: str) -> None:
    prefix = f"partwire/_data/{folder}/"
    packed = {name.removeprefix(prefix) for name in names(wheels.direct) if prefix in name}
    assert len(packed) > 5
    assert packed == shipped_files(root / folder)


def test_the_wheel_holds_every_bundle_and_the_type_marker(root: Path, wheels: Wheels) -> None:
    packed = names(wheels.direct)
    catalog = json.loads((root / "schemas" / "catalog.json").read_bytes())
    for version, row in catalog["versions"].items():
        for family in row["families"]:
            for suffix in (".schema.json", ".draft-07.schema.json"):
                room = version.replace(".", "_")
                assert f"partwire/{room}/bundles/{family}{suffix}" in packed
    assert "partwire/py.typed" in packed


def test_the_wheel_holds_the_package_and_nothing_else(root: Path, wheels: Wheels) -> None:
    packed = names(wheels.direct)
    info = f"partwire-{project_of(root)['version']}.dist-info"
    assert {name.split("/")[0] for name in packed} == {"partwire", "pytest_partwire.py", info}
    outside_data = {
        name.removeprefix("partwire/")
        for name in packed
        if name.startswith("partwire/") and not name.startswith("partwire/_data/")
    }
    assert outside_data == shipped_files(root / "python" / "partwire")
    assert not [
        name for name in outside_data if re.search(r"(^|/)(tests?|conftest)([_./]|$)", name)
    ]


def test_the_metadata_is_what_pyproject_says(root: Path, wheels: Wheels) -> None:
    project = project_of(root)
    info = f"partwire-{project['version']}.dist-info"
    metadata = Parser().parsestr(read(wheels.direct, f"{info}/METADATA"))
    required = metadata.get_all("Requires-Dist") or []
    assert [line for line in required if "extra ==" not in line] == sorted(project["dependencies"])
    assert set(metadata.get_all("Provides-Extra") or []) == set(project["optional-dependencies"])
    assert metadata["Version"] == partwire.__version__
    assert metadata["Requires-Python"] == project["requires-python"]
    assert "Apache License" in read(wheels.direct, f"{info}/licenses/LICENSE")


def test_only_the_stated_dependencies_come_with_it(installed: Path) -> None:
    listed = run_well(
        [sys.executable, "-m", "pip", "--python", installed / "python", "list", "--format=json"],
        installed,
    )
    found = {row["name"] for row in json.loads(listed)}
    assert found - {"colorama"} == {"partwire", "msgspec", "click"}


def test_an_installed_package_finds_its_data(installed: Path, tmp_path: Path) -> None:
    code = (
        "import json; from partwire import resources as r;"
        "bundles = [r.bundle(family, version, draft)['$schema']"
        " for version, row in r.read_catalog().items()"
        " for family in row['families'] for draft in ('2020-12', 'draft-07')];"
        "print(json.dumps([str(r.schemas_dir()), str(r.fixtures_dir()), len(bundles)]))"
    )
    schemas, fixtures, bundles = json.loads(run_well([installed / "python", "-c", code], tmp_path))
    data = installed.parent / "lib"
    for folder, name in ((schemas, "schemas"), (fixtures, "fixtures")):
        assert Path(folder).is_relative_to(data.resolve())
        assert Path(folder).parts[-4:] == ("site-packages", "partwire", "_data", name)
    assert bundles == 2 * 2 * 4


def stream_cases(root: Path) -> list[Path]:
    """Streams that end in a message and whose case asks for nothing beyond the deltas."""
    found = []
    for path in sorted((root / "fixtures" / "v0.1" / "streams").glob("*/message.json")):
        case = json.loads((path.parent / "case.json").read_bytes())
        if not {"limits", "mode", "run_id"} & set(case):
            found.append(path.parent)
    return found


def test_the_installed_command_assembles_a_message(
    root: Path, installed: Path, tmp_path: Path
) -> None:
    cases = stream_cases(root)
    assert len(cases) >= 3
    for case in cases[:: max(1, len(cases) // 5)]:
        printed = run_well([installed / "partwire", "assemble", case / "deltas.jsonl"], tmp_path)
        assert printed.count("\n") == 1, case.name
        assert json.loads(printed) == json.loads((case / "message.json").read_bytes()), case.name


def test_the_installed_command_refuses_without_a_traceback(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_text("{")
    result = run([installed / "partwire", "assemble", "cut.jsonl"], tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    assert "cut.jsonl" in result.stderr
    assert "Traceback" not in result.stderr
