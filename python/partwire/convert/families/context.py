"""What the caller says for a source that cannot: by keyword, checked whether it is needed or not.

So one context serves conversions of every kind, and a slip of the pen never passes for an answer.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final, TypedDict

from partwire.contract.current import LATEST_VERSION
from partwire.errors import bad_argument
from partwire.reading.pipeline import validate
from partwire.tables.losses import FORMAT_LOSSES, LOSSES

__all__ = ["EPOCH", "NIL", "Context", "accepted_codes", "check_names", "given_by"]

EPOCH: Final = "1970-01-01T00:00:00Z"
NIL: Final = "00000000-0000-0000-0000-000000000000"


class Context(TypedDict, total=False):
    """What the source cannot say. What is not given, or None, is made up and reported as invented.

    ``timestamp`` is RFC 3339; ``make_id`` returns a new UUID at every call. Without it, ids are
    made from what is there: the same source always gives the same ids. ``keep_ignored`` makes parts
    of the message of text that a session holds back from the model (``ignored``). A value that the
    conversion does not need is checked all the same, and not used.
    """

    run_id: str
    timestamp: str
    session_id: str
    agent: str
    provider_id: str
    model_id: str
    cwd: str
    root: str
    cost: float
    tokens: dict[str, Any]
    tool_id: str
    message_id: str
    trace_id: str
    keep_ignored: bool
    make_id: Callable[[], str]


_MESSAGE: Final = {"runId": "run", "role": "user", "parts": [], "timestamp": EPOCH}
_PART: Final = {"id": "prt", "sessionID": NIL, "messageID": NIL, "type": "text", "text": ""}
_PATH: Final = {"cwd": "/", "root": "/"}
_INFO: Final = {
    "id": NIL,
    "role": "assistant",
    "time": {"created": 0},
    "agent": "agent",
    "path": _PATH,
    "cost": 0,
    "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
}
_MODEL: Final = {"providerID": "provider", "modelID": "model"}
_RESULT: Final = {
    "invocation_id": NIL,
    "tool_id": NIL,
    "result_type": "tool_result",
    "data": {},
    "created_at": EPOCH,
}
_ENVELOPE: Final = {"message_id": NIL, "sent_at": EPOCH, "schema_version": LATEST_VERSION}

# Where a value goes: a document that is valid but for it, so that the schemas say what fits.
_PLACES: Final[Mapping[str, tuple[str, Mapping[str, Any], str]]] = {
    "run_id": ("message.Message", _MESSAGE, "runId"),
    "timestamp": ("message.Message", _MESSAGE, "timestamp"),
    "session_id": ("session.TextPart", _PART, "sessionID"),
    "agent": ("session.AssistantInfo", _INFO, "agent"),
    "provider_id": ("session.ModelRef", _MODEL, "providerID"),
    "model_id": ("session.ModelRef", _MODEL, "modelID"),
    "cwd": ("session.MessagePath", _PATH, "cwd"),
    "root": ("session.MessagePath", _PATH, "root"),
    "cost": ("session.AssistantInfo", _INFO, "cost"),
    "tokens": ("session.AssistantInfo", _INFO, "tokens"),
    "tool_id": ("envelope.ToolResult", _RESULT, "tool_id"),
    "message_id": ("envelope.Envelope", _ENVELOPE, "message_id"),
    "trace_id": ("envelope.Envelope", _ENVELOPE, "trace_id"),
    "keep_ignored": ("session.TextPart", _PART, "ignored"),
}


def check_names(context: Iterable[str]) -> None:
    """Raise UsageError ``usage/invalid-argument`` for a keyword that no conversion knows."""
    for name in context:
        if name not in Context.__annotations__:
            near = _nearest(name, ("strict", "accept", "type", *Context.__annotations__))
            raise bad_argument(f"There is no keyword {name}", near, name)


def given_by(context: Context) -> Context:
    """Return what ``context`` gives, without what is None.

    Raises UsageError ``usage/invalid-argument`` for an unknown name or a value that does not fit.
    """
    check_names(context)
    given: Any = {name: value for name, value in context.items() if value is not None}
    for name, value in given.items():
        if name == "make_id":
            if not callable(value):
                raise bad_argument("make_id is wrong", "a function that returns a UUID", value)
            continue
        type_name, document, member = _PLACES[name]
        for each in validate({**document, member: value}, type_name):
            if each.severity == "error":
                raise bad_argument(f"{name} is wrong: {each.message}", each.expected, value)
    result: Context = given
    return result


def accepted_codes(accept: Collection[str]) -> frozenset[str]:
    """Return the loss codes of ``accept``; raises UsageError ``usage/invalid-argument``."""
    if isinstance(accept, (str, bytes)) or not isinstance(accept, Collection):
        raise bad_argument("accept is wrong", "a list or set of loss codes", accept)
    for code in accept:
        if not isinstance(code, str):
            raise bad_argument(
                "accept holds what is not a loss code", "a code such as run-id", code
            )
        known = {**LOSSES, **FORMAT_LOSSES}
        if code not in known:
            raise bad_argument(
                "accept names a loss that does not exist", _nearest(code, known), code
            )
    return frozenset(accept)


def _nearest(name: str, known: Iterable[str]) -> str:
    return difflib.get_close_matches(name, list(known), n=1, cutoff=0.0)[0]
