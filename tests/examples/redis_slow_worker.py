"""A worker whose handler is slow: ``python -m tests.examples.redis_slow_worker URL NAME``.

It counts how often each task is worked on, before it works.
"""

from __future__ import annotations

import json
import sys
import time

from redis import Redis

from examples.redis_loop.roles import TASKS, Entry, Handled, Role, agent
from examples.redis_loop.worker import Worker

__all__ = ["CLAIM_AFTER_MS", "TAKES_S", "WORKED_ON"]

WORKED_ON = "test:worked-on"
CLAIM_AFTER_MS = 2000
# Longer than the claim, also on a machine that is busy with other tests.
TAKES_S = 3.0


def main(url: str, name: str) -> None:
    """Work until the process is killed."""
    redis = Redis.from_url(url, protocol=2)

    def slow(entry: Entry) -> Handled:
        redis.hincrby(WORKED_ON, json.loads(entry.message)["task_id"], 1)
        time.sleep(TAKES_S)
        return agent(entry)

    Worker(redis, Role("agent", TASKS, slow), name, CLAIM_AFTER_MS).run(lambda: False)


if __name__ == "__main__":
    main(*sys.argv[1:])
