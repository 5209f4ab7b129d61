"""What Prometheus reads: counts by route, status and rule, and nothing that a client wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from ..errors import Finding

__all__ = ["ABORTED", "Metrics"]

ABORTED: Final = "aborted"
"""In place of a status where the client has gone before the answer was complete."""

_BUCKETS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0)


class Metrics:
    """The figures of one service, in its own registry."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = self._counter("requests", "Requests by route and status", "route", "status")
        self.seconds = Histogram(
            "partwire_request_seconds",
            "Duration of requests, from the head to the end of the answer",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.open = Gauge(
            "partwire_open_streams", "Requests that are worked on", registry=self.registry
        )
        self.connections = Gauge(
            "partwire_open_connections", "Connections, idle ones included", registry=self.registry
        )
        self.held = Gauge(
            "partwire_held_bytes", "Bytes of bodies held in memory", registry=self.registry
        )
        self.busy_workers = Gauge(
            "partwire_busy_workers", "Workers that are at work", registry=self.registry
        )
        self.findings = self._counter("findings", "Findings by rule", "rule")
        self.received = self._counter("received_bytes", "Bytes of request bodies", "route")
        self.sent = self._counter("sent_bytes", "Bytes of answers", "route")
        self.worker_ends = self._counter(
            "worker_ends", "Workers that were ended, by cause", "cause"
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"partwire_{name}", text, labels, registry=self.registry)

    def found(self, rules: Mapping[str, int]) -> None:
        """Count findings by rule; rules are ours, so there are only so many."""
        for rule, number in rules.items():
            self.findings.labels(rule).inc(number)

    def refused(self, findings: Iterable[Finding]) -> None:
        """Count the rules of a problem, each once."""
        self.found(dict.fromkeys((finding.rule for finding in findings), 1))

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self.registry)
