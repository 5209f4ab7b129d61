"""Cohere Chat v2: where our rules differ from the index's. They do not."""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import finish_reasons

from .rows import Dialect


def _ends(event: dict[str, Any]) -> bool:
    return event.get("type") == "message-end"


DIALECT: Final = Dialect(
    reasons=finish_reasons.COHERE,
    errors={"INVALID_TOOL_GENERATION": "provider_internal"},
    ends=_ends,
    differences=(),
)
