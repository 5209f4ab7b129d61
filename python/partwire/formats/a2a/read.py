"""A2A, 1.x and 0.3: messages, tasks, and what a server answers or streams.

A task is its history, its artifacts (each a message of the agent), and the message of its status.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.contract import times

from ..core.extension import PARTWIRE, restored
from ..core.reading import Json, Members, Reading
from .parts import OWN, part_of

__all__ = ["read", "read_back"]

_ROLES: Final = {
    "ROLE_USER": "user",
    "user": "user",
    "ROLE_AGENT": "assistant",
    "agent": "assistant",
}
_KEPT: Final = ("contextId", "taskId", "referenceTaskIds", "extensions")
"""Members of a message that messages of ours keep in ``meta``."""
_OPENED: Final = ("result", "params", "message", "task", "statusUpdate", "artifactUpdate")
"""Members that hold what is read: of JSON-RPC, of a request, of an answer."""

_TASK: Final = {"status": dict, "history": list, "artifacts": list}


def read(source: Any, reading: Reading) -> None:
    """Read a message, a task, an artifact, an update, what holds one of them, or a list of them."""
    if type(source) is not list:
        _entry(reading.members(source, ""), reading)
        return
    for _, entry in reading.items(source, ""):
        _entry(entry, reading)


def read_back(message: Json) -> list[Json]:
    """Return the messages of one of A2A, as JSON objects that nobody has checked."""
    reading = Reading(OWN)
    _entry(reading.members(message, ""), reading)
    return reading.messages


def _entry(entry: Members, reading: Reading) -> None:
    for _ in range(2):  # JSON-RPC, and what it holds
        name = next((each for each in _OPENED if isinstance(entry.peek(each), dict)), None)
        if name is None or "parts" in entry:
            break
        inner = Members(entry.object(name) or {}, entry.at(name), reading)
        entry.skip("jsonrpc", "2.0")
        entry.close("request-member")
        entry = inner
    if "artifactId" in entry:
        _artifact(entry, {}, reading)
    elif "role" in entry or "parts" in entry:
        _message(entry, {}, reading)
    elif isinstance(entry.peek("artifact"), dict):
        entry.skip("kind", "artifact-update")
        artifact = Members(entry.object("artifact") or {}, entry.at("artifact"), reading)
        _artifact(artifact, _ids(entry, "taskId"), reading)
        entry.close()
    elif type(entry.peek("tasks")) is list:
        for _, task in reading.items(entry.list("tasks"), entry.at("tasks")):
            _task(task, reading)
        entry.close("request-member")
    elif any(isinstance(entry.peek(name), kind) for name, kind in _TASK.items()):
        _task(entry, reading)
    else:
        raise reading.refuse(entry.place, "a message, a task, or an artifact", entry.whole())


def _ids(holder: Members, name: str) -> Json:
    """Take the ids of a task and of its context."""
    found = {"taskId": holder.text(name), "contextId": holder.text("contextId")}
    return {each: value for each, value in found.items() if value}


def _task(task: Members, reading: Reading) -> None:
    """Read a task, or an update of its status."""
    task.skip("kind", "task", "status-update")
    name = "id" if "id" in task else "taskId"
    places = {"taskId": task.at(name), "contextId": task.at("contextId")}
    ids, before = _ids(task, name), len(reading.messages)
    history = task.list("history") or []
    for place, messages, is_artifact in (
        (task.at("history"), history, False),
        (task.at("artifacts"), task.list("artifacts"), True),
    ):
        for _, each in reading.items(messages or [], place):
            (_artifact if is_artifact else _message)(each, ids, reading)
    status = Members(task.object("status") or {}, task.at("status"), reading)
    if isinstance(status.peek("message"), dict) and status.peek("message") in history:
        reading.note("duplicate-text", status.at("message"))
        status.value("message")
    elif isinstance(status.peek("message"), dict):
        message = Members(status.object("message") or {}, status.at("message"), reading)
        _message(message, ids, reading, _time(status))
    status.close()
    kept = [each.get("meta", {}).get(OWN, {}) for each in reading.messages[before:]]
    for member, value in ids.items():
        if not any(each.get(member) == value for each in kept):
            reading.note("foreign-member", places[member])
    task.close()


def _time(status: Members) -> str | None:
    given = status.peek("timestamp")
    is_time = isinstance(given, str) and times.is_timestamp(given)
    return status.text("timestamp") if is_time else None


def _message(message: Members, ids: Json, reading: Reading, timestamp: str | None = None) -> None:
    role = message.text("role")
    if role is None:
        raise reading.refuse(message.at("role"), "a role", message.peek("role"))
    if role not in _ROLES:
        reading.note("foreign-message", message.place)
        return
    message.skip("kind", "message")
    parts = _parts(message, reading)
    own = {**ids, **{n: message.value(n) for n in _KEPT if message.peek(n) is not None}}
    metadata, ours = message.object("metadata"), None
    if metadata is not None:
        ours = metadata.get(PARTWIRE)
        rest = {name: value for name, value in metadata.items() if name != PARTWIRE}
        own |= {"metadata": rest} if rest or ours is None else {}
    made: Json = {"role": _ROLES[role], "parts": parts}
    if message_id := message.text("messageId"):
        made["messageId"] = message_id
    if timestamp is not None:
        made["timestamp"] = timestamp
    if own:
        made["meta"] = {OWN: own}
    all_ = [made]
    if ours is not None:
        all_ = restored(all_, ours, reading, f"{message.at('metadata')}/{PARTWIRE}")
    for each in all_:
        reading.add(each.pop("role"), each.pop("parts"), **each)
    message.close()


def _artifact(artifact: Members, ids: Json, reading: Reading) -> None:
    """Read an artifact: what an agent made, as a message of it."""
    parts = _parts(artifact, reading)
    artifact_id = artifact.text("artifactId") or None
    kept = {name: artifact.value(name) for name in artifact.names()}
    said = {name: value for name, value in kept.items() if value is not None}
    own = {**ids, "artifact": said}
    reading.add("assistant", parts, messageId=artifact_id, meta={OWN: own})
    artifact.close()


def _parts(holder: Members, reading: Reading) -> list[Json]:
    made: list[Json] = []
    place, parts = holder.at("parts"), holder.value("parts")
    for at, each in reading.items([] if parts is None else parts, place):
        part = part_of(each, reading)
        if part is None:
            reading.note("foreign-part", at)
        else:
            each.close()
            made.append(part)
    return made
