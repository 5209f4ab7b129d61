"""A delta as people read it: one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from .layout import Layout
from .messages import citation_text, error_text, finish_text, part_entries, usage_text

__all__ = ["delta_line"]

_KIND_COLUMNS: Final = 21
_STYLES: Final = {"thinking": "thinking", "error": "error", "warning": "warning", "done": "finish"}


def delta_line(delta: Mapping[str, Any], start: str | None, layout: Layout) -> str:
    """Return the line of a delta, which is JSON: its seq, the seconds since ``start``, its kind,
    and what it brings.
    """
    kind = str(delta.get("kind"))
    seconds = _seconds(start, delta.get("timestamp"))
    said = _said(kind, delta.get("payload") or {})
    is_narrow = layout.width < _KIND_COLUMNS + 30
    columns = len(kind) if is_narrow else _KIND_COLUMNS
    told = f"{delta.get('seq'):>5} {seconds:>8}  {kind:<{columns}} {said}"
    style = "call" if "tool_call" in kind else _STYLES.get(kind, "")
    return layout.clipped(told.rstrip(), style)


def _seconds(start: str | None, at: Any) -> str:
    try:
        begun, now = datetime.fromisoformat(str(start)), datetime.fromisoformat(str(at))
        return f"{(now - begun).total_seconds():+.3f}"
    except (ValueError, TypeError):  # a leap second
        return ""


def _said(kind: str, payload: Mapping[str, Any]) -> str:
    """Return what a delta brings, in the order in which people ask."""
    if kind in ("text", "thinking"):
        return json.dumps(payload.get("textDelta"), ensure_ascii=False)
    if kind.endswith("tool_call_args"):
        return f"{payload.get('toolCallId')} {payload.get('argsTextDelta')}"
    if kind.endswith("tool_call_start"):
        return f"{payload.get('toolCallId')} {payload.get('toolName')}"
    if kind == "usage":
        return usage_text(payload)
    if kind == "text_citation":
        return citation_text(payload.get("citation") or {}).replace("\n", " ")
    if kind in ("server_tool_result", "approval_request"):
        told = [text for _, text in part_entries({"kind": kind, "payload": payload})]
        return " ".join(told).replace("\n", " ")
    if kind == "media_data":
        data = payload.get("dataDelta") or payload.get("data") or ""
        said = payload.get("transcriptDelta")
        size = f"{payload.get('mediaId')} {len(data) * 3 // 4:,} bytes"
        return f"{size} {json.dumps(said, ensure_ascii=False)}" if said else size
    if kind == "done":
        return finish_text(payload)
    if kind == "error":
        return error_text(payload)
    return " ".join(
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
        for each in payload.values()
    )
