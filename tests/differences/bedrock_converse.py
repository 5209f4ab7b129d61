"""Bedrock Converse: where our rules differ from the index's."""

from __future__ import annotations

from typing import Any, Final

from partwire.providers import finish_reasons

from .rows import Dialect


def _ends(event: dict[str, Any]) -> bool:
    return "messageStop" in event or any(name.endswith("Exception") for name in event)


DIALECT: Final = Dialect(
    reasons=finish_reasons.BEDROCK,
    errors={
        "internalServerException": "provider_internal",
        "modelStreamErrorException": "provider_internal",
        "serviceUnavailableException": "overloaded",
        "throttlingException": "rate_limited",
        "validationException": "invalid_request",
    },
    ends=_ends,
    differences=(),
)
