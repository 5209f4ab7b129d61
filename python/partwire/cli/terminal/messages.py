"""A message as people read it: its parts in their order, calls with arguments, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .layout import Layout

__all__ = [
    "Entry",
    "call_text",
    "citation_text",
    "error_text",
    "finish_text",
    "message_lines",
    "part_entries",
    "usage_text",
]

Entry = tuple[str, str]
"""A label, and the text beside it."""

_MOST_CHARS: Final = 300
"""Of values that nobody reads on a terminal, such as data of providers."""
_OF_META: Final = frozenset(
    {"modelId", "requestId", "finishReason", "providerFinishReason", "completedAt", "usage"}
    | {"incomplete", "warnings"}
)


def message_lines(message: Mapping[str, Any], layout: Layout) -> Iterator[str]:
    """Yield the lines of a message, which is JSON of any version of the contract."""
    meta = message.get("meta") or {}
    author = message.get("author") or {}
    names = [author.get("name"), *(author.get("agentPath") or ())]
    head = [message.get("role"), *names, meta.get("modelId"), message.get("timestamp")]
    yield layout.clipped(" · ".join(str(each) for each in head if each), "head")
    parts = message.get("parts") or []
    for part in parts:
        for label, text in part_entries(part):
            yield from layout.entry(label, text)
    if not parts:
        yield from layout.entry("parts", "none")
    for label, text in _end_entries(meta):
        yield from layout.entry(label, text)


def part_entries(part: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield what a part says; of a kind that is not known, its JSON."""
    kind, payload = str(part.get("kind")), part.get("payload") or {}
    if kind in ("text", "thinking"):
        yield kind, payload.get("text") or "(no text)"
        for citation in payload.get("citations") or ():
            yield "source", citation_text(citation)
    elif kind in ("tool_call", "server_tool_call"):
        yield (
            "call",
            call_text(
                payload.get("toolName"),
                payload.get("toolCallId"),
                payload.get("arguments"),
                is_server=kind == "server_tool_call",
            ),
        )
    elif kind in ("tool_result", "server_tool_result"):
        yield "result", _result_text(payload)
    elif kind == "media":
        yield "media", _media_text(payload)
        if payload.get("transcript"):
            yield "transcript", str(payload["transcript"])
    elif kind == "image":
        yield "image", _named(payload, "mimeType", "url") + _size(payload.get("data"))
    elif kind == "file_ref":
        yield "file", _named(payload, "path", "mimeType")
    elif kind.startswith("approval_"):
        yield "approval", _approval_text(kind, payload)
    else:
        yield kind, _json(payload)


def call_text(name: Any, call_id: Any, arguments: Any, *, is_server: bool = False) -> str:
    """Return a call: its name and id, and a line for each argument."""
    head = f"{name}  ({call_id}{', run by the provider' if is_server else ''})"
    if not isinstance(arguments, Mapping):
        return head if arguments is None else f"{head}\n{_json(arguments, None)}"
    return "\n".join([head, *(f"{key}: {_json(each, None)}" for key, each in arguments.items())])


def citation_text(citation: Mapping[str, Any]) -> str:
    """Return what a text is based on."""
    source = citation.get("source") or {}
    named = _named(source, "title", "url") or _named(source, "id") or str(source.get("kind"))
    quoted = citation.get("quotedText")
    return f"{named}\n“{quoted}”" if quoted else named


def finish_text(said: Mapping[str, Any]) -> str:
    """Return why a stream ended, with the provider's own word where it is another one."""
    reason, own = said.get("finishReason"), said.get("providerFinishReason")
    return f"{reason} ({own})" if own and own != reason else str(reason)


def error_text(payload: Mapping[str, Any]) -> str:
    """Return what a stream says of its failure."""
    again = " (worth another try)" if payload.get("retryable") is True else ""
    return f"{payload.get('errorCode')}: {payload.get('message') or ''}{again}"


def usage_text(usage: Mapping[str, Any]) -> str:
    """Return tokens and cost in a few words."""
    told = [f"{_number(usage.get('inputTokens'))} in"]
    if usage.get("cacheReadTokens"):
        told[0] += f" ({_number(usage['cacheReadTokens'])} from the cache)"
    told.append(f"{_number(usage.get('outputTokens'))} out")
    if usage.get("reasoningTokens"):
        told[1] += f" ({_number(usage['reasoningTokens'])} reasoning)"
    if usage.get("cost") is not None:
        told.append(f"${usage['cost']}")
    return ", ".join(told)


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _result_text(payload: Mapping[str, Any]) -> str:
    said = [str(payload.get("toolCallId"))]
    said += ["error"] if payload.get("isError") else []
    said += [str(payload["outcome"])] if payload.get("outcome") else []
    content = payload.get("content")
    lines = [", ".join(said)]
    if isinstance(content, str):
        lines.append(content)
    elif isinstance(content, list):
        for part in content:
            lines += [text for _, text in part_entries(part)]
    elif content is not None:
        lines.append(_json(content))
    if payload.get("structured") is not None:
        lines.append(_json(payload["structured"]))
    return "\n".join(lines)


def _media_text(payload: Mapping[str, Any]) -> str:
    source = payload.get("source") or {}
    size = payload.get("sizeBytes")
    told = _named(payload, "mimeType", "name")
    told += f", {_number(size)} bytes" if size is not None else _size(source.get("data"))
    place = _named(source, "url", "ref")
    return f"{told}, {place}" if place else told


def _approval_text(kind: str, payload: Mapping[str, Any]) -> str:
    call = payload.get("toolCallId")
    reason = f": {payload['reason']}" if payload.get("reason") else ""
    if kind == "approval_request":
        choices = [str(each.get("id")) for each in payload.get("choices") or ()]
        asked = f"asked for {call}{reason}"
        return f"{asked}\nchoices: {', '.join(choices)}" if choices else asked
    by = f" by {payload['decidedBy']}" if payload.get("decidedBy") else ""
    return f"{payload.get('decision')} for {call}{by}{reason}"


def _end_entries(meta: Mapping[str, Any]) -> Iterator[Entry]:
    others = {name: each for name, each in meta.items() if name not in _OF_META}
    usage, warnings = meta.get("usage"), meta.get("warnings")
    if isinstance(usage, Mapping):
        yield "usage", usage_text(usage)
    elif usage is not None:  # members of meta are anybody's
        others["usage"] = usage
    if isinstance(warnings, list):
        for warning in warnings:
            yield "warning", _json(warning)
    elif warnings is not None:
        others["warnings"] = warnings
    if meta.get("finishReason"):
        yield "finish", finish_text(meta)
    if incomplete := meta.get("incomplete"):
        yield "error", f"incomplete: {_json(incomplete)}"
    if others:
        yield "meta", _json(others)


def _named(payload: Mapping[str, Any], *names: str) -> str:
    return ", ".join(str(payload[name]) for name in names if payload.get(name))


def _size(data: Any) -> str:
    return f", {len(data) * 3 // 4:,} bytes" if isinstance(data, str) else ""


def _json(value: Any, most: int | None = _MOST_CHARS) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if most is None or len(text) <= most else f"{text[:most]}…"
