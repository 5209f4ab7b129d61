"""One run of schemathesis in this process, configured as the run over the live service."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.errors import NoLinksFound
from schemathesis.engine import events, from_schema

from partwire.resources import interface
from tests.contract_service import hooks

__all__ = ["CONFIG", "Failed", "Outcome", "hooks", "run"]

CONFIG: Final = Path(__file__).with_name("schemathesis.toml")


class Failed(NamedTuple):
    """A check that failed: its name, the operation, and the first line of what it said."""

    check: str
    operation: str
    message: str


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
            for nodes in event.recorder.checks.values():
                for node in nodes:
                    if node.failure_info is not None:
                        message = str(node.failure_info.failure).strip().partition("\n")[0]
                        failed.append(Failed(node.name, event.recorder.label, message))
    return Outcome(failed, errors, requests)
