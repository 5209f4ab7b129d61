"""The loop from the command line: ``python -m examples.redis_loop --help``."""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
from typing import Any

from redis import Redis, RedisError

from .roles import ROLES
from .samples import samples
from .worker import COUNTS, DEAD, OUTCOMES, Worker


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m examples.redis_loop", description=__doc__)
    parser.add_argument("--redis", default="redis://127.0.0.1:6379/0", help="URL of the server")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("send", help="send some messages, good and bad")
    commands.add_parser("show", help="show counts, outcomes and dead letters")
    work = commands.add_parser("work", help="work as one role, until SIGTERM or SIGINT")
    work.add_argument("role", choices=ROLES)
    work.add_argument("--name", default=f"{socket.gethostname()}-{os.getpid()}")
    work.add_argument(
        "--claim-after-ms",
        type=int,
        default=30_000,
        help="when the message of a worker that gives no sign of life is taken over",
    )
    options = parser.parse_args()
    if options.command == "work" and options.claim_after_ms < 100:
        parser.error("--claim-after-ms: at least 100, so that a worker can renew its claim")
    try:
        redis = Redis.from_url(options.redis, protocol=2)
    except ValueError as error:
        parser.error(f"--redis: {error}")
    try:
        command(redis, options)
    except RedisError as error:
        # A worker ends as well: what it holds is taken over, or taken again, by the next one.
        sys.exit(f"Redis: {error}")


def command(redis: Redis, options: argparse.Namespace) -> None:
    """Do what the options say."""
    if options.command == "send":
        send(redis)
    elif options.command == "show":
        show(redis)
    else:
        run(Worker(redis, ROLES[options.role], options.name, options.claim_after_ms))


def run(worker: Worker) -> None:
    """Work until a signal says stop; the message that has begun is ended first."""
    stopping = False

    def stop(*_: Any) -> None:
        nonlocal stopping
        stopping = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    worker.run(lambda: stopping)


def send(redis: Any) -> None:
    """Put one message of each kind into its stream."""
    for what, stream, message in samples():
        redis.xadd(stream, {"message": message})
        print(f"{stream}: {what}")


def show(redis: Any) -> None:
    """Print what has become of the messages."""
    print("counts")
    for name, count in sorted(redis.hgetall(COUNTS).items()):
        print(f"  {name.decode()}: {int(count)}")
    print("outcomes")
    for task, status in redis.hgetall(OUTCOMES).items():
        print(f"  {task.decode()}: {status.decode()}")
    print("dead letters")
    for entry, fields in redis.xrange(DEAD):
        print(f"  {entry.decode()} from {fields[b'stream'].decode()}: {fields[b'reason'].decode()}")
        for finding in json.loads(fields[b"findings"]):
            print(f"    {finding}")


if __name__ == "__main__":
    main()
