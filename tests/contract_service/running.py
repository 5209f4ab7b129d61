"""One run of schemathesis in this process, configured as the run over the live service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.errors import NoLinksFound
from schemathesis.engine import events, from_schema

from partwire.contract.resources import interface
from tests.contract_service import hooks

__all__ = ["CONFIG", "Failed", "Outcome", "hooks", "run"]

_CLIP: Final = 600
CONFIG: Final = Path(__file__).with_name("schemathesis.toml")


class Failed(NamedTuple):
    """A check that failed: its name, the operation, what it said, the request and the answer."""

    check: str
    operation: str
    message: str
    request: str
    answer: str


class Outcome(NamedTuple):
    """What a run came to: failed checks, errors of the run itself, how many requests it took."""

    failed: list[Failed]
    errors: list[str]
    requests: int


def run(app: Any, operations: Sequence[str] = (), *, stop: bool = False, few: int = 10) -> Outcome:
    """Run every phase against an ASGI application, or some operations of it.

    ``stop``: at the first failure. ``few`` is the number of made-up requests per operation.
    """
    config = SchemathesisConfig.from_path(CONFIG)
    config.update(max_failures=1 if stop else None)
    config.projects.default.generation.update(max_examples=few)
    # Loaded from the service, it would lack the operation that it was loaded by.
    schema: Any = schemathesis.openapi.from_dict(interface("openapi-3.2"), config=config)
    schema.app = app
    if operations:
        schema = schema.exclude(lambda context: hooks.operation_of(context) not in operations)
    failed: list[Failed] = []
    errors: list[str] = []
    requests = 0
    for event in from_schema(schema).execute():
        if isinstance(event, events.FatalError):
            errors.append(str(event.exception))
        elif isinstance(event, events.NonFatalError):
            if not isinstance(event.value, NoLinksFound):  # one operation alone may have none
                errors.append(str(event.value))
        elif isinstance(event, events.ScenarioFinished):
            requests += len(event.recorder.cases)
            failed += _failed(event.recorder)
    return Outcome(failed, errors, requests)


def _failed(recorder: Any) -> Iterator[Failed]:
    for case_id, nodes in recorder.checks.items():
        for node in nodes:
            if node.failure_info is None:
                continue
            interaction = recorder.interactions[case_id]
            answer = interaction.response
            yield Failed(
                node.name,
                recorder.label,
                str(node.failure_info.failure)[:_CLIP],
                f"{interaction.request.method} {interaction.request.uri} "
                f"{recorder.cases[case_id].value.media_type} {interaction.request.body!r}"[:_CLIP],
                "none" if answer is None else f"{answer.status_code} {answer.content!r}"[:_CLIP],
            )
