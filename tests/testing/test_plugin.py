"""The pytest plugin in projects of its own: real runs of pytest in temporary folders."""

from __future__ import annotations

import json

import pytest

from partwire.contract.current import LATEST_VERSION

pytest_plugins = ["pytester"]

MESSAGE = {
    "runId": "run_1",
    "role": "user",
    "timestamp": "2026-01-02T03:04:05Z",
    "parts": [{"kind": "text", "payload": {"text": "Hello"}}],
}
GOLDEN_TEST = """
    def test_one(golden):
        golden("answer").check({"b": 1.0, "a": ["é", None]})

    def test_two(golden):
        golden("other").check([1, 2])
"""

pytestmark = pytest.mark.early


@pytest.fixture(autouse=True)
def outside_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


def lines_of(result: pytest.RunResult) -> str:
    return "\n".join(result.outlines + result.errlines)


# --- loading --------------------------------------------------------------------------------------


def test_a_project_that_does_not_use_it_does_not_pay(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_sessionstart(session):
            assert session.config.pluginmanager.has_plugin("partwire")

        def pytest_unconfigure(config):
            heavy = [name for name in ("partwire", "msgspec") if name in sys.modules]
            assert not heavy, heavy
        """
    )
    pytester.makepyfile("def test_one(): pass")
    result = pytester.runpytest_subprocess(
        "-W", "error", "-p", "no:cov", "-p", "no:hypothesispytest"
    )
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_it_can_be_switched_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass\ndef test_two(golden): pass")
    result = pytester.runpytest_subprocess("-p", "no:partwire", "-W", "error")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*fixture 'golden' not found*"])
    refused = pytester.runpytest_subprocess("-p", "no:partwire", "--golden-update")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR


def test_every_fixture_is_there(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--fixtures", "-q")
    for name in (
        "partwire_cases",
        "assert_conforms",
        "assert_compatible",
        "golden",
        "replay_model",
    ):
        result.stdout.fnmatch_lines([f"{name}* -- *"])
    options = lines_of(pytester.runpytest_inprocess("--help"))
    assert "--golden-update " in options
    assert "--golden-update-in-ci" in options


def test_the_fixtures_do_what_the_helpers_do(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import asyncio

        MESSAGE = {MESSAGE!r}

        def test_cases(partwire_cases):
            assert len(partwire_cases("streams", version="v0.1")) > 150

        def test_conforms(assert_conforms):
            assert_conforms(MESSAGE, "message.Message")
            assert_conforms({{**MESSAGE, "role": "robot"}}, "message.Message")

        def test_compatible(assert_compatible):
            assert_compatible({{"type": "string"}}, True)
            assert_compatible(True, {{"type": "string"}})

        def test_replay(replay_model):
            model = replay_model("streams/text", all_played=True)
            assert asyncio.run(model.stream([MESSAGE]).message()).parts

        def test_replay_left(replay_model):
            replay_model("streams/text", all_played=True)
        """
    )
    result = pytester.runpytest_inprocess("-W", "error")
    result.assert_outcomes(passed=3, failed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "E * AssertionError: recorded streams that were not played: streams/text: 1",
            f"E * AssertionError: no message.Message of {LATEST_VERSION}: 1 finding",
            "E *   at        /role",
            "E *   expected  system, user, assistant, tool",
            "E * AssertionError: old -> new is not compatible (backward)",
            "E *   witness   *",
        ]
    )
    # Nobody has to read the helpers' own code.
    assert "def assert_conforms" not in lines_of(result)


