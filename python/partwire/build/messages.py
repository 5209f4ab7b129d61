"""Builders of messages, by the names of roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET

from ..contract.clock import now
from ..contract.current.message import Message, Role
from ..contract.ids import new_id
from ..errors import bad_argument
from ..providers.core.stream_words import AuthorLike, given_author
from .given import (
    CONTENT,
    OfAssistant,
    OfSystem,
    OfTool,
    OfUser,
    check_members,
    optional,
    parts_of,
    valid,
)

__all__ = ["assistant", "new_id", "now", "system", "tool", "user"]


def user(
    content: OfUser | Iterable[OfUser],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a user's message: a text, a part, or several of them in their order.

    Parts are structs or models of any version, or JSON objects. ``run_id`` is a new one and
    ``timestamp`` the present instant unless they are given; ``author`` is a name, or an Author.
    All JSON objects, ``meta`` among them, have wire names. Raises UsageError with the findings of
    what would not be valid (a part that a user's message may not hold is
    ``message/role-part-kind``), ``usage/invalid-argument`` for what is not a part.
    """
    return _message("user", content, run_id, timestamp, (message_id, turn_id, author), meta)


def system(
    content: OfSystem | Iterable[OfSystem],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a system message; arguments and errors as :func:`user`."""
    return _message("system", content, run_id, timestamp, (message_id, turn_id, author), meta)


def assistant(
    content: OfAssistant | Iterable[OfAssistant],
    *,
    run_id: str | None = None,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return a message of the assistant, for an example or a test; as :func:`user`."""
    return _message("assistant", content, run_id, timestamp, (message_id, turn_id, author), meta)


def tool(
    results: OfTool | Iterable[OfTool],
    *,
    run_id: str,
    timestamp: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Message:
    """Return the message that holds the results of tool calls; see :func:`tool_result`.

    ``run_id`` is that of the message with the calls: a call and its result find each other within
    one run. All else as :func:`user`.
    """
    return _message("tool", results, run_id, timestamp, (message_id, turn_id, author), meta)


def _message(
    role: Role,
    content: Any,
    run_id: str | None,
    timestamp: str | None,
    others: tuple[str | None, str | None, AuthorLike | None],
    meta: Mapping[str, Any] | None,
) -> Message:
    if meta is not None:
        if not isinstance(meta, Mapping):
            raise bad_argument("meta is wrong", "a JSON object with wire names", meta)
        check_members(meta, "message.MessageMeta", "/meta")
    expected = "a result, or a list of them" if role == "tool" else CONTENT
    message_id, turn_id, author = others
    message = Message(
        run_id=new_id("run") if run_id is None else run_id,
        role=role,
        parts=parts_of(content, expected, "/parts"),
        timestamp=now() if timestamp is None else timestamp,
        message_id=optional(message_id),
        turn_id=optional(turn_id),
        author=given_author(author),
        meta=UNSET if meta is None else dict(meta),
    )
    return valid(message, "message.Message")
