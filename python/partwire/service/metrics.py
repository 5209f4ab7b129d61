"""What Prometheus reads: counts by route, status and rule, and nothing that a client wrote."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from time import time
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from ..errors import Finding

__all__ = ["ABORTED", "Metrics"]

ABORTED: Final = "aborted"
"""In place of a status where the client has gone before the answer was complete."""

_BUCKETS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0)


class _Route:
    """What the requests for one route came to, in plain numbers."""

    def __init__(self) -> None:
        self.since = time()
        self.buckets = [0] * (len(_BUCKETS) + 1)
        self.seconds = 0.0
        self.received = 0
        self.sent = 0


class _Requests(Collector):
    """The figures of requests; they have Prometheus' form where it asks for them.

    To count each request in that form takes as long as to answer it.
    """

    def __init__(self) -> None:
        self.since = time()
        self.ends: defaultdict[tuple[str, str], int] = defaultdict(int)
        """How many ended, by route and status."""
        self.routes: defaultdict[str, _Route] = defaultdict(_Route)

    def collect(self) -> Iterator[Metric]:
        """Return the figures as they are now."""
        ends = _counter("requests", "Requests by route and status", "route", "status")
        for labels, number in self.ends.items():
            ends.add_metric(labels, number, self.since)
        seconds = HistogramMetricFamily(
            "partwire_request_seconds",
            "Duration of requests, from the head to the end of the answer",
            labels=("route",),
        )
        received = _counter("received_bytes", "Bytes of request bodies", "route")
        sent = _counter("sent_bytes", "Bytes of answers", "route")
        for route, each in self.routes.items():
            bounds = map(floatToGoString, (*_BUCKETS, math.inf))
            buckets = list(zip(bounds, accumulate(each.buckets), strict=True))
            seconds.add_metric((route,), buckets, each.seconds)
            seconds.add_sample("partwire_request_seconds_created", {"route": route}, each.since)
            received.add_metric((route,), each.received, each.since)
            sent.add_metric((route,), each.sent, each.since)
        yield from (ends, seconds, received, sent)


def _counter(name: str, text: str, *labels: str) -> CounterMetricFamily:
    return CounterMetricFamily(f"partwire_{name}", text, labels=labels)


class Metrics:
    """The figures of one service, in its own registry."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = _Requests()
        self.registry.register(self._requests)
        ProcessCollector(registry=self.registry)
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
        self.worker_ends = self._counter(
            "worker_ends", "Workers that were ended, by cause", "cause"
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"partwire_{name}", text, labels, registry=self.registry)

    def ended(self, route: str, status: str, seconds: float, received: int, sent: int) -> None:
        """Count a request that has ended."""
        self._requests.ends[route, status] += 1
        figures = self._requests.routes[route]
        figures.buckets[bisect_left(_BUCKETS, seconds)] += 1
        figures.seconds += seconds
        figures.received += received
        figures.sent += sent

    def no_request(self, status: str) -> None:
        """Count what was refused before it was a request."""
        self._requests.ends["none", status] += 1

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
