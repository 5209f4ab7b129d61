# Generated from schemas/tables/history-repairs.json. Do not edit: change that, then
# run `python -m codegen`.

"""Repairs of a history: what can be done about each defect.

The names are those of the rules history/…; unreadable-message is a message that cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

__all__ = ["HOME_ROLES", "INTERRUPTED", "REPAIRS"]


REPAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "duplicate-approval": ("drop",),
    "duplicate-tool-call": ("rename", "drop"),
    "duplicate-tool-result": ("drop",),
    "late-tool-result": ("move", "keep"),
    "orphan-approval": ("drop",),
    "orphan-tool-result": ("drop", "text"),
    "result-before-call": ("move", "drop"),
    "role-part-kind": ("split", "drop"),
    "unanswered-tool-call": ("answer", "drop"),
    "unapproved-result": ("keep",),
    "unreadable-message": ("refuse", "drop"),
}
"""Defect, then what can be done about it; the first is done where the policy says nothing."""

HOME_ROLES: Final[Mapping[str, str]] = {
    "text": "user",
    "thinking": "assistant",
    "tool_call": "assistant",
    "tool_result": "tool",
    "image": "user",
    "file_ref": "user",
    "media": "user",
    "server_tool_call": "assistant",
    "server_tool_result": "assistant",
    "approval_request": "assistant",
    "approval_response": "user",
}
"""Part kind, then the role that speaks it where its message's role may not."""

INTERRUPTED: Final[str] = "interrupted"
"""Content of the error result that answers a call whose own result is lost."""
