"""A worker: takes entries from a stream, and ends each one whole or not at all.

Redis delivers at least once. What a message brings about (messages sent, outcomes kept, dead
letters) happens in the same script that acknowledges it (settle.lua), and only for the first
message of an id. So it happens once, whoever dies when.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from redis import Redis, ResponseError

from partwire import PartwireError

from .roles import Entry, Handled, Role

COUNTS, OUTCOMES, DEAD = "loop:counts", "loop:outcomes", "loop:dead"

REMEMBER_S = 24 * 3600
"""How long ids are remembered: longer than the queue may take to deliver a message again."""
MAX_DELIVERIES = 5
BATCH = 200
BLOCK_MS = 500

Command = tuple[str | bytes, ...]


class Worker:
    """One consumer of a role's group. Several may run at once, each under a name of its own.

    ``redis`` speaks protocol 2: in protocol 3, answers have another shape.
    """

    def __init__(self, redis: Redis, role: Role, name: str, claim_after_ms: int = 30_000) -> None:
        """``claim_after_ms``: when what a dead worker took is taken over; longer than a batch."""
        self._redis: Any = redis  # its types are those of the asynchronous client as well
        self._role = role
        self._name = name
        self._claim_after_ms = claim_after_ms
        self._claimed_to = b"0-0"
        self._settle = self._redis.register_script(
            Path(__file__).with_name("settle.lua").read_text()
        )
        try:
            self._redis.xgroup_create(role.stream, role.name, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):  # it is there already
                raise

    def run(self, stopped: Callable[[], bool]) -> None:
        """Work until ``stopped`` says so; a batch that has begun is ended."""
        while not stopped():
            self.step()

    def step(self) -> int:
        """Take over what a dead worker left, or take what is new; return how many were taken."""
        left = self._left_behind()
        entries = left or self._new()
        pipeline = self._redis.pipeline(transaction=False)
        for entry, deliveries in entries:
            self._end(entry, deliveries, pipeline)
        pipeline.execute()
        return len(entries)

    def _new(self) -> list[tuple[Entry, int]]:
        streams = self._redis.xreadgroup(
            self._role.name, self._name, {self._role.stream: ">"}, count=BATCH, block=BLOCK_MS
        )
        return [(_entry(*each), 1) for _, entries in streams for each in entries]

    def _left_behind(self) -> list[tuple[Entry, int]]:
        """One at a time: of a batch that killed its worker, one message was the cause."""
        stream, group = self._role.stream, self._role.name
        self._claimed_to, claimed, *_ = self._redis.xautoclaim(
            stream, group, self._name, self._claim_after_ms, self._claimed_to, count=1
        )
        if not claimed:
            return []
        ((entry_id, fields),) = claimed
        pending = self._redis.xpending_range(stream, group, entry_id, entry_id, 1)
        # None is pending any more if its first worker has just ended it after all.
        return [(_entry(entry_id, fields), each["times_delivered"]) for each in pending]

    def _end(self, entry: Entry, deliveries: int, pipeline: Any) -> None:
        if deliveries > MAX_DELIVERIES:
            reason = f"delivered {deliveries} times, and never ended"
            self._send_settle(pipeline, entry, "", "dead", [self._dead(entry, [], reason)])
            return
        try:
            handled = self._role.handle(entry)
        except PartwireError as error:
            # The same bytes are refused every time: no retry helps, people have to look.
            findings = [finding.to_wire() for finding in error.findings]
            dead = self._dead(entry, findings, str(error))
            self._send_settle(pipeline, entry, "", "dead", [dead])
            return
        seen = f"loop:seen:{self._role.name}:{handled.message_id.lower()}"
        self._send_settle(pipeline, entry, seen, "handled", self._commands(handled))

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

    def _dead(self, entry: Entry, findings: list[dict[str, Any]], reason: str) -> Command:
        """The message verbatim, what is wrong with it, and where it came from."""
        return (
            *("XADD", DEAD, "*", "message", entry.message, "task", entry.task),
            *("findings", json.dumps(findings), "reason", reason),
            *("stream", self._role.stream, "entry", entry.id),
        )

    def _send_settle(
        self, pipeline: Any, entry: Entry, seen: str, fate: str, commands: Iterable[Command]
    ) -> None:
        words = [word for command in commands for word in (len(command), *command)]
        self._settle(
            keys=[self._role.stream, COUNTS, seen],
            args=[self._role.name, entry.id, REMEMBER_S, self._role.name, fate, *words],
            client=pipeline,
        )


def _entry(entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
    return Entry(entry_id, fields.get(b"message", b""), fields.get(b"task", b""))
