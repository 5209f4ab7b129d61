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
from partwire.contract.current import FAMILIES
from partwire.contract.packed import SUFFIX, files_of, folders, unpack
from partwire.contract.resources import read_rules
from partwire_testing.conformance.suites import Case as SuiteCase
from partwire_testing.conformance.suites import own_cases

pytestmark = [pytest.mark.slow, pytest.mark.early]


class Wheels(NamedTuple):
    direct: Path
    """Built from the checkout."""
    from_sdist: Path
    """Built later, elsewhere, from the source distribution."""
    testing: Path
    """The package of tests."""


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
    run_well(
        [*build, "--wheel", "--outdir", base / "testing", root / "packaging" / "testing"], base
    )
    (direct,) = (base / "direct").glob("*.whl")
    (from_sdist,) = (base / "sdist").glob("*.whl")
    (testing,) = (base / "testing").glob("*.whl")
    return Wheels(direct, from_sdist, testing)


@pytest.fixture(scope="module")
def installed(root: Path, wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that holds the wheel and its dependencies, nothing else."""
    folder = environment(tmp_path_factory.mktemp("installed"))
    # The versions that the rest of the tests use; without the hashes, which would have to cover
    # the wheel as well.
    pins = re.findall(
        r"^\S+==[^\\\n]+", (root / "requirements" / "runtime.txt").read_text(), re.MULTILINE
    )
    (folder / "constraints.txt").write_text("\n".join(pins))
    pip(folder, "install", "-c", folder / "constraints.txt", wheels.direct)
    return folder


def environment(base: Path) -> Path:
    """Return the bin folder of a new environment without anything in it."""
    run_well([sys.executable, "-m", "venv", "--without-pip", base / "venv"], base)
    return base / "venv" / ("Scripts" if os.name == "nt" else "bin")


def pip(folder: Path, command: str, *arguments: str | Path) -> str:
    """Let pip do something in an environment."""
    words = (sys.executable, "-m", "pip", "--python", folder / "python", command)
    options = ("--no-input", "--disable-pip-version-check", "--quiet")
    return run_well([*words, *options, *arguments], folder)


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


def unpacked(wheel: Path) -> dict[str, dict[str, bytes]]:
    """Return folder of data → name → bytes, of what the wheel holds packed."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            Path(name).name.removesuffix(SUFFIX): unpack(archive.read(name))
            for name in archive.namelist()
            if name.startswith("partwire/_data/")
        }


def test_the_wheel_holds_all_data_and_no_fixture(root: Path, wheels: Wheels) -> None:
    """What a digest is published of, byte for byte; other JSON without white space."""
    packed = unpacked(wheels.direct)
    assert sorted(packed) == sorted(folders(root))
    assert {"schemas", "rules", "interfaces", *FAMILIES} == set(packed)
    for folder, files in packed.items():
        sources = files_of(root, folder)
        assert list(files) == list(sources)
        for name, data in files.items():
            text = sources[name].read_bytes()
            if folder.startswith("v"):
                assert data == text, name
            else:
                assert b"\n" not in data, name
                assert json.loads(data) == json.loads(text), name


def test_what_tests_need_is_a_wheel_of_its_own_and_of_the_same_version(
    root: Path, wheels: Wheels
) -> None:
    version = project_of(root)["version"]
    prefix, info = "partwire_testing/", f"partwire_testing-{version}.dist-info"
    packed = names(wheels.testing)
    assert {name.split("/")[0] for name in packed} == {prefix[:-1], "pytest_partwire.py", info}
    held = {name.removeprefix(prefix) for name in packed if name.startswith(prefix)}
    digests = {path.name for path in (root / "fixtures").glob("*.sha256")}
    fixtures = {f"fixtures/{name}" for name in shipped_files(root / "fixtures") - digests}
    bindings = {f"bindings/{name}" for name in shipped_files(root / "schemas" / "bindings")}
    assert held == shipped_files(root / "python" / "partwire_testing") | fixtures | bindings
    metadata = Parser().parsestr(read(wheels.testing, f"{info}/METADATA"))
    assert metadata["Version"] == version
    assert metadata.get_all("Requires-Dist") == [f"partwire=={version}"]
    testing = project_of(root)["optional-dependencies"]["testing"]
    assert f"partwire-testing=={version}" in testing
    assert "pytest11" in read(wheels.testing, f"{info}/entry_points.txt")
    own = f"partwire-{version}.dist-info"
    assert "pytest11" not in read(wheels.direct, f"{own}/entry_points.txt")


def test_the_wheels_are_small(wheels: Wheels) -> None:
    """Bytes, packed and installed: what was measured last, and a twentieth more.

    No file is there twice. Of the package, a sixth is the formats of others, an eighth is archives,
    and a tenth is data: schemas, rules and interfaces, compressed. The inspector's page is weighed
    by itself.
    """
    sizes = {}
    for name, wheel in (("package", wheels.direct), ("testing", wheels.testing)):
        with zipfile.ZipFile(wheel) as archive:
            files = archive.infolist()
        page = next((each for each in files if each.filename == INSPECTOR), None)
        installed = sum(each.file_size for each in files)
        sizes[name] = (
            wheel.stat().st_size - (page.compress_size if page else 0),
            installed - (page.file_size if page else 0),
        )
    limits = {"package": (1_830_000, 5_430_000), "testing": (1_300_000, 6_900_000)}
    wrong = {
        name: size
        for name, size in sizes.items()
        if any(each > limit for each, limit in zip(size, limits[name], strict=True))
    }
    assert wrong == {}, sizes


