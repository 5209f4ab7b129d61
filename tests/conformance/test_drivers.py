"""Drivers of every kind, really run: good ones, bad ones, and what the report says of them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from partwire_testing.conformance import Case, select
from partwire_testing.conformance.process import DriverProcess, NoAnswer
from partwire_testing.conformance.runner import Settings, Trial, try_driver
from tests.conformance.bad_drivers import WAYS
from tests.conformance.drivers import AT, STARTED, driver, importable, script
from tests.patience import PATIENCE, until

Json = dict[str, Any]

pytestmark = pytest.mark.usefixtures("importable")
__all__ = ["importable"]

QUICK = Settings(timeout=0.5, max_line_bytes=1 << 20, start_seconds=PATIENCE, give_up_after=3)
CALM = QUICK._replace(timeout=PATIENCE)
"""For drivers that answer, or end: none of them is as late as this."""


@cache
def few() -> tuple[Case, ...]:
    """Seven cases, one run each."""
    return tuple(select(["v0.1"], ["transitions"])[:7])


def statuses(trial: Trial) -> list[str]:
    return [each.status for each in trial.outcomes]


# Way → what its run is, and words of the detail; the run after it, if that one is spoilt as well.
ONCE = {
    "hang": ("errored", "hung: no answer within 0.5 s"),
    "deaf": ("errored", "hung: no answer within 0.5 s"),
    "die": ("errored", "died: ended with status 3; it said: out of memory"),
    "killed": ("errored", "died: ended by signal 9"),
    "leave-a-child": ("errored", "hung: no answer within 0.5 s"),
    "close-output": ("errored", "died: closed its output"),
    "flood": ("errored", "flooded: wrote a line of more than 1,048,576 bytes"),
    "flood-lines": ("errored", "nonsense: the answer to run 3 has id 0"),
    "chatter": ("passed", ""),
    "errored": ("errored", "the driver says: boom"),
    "skipped": ("skipped", "not today"),
    "wrong": ("failed", "expected"),
    "no-json": ("errored", 'nonsense: no JSON: "Traceback'),
    "no-utf8": ("errored", "nonsense: no UTF-8"),
    "no-object": ("errored", "nonsense: no object"),
    "empty-line": ("errored", "nonsense: no JSON"),
    "nan": ("errored", "nonsense: no JSON"),
    "deep": ("errored", "nonsense: no JSON"),
    "no-type": ("errored", "nonsense: no type of an answer"),
    "other-id": ("errored", "nonsense: the answer to run 3 has id 99999"),
    "true-id": ("errored", "nonsense: the answer to run 3 has id true"),
    "no-result": ("errored", "nonsense: a result without the member result"),
    "no-reason": ("errored", "nonsense: reason is not text"),
    "blank-message": ("errored", "nonsense: message is not text"),
    "result-null": ("failed", "no result of transition: not an object"),
    "never": ("passed", ""),
}
GOES_ON = {"errored", "skipped", "wrong", "result-null", "chatter", "never"}
"""Ways after which the process is as good as before, and is not started again."""


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the runner wait long for every answer but the bad one, which never comes."""
    asked: WeakKeyDictionary[DriverProcess, int] = WeakKeyDictionary()
    ask = DriverProcess.ask

    def patient(process: DriverProcess, line: bytes, timeout: float) -> bytes:
        number = asked[process] = asked.get(process, -1) + 1  # 0 is the start
        return ask(process, line, timeout if number == AT else PATIENCE)

    monkeypatch.setattr(DriverProcess, "ask", patient)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("way", ONCE)
def test_a_bad_answer_spoils_its_own_run_only(way: str) -> None:
    status, words = ONCE[way]
    trial = try_driver(driver(way), few(), QUICK if words.startswith("hung") else CALM)
    restarted = way not in GOES_ON
    # A driver that is started again counts anew, and does it again at its third run.
    bad = {2, 5} if restarted else {2}
    expected = [status if at in bad else "passed" for at in range(7)]
    assert statuses(trial) == expected
    assert trial.restarts == (2 if restarted else 0)
    assert words in trial.outcomes[2].detail


def test_every_way_is_tried() -> None:
    assert set(ONCE) | {"twice"} == set(WAYS)


def test_an_answer_too_many_is_seen() -> None:
    trial = try_driver(driver("twice"), few(), CALM)
    bad = [each for each in trial.outcomes if each.status != "passed"]
    # Whether it comes before or after the next question, it is not an answer to that.
    assert 1 <= len(bad) <= 2
    assert all(
        "wrote a line without being asked" in each.detail or "has id 3" in each.detail
        for each in bad
    )


def test_a_driver_that_always_hangs_is_given_up() -> None:
    began = time.monotonic()
    trial = try_driver(driver("hang", 0), few(), QUICK)
    assert statuses(trial) == ["errored"] * 7
    assert [each.detail.partition(":")[0] for each in trial.outcomes] == [
        *["hung"] * 3,
        *["not asked"] * 4,
    ]
    assert time.monotonic() - began < 500  # it would hang for 600 seconds, seven times