def test_cases_are_parameters_with_names(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from partwire_testing import partwire_cases

        @pytest.mark.parametrize("case", partwire_cases("streams"))
        def test_stream(case):
            assert case.expectation.error is None
        """
    )
    result = pytester.runpytest_inprocess("-k", "two-calls-interleaved or text-around-call", "-v")
    assert f"::test_stream[{LATEST_VERSION}/streams/text-around-call] PASSED" in lines_of(result)
    assert result.ret == 0


# --- golden files ---------------------------------------------------------------------------------


def test_golden_files_are_written_on_demand_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=GOLDEN_TEST)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=2)
    folder = pytester.path / "golden" / "test_it"
    result.stdout.fnmatch_lines(
        [f"E * golden file {folder / 'answer.json'} is missing*--golden-update*", 'E * "b": 1']
    )
    assert not folder.exists()
    result = pytester.runpytest_inprocess("--golden-update")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*= golden files =*", "written: *test_it*answer.json"])
    text = '{\n  "a": [\n    "é",\n    null\n  ],\n  "b": 1\n}\n'
    assert (folder / "answer.json").read_text("utf-8") == text
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=2)
    assert "golden files" not in lines_of(result)


def test_golden_files_compare_as_json(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=GOLDEN_TEST)
    folder = pytester.mkdir("golden") / "test_it"
    folder.mkdir()
    (folder / "answer.json").write_bytes(b'{"b":1,\r\n"a":["\\u00e9",null]}')
    (folder / "other.json").write_text("[1,2]")
    pytester.runpytest_inprocess().assert_outcomes(passed=2)
    # What is equal is not written anew.
    result = pytester.runpytest_inprocess("--golden-update")
    assert "written" not in lines_of(result)
    assert (folder / "other.json").read_text() == "[1,2]"


def test_a_difference_is_shown_by_lines(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=GOLDEN_TEST)
    pytester.runpytest_inprocess("--golden-update")
    file = pytester.path / "golden" / "test_it" / "answer.json"
    file.write_text(file.read_text("utf-8").replace("é", "e"), "utf-8")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            'E * AssertionError: *answer.json: at /a/0: expected "e", got "é"',
            "E * --- golden answer.json",
            "E * +++ this run",
            'E * -    "e",',
            'E * +    "é",',
        ]
    )
    file.write_text("{")
    pytester.runpytest_inprocess().stdout.fnmatch_lines(["E *answer.json is not JSON: *"])
    pytester.runpytest_inprocess("--golden-update").assert_outcomes(passed=2)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_structs_models_and_lists_of_them_are_golden(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it=f"""
        from partwire import read
        from partwire.contract.current.models.message import Message

        MESSAGE = {MESSAGE!r}

        def test_same(golden):
            struct, model = read(MESSAGE, "message.Message"), Message.model_validate(MESSAGE)
            golden("message").check([struct, model, MESSAGE])
        """
    )
    pytester.runpytest_inprocess("--golden-update").assert_outcomes(passed=1)
    file = pytester.path / "golden" / "test_it" / "message.json"
    assert json.loads(file.read_bytes()) == [MESSAGE] * 3


def test_long_differences_are_cut(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_long(golden): golden('long').check(list(range(5000)))")
    result = pytester.runpytest_inprocess("-q")
    result.stdout.fnmatch_lines(["E * … and * lines more"])


def test_ci_writes_nothing_that_nobody_has_looked_at(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(test_it=GOLDEN_TEST)
    result = pytester.runpytest_inprocess("--golden-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --golden-update: CI is set*--golden-update-in-ci*"])
    assert not (pytester.path / "golden").exists()
    pytester.runpytest_inprocess("--golden-update-in-ci").assert_outcomes(passed=2)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_bad_names_and_two_values_are_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from partwire import UsageError

        @pytest.mark.parametrize("name", ["../up", "", "a/b", ".hidden", "x" * 101, "a b"])
        def test_name(golden, name):
            with pytest.raises(UsageError) as caught:
                golden(name)
            assert caught.value.rule == "usage/invalid-argument"

        def test_twice(golden):
            golden("same").check(1)
            golden("same").check(1.0)
            golden("same").check(2)
        """
    )
    result = pytester.runpytest_inprocess("--golden-update")
    result.assert_outcomes(passed=6, failed=1)
    result.stdout.fnmatch_lines(["E *same.json gets two values in one run"])


