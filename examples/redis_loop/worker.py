"""A worker: takes entries from a stream one by one, and ends each one whole or not at all.

Redis delivers at least once. What a message brings about (messages sent, outcomes kept, dead
letters) happens in the same script that acknowledges it (settle.lua), and only for the first
message with an id. So it happens once, whoever dies when. While a handler runs, its claim on the
entry is renewed (lease.py): only a worker that is gone loses what it took.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from redis import Redis, ResponseError

from partwire import PartwireError

from .lease import Lease
from .roles import Entry, Handled, Role

COUNTS, OUTCOMES, DEAD = "loop:counts", "loop:outcomes", "loop:dead"

REMEMBER_S = 24 * 3600
"""How long ids are remembered: longer than the queue may take to deliver a message again."""
MAX_DELIVERIES = 5
BLOCK_MS = 500

Command = tuple[str | bytes, ...]


class Identity(NamedTuple):
    """What tells whether a message was handled before."""

    seen: str
    """The key that remembers the message's id, for this role."""
    content: str
    """A digest: the same for the same members, however they are written."""


class Worker:
    """One consumer of a role's group. Several may run at once, each under another name.

    ``redis`` speaks protocol 2: in protocol 3, answers have another shape.
    """

    def __init__(self, redis: Redis, role: Role, name: str, claim_after_ms: int = 30_000) -> None:
        """``claim_after_ms``: after how long without a sign of life its entries are taken over."""
        self._redis: Any = redis  # its types are those of the asynchronous client as well
        self._role = role
        self._name = name
        self._claim_after_ms = claim_after_ms
        self._claimed_to = b"0-0"
        self._look_again = 0.0
        self._lease = Lease(redis, role.stream, role.name, name, claim_after_ms)
        self._settle = self._redis.register_script(
            Path(__file__).with_name("settle.lua").read_text()
        )
        try:
            self._redis.xgroup_create(role.stream, role.name, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):  # it is there already
                raise

    def run(self, stopped: Callable[[], bool]) -> None:
        """Work until ``stopped`` says so; the message that has begun is ended."""
        while not stopped():
            self.step()

    def step(self) -> int:
        """Take over what a dead worker left, or take what is new; return how many were taken."""
        taken = self._left_behind() or self._new()
        if taken is None:
            return 0
        self._end(*taken)
        return 1

    def _new(self) -> tuple[Entry, int] | None:
        streams = self._redis.xreadgroup(
            self._role.name, self._name, {self._role.stream: ">"}, count=1, block=BLOCK_MS
        )
        return next(((_entry(*each), 1) for _, entries in streams for each in entries), None)

    def _left_behind(self) -> tuple[Entry, int] | None:
        # Nothing can be overdue again before half the time has passed.
        if time.monotonic() < self._look_again:
            return None
        stream, group = self._role.stream, self._role.name
        self._claimed_to, claimed, *_ = self._redis.xautoclaim(
            stream, group, self._name, self._claim_after_ms, self._claimed_to, count=1
        )
        if not claimed:
            if self._claimed_to == b"0-0":  # the whole list was looked through
                self._look_again = time.monotonic() + self._claim_after_ms / 2000
            return None
        ((entry_id, fields),) = claimed
        pending = self._redis.xpending_range(stream, group, entry_id, entry_id, 1)
        # None is pending any more if its first worker has just ended it after all.
        return next(((_entry(entry_id, fields), each["times_delivered"]) for each in pending), None)

    def _end(self, entry: Entry, deliveries: int) -> None:
        if deliveries > MAX_DELIVERIES:
            self._bury(entry, f"delivered {deliveries} times, and never ended")
            return
        identity = _identity(entry, self._role.name)
        if identity and self._redis.exists(identity.seen):
            # No work for what is known: the script tells a repetition from another message.
            self._settle_first(entry, identity, [])
            return
        try:
            with self._lease.of(entry.id):
                handled = self._role.handle(entry)
        except PartwireError as error:
            # The same bytes are refused every time: no retry helps, people have to look.
            self._bury(entry, str(error), [finding.to_wire() for finding in error.findings])
            return
        self._settle_first(entry, identity, self._commands(handled))

    def _settle_first(
        self, entry: Entry, identity: Identity | None, commands: list[Command]
    ) -> None:
        fate = self._send_settle(entry, "handled", commands, identity)
        if fate == b"reused":
            self._bury(entry, "another message was handled under this message_id")

    def _commands(self, handled: Handled) -> list[Command]:
        commands: list[Command] = [
            ("XADD", stream, "*", "message", message, "task", task)
            for stream, message, task in handled.send
        ]
        commands += [("HSET", OUTCOMES, *pair) for pair in handled.record.items()]
        commands += [
            ("HINCRBY", COUNTS, f"{self._role.name} {finding.rule}", "1")
            for finding in handled.findings
        ]
        return commands

    def _bury(self, entry: Entry, reason: str, findings: Iterable[dict[str, Any]] = ()) -> None:
        """Make a dead letter: the message verbatim, what is wrong with it, where it came from."""
        dead: Command = (
            *("XADD", DEAD, "*", "message", entry.message, "task", entry.task),
            *("findings", json.dumps(list(findings)), "reason", reason),
            *("stream", self._role.stream, "entry", entry.id),
        )
        self._send_settle(entry, "dead", [dead])

    def _send_settle(
        self, entry: Entry, fate: str, commands: list[Command], identity: Identity | None = None
    ) -> Any:
        seen, content = identity or ("", "")
        words = [word for command in commands for word in (len(command), *command)]
        return self._settle(
            keys=[self._role.stream, COUNTS, seen],
            args=[self._role.name, entry.id, REMEMBER_S, self._role.name, fate, content, *words],
        )


def _identity(entry: Entry, role: str) -> Identity | None:
    """Return None for what has no id: the role refuses it."""
    try:
        message = json.loads(entry.message)
        message["message_id"] = message["message_id"].lower()  # a UUID, of either case
        content = json.dumps(message, sort_keys=True).encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    digest = hashlib.sha256(content + b"\0" + entry.task).hexdigest()
    return Identity(f"loop:seen:{role}:{message['message_id']}", digest)


def _entry(entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    return Entry(entry_id, fields.get(b"message", b""), fields.get(b"task", b""))
