"""The example on Redis Streams, over a real server: nothing is lost, and nothing happens twice.

The server comes from PATH, gets a free port of the loopback address and an empty folder, and is
stopped at the end. Where there is none, these tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis, ResponseError

from examples.redis_loop.roles import RESULTS, REVIEWS, ROLES, TASKS, Entry, Handled, Role, agent
from examples.redis_loop.samples import changed, new_task, samples
from examples.redis_loop.worker import COUNTS, DEAD, MAX_DELIVERIES, OUTCOMES, Worker
from tests.examples.redis_crew import ROOT, SERVER, Crew, Load, free_port, start_server, tries
from tests.examples.redis_slow_worker import TAKES_S, WORKED_ON

STREAMS = (TASKS, REVIEWS, RESULTS)

pytestmark = [
    pytest.mark.early,
    pytest.mark.skipif(SERVER is None, reason="no redis-server in PATH: install Redis"),
]


# --- the server -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    process, url = start_server(tmp_path_factory.mktemp("redis"))
    try:
        yield url
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def redis(url: str) -> Iterator[Any]:
    client: Any = Redis.from_url(url, protocol=2)
    client.flushall()
    yield client
    client.close()


def counts(redis: Any) -> Counter[str]:
    found = redis.hgetall(COUNTS)
    return Counter({name.decode(): int(count) for name, count in found.items()})


def outcomes(redis: Any) -> dict[str, str]:
    found = redis.hgetall(OUTCOMES)
    return {task.decode(): status.decode() for task, status in found.items()}


def dead_letters(redis: Any) -> list[dict[str, Any]]:
    letters = [
        {name.decode(): value for name, value in fields.items()} for _, fields in redis.xrange(DEAD)
    ]
    return [{**letter, "findings": json.loads(letter["findings"])} for letter in letters]


def is_idle(redis: Any) -> bool:
    pending = [
        redis.xpending(role.stream, role.name)["pending"]
        for role in ROLES.values()
        if redis.exists(role.stream)
    ]
    return not any(redis.xlen(stream) for stream in STREAMS) and not any(pending)


# --- 20,000 messages, and workers that die --------------------------------------------------------

TOTAL = 20_000


def wait(until: Callable[[], bool], crew: Crew, redis: Any, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not until():
        if time.monotonic() > deadline:
            pytest.fail(f"not in {seconds} s: {counts(redis)}; {crew.errors()[-2000:]}")
        time.sleep(0.05)


def came_out(redis: Any) -> int:
    found = counts(redis)
    duplicates = sum(found[f"{role} duplicate"] for role in ROLES)
    return int(redis.hlen(OUTCOMES)) + int(redis.xlen(DEAD)) + duplicates


def send(redis: Any, messages: list[tuple[str, bytes]]) -> None:
    pipeline = redis.pipeline(transaction=False)
    for stream, message in messages:
        pipeline.xadd(stream, {"message": message})
    pipeline.execute()


def killed_one_after_another(redis: Any, crew: Crew, load: Load) -> int:
    """Send the second half amid kills; return how many messages the killed ones had in hand."""
    held = 0
    for role, first, second, after in (
        ("agent", "a1", "a3", 3000),
        ("review", "r1", "r2", 6000),
        ("store", "s1", "s2", 8000),
    ):
        wait(lambda: counts(redis)[f"{role} handled"] >= after, crew, redis)  # noqa: B023
        held += crew.kill(redis, role, first)
        crew.start(role, second)
    send(redis, load.messages[TOTAL // 2 :])
    wait(lambda: counts(redis)["agent handled"] >= 12_000, crew, redis)
    held += crew.kill(redis, "agent", "a2")
    crew.start("agent", "a4")
    return held


def assert_handed_on_once(found: Counter[str], load: Load) -> None:
    """What one role hands on, the next one gets: once."""
    assert found["agent handled"] == found["review handled"]
    assert found["store handled"] == found["review handled"] + load.kinds["newer_evaluation"]
    assert found["agent handled"] == tries(load)
    assert found["agent envelope/newer-version"] == load.kinds["newer"]
    assert found["store read/unknown-enum-value"] == 2 * load.kinds["newer_evaluation"]


@pytest.mark.slow
def test_nothing_is_lost_when_workers_are_killed(
    redis: Any, url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    load = Load(TOTAL)
    crew = Crew(url, tmp_path)
    began = time.perf_counter()
    send(redis, load.messages[: TOTAL // 2])
    for role, name in (("agent", "a1"), ("agent", "a2"), ("review", "r1"), ("store", "s1")):
        crew.start(role, name)
    try:
        held = killed_one_after_another(redis, crew, load)
        wait(lambda: came_out(redis) >= TOTAL, crew, redis)
        took = time.perf_counter() - began
    finally:
        codes = crew.stop()

    found = counts(redis)
    assert crew.errors() == ""
    assert set(codes.values()) == {0}
    assert held >= 4
    # Count in is count out, kind by kind and message by message.
    assert came_out(redis) == TOTAL
    assert outcomes(redis) == load.outcomes
    letters = dead_letters(redis)
    assert Counter(letter["message"] for letter in letters) == load.dead
    assert all(letter["findings"] for letter in letters)
    assert sum(found[f"{role} duplicate"] for role in ROLES) == load.kinds["redelivered"]
    assert is_idle(redis)
    assert_handed_on_once(found, load)
    record_property(
        "redis loop",
        {
            "messages in and out": TOTAL,
            "handled": found["agent handled"] + found["review handled"] + found["store handled"],
            "held by killed workers": held,
            "dead letters": len(letters),
            "messages per second": round(TOTAL / took),
        },
    )


# --- handlers that take longer than the claim -----------------------------------------------------


def worked_on(redis: Any) -> Counter[str]:
    found = redis.hgetall(WORKED_ON)
    return Counter({task.decode(): int(count) for task, count in found.items()})


def held_by(redis: Any, name: str) -> str | None:
    """Return the task that a worker is at work on."""
    for each in redis.xpending_range(TASKS, "agent", "-", "+", 100, name):
        ((_, fields),) = redis.xrange(TASKS, each["message_id"], each["message_id"])
        task: str = json.loads(fields[b"message"])["task_id"]
        if worked_on(redis)[task]:
            return task
    return None


@pytest.mark.slow
def test_a_slow_handler_works_once_on_each_message_unless_its_worker_dies(
    redis: Any, url: str, tmp_path: Path
) -> None:
    messages = [new_task() for _ in range(5)]
    redis.xgroup_create(TASKS, "agent", id="0", mkstream=True)
    send(redis, [(TASKS, message) for message in messages])
    crew = Crew(url, tmp_path)
    # One more than there is work for in the end: it looks for claims that have run out.
    for name in ("s1", "s2", "s3", "s4"):
        crew.start_module("tests.examples.redis_slow_worker", name, url, name)
    try:
        wait(lambda: held_by(redis, "s1") is not None, crew, redis, 60)
        killed = held_by(redis, "s1")
        crew.end("s1")
        wait(lambda: redis.xlen(TASKS) == 0, crew, redis, 60 * TAKES_S)
    finally:
        crew.end_all()
    assert crew.errors() == ""
    tasks = Counter(json.loads(message)["task_id"] for message in messages)
    assert worked_on(redis) == tasks + Counter([killed])
    # Each has one result, and none was thrown away.
    assert redis.xlen(REVIEWS) == len(messages)
    assert counts(redis) == Counter({"agent handled": len(messages)})


# --- one message at a time ------------------------------------------------------------------------


def crew_of(redis: Any, claim_after_ms: int = 0) -> list[Worker]:
    return [Worker(redis, role, "w", claim_after_ms) for role in ROLES.values()]


def work_off(redis: Any) -> None:
    workers = crew_of(redis)
    while not is_idle(redis):
        for worker in workers:
            if redis.xlen(worker._role.stream):
                worker.step()


def test_each_sample_is_handled_as_the_strategy_says(redis: Any) -> None:
    sent = {}
    for what, stream, message in samples():
        redis.xadd(stream, {"message": message})
        sent[what] = message
    work_off(redis)
    by_task = outcomes(redis)
    assert {
        what: by_task.get(json.loads(message)["task_id"]) if what not in NO_JSON else None
        for what, message in sent.items()
    } == {
        "a task": "pass",
        "the same message again": "pass",
        "a task that needs two retries": "pass",
        "a task that never succeeds": "fail",
        "an out-of-date message": None,
        "a newer message with a member that we do not know": "pass",
        "a newer evaluation with values that we do not know": "fail",
        "a broken message": None,
        "what is not a message at all": None,
    }
    letters = dead_letters(redis)
    assert [(letter["message"], letter["findings"][0]["rule"]) for letter in letters] == [
        (sent["an out-of-date message"], "envelope/unsupported-version"),
        (sent["a broken message"], "shape/min-length"),
        (sent["what is not a message at all"], "document/invalid-utf8"),
    ]
    assert letters[1]["stream"] == TASKS.encode()
    assert [finding["pointer"] for finding in letters[1]["findings"]] == [
        *("/task_id", "/task_id", "/payload"),
    ]
    found = counts(redis)
    # One task; one with two retries; one with as many as its sender allows; and the newer one.
    assert (found["agent handled"], found["agent duplicate"], found["agent dead"]) == (9, 1, 3)
    # Each of these is reviewed, and each review kept; and there is the newer evaluation.
    assert (found["review handled"], found["store handled"]) == (9, 10)


NO_JSON = {"what is not a message at all"}


def test_a_message_that_comes_back_later_is_known(redis: Any) -> None:
    message = new_task()
    for _ in range(3):
        redis.xadd(TASKS, {"message": message})
        work_off(redis)
    upper = json.loads(message)["message_id"].upper()
    redis.xadd(TASKS, {"message": changed(message, message_id=upper)})
    work_off(redis)
    found = counts(redis)
    assert (found["agent handled"], found["agent duplicate"], found["store handled"]) == (1, 3, 1)
    keys = list(redis.scan_iter("loop:seen:agent:*"))
    assert len(keys) == 1
    assert 0 < redis.ttl(keys[0]) <= 24 * 3600


def test_another_message_under_a_used_id_is_a_dead_letter(redis: Any) -> None:
    first = new_task()
    used = json.loads(first)["message_id"]
    again = json.dumps(dict(reversed(json.loads(first).items()))).encode()
    other = changed(new_task(), message_id=used)
    for message in (first, again, other):
        redis.xadd(TASKS, {"message": message})
        work_off(redis)
    (letter,) = dead_letters(redis)
    assert (letter["message"], letter["stream"]) == (other, TASKS.encode())
    assert letter["reason"] == b"another message was handled under this message_id"
    found = counts(redis)
    assert (found["agent handled"], found["agent duplicate"], found["agent dead"]) == (1, 1, 1)
    assert outcomes(redis) == {json.loads(first)["task_id"]: "pass"}


def test_what_was_handled_before_is_not_worked_on_again(redis: Any) -> None:
    handled = []

    def counted(entry: Entry) -> Handled:
        handled.append(entry.id)
        return agent(entry)

    message = new_task()
    worker = Worker(redis, Role("agent", TASKS, counted), "w", 0)
    for _ in range(3):
        redis.xadd(TASKS, {"message": message})
        worker.step()
    assert len(handled) == 1
    assert counts(redis) == Counter({"agent handled": 1, "agent duplicate": 2})


def test_two_workers_with_messages_of_one_id_end_one_of_them(redis: Any) -> None:
    """Both begin before either ends: only the script can tell."""
    first, second = (Worker(redis, ROLES["agent"], name, 60_000) for name in "ab")
    message = new_task()
    other = changed(new_task(), message_id=json.loads(message)["message_id"])
    for each in (message, other):
        redis.xadd(TASKS, {"message": each})
    taken = [first._new(), second._new()]
    assert taken[0] is not None
    assert taken[1] is not None
    second._redis = Blind(redis)
    first._end(*taken[0])
    second._end(*taken[1])
    (letter,) = dead_letters(redis)
    assert letter["message"] == other
    assert redis.xlen(TASKS) == 0


class Blind:
    """A client that looked for an id before another worker had ended a message with it."""

    def __init__(self, redis: Any) -> None:
        self._redis = redis

    def __getattr__(self, name: str) -> Any:
        return getattr(self._redis, name)

    def exists(self, _: str) -> int:
        return 0


def test_an_entry_that_two_workers_took_ends_once(redis: Any) -> None:
    first, second = (Worker(redis, ROLES["agent"], name, 0) for name in "ab")
    redis.xadd(TASKS, {"message": new_task()})
    taken = first._new()
    assert second.step() == 1  # it takes over at once, and is faster
    assert taken is not None
    first._end(*taken)
    assert counts(redis) == Counter({"agent handled": 1, "agent gone": 1})
    assert redis.xlen(REVIEWS) == 1


def test_what_has_just_been_ended_is_not_taken_over(redis: Any) -> None:
    worker = Worker(redis, ROLES["agent"], "a", 0)
    redis.xadd(TASKS, {"message": new_task()})
    worker._new()

    class Faster:
        """Another worker ends the entry between the two commands of taking over."""

        def __getattr__(self, name: str) -> Any:
            return getattr(redis, name)

        def xautoclaim(self, *args: Any, **options: Any) -> Any:
            claimed = redis.xautoclaim(*args, **options)
            redis.xack(TASKS, "agent", claimed[1][0][0])
            return claimed

    worker._redis = Faster()
    assert worker._left_behind() is None


def test_an_entry_without_a_message_is_a_dead_letter(redis: Any) -> None:
    redis.xadd(TASKS, {"something": "else"})
    work_off(redis)
    (letter,) = dead_letters(redis)
    assert (letter["message"], letter["findings"][0]["rule"]) == (b"", "document/empty")


def test_a_review_without_its_task_is_a_dead_letter(redis: Any) -> None:
    _, request, _ = agent(Entry(b"1-0", new_task())).send[0]
    redis.xadd(REVIEWS, {"message": request})
    work_off(redis)
    (letter,) = dead_letters(redis)
    assert (letter["message"], letter["stream"]) == (request, REVIEWS.encode())


def test_the_script_is_loaded_again_where_the_server_lost_it(redis: Any) -> None:
    worker = Worker(redis, ROLES["agent"], "a")
    redis.script_flush()
    redis.xadd(TASKS, {"message": new_task()})
    assert worker.step() == 1
    assert counts(redis)["agent handled"] == 1


def test_a_message_that_kills_its_worker_ends_among_the_dead_letters(redis: Any) -> None:
    poison = changed(new_task(), trace_id="poison")

    def fragile(entry: Entry) -> Handled:
        if entry.message == poison:
            raise RuntimeError("the worker dies")
        return agent(entry)

    role = Role("agent", TASKS, fragile)
    for message in (new_task(), poison, new_task()):
        redis.xadd(TASKS, {"message": message})
    deaths = 0
    while redis.xlen(TASKS):
        worker = Worker(redis, role, f"w{deaths}", claim_after_ms=0)
        try:
            while redis.xlen(TASKS):
                worker.step()
        except RuntimeError:
            deaths += 1
        assert deaths < 50
    assert deaths == MAX_DELIVERIES
    (letter,) = dead_letters(redis)
    assert (letter["message"], letter["findings"]) == (poison, [])
    assert letter["reason"] == b"delivered 6 times, and never ended"
    assert counts(redis) == Counter({"agent handled": 2, "agent dead": 1})


@pytest.mark.parametrize("key", [REVIEWS, COUNTS])
def test_a_key_of_another_program_loses_no_message(redis: Any, key: str) -> None:
    """Redis rolls no script back: what was done before the command that fails stays done."""
    message = new_task()
    redis.xadd(TASKS, {"message": message})
    redis.set(key, "not ours")
    with pytest.raises(ResponseError, match=f"WRONGTYPE {key} is to be a .*, not a string"):
        Worker(redis, ROLES["agent"], "a", 0).step()
    assert redis.get(key) == b"not ours"
    assert redis.xlen(TASKS) == 1
    redis.delete(key)
    work_off(redis)
    assert counts(redis)["store handled"] == 1
    assert outcomes(redis) == {json.loads(message)["task_id"]: "pass"}


# --- the command line -----------------------------------------------------------------------------


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "examples.redis_loop", *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_command_does_what_it_says(redis: Any, url: str) -> None:
    sent = command("--redis", url, "send")
    assert (sent.returncode, sent.stderr) == (0, "")
    assert len(sent.stdout.splitlines()) == len(list(samples()))
    work_off(redis)
    shown = command("--redis", url, "show")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "  agent handled: 9\n" in shown.stdout
    assert "envelope/unsupported-version" in shown.stdout


@pytest.mark.parametrize("args", [("send",), ("show",), ("work", "agent")])
def test_a_command_without_a_server_says_so(args: tuple[str, ...]) -> None:
    shown = command("--redis", f"redis://:secret@127.0.0.1:{free_port()}/0", *args)
    assert shown.returncode == 1
    assert shown.stderr.startswith("Redis: ")
    assert len(shown.stderr.splitlines()) == 1
    assert "secret" not in shown.stderr


def test_a_claim_too_short_to_be_renewed_is_refused() -> None:
    shown = command("work", "agent", "--claim-after-ms", "50")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "error: --claim-after-ms: at least 100" in shown.stderr


def test_a_url_that_is_none_is_refused() -> None:
    shown = command("--redis", "localhost", "show")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "error: --redis: " in shown.stderr
    assert "Traceback" not in shown.stderr
