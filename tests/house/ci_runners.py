"""What GitHub's and GitLab's runners do with our files, as far as these files use it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.house.ci_surroundings import Repository

__all__ = ["Job", "StepResult", "run_action", "run_job"]

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_NAME = re.compile(r"(?:inputs|steps)(?:\.[\w-]+)+")
_STATUS = re.compile(r"\b(?:always|cancelled|failure|success)\(\)")
_BASH = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]


class StepResult(NamedTuple):
    """A step that ran, or was passed over (status None)."""

    name: str
    status: int | None
    output: str


class _Context:
    """The values that expressions speak of, by their dotted names."""

    def __init__(self, inputs: Mapping[str, str]) -> None:
        self.values = {f"inputs.{name}": value for name, value in inputs.items()}
        self.failed = False

    def text(self, template: Any) -> str:
        """Substitute every expression; each has to be the name of a value."""
        return _EXPRESSION.sub(lambda match: self.values.get(match[1], ""), str(template))

    def holds(self, condition: str) -> bool:
        """Evaluate a condition of names, literals, comparisons, ``&&`` and status functions."""
        inner = _EXPRESSION.fullmatch(condition)
        assert inner, f"a condition is one expression: {condition}"
        text = inner[1]
        asked = bool(_STATUS.search(text))
        text = text.replace("!cancelled()", "True").replace("&&", " and ")
        assert not _STATUS.search(text), "another status function: teach the test of it"
        text = _NAME.sub(lambda match: repr(self.values.get(match[0], "")), text)
        left = re.sub(r"'[^']*'", "''", text)
        assert re.fullmatch(r"(?:''|True|and|==|!=|\s)+", left), left
        return bool(eval(text, {})) and (asked or not self.failed)


def run_action(root: Path, repository: Repository, home: Path, **inputs: str) -> list[StepResult]:
    """Run the steps of the composite action ``root/action.yml`` in a repository.

    ``inputs`` are named with underscores; ``home`` is the runner's folder of temporary files. An
    installation that succeeded is not done again with the same inputs.
    """
    action = yaml.safe_load((root / "action.yml").read_text("utf-8"))
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    assert given.keys() <= action["inputs"].keys()
    declared = {name: row.get("default", "") for name, row in action["inputs"].items()}
    context = _Context({**declared, **given})
    home.mkdir(exist_ok=True)
    results = []
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash", "composite steps of this action are shell steps"
        if not context.holds(step.get("if", "${{ 'a' == 'a' }}")):
            results.append(StepResult(step["name"], None, ""))
            continue
        result, outputs = _run_step(step, context, root, repository, home)
        context.failed |= result.status != 0
        if "id" in step:
            outcome = "failure" if result.status else "success"
            context.values[f"steps.{step['id']}.outcome"] = outcome
            for line in outputs.splitlines():
                name, _, value = line.partition("=")
                context.values[f"steps.{step['id']}.outputs.{name}"] = value
        results.append(result)
    return results


def _run_step(
    step: dict[str, Any], context: _Context, root: Path, repository: Repository, home: Path
) -> tuple[StepResult, str]:
    """Run one step; return what came of it, and the text that it wrote as its outputs."""
    # A runner substitutes expressions in the script as well; ours holds none on purpose.
    assert not _EXPRESSION.search(step["run"])
    asked = {name: context.text(each) for name, each in step.get("env", {}).items()}
    kept = home / f"{step.get('id')}.json"
    if kept.exists():
        before = json.loads(kept.read_text())
        if before["asked"] == asked:
            return StepResult(step["name"], 0, before["output"]), before["outputs"]
    script, told = home / "step.sh", home / "outputs"
    script.write_text(step["run"])
    told.write_text("")
    environment = {
        "GITHUB_ACTION_PATH": str(root),
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(told),
        "GITHUB_WORKSPACE": str(repository.folder),
        "RUNNER_TEMP": str(home),
        "CI": "true",
    }
    folder = context.text(step.get("working-directory", "."))
    ran = repository.run([*_BASH, script], folder, **environment, **asked)
    outputs = told.read_text()
    if step.get("id") == "install" and ran.returncode == 0:
        kept.write_text(json.dumps({"asked": asked, "output": ran.stdout, "outputs": outputs}))
    return StepResult(step["name"], ran.returncode, ran.stdout), outputs


class Job(NamedTuple):
    """A job of GitLab, with what it extends."""

    script: list[str]
    artifacts: dict[str, Any]
    variables: dict[str, str]


def _job(path: Path, name: str) -> Job:
    pipeline = yaml.safe_load(path.read_text("utf-8"))
    row = pipeline[name]
    row = {**pipeline[row["extends"]], **row} if "extends" in row else row
    script = [*row.get("before_script", []), *row["script"]]
    return Job(script, row.get("artifacts", {}), row.get("variables", {}))


def run_job(
    path: Path, name: str, repository: Repository, **variables: str
) -> tuple[Job, int, str]:
    """Run a job as GitLab's runner does: all lines are one script of a plain shell, which stops
    at the first that fails. Returns the job, its exit status and what it printed.
    """
    job = _job(path, name)
    ran = repository.run(["sh", "-ec", "\n".join(job.script)], **{**job.variables, **variables})
    return job, ran.returncode, ran.stdout