def leave_unused(pytester: pytest.Pytester, *args: str) -> None:
    """Make a project whose golden files are all right, and two more that nobody asks for."""
    pytester.makepyfile(test_it=GOLDEN_TEST, test_free="def test_free(): pass")
    pytester.runpytest_inprocess("--golden-update", *args).assert_outcomes(passed=3)
    folder = pytester.path / "golden"
    (folder / "test_it" / "stale.json").write_text("1")
    (folder / "test_gone").mkdir()
    (folder / "test_gone" / "old.json").write_text("1")
    (folder / "inputs").mkdir()  # somebody's own data
    (folder / "inputs" / "data.json").write_text("1")


UNUSED = [
    "*= golden files =*",
    "unused, delete it: golden*test_gone*old.json",
    "unused, delete it: golden*test_it*stale.json",
]


@pytest.mark.parametrize("args", [(), ("test_it.py",), ("-p", "no:xdist"), ("--golden-update",)])
def test_unused_golden_files_fail_a_whole_run(
    pytester: pytest.Pytester, args: tuple[str, ...]
) -> None:
    leave_unused(pytester)
    result = pytester.runpytest_inprocess(*args)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(UNUSED)
    assert "inputs" not in lines_of(result)


@pytest.mark.parametrize(
    "args", [("-k", "one"), ("test_it.py::test_one",), ("--deselect", "test_it.py::test_two")]
)
def test_a_part_of_a_module_judges_no_file_of_it(
    pytester: pytest.Pytester, args: tuple[str, ...]
) -> None:
    leave_unused(pytester)
    (pytester.path / "golden" / "test_gone" / "old.json").unlink()
    result = pytester.runpytest_inprocess(*args)
    assert result.ret == 0
    assert "unused" not in lines_of(result)


@pytest.mark.parametrize(
    "more",
    ["def test_bad(golden): assert 0", "import pytest\n@pytest.mark.skip\ndef test_no(golden): 0"],
)
def test_a_module_of_which_not_all_passed_is_not_judged(
    pytester: pytest.Pytester, more: str
) -> None:
    leave_unused(pytester)
    (pytester.path / "golden" / "test_gone" / "old.json").unlink()
    with (pytester.path / "test_it.py").open("a") as file:
        file.write(f"\n{more}\n")
    assert "unused" not in lines_of(pytester.runpytest_inprocess())


def test_a_run_that_stops_early_judges_nothing(pytester: pytest.Pytester) -> None:
    leave_unused(pytester)
    pytester.makepyfile(test_ab="def test_bad(golden):\n    golden('x')\n    assert 0")
    result = pytester.runpytest_inprocess("-x", "test_it.py", "test_ab.py")
    result.assert_outcomes(passed=2, failed=1)
    assert "unused" not in lines_of(result)


@pytest.fixture
def xdist(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Options for two workers, without what else is installed here: workers start fast."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return ("-p", "xdist", "-p", "pytest_partwire", "-n", "2", "-W", "error")


def test_workers_write_golden_files(pytester: pytest.Pytester, xdist: tuple[str, ...]) -> None:
    pytester.makepyfile(test_it=GOLDEN_TEST, test_free="def test_free(): pass")
    result = pytester.runpytest_subprocess(*xdist, "--golden-update")
    result.assert_outcomes(passed=3)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["written: *answer.json", "written: *other.json"])


@pytest.mark.parametrize("dist", ["load", "loadgroup"])
def test_workers_know_together_what_is_unused(
    pytester: pytest.Pytester, xdist: tuple[str, ...], dist: str
) -> None:
    leave_unused(pytester, *xdist[:4])
    result = pytester.runpytest_subprocess(*xdist, "--dist", dist)
    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(UNUSED)


def test_a_worker_that_dies_judges_nothing(
    pytester: pytest.Pytester, xdist: tuple[str, ...]
) -> None:
    leave_unused(pytester, *xdist[:4])
    pytester.makepyfile(test_kill="import os\n\ndef test_dies(): os._exit(3)")
    result = pytester.runpytest_subprocess(*xdist)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*crashed while running*"])
    assert "unused" not in lines_of(result)
