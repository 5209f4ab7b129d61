"""Gemini: where our rules differ from the index's."""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import finish_reasons
from tests.providers.recordings import Recording

from .rows import UNCOMPARED, Dialect, Difference, detail, usage


class _Minted:
    """Equal to any id that was minted."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.startswith("call_")

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "<a minted id>"


def _is_cut(recording: Recording) -> bool:
    expected = recording.expected
    return not (expected["finishReason"] or expected["error"] or expected.get("blockReason"))


def _lacks_an_id(recording: Recording) -> bool:
    return any(call["id"] is None for call in recording.expected["toolCalls"])


def _ends(event: dict[str, Any]) -> bool:
    if event.get("error") or event.get("promptFeedback", {}).get("blockReason"):
        return True
    return any(c.get("finishReason") for c in event.get("candidates") or () if not c.get("index"))


DIALECT: Final = Dialect(
    reasons=finish_reasons.GEMINI,
    errors={},
    ends=_ends,
    differences=(
        Difference(
            "reasoning-is-output",
            "outputTokens",
            "Gemini counts thoughts apart from the candidates; ours count them as output.",
            lambda r: detail(r, "reasoningTokens") > 0,
            lambda r: usage(r, "outputTokens") + detail(r, "reasoningTokens"),
        ),
        Difference(
            "minted-ids",
            "toolCalls",
            "The index has no id where Gemini sends none; ours mint one.",
            _lacks_an_id,
            lambda r: [
                (call["id"] or _Minted(), call["name"], call["arguments"])
                for call in r.expected["toolCalls"]
            ],
        ),
        Difference(
            "object-arguments-as-text",
            "argsText",
            "The index has no text for arguments that come as an object or by path; ours is JSON.",
            lambda r: bool(r.expected["toolCalls"]),
            lambda r: UNCOMPARED,
        ),
        Difference(
            "blocked-prompt-is-filtered",
            "finishReason",
            "A block reason ends the stream as finishReason does: the answer was filtered.",
            lambda r: r.expected.get("blockReason") and not r.expected["finishReason"],
            lambda r: "content_filter",
        ),
        Difference(
            "cut-is-an-error",
            "error",
            "A stream with neither a finish reason nor a block reason is cut, not finished.",
            _is_cut,
            lambda r: "truncated_stream",
        ),
    ),
)
