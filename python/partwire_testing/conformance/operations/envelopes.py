"""The operation envelope: what is asked of queue messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from partwire.envelope import (
    check_reply,
    check_tool_results,
    decode_prompt_block,
    parse_allowed_tools,
    parse_with_findings,
    retry_event,
    sniff,
)
from partwire.errors import PartwireError
from partwire.reading.pipeline import read, to_wire

from ..values import BadInput, Json, Skip, bytes_of, findings_of, refusal_of, served

__all__ = ["envelope"]


def envelope(given: Json, version: str) -> Json:
    """Return what a call of the envelope room gives, or its refusal."""
    call = _CALLS.get(given["call"])
    if call is None:
        raise BadInput(f"no such call: {given['call']}")
    try:
        return call(given, version)
    except PartwireError as error:
        if error.rule == "usage/missing-extra":
            raise Skip("no YAML reader is installed") from None
        return refusal_of(error)


def _message(given: Json, name: str = "input", kind: str = "type") -> Any:
    return read(bytes_of(given[name]), given[kind], "tolerant")


def _parse(given: Json, _version: str) -> Json:
    mode = given.get("mode", "tolerant")
    value, findings = parse_with_findings(given["type"], bytes_of(given["input"]), mode)
    return {"value": to_wire(value), "findings": findings_of(findings)}


def _sniff(given: Json, _version: str) -> Json:
    return {"types": list(sniff(bytes_of(given["input"])))}


def _retry(given: Json, version: str) -> Json:
    sent = given["sent"]
    task = _message(given)
    event = retry_event(task, clock=lambda: sent["sent_at"], make_id=lambda: sent["message_id"])
    return {"value": served(event, version)}


def _reply(given: Json, _version: str) -> Json:
    found = check_reply(_message(given), _message(given, "reply", "reply_type"))
    return {"findings": findings_of(found)}


def _tool_results(given: Json, _version: str) -> Json:
    return {"findings": findings_of(check_tool_results(_message(given), given["invocation_ids"]))}


def _allowed_tools(given: Json, _version: str) -> Json:
    return {"tools": list(parse_allowed_tools(given["text"]))}


def _prompt_block(given: Json, _version: str) -> Json:
    return {"text": decode_prompt_block(given["text"])}


_CALLS: Final[dict[str, Callable[[Json, str], Json]]] = {
    "parse": _parse,
    "sniff": _sniff,
    "retry": _retry,
    "reply": _reply,
    "tool-results": _tool_results,
    "allowed-tools": _allowed_tools,
    "prompt-block": _prompt_block,
}