INSPECTOR = "partwire/inspector/page.html"


def test_the_wheel_has_the_inspectors_page(root: Path, wheels: Wheels) -> None:
    """It is built by npm, and weighs less than 1 MB."""
    built = root / "python" / INSPECTOR
    if not built.is_file():
        if os.environ.get("CI"):
            pytest.fail("the inspector's page is not built: make inspector")
        pytest.skip("the inspector's page is not built: make inspector")
    for wheel in wheels[:2]:
        with zipfile.ZipFile(wheel) as archive:
            assert archive.read(INSPECTOR) == built.read_bytes()
            found = archive.getinfo(INSPECTOR)
        assert found.file_size < 1_000_000
        assert found.compress_size < 400_000


def test_the_wheel_holds_the_package_and_nothing_else(root: Path, wheels: Wheels) -> None:
    packed = names(wheels.direct)
    info = f"partwire-{project_of(root)['version']}.dist-info"
    assert {name.split("/")[0] for name in packed} == {"partwire", info}
    outside_data = {
        name.removeprefix("partwire/")
        for name in packed
        if name.startswith("partwire/") and not name.startswith("partwire/_data/")
    }
    files = shipped_files(root / "python" / "partwire")
    assert outside_data == {name for name in files if not name.endswith(".json")}
    assert "py.typed" in outside_data
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
        "print(json.dumps([r.__file__, len(bundles), len(r.read_rules())]))"
    )
    file, bundles, rules = json.loads(run_well([installed / "python", "-c", code], tmp_path))
    assert Path(file).is_relative_to((installed.parent / "lib").resolve())
    assert bundles == len(FAMILIES) * 2 * 4
    assert rules == len(read_rules())


SHOWN = (
    ("schema", "show", "message.Message"),
    ("schema", "bundle", "session", "--contract", "v0.1", "--draft", "draft-07"),
    ("schema", "interface", "openapi-3.2"),
    ("explain", "stream/truncated"),
    ("config", "--schema"),
)


def test_an_installed_command_shows_what_that_of_the_checkout_shows(
    installed: Path, tmp_path: Path
) -> None:
    """The data is packed in the one and not in the other."""
    for words in SHOWN:
        ours = run_well([Path(sys.executable).with_name("partwire"), *words], tmp_path)
        assert ours
        assert run_well([installed / "partwire", *words], tmp_path) == ours, words


def test_validating_by_a_type_opens_no_data(installed: Path, tmp_path: Path) -> None:
    code = (
        "import sys, partwire;"
        "partwire.validate({'id': 'a'}, 'message.ToolChoice');"
        "print('lzma' in sys.modules)"
    )
    assert run_well([installed / "python", "-c", code], tmp_path) == "False\n"


ASKED = ("conformance", "--suite", "transitions")


def test_conformance_says_what_installs_it(installed: Path, tmp_path: Path) -> None:
    result = run([installed / "partwire", *ASKED], tmp_path)
    assert result.returncode == 2, result.stderr
    assert 'pip install "partwire[testing]"' in result.stderr
    assert "[usage/missing-extra]" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("testing_first", [False, True])
def test_both_wheels_come_and_go_in_any_order(
    wheels: Wheels, tmp_path: Path, *, testing_first: bool
) -> None:
    """Nothing of the one is in a folder of the other, so neither leaves or takes anything."""
    folder = environment(tmp_path)
    both = [wheels.direct, wheels.testing]
    for wheel in reversed(both) if testing_first else both:
        pip(folder, "install", "--no-deps", wheel)
    code = "import {0}; print({0}.__file__)".format
    site = Path(run_well([folder / "python", "-c", code("partwire")], tmp_path)).parent.parent
    assert {"partwire", "partwire_testing", "pytest_partwire.py"} <= {
        path.name for path in site.iterdir()
    }
    names = ["partwire", "partwire-testing"]
    gone, left = reversed(names) if testing_first else names
    pip(folder, "uninstall", "--yes", gone)
    module = gone.replace("-", "_")
    assert not (site / module).exists()
    assert run([folder / "python", "-c", code(module)], tmp_path).returncode == 1
    assert (site / left.replace("-", "_") / "__init__.py").is_file()
    pip(folder, "uninstall", "--yes", left)
    assert not list(site.glob("*partwire*"))


def test_with_both_wheels_the_suite_runs_and_pip_is_content(
    installed: Path, wheels: Wheels, tmp_path: Path
) -> None:
    pip(installed, "install", "--no-deps", wheels.testing)
    try:
        assert "partwire: " in run_well([installed / "partwire", *ASKED], tmp_path)
        pip(installed, "check")
    finally:
        pip(installed, "uninstall", "--yes", "partwire-testing")


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
    result = run([installed / "partwire", "assemble", "--from", "deltas", "cut.jsonl"], tmp_path)
    assert result.returncode == 1
    assert result.stdout == ""
    assert "cut.jsonl" in result.stderr
    assert "Traceback" not in result.stderr
