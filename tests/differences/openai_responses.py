"""OpenAI Responses and its vendors: where our rules differ from the index's."""

from __future__ import annotations

import json
from typing import Any, Final

from partwire.tables import finish_reasons
from tests.providers.recordings import Recording

from .rows import Dialect, Difference


def _calls(recording: Recording) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = recording.expected["toolCalls"]
    return calls


def _is_custom(call: dict[str, Any]) -> bool:
    return bool(call.get("custom"))


def _ends(event: dict[str, Any]) -> bool:
    return event.get("type") in (
        "response.completed",
        "response.incomplete",
        "response.failed",
        "error",
    )


def _streamed(recording: Recording) -> str:
    """Return the text that the deltas say."""
    events = [json.loads(text) for text in recording.texts]
    return "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")


DIALECT: Final = Dialect(
    reasons=finish_reasons.RESPONSES,
    errors={"insufficient_quota": "quota_exceeded"},
    ends=_ends,
    differences=(
        Difference(
            "calls-are-a-reason",
            "finishReason",
            "The index gives the status, which says nothing of calls: a response that waits for "
            "the results of some has ended for their sake.",
            lambda r: r.expected["finishReason"] == "completed" and _calls(r),
            lambda r: "tool_calls",
        ),
        Difference(
            "approval-pauses",
            "finishReason",
            "The index gives the status, which says nothing of approvals: a response that asks for "
            "one waits for its answer.",
            lambda r: not _calls(r) and any('"mcp_approval_request"' in text for text in r.texts),
            lambda r: "awaiting_approval",
        ),
        Difference(
            "custom-input-is-raw-text",
            "toolCalls",
            "The index has no arguments for a custom tool. The contract's arguments are an object: "
            "ours is empty, and the input is in rawArgsText.",
            lambda r: any(_is_custom(call) for call in _calls(r)),
            lambda r: [
                (call["id"], call["name"], {} if _is_custom(call) else call["arguments"])
                for call in _calls(r)
            ],
        ),
        Difference(
            "streamed-text-stands",
            "text",
            "The index takes the final text where deltas say something else. What has been "
            "emitted cannot be taken back: the deltas stand, with a finding.",
            lambda r: not r.expected["text"].startswith(_streamed(r)),
            _streamed,
        ),
    ),
)
