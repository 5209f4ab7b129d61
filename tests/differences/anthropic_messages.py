"""Anthropic Messages: where our rules differ from the index's."""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import finish_reasons
from tests.providers.recordings import Recording

from .rows import CUT_ARGUMENTS, UNCOMPARED, Dialect, Difference, cached, compact, rows, usage


def _is_spliced(recording: Recording) -> bool:
    return "second message_start" in recording.entry["quirks"]


def _uncompared(_: Recording) -> object:
    return UNCOMPARED


def _ends(event: dict[str, Any]) -> bool:
    return bool(event.get("error")) or event.get("type") == "message_stop"


DIALECT: Final = Dialect(
    reasons=finish_reasons.ANTHROPIC,
    errors={},
    ends=_ends,
    differences=(
        CUT_ARGUMENTS,
        *rows(
            "cached-input-counts",
            "The index gives input_tokens alone, and Anthropic no total. Ours count what the cache "
            "read and wrote; the total is the sum of our figures.",
            lambda r: cached(r) > 0,
            inputTokens=lambda r: usage(r, "inputTokens") + cached(r),
            totalTokens=lambda r: usage(r, "totalTokens") + cached(r),
        ),
        *rows(
            "spliced-message-fails",
            "The index lets a second message_start replace the first message. What has been "
            "emitted cannot be taken back: ours is an error.",
            _is_spliced,
            text=_uncompared,
            thinking=_uncompared,
            toolCalls=_uncompared,
            argsText=_uncompared,
            finishReason=_uncompared,
            inputTokens=_uncompared,
            outputTokens=_uncompared,
            totalTokens=_uncompared,
            error=lambda r: "provider_internal",
        ),
        Difference(
            "object-arguments-as-text",
            "argsText",
            "The index has no text for arguments that come as an object; ours is their JSON text.",
            lambda r: any(c["argsText"] == "" and c["arguments"] for c in r.expected["toolCalls"]),
            lambda r: [compact(call["arguments"]) for call in r.expected["toolCalls"]],
        ),
    ),
)
