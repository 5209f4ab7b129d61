"""Bedrock Converse: where our rules differ from the index's."""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import finish_reasons
from tests.providers.recordings import Recording

from .rows import Dialect, Difference, cached, rows, usage


def _counts_cache_apart(recording: Recording) -> bool:
    mine = cached(recording)
    counted = usage(recording, "inputTokens") + usage(recording, "outputTokens") + mine
    return mine > 0 and usage(recording, "totalTokens") >= counted


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
    differences=tuple(
        difference._replace(seen=False)
        for difference in (
            *rows(
                "cached-input-counts",
                "The index gives inputTokens alone. Ours count what the cache read and wrote, "
                "where the total says that it is counted apart.",
                _counts_cache_apart,
                inputTokens=lambda r: usage(r, "inputTokens") + cached(r),
            ),
            Difference(
                "cut-is-an-error",
                "error",
                "A stream without messageStop is cut, not finished.",
                lambda r: r.expected["finishReason"] is None and not r.expected["error"],
                lambda r: "truncated_stream",
            ),
        )
    ),
)
