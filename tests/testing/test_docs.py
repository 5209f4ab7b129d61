"""What docs/testing.md shows of tests, run as a user runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import partwire_testing as testing
from partwire_testing import FixtureCase, strategies

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "testing.md").read_text("utf-8")
FILES = dict(re.findall(r"```py\n# (test_\w+\.py)\n(.*?)```", GUIDE, re.DOTALL))
WALK = (ROOT / "docs" / "guides" / "test-a-service.md").read_text("utf-8")

pytestmark = pytest.mark.early

# What a service comes to that keeps to the contract: here, by partwire's own assembler.
RIGHT = """
from partwire import Limits, MessageAssembler, PartwireError
from partwire.message.assembler.lines import read_delta_line

StreamRefused = PartwireError


def assemble(lines, run_id=None, limits=None, mode="strict"):
    assembler = MessageAssembler(run_id, Limits(**limits or {}))
    for line in lines:
        assembler.consume(read_delta_line(line, mode))
    assembler.close()
    return assembler.build_final_message()
"""


@pytest.mark.usefixtures("untraced")
def test_the_files_of_the_guide_pass(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert len(FILES) == GUIDE.count("```py\n") >= 5
    for name, text in FILES.items():
        (pytester.path / name).write_text(text, "utf-8")
    # A slow machine is not a failure.
    pytester.makeconftest(
        """
        from hypothesis import HealthCheck, settings

        slow = [HealthCheck.too_slow]
        settings.register_profile(
            "slow", deadline=None, max_examples=15, suppress_health_check=slow, derandomize=True
        )
        settings.load_profile("slow")
        """
    )
    result = pytester.runpytest_subprocess("-q", "-W", "error", "--golden-update")
    result.stdout.fnmatch_lines(["written: golden/test_golden/answer.json"])
    assert result.ret == 0
    counts = result.parseoutcomes()
    assert (counts["xfailed"], counts["passed"] > 150) == (2, True)
    pytester.runpytest_inprocess("-q", "test_golden.py").assert_outcomes(passed=1)


def names(heading: str, pattern: str = r"`(\w+)[`(]") -> set[str]:
    """Return the names in the first cells of the table below a heading."""
    section = GUIDE.split(heading)[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return {name for cell in cells for name in re.findall(pattern, cell)}


def test_every_name_is_told() -> None:
    # Classes are what the functions and fixtures give.
    public = {name for name in vars(testing)["__all__"] if name.islower()}
    assert names("# pytest plugin\n") == public | {"golden", "replay_model"}
    drawn = set(strategies.__all__) - {"BrokenDocument", "BrokenStream"}
    assert names("## Strategies\n") == drawn
    members = {name for name in vars(FixtureCase) if not name.startswith("_")}
    assert names("## Cases\n") >= members - {"case"}


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", GUIDE)
    assert targets
    assert [each for each in targets if not (ROOT / "docs" / each).exists()] == []


def test_the_guide_walks_from_a_wrong_service_to_a_right_one(pytester: pytest.Pytester) -> None:
    names = ("my_service", "test_streams")
    service, test_file = (WALK.split(f'title="{name}.py"\n')[1].split("```")[0] for name in names)
    shown = WALK.rpartition("```console\n")[2].partition("```")[0]
    assert len(test_file.splitlines()) <= 15
    (pytester.path / "my_service.py").write_text(service, "utf-8")
    (pytester.path / "test_streams.py").write_text(test_file, "utf-8")
    result = pytester.run(sys.executable, "-m", "pytest", "-q", "-W", "error", "--tb=short")
    counts = result.parseoutcomes()
    assert counts["failed"] > counts["passed"] > 10
    told = [line for line in shown.splitlines() if line.startswith("E ")]
    assert len(told) == 2
    assert set(told) <= set(result.outlines)
    (pytester.path / "my_service.py").write_text(RIGHT, "utf-8")
    result = pytester.run(sys.executable, "-m", "pytest", "-q", "-W", "error")
    assert result.ret == 0
    assert result.parseoutcomes() == {"passed": sum(counts.values())}
