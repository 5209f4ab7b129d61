"""OpenAI Chat Completions and its vendors: where our rules differ from the index's."""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import finish_reasons
from tests.providers.recordings import Recording

from .rows import CUT_ARGUMENTS, Dialect, Difference, cached, detail, rows, usage


def _has_apart_reasoning(recording: Recording) -> bool:
    reasoning = detail(recording, "reasoningTokens")
    figures = [usage(recording, name) for name in ("inputTokens", "outputTokens", "totalTokens")]
    return reasoning > 0 and figures[2] == figures[0] + figures[1] + reasoning


def _has_no_reason(recording: Recording) -> bool:
    return recording.expected["finishReason"] is None and not recording.expected["error"]


def _is_cut(recording: Recording) -> bool:
    return _has_no_reason(recording) and recording.texts[-1] != "[DONE]"


def _ends(event: dict[str, Any]) -> bool:
    if event.get("error"):
        return True
    return any(c.get("index") == 0 and c.get("finish_reason") for c in event.get("choices") or ())


DIALECT: Final = Dialect(
    reasons=finish_reasons.CHAT,
    errors={"tool_use_failed": "provider_internal"},
    ends=_ends,
    differences=(
        CUT_ARGUMENTS,
        *rows(
            "refusal-is-text",
            "The index keeps a refusal apart, and its reason is the provider's stop. The contract "
            "has no part for it; a reader must see it, and that it is a refusal.",
            lambda r: r.expected.get("refusal"),
            text=lambda r: r.expected["text"] + r.expected["refusal"],
            finishReason=lambda r: "refusal",
        ),
        Difference(
            "done-without-reason",
            "finishReason",
            "A stream that [DONE] ends without a finish reason ends for an unknown reason.",
            lambda r: _has_no_reason(r) and not _is_cut(r),
            lambda r: "unknown",
        ),
        Difference(
            "cut-is-an-error",
            "error",
            "A stream with neither a finish reason nor [DONE] is cut, not finished.",
            _is_cut,
            lambda r: "truncated_stream",
        ),
        Difference(
            "cached-input-counts",
            "inputTokens",
            "More cached than prompt tokens: they are counted apart, and ours count both.",
            lambda r: cached(r) > usage(r, "inputTokens"),
            lambda r: usage(r, "inputTokens") + cached(r),
        ),
        Difference(
            "reasoning-is-output",
            "outputTokens",
            "The total says that reasoning is counted apart; ours count it as output.",
            _has_apart_reasoning,
            lambda r: usage(r, "outputTokens") + detail(r, "reasoningTokens"),
        ),
    ),
)
