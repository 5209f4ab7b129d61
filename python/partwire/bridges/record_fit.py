"""Whether ``meta.session`` and the message around it still say the same.

A record that was written for v0.1 stands in a message that could not say all that messages say
since: such a message fits too, and what it lacks is taken from the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .session import spoken_messages
from .session_record import FIRST_VERSION, keeps_ignored, record_of
from .session_tokens import COUNTS
from .work import Json, Work

__all__ = ["SAID_META", "added_by_record"]

SAID_META: Final = {
    "user": {"completedAt", "session"},
    "assistant": {"completedAt", "session", "usage"},
}
_FILES: Final = {"image", "file_ref"}


def added_by_record(
    made: Json, one: Json, results: Mapping[str, Json], answered: str | None
) -> list[str] | None:
    """Return the places where ``made`` says more than the message ``one`` that it was made of.

    None where it says anything else: ``made`` is a session's message, ``results`` and ``answered``
    (a time) are those of the calls. Only the run and the turn may differ.
    """
    keep = keeps_ignored(one["meta"]["session"])
    quiet = Work([], "message.Message", {"run_id": one["runId"], "keep_ignored": keep})
    own, *tool = [each for each in spoken_messages(made, "", quiet) if each["role"] != "system"]
    parts = [{"kind": "tool_result", "payload": each} for each in results.values()]
    ended = [(each["parts"], each["timestamp"]) for each in tool]
    if ended != ([(parts, answered)] if parts else []):
        return None
    said = SAID_META[one["role"]]
    meta = {name: value for name, value in one["meta"].items() if name in said}
    given: Json = {**one, "meta": meta}
    given.pop("turnId", None)
    added = _add_members(given, own, made)
    added += _add_to_parts(given, own)
    return added if own == given else None


def _add_members(given: Json, own: Json, made: Json) -> list[str]:
    added = []
    if "messageId" not in given:
        given["messageId"] = own["messageId"]
        added.append("/messageId")
    meta = given["meta"]
    again = own["meta"]
    if isinstance(meta.get("usage"), dict) and "usage" in again:
        missing = [name for name in COUNTS if name not in meta["usage"]]
        meta["usage"] = {**{name: again["usage"][name] for name in missing}, **meta["usage"]}
        added += [f"/meta/usage/{name}" for name in missing]
    older = record_of(made, FIRST_VERSION, keep_ignored=keeps_ignored(meta["session"]))
    if meta["session"] != again["session"] and meta["session"] == older:
        meta["session"] = again["session"]
        added.append("/meta/session")
    return added


def _add_to_parts(given: Json, own: Json) -> list[str]:
    """Give the parts what only the record says of them: provider's state, an assistant's files."""
    said, again = given["parts"], own["parts"]
    kept = again
    if own["role"] == "assistant" and not any(part["kind"] in _FILES for part in said):
        kept = [part for part in again if part["kind"] not in _FILES]
    filled: list[Any] = []
    added = []
    for number, (part, known) in enumerate(zip(said, kept, strict=False)):
        payload = part["payload"]
        if "opaque" in known["payload"] and "opaque" not in payload:
            payload = {**payload, "opaque": known["payload"]["opaque"]}
            added.append(f"/parts/{number}/payload/opaque")
        filled.append({**part, "payload": payload})
    given["parts"] = filled + said[len(filled) :]
    if len(kept) != len(again) and given["parts"] == kept:
        given["parts"] = again
        added.append("/parts")
    return added
