"""Ask all drivers the same, compare, and shrink what differs."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from ..respondent import Answer, Driver
from .compare import Split, compare, is_known
from .documents import document_requests
from .golden import golden_request
from .histories import history_requests, transition_request
from .lists import list_request
from .request import Request
from .shrink import shrunk
from .streams import stream_request

__all__ = ["Counts", "Found", "Outcome", "ask_all", "requests_of", "run", "shrunk_difference"]

_BATCH: Final = 200
_MAX_KINDS: Final = 40
_SHOWN_CHARS: Final = 1500


@dataclass(frozen=True)
class Counts:
    """How many of each there are to be: of transitions as many as of histories, golden cases
    that are changed, of all operations together, and YAML lists of tools."""

    documents: int
    streams: int
    histories: int
    golden: int
    lists: int = 0

    @property
    def each(self) -> tuple[int, ...]:
        """The counts by kind."""
        return (self.documents, self.streams, self.histories, self.golden, self.lists)


@dataclass(frozen=True)
class Found:
    """A difference: what was asked, as small as it got, and what came back."""

    key: str
    request: Request
    results: dict[str, Any]

    def __str__(self) -> str:
        asked = {"version": self.request.version, "input": self.request.given}
        rows = [f"{self.key}", f"  asked  {self.request.operation} {_clipped(asked)}"]
        rows += [f"  {name:10} {_clipped(result)}" for name, result in self.results.items()]
        return "\n".join(rows)

    def line(self) -> str:
        """Return all of it as a line of JSON."""
        whole = {"key": self.key, **self.request._asdict(), "results": self.results}
        return json.dumps(whole) + "\n"


@dataclass
class Outcome:
    """What a run has seen: requests, answers by driver, and one difference of each kind."""

    asked: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Take in what another run has seen."""
        for name in ("asked", "answered", "skipped", "refused", "kinds", "known"):
            getattr(self, name).update(getattr(other, name))
        known = {each.key for each in self.found}
        self.found += [each for each in other.found if each.key not in known]


def requests_of(counts: Counts, seed: int, shard: int = 0, shards: int = 1) -> Iterator[Request]:
    """Yield every ``shards``-th case from ``shard`` on, kinds in mixture, so that all keep busy."""
    rows: list[tuple[int, int]] = []
    for kind, count in enumerate(counts.each):
        rows += [(kind, number) for number in range(shard, count, shards)]
    random.Random(seed).shuffle(rows)
    for kind, number in rows:
        if kind == 0:
            yield from document_requests(seed, number)
        elif kind == 1:
            yield stream_request(seed, number)
        elif kind == 2:
            yield from history_requests(seed, number)
            yield transition_request(seed, number)
        elif kind == 3:
            yield golden_request(seed, number)
        else:
            yield list_request(seed, number)


def run(drivers: Sequence[Driver], requests: Iterable[Request], *, shrink: bool = True) -> Outcome:
    """Ask every driver all requests, and compare."""
    outcome = Outcome()
    for request, answers in ask_all(drivers, requests):
        _judge(request, answers, outcome)
    if shrink:
        outcome.found = [shrunk_difference(drivers, each) for each in outcome.found]
    return outcome


def ask_all(
    drivers: Sequence[Driver], requests: Iterable[Request]
) -> Iterator[tuple[Request, dict[str, Answer]]]:
    """Yield each request with the answers by driver; the next batch is made while they answer.

    A driver that has no such operation, or does not speak the version, has no answer.
    """
    with ExitStack() as stack:
        # A thread for each driver: it is asked one batch after the other.
        pools = [stack.enter_context(ThreadPoolExecutor(1)) for _ in drivers]
        waiting: list[Request] = []
        futures: list[Future[list[Answer | None]]] = []
        for batch in itertools.chain(_batches(requests), [[]]):
            asked = [
                pool.submit(_ask, driver, batch)
                for pool, driver in zip(pools, drivers, strict=True)
            ]
            rows = zip(waiting, *(each.result() for each in futures), strict=True)
            for request, *row in rows:
                pairs = zip(drivers, row, strict=True)
                yield request, {each.name: told for each, told in pairs if told is not None}
            waiting, futures = batch, asked


def _batches(requests: Iterable[Request]) -> Iterator[list[Request]]:
    left = iter(requests)
    while batch := list(itertools.islice(left, _BATCH)):
        yield batch


def _ask(driver: Driver, requests: Sequence[Request]) -> list[Answer | None]:
    """Return an answer for each request, None for what the driver does not do."""
    can = [driver.can(request) for request in requests]
    answers = iter(driver.ask([each for each, able in zip(requests, can, strict=True) if able]))
    return [next(answers) if able else None for able in can]


def _judge(request: Request, answers: dict[str, Answer], outcome: Outcome) -> None:
    outcome.asked[request.operation] += 1
    for name, answer in answers.items():
        kind = outcome.skipped if answer.status == "skipped" else outcome.answered
        kind[name] += 1
    if any("error" in (answer.result or ()) for answer in answers.values()):
        outcome.refused[request.operation] += 1
    split = compare(request, answers)
    if split is not None and is_known(request, split):
        outcome.known[request.operation] += 1
    elif split is not None:
        _note(request, split, outcome)


def _note(request: Request, split: Split, outcome: Outcome) -> None:
    outcome.kinds[split.key] += 1
    if outcome.kinds[split.key] == 1 and len(outcome.found) < _MAX_KINDS:
        outcome.found.append(Found(split.key, request, split.results))


def shrunk_difference(
    drivers: Sequence[Driver], found: Found, *, in_order: bool = True, asks: int = 800
) -> Found:
    """Return a difference with the smallest input that shows one of the same kind.

    ``asks``: how often the drivers are asked for it at the most.
    """

    def split(request: Request) -> Split | None:
        told = {driver.name: driver.ask([request])[0] for driver in drivers if driver.can(request)}
        return compare(request, told, in_order=in_order)

    def shows(request: Request) -> bool:
        seen = split(request)
        return seen is not None and seen.key == found.key

    smallest = shrunk(found.request, shows, asks)
    seen = split(smallest)
    return found if seen is None else Found(found.key, smallest, seen.results)


def _clipped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    more = len(text) - _SHOWN_CHARS
    return text if more <= 0 else f"{text[:_SHOWN_CHARS]}… and {more:,} characters more"
