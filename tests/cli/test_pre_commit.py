"""The hooks of .pre-commit-hooks.yaml, run by pre-commit itself in its own repository.

pre-commit builds the hooks' environments as it does for anyone: with pip, from this checkout.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.ci_surroundings import (
    BAD,
    GOOD,
    SCHEMA,
    Repository,
    clean_environment,
    copy_project,
)

pytestmark = [pytest.mark.slow, pytest.mark.early]

MANIFEST = ".pre-commit-hooks.yaml"
PRE_COMMIT = [sys.executable, "-m", "pre_commit"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return clean_environment(PRE_COMMIT_HOME=str(tmp_path_factory.mktemp("home")))


@pytest.fixture(scope="module")
def hooks(
    root: Path, tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]
) -> dict[str, Any]:
    """The entry of a user's .pre-commit-config.yaml for a repository that is as this checkout."""
    folder = tmp_path_factory.mktemp("hooks") / "partwire"
    copy_project(root, folder, MANIFEST)
    repository = Repository(folder, environment)
    assert repository.commit("as it is").returncode == 0
    return {"repo": str(folder), "rev": repository.git("rev-parse", "HEAD")}


@pytest.fixture
def repository(tmp_path: Path, hooks: dict[str, Any], environment: dict[str, str]) -> Repository:
    """A user's repository, with the hooks installed."""
    made = Repository(tmp_path / "user", environment)
    made.fill()
    use = [{"id": "partwire-validate"}, {"id": "partwire-compat"}]
    made.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{**hooks, "hooks": use}]}))
    assert made.commit("hooks").returncode == 0
    installed = made.run([*PRE_COMMIT, "install", "--install-hooks"])
    assert installed.returncode == 0, installed.stdout
    return made


def test_every_file_of_a_good_repository_passes(repository: Repository) -> None:
    result = repository.run([*PRE_COMMIT, "run", "--all-files", "--verbose"])
    assert result.returncode == 0, result.stdout
    assert "2 documents in 1 source: valid" in result.stdout
    # A package.json is not a document of the contract, and no reason to fail.
    assert "left out, since no row names a type: 2" in result.stdout
    assert "1 compatible" in result.stdout


def test_a_commit_with_an_invalid_line_is_refused(repository: Repository) -> None:
    repository.write("logs/b.jsonl", BAD)
    result = repository.commit("bad")
    assert result.returncode == 1
    assert "logs/b.jsonl:2: None of the allowed values [shape/enum]" in result.stdout
    # The hook for schemas has nothing to look at.
    assert "(no files to check)Skipped" in result.stdout
    repository.write("logs/b.jsonl", GOOD)
    assert repository.commit("good").returncode == 0


def test_a_commit_that_breaks_a_schema_is_refused(repository: Repository) -> None:
    name = "schemas/answer.schema.json"
    repository.write(name, SCHEMA.replace('"string"', '"integer"'))
    result = repository.commit("break")
    assert result.returncode == 1
    assert "[compat/type-narrowed]" in result.stdout
    repository.write(name, SCHEMA.replace('"string"', '["string", "integer"]'))
    assert repository.commit("widen").returncode == 0


def test_a_broken_configuration_is_told(repository: Repository) -> None:
    repository.write("partwire.toml", "[[path]]\n")
    repository.write("logs/b.jsonl", GOOD)
    result = repository.commit("slip of the pen")
    assert result.returncode == 1
    assert "exit code: 2" in result.stdout
    assert "partwire.toml:1: Unknown key; did you mean paths?" in result.stdout


def test_the_manifest_is_one_that_pre_commit_takes(root: Path) -> None:
    command = [*PRE_COMMIT, "validate-manifest", MANIFEST]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")
