"""Operations of the session family: transition, build_session."""

from __future__ import annotations

from typing import Any

from partwire.contract.current import LATEST_VERSION
from partwire.contract.resources import bundle
from partwire.contract.versions import generated_module
from partwire.errors import PartwireError
from partwire.reading.pipeline import read, to_wire, validate
from partwire.reading.plain import plain_value
from partwire.session import (
    InvalidStateTransition,
    WithPartsBuilder,
    expire,
    fail_pending,
    transition,
)

from ..values import BadInput, Json, findings_of, place_of, refusal_of, served

__all__ = ["build", "move_on"]

_STATE = "session.ToolState"
_FILE = "session.FilePart"
_FILE_NAMES = {
    "id": "id",
    "sessionID": "session_id",
    "messageID": "message_id",
    "mime": "mime",
    "url": "url",
}
_structs = generated_module(LATEST_VERSION, "structs", "session")


def move_on(given: Json, version: str) -> Json:
    """Return the tool state after a call, that it is the same one, or the refusal."""
    state = _state(given["state"])
    before = plain_value(state)[0]
    fields = _arguments(given["fields"])
    try:
        after = _called(given, state, fields)
    except PartwireError as error:
        result: Json = {"error": place_of(error)}
        if isinstance(error, InvalidStateTransition):
            result["details"] = _details(error, version)
    else:
        result = {"same": True} if after is state else {"state": served(after, version)}
    now = plain_value(state)[0]
    result["before"] = given["state"] if now == before else now  # a struct has no unknown members
    return result


def _called(given: Json, state: Any, fields: Json) -> Any:
    if given["call"] == "expire":
        return expire(state, **fields)
    if given["call"] == "fail_pending":
        return fail_pending(state, **fields)
    if given["call"] != "transition":
        raise BadInput(f"no such call: {given['call']}")
    return transition(state, given["to"], **fields)


def _details(error: InvalidStateTransition, version: str) -> Json:
    """Return what is said of a refused move to a peer that knows the states of ``version``."""
    details: Json = to_wire(error.to_document())["details"]
    known = bundle("session", version)["$defs"]["ToolStatus"]["enum"]
    allowed = [status for status in details["validTransitions"] if status in known]
    return {**details, "validTransitions": allowed}


def _state(document: Json) -> Any:
    """Return the struct of a state; one that is not valid as far as structs go."""
    if not validate(document, _STATE):
        return read(document, _STATE)
    if document.get("status") != "running":
        raise BadInput("a state that is not valid has to be running")
    time = _structs.ToolStartTime(**document["time"])
    return _structs.ToolStateRunning(input=document["input"], time=time)


def _arguments(fields: Json) -> Json:
    """Return the fields of a call, with attachments as structs, valid or not."""
    if "attachments" not in fields:
        return fields
    return {**fields, "attachments": [_file(each) for each in fields["attachments"]]}


def _file(document: Json) -> Any:
    """Return the struct of a file; one that is not valid as far as structs go."""
    if all(each.severity != "error" for each in validate(document, _FILE)):
        return read(document, _FILE)
    known = {name: document[wire] for wire, name in _FILE_NAMES.items() if wire in document}
    if set(document) - set(_FILE_NAMES) - {"type"}:
        raise BadInput("a file that is not valid has other members")
    return _structs.FilePart(**known)


def build(given: Json, version: str) -> Json:
    """Return the message that the steps build, or what is refused and at which step."""
    partial = given.get("partial", False)
    compacting = given.get("compacting", False)
    step: int | None = None
    try:
        builder = WithPartsBuilder(given["info"], given["session_id"], compacting=compacting)
        for step, each in enumerate(given["steps"]):  # noqa: B007 (the step that is refused)
            _take(builder, each)
        step = None
        message = builder.build_partial() if partial else builder.build()
    except PartwireError as error:
        refusal = refusal_of(error)
        if step is not None:
            refusal["error"]["step"] = step
        return refusal
    found = [] if partial else builder.check()
    return {"message": served(message, version), "findings": findings_of(found)}


def _take(builder: WithPartsBuilder, step: Json) -> None:
    ((name, given),) = step.items()
    if name == "add":
        builder.add(given)
    elif name == "move":
        builder.move(given["call_id"], given["to"], **_arguments(given["fields"]))
    elif name == "set_state":
        builder.set_state(given["call_id"], _state(given["state"]))
    elif name == "set_usage":
        builder.set_usage(given["cost"], given["tokens"])
    elif name == "set_summary":
        builder.set_summary(given)
    elif name == "complete":
        builder.complete(given)
    else:
        raise BadInput(f"no such step: {name}")
