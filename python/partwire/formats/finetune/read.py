"""Training data: a conversation, a list of them, or a list of messages, which is a line, too.

A conversation shows itself by its members: ``messages``, ``conversations`` (ShareGPT),
``instruction`` (Alpaca), ``prompt`` with ``completion`` or ``chosen``, or ``preferred_output``. Of
answers that are compared the better one is read. What a line has beside them, such as its tools,
is kept in ``meta`` of its first message.
"""

from __future__ import annotations

from typing import Any, Final

from ..core.extension import PARTWIRE, restored
from ..core.parts import text_part
from ..core.reading import Json, Members, Reading
from .conversation import Conversation
from .values import OWN

__all__ = ["read", "read_back"]

_LISTS: Final = ("messages", "conversations")
_BETTER: Final = {"completion": None, "chosen": "rejected"}
"""Answer to a prompt → the one that is worse."""


def read(source: Any, reading: Reading) -> None:
    """Read a conversation, a list of conversations, or the messages of one.

    In a list of conversations each has a run of its own: the run, a point, and its number from 1.
    """
    if type(source) is not list:
        _line(reading.members(source, ""), reading)
        return
    if source and all(type(each) is dict and ("role" in each or "from" in each) for each in source):
        _conversation(Members({"messages": source}, "", reading), reading, "")
        return
    for number, each in enumerate(source, 1):
        before, at = len(reading.messages), f"/{number - 1}"
        if type(each) is list and each:
            _conversation(Members({"messages": each}, at, reading), reading, at)
            is_ours = False
        else:
            is_ours = _line(reading.members(each, at), reading)
        if not is_ours:
            for message in reading.messages[before:]:
                message["runId"] = f"{reading.run_id}.{number}"


def read_back(line: Json) -> list[Json]:
    """Return the messages of a line, as JSON objects that nobody has checked."""
    reading = Reading(OWN)
    _line(reading.members(line, ""), reading)
    return reading.messages


def _line(line: Members, reading: Reading) -> bool:
    """Read a conversation; return whether an extension of ours says what its messages are."""
    before, losses = len(reading.messages), len(reading.losses)
    ours = line.value(PARTWIRE)
    _conversation(line, reading, None)
    if ours is None:
        return False
    read = reading.messages[before:]
    bare = [{"role": each["role"], "parts": each["parts"]} for each in read]
    made = restored(bare, ours, reading, line.at(PARTWIRE))
    if made is bare:
        return False
    del reading.messages[before:]
    reading.losses[losses:] = [loss for loss in reading.losses[losses:] if loss.pointer]
    for each in made:
        reading.add(each.pop("role"), each.pop("parts"), **each)
    return True


def _conversation(line: Members, reading: Reading, place: str | None) -> None:
    """Read a conversation; ``place`` is that of its messages, where they are the document."""
    before = len(reading.messages)
    made = Conversation(reading)
    if isinstance(line.peek("input"), dict) and "preferred_output" in line:
        _preference(line, made, reading)
    elif (name := next((each for each in _LISTS if each in line), None)) is not None:
        at, entries = line.at(name) if place is None else place, line.value(name)
        _system(line, made)
        made.media(line, entries)
        made.entries(entries, at)
    elif (better := next((each for each in _BETTER if each in line), None)) is not None:
        for each in ("prompt", better):
            _said(line, each, made)
        if line.peek(worse := _BETTER[better] or "") is not None:
            reading.note("foreign-message", line.at(worse))
            line.value(worse)
    elif isinstance(line.peek("instruction"), str):
        _instruction(line, made, reading)
    else:
        raise reading.refuse(line.place, "a conversation", line.whole())
    _keep_rest(line, before, reading)


def _system(line: Members, made: Conversation) -> None:
    line.skip("system", "")
    if (system := line.text("system")) is not None:
        made.say("system", [text_part(system)], {"member": "system"})


def _preference(line: Members, made: Conversation, reading: Reading) -> None:
    """Read what OpenAI takes for preferences: of two answers the better one."""
    given = Members(line.object("input") or {}, line.at("input"), reading)
    at, entries = given.at("messages"), given.value("messages")
    made.entries(entries, at)
    at, entries = line.at("preferred_output"), line.value("preferred_output")
    made.entries(entries, at)
    if line.value("non_preferred_output") is not None:
        reading.note("foreign-message", line.at("non_preferred_output"))
    if "tools" in given and "tools" not in line:
        line.put("tools", given.value("tools"))
    given.close("request-member")


def _said(line: Members, name: str, made: Conversation) -> None:
    place, said = line.at(name), line.value(name)
    if isinstance(said, str):
        made.say("user" if name == "prompt" else "assistant", [text_part(said)])
    elif said is not None:
        made.entries(said, place)


def _instruction(line: Members, made: Conversation, reading: Reading) -> None:
    """Read Alpaca's form: an instruction with its input, and the answer."""
    _system(line, made)
    history = line.peek("history")
    pairs = history if type(history) is list else []
    if all(
        type(pair) is list and len(pair) == 2 and all(isinstance(said, str) for said in pair)
        for pair in pairs
    ):
        line.list("history")
        for question, answer in pairs:
            made.say("user", [text_part(question)])
            made.say("assistant", [text_part(answer)])
    text = line.text("instruction") or ""
    line.skip("input", "")
    if (given := line.text("input")) is not None:
        reading.note("content-form", line.at("input"))
        text = f"{text}\n{given}" if text else given
    made.say("user", [text_part(text)])
    if (output := line.text("output")) is not None:
        made.say("assistant", [text_part(output)])


def _keep_rest(line: Members, before: int, reading: Reading) -> None:
    """Keep what a line has beside its messages with the first of them."""
    if len(reading.messages) == before:
        line.close("request-member")
        return
    rest = {name: line.value(name) for name in line.names() if line.peek(name) is not None}
    if rest:
        meta = reading.messages[before].setdefault("meta", {})
        meta[OWN] = {**meta.get(OWN, {}), "line": rest}
