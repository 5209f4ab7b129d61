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
from partwire.conformance.suites import Case as SuiteCase
from partwire.conformance.suites import own_cases

pytestmark = pytest.mark.slow


class Wheels(NamedTuple):
    direct: Path
    """Built from the checkout."""
    from_sdist: Path
    """Built later, elsewhere, from the source distribution."""
    fixtures: Path
    """The package of the fixtures."""


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
    run_well([*build, "--wheel", "--outdir", base / "fixtures", root / "fixtures"], base)
    (direct,) = (base / "direct").glob("*.whl")
    (from_sdist,) = (base / "sdist").glob("*.whl")
    (fixtures,) = (base / "fixtures").glob("*.whl")
    return Wheels(direct, from_sdist, fixtures)


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
    digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels[:2]]
    assert names(wheels.direct) == names(wheels.from_sdist)
    assert digests[0] == digests[1]


def test_the_wheel_holds_every_schema_and_no_fixture(root: Path, wheels: Wheels) -> None:
    prefix = "partwire/_data/"
    packed = {name.removeprefix(prefix) for name in names(wheels.direct) if prefix in name}
    assert len(packed) > 5
    shipped = {
        name
        for name in shipped_files(root / "schemas")
        if name == "tables/losses.json" or not re.search(r"^tables/|\.src\.json$", name)
    }
    assert packed == {f"schemas/{name}" for name in shipped}


def test_json_says_in_the_wheel_what_it_says_in_the_checkout(root: Path, wheels: Wheels) -> None:
    """Without white space; what a digest is published of, byte for byte."""
    compared = 0
    for name in names(wheels.direct):
        if not name.endswith(".json"):
            continue
        data = name.removeprefix("partwire/_data/")
        path = root / data if data != name else root / "python" / name
        shipped, text = read(wheels.direct, name), path.read_text("utf-8")
        if data.startswith("schemas/v0."):
            assert shipped == text, name
        else:
            assert "\n" not in shipped, name
            assert json.loads(shipped) == json.loads(text), name
        compared += 1
    assert compared > 40


def test_the_fixtures_are_a_wheel_of_their_own_and_of_the_same_version(
    root: Path, wheels: Wheels
) -> None:
    version = project_of(root)["version"]
    prefix, info = "partwire_fixtures/", f"partwire_fixtures-{version}.dist-info"
    packed = names(wheels.fixtures)
    assert {name.split("/")[0] for name in packed} == {prefix[:-1], info}
    data = {name.removeprefix(prefix) for name in packed if name.startswith(prefix)}
    left_out = {"pyproject.toml", *(path.name for path in (root / "fixtures").glob("*.sha256"))}
    assert data == shipped_files(root / "fixtures") - left_out
    metadata = Parser().parsestr(read(wheels.fixtures, f"{info}/METADATA"))
    assert (metadata["Version"], metadata.get_all("Requires-Dist")) == (version, None)
    testing = project_of(root)["optional-dependencies"]["testing"]
    assert f"partwire-fixtures=={version}" in testing


def test_the_wheels_are_small(wheels: Wheels) -> None:
    """Bytes, packed and installed."""
    sizes = {}
    for name, wheel in (("package", wheels.direct), ("fixtures", wheels.fixtures)):
        with zipfile.ZipFile(wheel) as archive:
            installed = sum(each.file_size for each in archive.infolist())
        sizes[name] = (wheel.stat().st_size, installed)
    limits = {"package": (1_450_000, 4_800_000), "fixtures": (600_000, 2_500_000)}
    wrong = {
        name: size
        for name, size in sizes.items()
        if any(each > limit for each, limit in zip(size, limits[name], strict=True))
    }
    assert wrong == {}


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
        "import json; from partwire.contract import resources as r;"
        "bundles = [r.bundle(family, version, draft)['$schema']"
        " for version, row in r.read_catalog().items()"
        " for family in row['families'] for draft in ('2020-12', 'draft-07')];"
        "print(json.dumps([str(r.schemas_dir()), len(bundles)]))"
    )
    schemas, bundles = json.loads(run_well([installed / "python", "-c", code], tmp_path))
    assert Path(schemas).is_relative_to((installed.parent / "lib").resolve())
    assert Path(schemas).parts[-4:] == ("site-packages", "partwire", "_data", "schemas")
    assert bundles == 2 * 2 * 4


def test_conformance_asks_for_the_fixtures_and_takes_them(
    installed: Path, wheels: Wheels, tmp_path: Path
) -> None:
    asked: list[str | Path] = ["conformance", "--suite", "transitions", "--"]
    asked += [installed / "python", "-m", "partwire.conformance.driver"]
    result = run([installed / "partwire", *asked], tmp_path)
    assert result.returncode == 2, result.stderr
    assert "pip install 'partwire[testing]'" in result.stderr
    assert "Traceback" not in result.stderr
    with zipfile.ZipFile(wheels.fixtures) as archive:
        archive.extractall(tmp_path / "site")
    code = "import sys; sys.path.append('site');from partwire.cli import main; main()"
    printed = run_well([installed / "python", "-c", code, *asked], tmp_path)
    assert "partwire: " in printed


def stream_cases() -> list[SuiteCase]:
    """Streams that end in a message and whose case asks for nothing beyond the deltas."""
    return [
        case
        for case in own_cases("v0.1")
        if case.suite == "streams"
        and case.result
        and not {"limits", "mode", "run_id"} & set(case.spec)
    ]


def test_the_installed_command_assembles_a_message(installed: Path, tmp_path: Path) -> None:
    cases = stream_cases()
    assert len(cases) >= 3
    for case in cases[:: max(1, len(cases) // 5)]:
        (tmp_path / "deltas.jsonl").write_bytes(case.stream("deltas"))
        printed = run_well([installed / "partwire", "assemble", "deltas.jsonl"], tmp_path)
        assert printed.count("\n") == 1, case.name
        assert json.loads(printed) == case.expect["message"], case.name


def test_the_installed_command_refuses_without_a_traceback(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_text("{")
    result = run([installed / "partwire", "assemble", "cut.jsonl"], tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    assert "cut.jsonl" in result.stderr
    assert "Traceback" not in result.stderr
