"""A driver on generated requests, beside partwire: what differs, as small as it gets."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from partwire.contract.current import FAMILIES

from ..operations.table import OPERATIONS
from ..respondent import Driver, Respondent, Settings
from ..runner import Outcome, Status, Trial
from .compare import compare, is_known
from .documents import OPERATIONS as ON_DOCUMENTS
from .documents import document_requests
from .golden import CHANGES, golden_request
from .histories import history_requests, transition_request
from .request import Request
from .run import Found, ask_all, shrunk_difference
from .streams import stream_request

__all__ = ["NOT_KNOWABLE", "drawn_requests", "try_drawn"]

REFERENCE: Final = "partwire"
NOT_KNOWABLE: Final = (
    'a language that reads 1.0 as 1, or that sorts names such as "0" before others, cannot know'
)

_ASKS: Final = 4000
_ASKS_OF_ONE: Final = 400
_ASKS_OF_A_DEATH: Final = 20
"""How often drivers are asked to make differences small: all of them together, one of them, and
one that a driver does not survive, for then it is started again each time. What is left is shown as
it came."""

Maker = Callable[[int, int], Sequence[Request]]

_MAKERS: Final[tuple[tuple[int, frozenset[str], Maker], ...]] = (
    (10, frozenset(ON_DOCUMENTS), document_requests),
    (4, frozenset({"assemble"}), lambda seed, number: [stream_request(seed, number)]),
    (2, frozenset({"check_history", "repair_history"}), history_requests),
    (2, frozenset({"transition"}), lambda seed, number: [transition_request(seed, number)]),
    (8, frozenset(CHANGES), lambda seed, number: [golden_request(seed, number)]),
)
"""How often of 26, the operations that it is for, and what makes the requests of a number."""


def drawn_requests(
    seed: int, operations: frozenset[str], versions: frozenset[str]
) -> Iterator[Request]:
    """Yield requests for these operations and versions, without end; nothing where none can be."""
    makers = [each for each in _MAKERS if each[1] & operations]
    if not makers or not versions & set(FAMILIES):
        return
    chance = random.Random(seed)
    weights = [weight for weight, _, _ in makers]
    for number in itertools.count():
        ((_, _, make),) = chance.choices(makers, weights)
        for request in make(seed, number):
            if request.operation in operations and request.version in versions:
                yield request


def try_drawn(
    command: Sequence[str],
    count: int,
    seed: int,
    *,
    operations: frozenset[str] | None = None,
    versions: frozenset[str] | None = None,
    settings: Settings | None = None,
) -> Trial:
    """Return what a driver makes of ``count`` requests, each compared with partwire's answer.

    The requests are a function of the seed, and of what the driver can do. ``operations`` and
    ``versions`` leave out others. Of each kind of difference the first one is shrunk; its detail
    has the request, to be asked again, and both answers.
    """
    driver = Respondent(tuple(command), settings or Settings())
    reference = Driver.start(
        REFERENCE, [sys.executable, "-m", "partwire_testing.conformance.driver"]
    )
    try:
        if not driver.start() or driver.started is None:
            return Trial(driver.command, None, (), 0, driver.problem)
        started = driver.started
        requests = drawn_requests(
            seed,
            started.operations & (operations or frozenset(OPERATIONS)),
            frozenset(started.versions) & (versions or frozenset(FAMILIES)),
        )
        # Both may have the same name: one of them is partwire itself then.
        both = [reference, Driver(f"{started.name} (driver)", driver)]
        outcomes = _outcomes(both, itertools.islice(requests, count))
        return Trial(driver.command, started, tuple(outcomes), driver.restarts)
    finally:
        reference.close()
        driver.close()


def _outcomes(drivers: list[Driver], requests: Iterator[Request]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    kinds: dict[str, tuple[int, Found]] = {}
    for number, (request, answers) in enumerate(ask_all(drivers, requests), 1):
        status: Status = "passed"
        detail = ""
        split = compare(request, answers, in_order=False)
        answer = answers[drivers[1].name]
        if answer.status == "skipped":
            status, detail = "skipped", answer.detail
        elif split is not None and is_known(request, split):
            status, detail = "skipped", NOT_KNOWABLE
        elif split is not None:
            status = "errored" if answer.status == "errored" else "failed"
            first, _ = kinds.setdefault(
                split.key, (number, Found(split.key, request, split.results))
            )
            detail = f"as request {first}: {split.key}"
        run = f"request {number} of {request.operation}"
        outcomes.append(Outcome(run, request.version, request.operation, status, detail, 0.0, True))
    left = _ASKS
    for number, found in kinds.values():
        outcome = outcomes[number - 1]
        asks = min(left, _ASKS_OF_A_DEATH if outcome.status == "errored" else _ASKS_OF_ONE)
        left -= asks
        smallest = shrunk_difference(drivers, found, in_order=False, asks=asks) if asks else found
        outcomes[number - 1] = replace(outcome, detail=str(smallest))
    return outcomes
