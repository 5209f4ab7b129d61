"""schemathesis over the contract service: the real one passes, and wrong ones do not.

The real service is a process that is spoken to over a socket, by schemathesis' own command. The
wrong ones are around the real application, in their own process: see
tests/contract_service/wrong.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from partwire.contract.resources import interface
from tests.codegen.openapi_documents import operations
from tests.contract_service.wrong import GOOD, WRONG
from tests.fixture_cases import ROOT
from tests.service.process import Service, serving

pytestmark = pytest.mark.early

CONFIG: Final = ROOT / "tests" / "contract_service" / "schemathesis.toml"
PATIENCE: Final = 540.0
PHASES: Final = {"examples", "coverage", "fuzzing", "stateful"}
CHAINED: Final = ("assembleMessage", "convertDocument", "validateDocuments")


class Case(NamedTuple):
    """One request of a run: where it was sent, what was answered, and by which link it came."""

    phase: str
    operation: str
    mode: str
    status: int
    kind: str
    link: str | None


def environment() -> dict[str, str]:
    """The same requests in each run: sets are in the order of hashes, and those of the seed."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "python")])
    hooks = "tests.contract_service.hooks"
    seeded = {"PYTHONPATH": paths, "PYTHONHASHSEED": "0", "SCHEMATHESIS_HOOKS": hooks}
    return {**os.environ, **seeded}


def schemathesis(service: Service, folder: Path, *options: str) -> list[Case]:
    """Run schemathesis over the service; it has to find nothing."""
    folder.mkdir()
    document = folder / "openapi.json"
    document.write_text(json.dumps(interface("openapi-3.2")), "utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "--no-color"]
    report = ["--report", "ndjson", "--report-ndjson-path", str(folder / "report.ndjson")]
    run = subprocess.run(
        [*command, "run", str(document), "--url", service.url, *report, *options],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return list(cases_of(folder / "report.ndjson"))


def cases_of(report: Path) -> Iterator[Case]:
    for line in filter(None, report.read_text("utf-8").split("\n")):
        scenario = json.loads(line).get("ScenarioFinished", {})
        recorder = scenario.get("recorder", {})
        for name, node in recorder.get("cases", {}).items():
            answer = (recorder["interactions"].get(name) or {}).get("response") or {}
            meta = node["value"].get("meta") or {}
            headers = {key.lower(): value for key, value in answer.get("headers", {}).items()}
            yield Case(
                scenario["phase"],
                f"{node['value']['method']} {node['value']['path']}",
                meta.get("generation", {}).get("mode", "whole"),
                answer.get("status_code", 0),
                headers.get("content-type", [""])[0].partition(";")[0],
                (node.get("transition") or {}).get("id"),
            )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture(scope="module")
def found(service: Service, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """The requests of the whole run."""
    return schemathesis(service, tmp_path_factory.mktemp("run") / "whole")


@pytest.mark.slow
def test_schemathesis_finds_nothing(found: list[Case]) -> None:
    assert len(found) > 1_500
    described = {f"{each.method.upper()} {each.path}" for each in operations("3.2")}
    for phase in ("coverage", "fuzzing"):
        assert {each.operation for each in found if each.phase == phase} >= described
    assert {each.phase for each in found} == PHASES
    # Right and wrong requests of each kind were there, and answered as such.
    count = Counter((each.operation.split()[1], each.mode, each.status) for each in found)
    for path in ("/v1/validate", "/v1/assemble", "/v1/convert", "/v1/compat"):
        assert count[path, "positive", 200] > 10, path
        assert sum(count[path, "negative", status] for status in (400, 415, 422)) > 20, path
    assert {each.status for each in found} >= {200, 204, 304, 400, 404, 405, 415, 422}
    streams = [each for each in found if each.kind == "text/event-stream"]
    assert len(streams) > 40


@pytest.mark.slow
def test_schemathesis_follows_every_link(
    found: list[Case], service: Service, tmp_path: Path
) -> None:
    """What was assembled is validated and converted, and what was converted is validated.

    For that there is its own run: beside operations without a body schemathesis takes none
    with one to begin a chain with.
    """
    options = [part for each in CHAINED for part in ("--include-operation-id", each)]
    chained = schemathesis(service, tmp_path / "chain", "--phases", "stateful", *options)
    links = {
        f"{operation.method.upper()} {operation.path} -> [{status}] {name}"
        for operation in operations("3.2")
        for status, response in operation.spec["responses"].items()
        for name in response.get("links", {})
    }
    taken = {each.link.rpartition(" -> ")[0] for each in [*found, *chained] if each.link}
    assert len(links) == 6
    assert taken == links


# --- services that are wrong ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def caught() -> dict[str, Any]:
    """What schemathesis says of the wrong services, and of the right one in the same way."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.contract_service.wrong"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    told = [json.loads(line) for line in run.stdout.splitlines()]
    return {each["name"]: each for each in told}


@pytest.mark.slow
def test_the_right_service_passes_the_same_run(caught: dict[str, Any]) -> None:
    told = caught[GOOD]
    assert told["failed"] == []
    assert told["errors"] == []
    assert told["requests"] > 1_500


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_service_is_caught(caught: dict[str, Any], name: str) -> None:
    told = caught[name]
    assert told["errors"] == []
    assert WRONG[name].check in told["checks"], told["failed"]


def test_every_kind_of_being_wrong_is_there() -> None:
    assert len(WRONG) >= 10
    assert len({each.check for each in WRONG.values()}) >= 10
