"""The action for GitHub and the template for GitLab: what they say is run, step by step.

The action installs partwire with pip from this checkout, the template installs a wheel of it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import partwire
from tests.house.ci_runners import StepResult, run_action, run_job
from tests.house.ci_surroundings import (
    BAD,
    GOOD,
    SCHEMA,
    Repository,
    clean_environment,
    copy_project,
)

pytestmark = [pytest.mark.slow, pytest.mark.early]

NARROWED = SCHEMA.replace('"string"', '"integer"')


@pytest.fixture(scope="module")
def project(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as a runner checks it out: pip must leave nothing in this one."""
    folder = tmp_path_factory.mktemp("action") / "partwire"
    copy_project(root, folder, "action.yml", "templates")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's temporary folder: the environment that the action makes is kept in it."""
    return tmp_path_factory.mktemp("runner")


AGAINST = "HEAD"
"""What every test compares with, so that one installation serves them all."""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "user", clean_environment())
    made.fill()
    return made


def statuses(results: list[StepResult]) -> list[int | None]:
    for each in results:
        print(f"--- {each.name}: {each.status}\n{each.output}")
    return [each.status for each in results]


# --- GitHub ---------------------------------------------------------------------------------------


def test_the_action_passes_a_good_repository(
    project: Path, home: Path, repository: Repository
) -> None:
    results = run_action(project, repository, home, python=sys.executable, compat_against=AGAINST)
    assert statuses(results) == [0, 0, 0]
    assert f"version {partwire.__version__}" in results[0].output
    assert "::error" not in results[1].output + results[2].output


def test_the_action_annotates_a_bad_repository(
    project: Path, home: Path, repository: Repository
) -> None:
    repository.write("logs/more lines.jsonl", BAD)
    repository.write("schemas/answer.schema.json", NARROWED)
    results = run_action(project, repository, home, python=sys.executable, compat_against=AGAINST)
    # Both checks run, whatever the first one finds.
    assert statuses(results) == [0, 1, 1]
    (annotation,) = re.findall("^::.*", results[1].output, re.MULTILINE)
    place = "::error file=logs/more lines.jsonl,line=2,"
    assert annotation.startswith(f"{place}title=None of the allowed values::")
    assert annotation.endswith("[shape/enum]")
    assert "::error file=schemas/answer.schema.json,line=4," in results[2].output


def test_the_inputs_of_the_action(project: Path, home: Path, repository: Repository) -> None:
    repository.write("below/one file.json", '"often"')
    repository.write("below/b.json", '"never"')
    repository.write("below/$(touch stolen)`touch stolen`.json", '"often"')
    inputs = {
        "working_directory": "below",
        "type": "message.ToolChoice",
        "files": "one file.json\n\n?.json\n$(touch stolen)`touch stolen`.json\n",
        "args": "--statistics --contract v0.1",
        "format": "sarif",
        "output_file": "report.sarif",
        "python": sys.executable,
        "compat_against": AGAINST,
        "compat_schemas": "../schemas",
    }
    results = run_action(project, repository, home, **inputs)
    assert statuses(results) == [0, 1, 0]
    assert not list(repository.folder.rglob("stolen"))
    assert "3  shape/enum" in results[1].output
    report = json.loads((repository.folder / "below" / "report.sarif").read_bytes())
    assert [each["ruleId"] for each in report["runs"][0]["results"]] == ["shape/enum"] * 3
    known = {"baseline": "known.json", "args": "--baseline-update", "format": "text"}
    results = run_action(project, repository, home, **{**inputs, **known, "output_file": ""})
    assert statuses(results) == [0, 0, 0]
    results = run_action(project, repository, home, **{**inputs, **known, "args": ""})
    assert statuses(results) == [0, 0, 0]
    assert "3 accepted" in results[1].output


def test_the_action_without_documents_compares_schemas_alone(
    project: Path, home: Path, repository: Repository
) -> None:
    repository.write("other/a.schema.json", SCHEMA)
    repository.write("schemas/answer.schema.json", NARROWED)
    inputs = {"compat_against": AGAINST, "validate": "false", "python": sys.executable}
    results = run_action(project, repository, home, **inputs, compat_schemas="other\n")
    assert statuses(results) == [0, None, 0]
    results = run_action(
        project, repository, home, **inputs, format="junit", compat_output_file="schemas.xml"
    )
    assert statuses(results) == [0, None, 1]
    report = ET.parse(repository.folder / "schemas.xml")
    assert len(report.findall(".//failure")) == 1


