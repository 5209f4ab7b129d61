"""What the service takes at most: sizes in bytes, times in seconds, counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from ..errors import bad_argument
from ..json.text import MAX_DEPTH

__all__ = ["Limits"]

_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Upper bounds of the service; beyond one, a request is refused with a problem document.

    Raises UsageError ``usage/invalid-argument`` for a bound that is neither a count nor a
    time above 0.
    """

    body_bytes: int = 8 * _MIB
    """A body that is one document."""
    stream_bytes: int = 256 * _MIB
    """A body that is read as it comes: JSON Lines, or a provider's stream."""
    line_bytes: int = 8 * _MIB
    """A line of JSON Lines, or an event of a provider's stream."""
    depth: int = MAX_DEPTH
    """Nesting of a document; never more than the contract's own limit."""
    held_bytes: int = 512 * _MIB
    """Bodies that are held in memory, of all requests together."""
    head_bytes: int = 32 * 1024
    """Request line and headers."""
    streams: int = 1024
    """Requests that are worked on at the same time."""
    connections: int = 4096
    """Connections at the same time, idle ones included."""
    client_share: float = 0.75
    """The part of streams, connections and held bytes that one address may have at most."""
    findings: int = 1000
    """Findings in one answer; of each document, 10,000 or as many are counted."""
    snapshot_bytes: int = 64 * _MIB
    """Snapshots in one answer, all together; the finished message comes in any case."""
    workers: int = 2
    """Processes for each kind of longer work: documents, large documents, comparisons."""
    worker_bytes: int = 1024 * _MIB
    """Address space of such a process, where the system can bound it."""
    request_seconds: float = 300.0
    """One request, from its head to the last byte of its answer."""
    body_rate: int = 64
    """Bytes per second that a body brings on average; it may fall behind by ``idle_seconds``."""
    idle_seconds: float = 30.0
    """Between two pieces of a request, and until a piece of an answer is taken."""
    head_seconds: float = 10.0
    """From the first byte of a request, or the connection, to the end of its head."""
    job_seconds: float = 20.0
    """One job of a worker, waiting for a free one included."""
    drain_seconds: float = 30.0
    """What running requests have left once the service is told to stop."""
    ping_seconds: float = 15.0
    """Silence in an event stream after which a comment is sent."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int":
                good, what = type(value) is int and value >= 1, "an integer of at least 1"
            else:
                good = type(value) in (int, float) and math.isfinite(value) and value > 0
                what = "a finite number above 0"
            if field.name == "depth" and good:
                good, what = value <= MAX_DEPTH, f"an integer from 1 to {MAX_DEPTH}"
            if field.name == "client_share" and good:
                good, what = value <= 1, "a number above 0, and at most 1"
            if not good:
                raise bad_argument(f"The limit {field.name} is wrong", what, value)
