"""The envelopes of one message: what ``dumpd``, ``messages_to_dict`` and ``model_dump`` write, and
the short forms that LangChain takes for a message: ``{role, content}``, ``[role, text]``, text.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..core.reading import Json, Members, Reading

__all__ = ["CLASSES", "OWN", "Opened", "opened", "wrapped"]

OWN: Final = "langchain"

CLASSES: Final = {
    "ai": "AIMessage",
    "human": "HumanMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
    "function": "FunctionMessage",
    "chat": "ChatMessage",
    "remove": "RemoveMessage",
}
"""Type → class."""
_TYPES: Final = {
    **{kind: kind for kind in CLASSES},
    **{name: kind for kind, name in CLASSES.items()},
    **{f"{name}Chunk": kind for kind, name in CLASSES.items()},
}
_ROLES: Final = {
    "user": "human",
    "human": "human",
    "assistant": "ai",
    "ai": "ai",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "function",
}
_MODULES: Final = (["langchain", "schema", "messages"], ["langchain_core", "messages"])
_DEVELOPER: Final = "__openai_role__"


class Opened(NamedTuple):
    """A message out of its envelope: its kind, the name of its type, and its members."""

    kind: str
    type: str
    members: Members


def opened(value: Any, place: str, reading: Reading) -> Opened:
    """Open a message; raises ReadError for what is not one."""
    if type(value) is str:
        return Opened("human", "human", Members({"content": value}, place, reading))
    if type(value) is list:
        if len(value) == 2 and all(type(each) is str for each in value):
            role, text = value
            members = Members({"content": text}, place, reading)
            return _of_role(role, members)
        raise reading.refuse(place, "a message", value)
    outer = reading.members(value, place)
    if "lc" in outer or "kwargs" in outer:
        return _of_class(outer, reading)
    if type(outer.peek("data")) is dict and "content" not in outer:
        given = outer.text("type")
        inner = Members(outer.object("data") or {}, outer.at("data"), reading)
        outer.close()
        return _of_type(given, outer, inner, reading)
    if "role" in outer and "type" not in outer:
        at, role = outer.at("role"), outer.text("role")
        if not role:
            raise reading.refuse(at, "a role", outer.value("role"))
        return _of_role(role, outer)
    return _of_type(outer.text("type"), outer, outer, reading)


def _of_type(given: str | None, outer: Members, members: Members, reading: Reading) -> Opened:
    if given not in _TYPES:
        raise reading.refuse(outer.at("type"), "the type of a message", given)
    kind = _TYPES[given]
    # JavaScript's names of classes, and `type` of the data, say the same in other words.
    members.skip("type", given, kind)
    return Opened(kind, given, members)


def _of_class(outer: Members, reading: Reading) -> Opened:
    at, path = outer.at("id"), outer.list("id")
    name = path[-1] if path else None
    if type(name) is not str or name not in _TYPES:
        raise reading.refuse(at, "the class of a message", path)
    if path is not None and path[:-1] not in _MODULES:
        reading.note("foreign-member", at)
    outer.skip("lc", 1)
    outer.skip("type", "constructor")
    inner = Members(outer.object("kwargs") or {}, outer.at("kwargs"), reading)
    outer.close()
    kind = _TYPES[name]
    inner.skip("type", name, kind)
    return Opened(kind, kind if name == CLASSES[kind] else name, inner)


def _of_role(role: str, members: Members) -> Opened:
    kind = _ROLES.get(role, "chat")
    if kind == "chat":
        members.put("role", role)
    if role == "developer":
        given = members.peek("additional_kwargs")
        kwargs = given if type(given) is dict else {}
        members.put("additional_kwargs", {_DEVELOPER: role, **kwargs})
    return Opened(kind, kind, members)


def wrapped(data: Json, version: str) -> Json:
    """Return the data of a message in the envelope of a version."""
    if version == "model_dump":
        return data
    kind = data["type"]
    if version == "messages_to_dict":
        return {"type": kind, "data": data}
    name = CLASSES.get(kind, kind)
    path = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": data}