def test_what_a_driver_starts_ends_with_it(tmp_path: Path) -> None:
    marker = tmp_path / "child"
    whole = f"os.rename({str(marker) + '.new'!r}, {str(marker)!r})"
    child_code = f"import os, time; open({str(marker) + '.new'!r}, 'w').write(str(os.getpid())); "
    child_code += f"{whole}; time.sleep(600)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child_code!r}])"
    command = script(tmp_path, f"{code}; time.sleep(600)")
    process = DriverProcess(command)
    until(marker.exists, "the child")
    with pytest.raises(NoAnswer) as caught:
        process.ask(b"{}", 0.1)
    assert caught.value.cause == "hung"
    process.kill()
    child = int(marker.read_text())
    until(lambda: not Path(f"/proc/{child}").exists() or "Z" in _state(child), "the child's end")


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_a_driver_that_reads_nothing_does_not_block(tmp_path: Path) -> None:
    process = DriverProcess(script(tmp_path, "import time; time.sleep(600)"))
    began = time.monotonic()
    with pytest.raises(NoAnswer, match="no answer within 1 s"):
        process.ask(b"x" * 10_000_000, 1.0)
    process.kill()
    assert time.monotonic() - began < 500


# --- the start ----------------------------------------------------------------------------------

STARTS = {
    "raise SystemExit('no module')": "ended with status 1; it said: no module",
    "input(); print('hello', flush=True); input()": 'no JSON: "hello"',
    "input(); print('{}', flush=True)": 'the answer to start has type "started"',
    'input(); print(\'{"type": "started", "protocol": 2}\', flush=True)': "speaks protocol 2",
}


@pytest.mark.parametrize("code", STARTS)
def test_a_driver_that_does_not_start(code: str, tmp_path: Path) -> None:
    trial = try_driver(script(tmp_path, code), few(), CALM)
    assert trial.started is None
    assert trial.outcomes == ()
    assert STARTS[code] in trial.problem


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [
        ("implementation", "x", "implementation is not an object"),
        ("implementation", {"name": ""}, "name is not text"),
        ("implementation", {"name": "x", "version": 2}, "version is not text"),
        ("versions", [], "versions are none"),
        ("versions", "v0.1", "versions is not an array of strings"),
        ("operations", [1], "operations is not an array of strings"),
        ("exact_integers", 1, "exact_integers is not a boolean"),
        ("protocol", True, "speaks protocol true, not 1"),
    ],
)
def test_a_start_that_is_none(member: str, value: Any, words: str, tmp_path: Path) -> None:
    line = json.dumps({**STARTED, member: value})
    trial = try_driver(script(tmp_path, f"input(); print({line!r}, flush=True)"), few(), CALM)
    assert words in trial.problem


def test_no_such_program() -> None:
    trial = try_driver(["no-such-program-at-all"], few(), CALM)
    assert "cannot be started" in trial.problem
    assert trial.name == "no-such-program-at-all"


def test_what_a_driver_does_not_have_is_not_asked(tmp_path: Path) -> None:
    line = json.dumps({**STARTED, "operations": ["guess"]})
    command = script(tmp_path, f"input(); print({line!r}, flush=True); input(); print('x')")
    trial = try_driver(command, few(), CALM)
    assert {each.detail for each in trial.outcomes} == {"the driver has no operation transition"}
    line = json.dumps({**STARTED, "versions": ["v9.9"]})
    command = script(tmp_path, f"input(); print({line!r}, flush=True); input(); print('x')")
    trial = try_driver(command, few(), CALM)
    assert {each.detail for each in trial.outcomes} == {"the driver does not speak v0.1"}


def test_large_integers_are_exact_where_the_driver_says_so(tmp_path: Path) -> None:
    """One that reads every number as binary64, as JavaScript does."""
    text = (
        "import json, sys\n"
        "from partwire_testing.conformance.driver import answer\n"
        "for line in sys.stdin:\n"
        "    said = answer(json.loads(line)) if 'stop' not in line[:20] else sys.exit()\n"
        "    if said['type'] == 'started': said['exact_integers'] = EXACT\n"
        "    text = json.dumps(said)\n"
        "    print(json.dumps(json.loads(text, parse_int=lambda t: int(float(t)))), flush=True)\n"
    )
    cases = select(["v0.1"], ["streams"])
    large = [case for case in cases if b"9007199254740993" in case.stream("deltas")]
    assert large
    for exact in (False, True):
        command = script(tmp_path, text.replace("EXACT", str(exact)))
        trial = try_driver(command, large, CALM)
        assert ("failed" in statuses(trial)) == exact


def test_partwire_itself_passes_as_a_process() -> None:
    cases = select(["v0.1"], ["streams", "envelopes", "documents-raw"])
    trial = try_driver([sys.executable, "-m", "partwire_testing.conformance.driver"], cases)
    assert [each for each in trial.outcomes if each.status != "passed"] == []
    assert len(trial.outcomes) > 500


def test_the_driver_answers_what_it_cannot_do() -> None:
    requests = [
        {"type": "start", "protocol": 1},
        {"type": "run", "id": 1, "operation": "guess", "version": "v0.1", "input": {}},
        {"type": "run", "id": 2, "operation": "validate", "version": "v0.1", "input": {}},
        {
            "type": "run",
            "id": 3,
            "operation": "adapt",
            "version": "v0.1",
            "input": {"api": "morse"},
        },
    ]
    text = "".join(json.dumps(each) + "\n" for each in requests)
    command = [sys.executable, "-m", "partwire_testing.conformance.driver"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [each["type"] for each in answers] == ["started", "errored", "errored", "skipped"]
    assert "no such operation: guess" in answers[1]["message"]
    assert answers[3]["reason"] == "there is no adapter for morse"