def test_the_action_stops_where_it_cannot_be_installed(
    project: Path, home: Path, repository: Repository
) -> None:
    results = run_action(project, repository, home, python="no-such-python", compat_against=AGAINST)
    assert statuses(results) == [127, None, None]
    results = run_action(project, repository, home, python=sys.executable, version="not a version")
    assert statuses(results) == [1, None, None]


# --- GitLab ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gitlab(
    root: Path, project: Path, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The variables of a runner whose image has Python, and finds the wheel of this checkout."""
    dist, image = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("image")
    environment = clean_environment()
    build = ["build", "--no-isolation", "--wheel", "--outdir", str(dist), str(project)]
    for command in (build, ["venv", str(image)]):
        made = subprocess.run(
            [sys.executable, "-m", *command],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
    return {
        "PATH": f"{image / 'bin'}:{environment['PATH']}",
        "PIP_FIND_LINKS": f"{dist} {environment.get('PIP_FIND_LINKS', '')}".strip(),
        "CI": "true",
        "GITLAB_CI": "true",
    }


TEMPLATE = "templates/gitlab/partwire.yml"


def test_the_template_passes_a_good_repository(
    project: Path, repository: Repository, gitlab: dict[str, str]
) -> None:
    version = {"PARTWIRE_VERSION": partwire.__version__}
    job, status, output = run_job(
        project / TEMPLATE, "partwire-validate", repository, **gitlab, **version
    )
    assert status == 0, output
    assert f"version {partwire.__version__}" in output
    assert "2 documents in 1 source: valid" in output
    quality, tests = reports(repository, job.artifacts)
    assert (quality, tests.findall(".//failure")) == ([], [])
    assert int(tests.get("tests", "0")) > 0
    head = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": repository.git("rev-parse", "HEAD")}
    job, status, output = run_job(
        project / TEMPLATE, "partwire-compat", repository, **gitlab, **head
    )
    assert (status, "1 compatible" in output) == (0, True), output


def test_the_template_reports_a_bad_repository(
    project: Path, repository: Repository, gitlab: dict[str, str]
) -> None:
    head = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": repository.git("rev-parse", "HEAD")}
    repository.write("logs/b.jsonl", BAD)
    repository.write("logs/c.jsonl", GOOD)
    repository.write("schemas/answer.schema.json", NARROWED)
    asked = {"PARTWIRE_FILES": "logs/[bc].jsonl logs/a.jsonl", "PARTWIRE_ARGS": "--contract v0.1"}
    job, status, output = run_job(
        project / TEMPLATE, "partwire-validate", repository, **gitlab, **asked
    )
    assert status == 1, output
    assert "6 documents in 3 sources: 1 error" in output
    quality, tests = reports(repository, job.artifacts)
    (found,) = quality
    assert found["check_name"] == "shape/enum"
    assert found["location"] == {"path": "logs/b.jsonl", "lines": {"begin": 2}}
    (failure,) = tests.findall(".//failure")
    assert "shape/enum" in ET.tostring(failure, "unicode")
    asked = {"PARTWIRE_SCHEMAS": "schemas"}
    job, status, output = run_job(
        project / TEMPLATE, "partwire-compat", repository, **gitlab, **head, **asked
    )
    assert (status, "[compat/type-narrowed]" in output) == (1, True), output


def test_the_template_tells_what_cannot_be_read(
    project: Path, repository: Repository, gitlab: dict[str, str]
) -> None:
    repository.write("partwire.toml", "[[path]]\n")
    _, status, output = run_job(project / TEMPLATE, "partwire-validate", repository, **gitlab)
    assert status == 2, output
    assert output.count("partwire.toml:1: Unknown key; did you mean paths?") == 1


def reports(
    repository: Repository, artifacts: dict[str, object]
) -> tuple[list[dict[str, object]], ET.Element]:
    """Return the reports of a job, from where its artifacts say that they are."""
    names = artifacts["reports"]
    assert isinstance(names, dict)
    quality = json.loads((repository.folder / names["codequality"]).read_bytes())
    return quality, ET.parse(repository.folder / names["junit"]).getroot()


# --- the official schemas -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "name"),
    [("vendor.github-actions", "action.yml"), ("vendor.gitlab-ci", TEMPLATE)],
)
def test_the_official_schema_takes_it(root: Path, tmp_path: Path, schema: str, name: str) -> None:
    text = (root / name).read_text("utf-8")
    broken = tmp_path / Path(name).name
    broken.write_text(re.sub(r"^(\s+)(runs|using|script):", r"\1other:", text, flags=re.MULTILINE))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = [
        subprocess.run([*command, path], capture_output=True, text=True, check=False)
        for path in (root / name, broken)
    ]
    assert [each.returncode for each in done] == [0, 1], done[0].stdout
