"""``meta.session``: what a session says of a message and the message has no field for.

``info`` has the members of the session's info that the message lacks, ``parts`` one row per part of
the session. A row lacks what the message's part says; a part that the message cannot say stands
there whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from partwire.contract.current import LATEST_VERSION

from .conversion import Json
from .session_approvals import unsaid
from .session_parts import put_opaque, said_opaque

__all__ = [
    "FIRST_VERSION",
    "Misfit",
    "fitted",
    "is_ignored",
    "keeps_ignored",
    "record_of",
    "said_approvals",
    "spoken_parts",
]

FIRST_VERSION: Final = "v0.1"
"""The version in which an assistant's message held no files, and no part provider's state."""

_SAID: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text",),
    "reasoning": ("text",),
    "tool": ("callID", "tool"),
    "file": ("mime", "url"),
}
_SAID_STATE: Final = ("input", "output", "error")
_SPOKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "user": ("text", "file"),
    "assistant": ("text", "reasoning", "tool", "file"),
}
_KIND: Final = {"text": "text", "reasoning": "thinking", "tool": "tool_call", "file": "file"}


class Told(Protocol):
    """What messages say of the calls of one: ``payloads`` of results, and approvals, by call."""

    payloads: dict[str, Json]

    def approval(self, call: str, rest: Any = None) -> Json | None:
        """Return the approval of a call, with what its parts do not say; None without one."""


class Misfit(Exception):  # caught where the record is read; never leaves the room
    """A record that does not belong to the message as it is."""


def record_of(source: Json, version: str = LATEST_VERSION, *, keep_ignored: bool = False) -> Json:
    """Return the record of a session's message, as it is written or as v0.1 had it."""
    info = {name: value for name, value in source["info"].items() if name not in {"role", "system"}}
    rows: list[Json] = []
    record: Json = {"info": info, "parts": rows}
    ids = {"messageID": info["id"]}
    if source["parts"]:
        ids["sessionID"] = record["sessionID"] = source["parts"][0]["sessionID"]
    spoken_ones = spoken_parts(source, version, keep_ignored=keep_ignored)
    approvals = said_approvals(source, spoken_ones)
    for part, spoken, asked in zip(source["parts"], spoken_ones, approvals, strict=True):
        row = _row(part, version, asked=asked) if spoken else part
        rows.append({name: value for name, value in row.items() if ids.get(name) != value})
    return record


def is_ignored(part: Json) -> bool:
    """Tell whether a part is text that is not for the model."""
    return part["type"] == "text" and part.get("ignored") is True


def keeps_ignored(record: Json) -> bool:
    """Tell whether a record is of a message that has parts for text that is not for the model."""
    return any(is_ignored(row) and "text" not in row for row in record["parts"])


def spoken_parts(
    source: Json, version: str = LATEST_VERSION, *, keep_ignored: bool = False
) -> list[bool]:
    """Tell of each part whether a message of this role has a part for it.

    A second call of one id has none: calls are unique within a message. Text that is not for the
    model has one on request.
    """
    kinds = _SPOKEN[source["info"]["role"]]
    if version == FIRST_VERSION and source["info"]["role"] == "assistant":
        kinds = kinds[:-1]
    seen: set[str] = set()
    spoken = []
    for part in source["parts"]:
        call = part.get("callID", "")
        held_back = is_ignored(part) and not keep_ignored
        spoken.append(part["type"] in kinds and not held_back and not (call and call in seen))
        seen.add(call)
    return spoken


def said_approvals(source: Json, spoken_ones: list[bool]) -> list[bool]:
    """Tell of each part whether the message has parts for its approval: ids are unique there."""
    seen: set[Any] = set()
    said = []
    for part, spoken in zip(source["parts"], spoken_ones, strict=True):
        own = part.get("state", {}).get("approval", {}).get("id") if spoken else None
        said.append(own is not None and own not in seen)
        seen.add(own)
    return said


def _without(value: Json, *names: str) -> Json:
    return {name: member for name, member in value.items() if name not in names}


def _row(part: Json, version: str, *, asked: bool) -> Json:
    row = _without(part, *_SAID[part["type"]])
    if version != FIRST_VERSION and said_opaque(part) is not None:
        row["metadata"] = _without(row["metadata"], "opaque")
        if not row["metadata"]:
            del row["metadata"]
    if part["type"] == "tool":
        row["state"] = _without(part["state"], *_SAID_STATE)
        if asked:
            row["state"] = _without(row["state"], "approval")
            if rest := unsaid(part["state"]["approval"]):
                row["state"]["approval"] = rest
        if "attachments" in row["state"]:
            files = row["state"]["attachments"]
            row["state"]["attachments"] = [_without(each, "mime", "url") for each in files]
    return row


def fitted(record: Any, one: Json, told: Told, system: str | None) -> Json:
    """Return the session's message that ``record`` and the message ``one`` make together.

    ``told`` are the results and answers to it. Raises Misfit where the two do not go together. The
    result may still be invalid, or say less than the message: the record is anyone's JSON.
    """
    try:
        return _fitted(record, one, told, system)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise Misfit from None


def _fitted(record: Any, one: Json, told: Told, system: str | None) -> Json:
    info = {**record["info"], "role": one["role"]}
    if system is not None:
        info["system"] = system
    ids = {"sessionID": record.get("sessionID"), "messageID": info["id"]}
    said = iter([part for part in one["parts"] if part["kind"] != "approval_request"])
    parts = []
    for row in record["parts"]:
        names = _SAID.get(row["type"], ())
        whole = not names or any(name in row for name in names)
        part = row if whole else _joined(row, next(said, {}), told)
        parts.append({**ids, **part})
    return {"info": info, "parts": parts}


def _joined(row: Json, said: Json, told: Told) -> Json:
    """Return a session's part from its row and the message's part."""
    payload = said["payload"]
    kind = "file" if said["kind"] in {"image", "file_ref"} else said["kind"]
    if kind != _KIND[row["type"]]:
        raise Misfit
    if kind in {"text", "thinking"}:
        return put_opaque({**row, "text": payload["text"]}, payload)
    if kind == "file":
        return _joined_file(row, said)
    state = {**row["state"], "input": payload["arguments"]}
    _put_result(state, told.payloads.get(payload["toolCallId"]))
    approval = told.approval(payload["toolCallId"], row["state"].get("approval"))
    if approval is not None:
        state["approval"] = approval
    tool = {"callID": payload["toolCallId"], "tool": payload["toolName"], "state": state}
    return put_opaque({**row, **tool}, payload)


def _joined_file(row: Json, said: Json) -> Json:
    payload = said["payload"]
    mime = payload["mimeType"]
    data = f"data:{mime};base64,{payload.get('data')}"
    return {**row, "mime": mime, "url": payload.get("url") or payload.get("path") or data}


def _put_result(state: Json, result: Json | None) -> None:
    if result is None:
        return
    content = result["content"]
    files = content[1:] if isinstance(content, list) else []
    text = content[0]["payload"]["text"] if isinstance(content, list) else content
    state["error" if result["isError"] else "output"] = text
    if "attachments" in state:
        rows = state["attachments"]
        state["attachments"] = [
            _joined_file(row, said) for row, said in zip(rows, files, strict=True)
        ]
