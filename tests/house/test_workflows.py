"""The workflows: of GitHub's form, without secrets, and made of steps that run anywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.metadata import PLACEHOLDER, addressed, faults, main

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PACKAGES = (
    *(
        "pyproject.toml",
        "packaging/testing/pyproject.toml",
        "typescript/package.json",
        "rust/Cargo.toml",
        "rust/native/Cargo.toml",
        "rust/native/pyproject.toml",
    ),
    "docs/ci.md",
)


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text("utf-8"))["jobs"].items():
            yield f"{path.stem}: {name}", job


def steps() -> Iterator[dict[str, Any]]:
    for _, job in jobs():
        yield from job.get("steps", ())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_official_schema_takes_it(path: Path, tmp_path: Path) -> None:
    broken = tmp_path / path.name
    broken.write_text(path.read_text("utf-8").replace("jobs:", "job:"))
    schema = ["--builtin-schema", "vendor.github-workflows"]
    command = [sys.executable, "-m", "check_jsonschema", *schema]
    done = [
        subprocess.run([*command, each], capture_output=True, text=True, check=False)
        for each in (path, broken)
    ]
    assert [each.returncode for each in done] == [0, 1], done[0].stdout


def test_there_are_no_secrets_and_few_rights() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "release", "site"]
    for path in WORKFLOWS:
        text = path.read_text("utf-8")
        assert "secrets." not in text
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    writers = {name for name, job in jobs() if "write" in job.get("permissions", {}).values()}
    publishing = ("build", "native", "executable", "pypi", "npm", "crates", "github")
    assert writers == {*(f"release: {name}" for name in publishing), "site: publish"}


def test_nothing_is_published_before_the_check() -> None:
    release = dict(jobs())
    for name in ("pypi", "npm", "crates"):
        assert {*release[f"release: {name}"]["needs"]} - {"native"} == {"check", "build"}
    assert release["release: check"]["uses"] == "./.github/workflows/ci.yml"


def test_the_site_is_published_from_main_once_it_is_built() -> None:
    site = {name: job for name, job in jobs() if name.startswith("site: ")}
    assert site["site: publish"]["needs"] == "build"
    assert site["site: publish"]["if"] == "github.ref == 'refs/heads/main'"
    assert "make inspector site" in [step.get("run") for step in site["site: build"]["steps"]]


def test_steps_are_shell_that_can_be_read() -> None:
    scripts = [step["run"] for step in steps() if "run" in step]
    assert ".ci/run" in scripts
    assert {".ci/container", "make executable"} <= {*scripts}
    for script in scripts:
        subprocess.run(["bash", "-n", "-c", script], check=True)
        first = script.split()[0]
        if first.startswith(".ci/"):
            assert os.access(ROOT / first, os.X_OK)
            subprocess.run(["bash", "-n", ROOT / first], check=True)


def test_pypi_gets_the_package_and_not_the_fixtures(tmp_path: Path) -> None:
    for_python = (
        "partwire-1.0.0.tar.gz",
        "partwire_native-1.0.0.tar.gz",
        "partwire-1.0.0-py3-none-any.whl",
        "partwire_native-1.0.0-cp311-abi3-win_amd64.whl",
    )
    built = (*for_python, "partwire-1.0.0.tgz")
    (tmp_path / "dist").mkdir()
    for name in (*built, "partwire-1.0.0.crate", "partwire-fixtures-1.0.0.tar.gz"):
        (tmp_path / "dist" / name).touch()
    (move,) = (step["run"] for step in dict(jobs())["release: pypi"]["steps"] if "run" in step)
    subprocess.run(["bash", "-euc", move], cwd=tmp_path, check=True)
    assert {path.name for path in (tmp_path / "python").iterdir()} == {*for_python}


# --- what the packages say of themselves ----------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in PACKAGES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((ROOT / name).read_text("utf-8"), "utf-8")
    return tmp_path


def host(folder: Path, owner: str) -> None:
    path = folder / "pyproject.toml"
    text = re.sub(r"https://github\.com/[\w.-]+/", f"https://github.com/{owner}/", path.read_text())
    path.write_text(text, "utf-8")


def test_the_packages_have_one_version() -> None:
    assert list(faults(ROOT, None)) == []
    assert main([]) == 0


def test_a_release_without_address_or_of_another_version_is_refused(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert main(["v9.9.9"]) == 1
    assert f"the tag is v9.9.9, the packages have version {version}" in capsys.readouterr().err
    host(copy, PLACEHOLDER)
    (placeholder,) = faults(copy, f"v{version}")
    assert "does not say who hosts the project" in placeholder
    host(copy, "acme")
    assert list(faults(copy, f"v{version}")) == []
    crate = copy / "rust" / "Cargo.toml"
    text = crate.read_text("utf-8")
    crate.write_text(text.replace(f'version = "{version}"', 'version = "9.9.9"', 1), "utf-8")
    assert list(faults(copy, f"v{version}")) == [
        f"rust/Cargo.toml has version 9.9.9, pyproject.toml {version}"
    ]


def test_the_address_is_written_wherever_it_is_needed(copy: Path) -> None:
    assert all(text == (ROOT / name).read_text("utf-8") for name, text in addressed(ROOT).items())
    host(copy, "acme")
    for name, text in addressed(copy).items():
        owners = set(re.findall(r"([\w.-]+)/partwire(?=[.@/\"\n])", text)) - {"schemas", "gitlab"}
        assert owners == {"acme"}, name
