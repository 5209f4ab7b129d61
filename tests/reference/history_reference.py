"""What has to be found in a history: id by id, with all of it in sight."""

from __future__ import annotations

import json

from partwire_testing.conformance.drawn.history_makers import Json
from tests.mutants.history import History

__all__ = ["reference"]


def reference(history: list[Json], *, ongoing: bool = False) -> list[tuple[str, str]]:
    """Return rules and pointers, sorted by place, as the second implementation finds them."""
    return History("v0.3", ongoing=ongoing).check([json.dumps(each).encode() for each in history])
