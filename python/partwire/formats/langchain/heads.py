"""What a message says of itself: its model, its usage, why it ended; and what is kept as it is."""

from __future__ import annotations

from typing import Any, Final

from partwire.tables import finish_reasons

from ..core.reading import Json, Members, Reading
from .blocks import STANDARD

__all__ = [
    "NAMES",
    "dialect_in",
    "dialect_of",
    "is_version_said",
    "needs_version",
    "said_of",
    "usage_as",
    "usage_of",
    "written_as",
]

DIALECTS: Final = {
    "anthropic": "anthropic-messages",
    "bedrock": "anthropic-messages",  # its older interface takes Anthropic's own blocks
    "openai": "openai-responses",
    "azure": "openai-responses",
    "azure_openai": "openai-responses",
    "google_genai": "gemini",
    "google_vertexai": "gemini",
    "bedrock_converse": "bedrock-converse",
}
"""``response_metadata.model_provider`` → whose blocks the content has."""
NAMES: Final = {
    "anthropic-messages": "anthropic",
    "openai-responses": "openai",
    "gemini": "google_genai",
    "bedrock-converse": "bedrock_converse",
}
_REASONS: Final = {
    "anthropic-messages": finish_reasons.ANTHROPIC,
    "openai-responses": finish_reasons.RESPONSES,
    "gemini": finish_reasons.GEMINI,
    "bedrock-converse": finish_reasons.BEDROCK,
}
_STANDARD: Final = STANDARD | {"reasoning"}
_OWN_WORDS: Final = {"completed"}  # of a Responses answer, with calls or without

# Names under which integrations say it; the first one is LangChain's own.
_SAID: Final = {
    "modelId": ("model_name", "model", "model_id"),
    "requestId": ("id",),
    "providerFinishReason": (
        "finish_reason",
        "stop_reason",
        "stopReason",
        "finishReason",
        "done_reason",
        "status",
    ),
}


def dialect_of(metadata: Any) -> str:
    """Return whose blocks an answer has; "" where its metadata does not say."""
    provider = metadata.get("model_provider") if isinstance(metadata, dict) else None
    return DIALECTS.get(provider, "") if isinstance(provider, str) else ""


def dialect_in(parts: list[Json]) -> str:
    """Return whose state parts have; "" where no integration stores such."""
    for part in parts:
        opaque = part["payload"].get("opaque")
        if isinstance(opaque, dict) and opaque.get("provider") in NAMES:
            return str(opaque["provider"])
    return ""


def is_version_said(content: Any, metadata: Json) -> bool:
    """Return whether blocks show themselves that content is standard, as metadata says."""
    return metadata.get("output_version") == "v1" and needs_version(content, metadata)


def needs_version(content: Any, metadata: Json) -> bool:
    """Return whether LangChain would take standard blocks for the provider's own."""
    if not isinstance(content, list) or "model_provider" not in metadata:
        return False
    kinds = (each.get("type") for each in content if isinstance(each, dict))
    return any(isinstance(kind, str) and kind in _STANDARD for kind in kinds)


def said_of(metadata: Json, *, has_calls: bool) -> tuple[Json, Json]:
    """Return what metadata of an answer says for ``meta``, and what of it is kept as it is."""
    meta: Json = {}
    kept = dict(metadata)
    for ours, names in _SAID.items():
        name = next((each for each in names if _is_text(metadata.get(each))), None)
        if name is None:
            continue
        meta[ours] = metadata[name]
        if name == names[0]:
            del kept[name]
    if (word := meta.get("providerFinishReason")) is not None:
        meta["finishReason"] = _reason(word, dialect_of(metadata), has_calls=has_calls)
    return meta, kept


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _reason(word: str, dialect: str, *, has_calls: bool) -> str:
    if has_calls and word in _OWN_WORDS:
        return "tool_calls"
    own = _REASONS.get(dialect, {}).get(word)
    return own or finish_reasons.CHAT.get(word.lower().replace("-", "_"), "unknown")


def written_as(meta: Json, kept: Json) -> Json:
    """Return the metadata of an answer that reads as ``meta``: what was kept, and our members."""
    made = dict(kept)
    for ours, names in _SAID.items():
        value = meta.get(ours, meta.get("finishReason") if ours.startswith("provider") else None)
        name = next((each for each in names if _is_text(kept.get(each))), None)
        if isinstance(value, str) and value and (name is None or kept[name] != value):
            made[names[0]] = value
    return made


# --- usage ----------------------------------------------------------------------------------------

_DETAILS: Final = {
    "input_token_details": {"cache_read": "cacheReadTokens", "cache_creation": "cacheWriteTokens"},
    "output_token_details": {"reasoning": "reasoningTokens"},
}


def usage_of(message: Members, reading: Reading) -> tuple[Json | None, Json]:
    """Take ``usage_metadata``; return what of it a message counts, and the rest."""
    given = message.object("usage_metadata")
    if given is None:
        return None, {}
    usage = Members(given, message.at("usage_metadata"), reading)
    counts = {name: usage.count(name) for name in ("input_tokens", "output_tokens")}
    if None in counts.values():
        return None, given
    found: Json = {"inputTokens": counts["input_tokens"], "outputTokens": counts["output_tokens"]}
    total = usage.count("total_tokens")
    found["totalTokens"] = sum(found.values()) if total is None else total
    if found["totalTokens"] >= 2**53:
        return None, given
    rest: Json = {}
    for name, figures in _DETAILS.items():
        inner = usage.object(name)
        if inner is None:
            continue
        details = Members(inner, usage.at(name), reading)
        for theirs, ours in figures.items():
            if (count := details.count(theirs)) is not None:
                found[ours] = count
        if left := details.whole():
            rest[name] = left
    return found, {**usage.whole(), **rest}


def usage_as(usage: Any, rest: Json) -> Json | None:
    """Return usage as LangChain has it."""
    if not isinstance(usage, dict):
        return rest or None
    made: Json = {
        "input_tokens": usage.get("inputTokens"),
        "output_tokens": usage.get("outputTokens"),
        "total_tokens": usage.get("totalTokens"),
    }
    for name, figures in _DETAILS.items():
        kept = rest.get(name)
        details = dict(kept) if isinstance(kept, dict) else {}
        details |= {theirs: usage[ours] for theirs, ours in figures.items() if ours in usage}
        if details:
            made[name] = details
    return {**made, **{name: value for name, value in rest.items() if name not in _DETAILS}}
