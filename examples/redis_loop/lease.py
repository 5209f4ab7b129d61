"""A worker's claim on the entry that it is working on, renewed while it works."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from redis import Redis, RedisError

# In one step: a claim that another worker has taken over meanwhile is not taken back. JUSTID
# leaves the count of deliveries as it is.
_RENEW = """
if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 1 then
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'JUSTID')
end
"""


class Lease:
    """Renews a consumer's claim on an entry three times per ``claim_after_ms``.

    A claim that is due at once (0 ms) cannot be renewed, and is not.
    """

    def __init__(
        self, redis: Redis, stream: str, group: str, name: str, claim_after_ms: int
    ) -> None:
        self._renew: Callable[..., Any] = redis.register_script(_RENEW)
        self._stream = stream
        self._owner = (group, name)
        self._seconds = claim_after_ms / 3000

    @contextmanager
    def of(self, entry_id: bytes) -> Iterator[None]:
        """Hold the entry until the block ends."""
        if not self._seconds:
            yield
            return
        ended = threading.Event()
        thread = threading.Thread(target=self._keep, args=(entry_id, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _keep(self, entry_id: bytes, ended: threading.Event) -> None:
        while not ended.wait(self._seconds):
            try:
                self._renew(keys=[self._stream], args=[*self._owner, entry_id])
            except RedisError:
                # The next turn tries again; a server that stays away is met by the worker itself.
                continue
