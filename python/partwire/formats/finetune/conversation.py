"""The messages of one conversation: of ShareGPT, of chat, or with typed values as their content.

Chat's are read as OpenAI's are. Calls of the others have no ids: a result is that of the first call
that waits.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ..core.calls import Calls, OpenCall
from ..core.parts import call_part, result_part, text_part
from ..core.reading import Json, Members, Reading
from ..histories.openai_chat import ChatHistory, chat_part, names_of
from .values import KINDS, OWN, calls_in, file_part

__all__ = ["Conversation"]

_FROM: Final = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "system": "system",
    "function_call": "call",
    "tool_call": "call",
    "observation": "tool",
    "tool": "tool",
    "function_response": "tool",
}
_WEIGHTS: Final = ("weight", "loss_weight")
_PLACES: Final = re.compile("|".join(f"<{kind}>" for kind in KINDS))


class Conversation:
    """Reads the messages of one conversation."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._chat = ChatHistory(reading)
        self._calls = Calls()
        self._number = 0
        self._media: dict[str, list[str]] = {}

    def say(self, role: str, parts: list[Json], kept: Json | None = None) -> None:
        """Add a message; ``kept`` is what training data says beside it."""
        self._reading.add(role, parts, meta={OWN: kept} if kept else None)

    def media(self, line: Members, entries: Any) -> None:
        """Take the files of a conversation, where its texts have a place for each of them."""
        texts = [
            entry[name]
            for entry in (entries if type(entries) is list else ())
            if type(entry) is dict
            for name in ("content", "value")
            if isinstance(entry.get(name), str)
        ]
        for kind in KINDS:
            files = line.peek(f"{kind}s")
            if type(files) is not list or not all(isinstance(each, str) and each for each in files):
                continue
            if files and sum(text.count(f"<{kind}>") for text in texts) == len(files):
                self._media[kind] = list(reversed(line.list(f"{kind}s") or []))

    def entries(self, entries: Any, place: str) -> None:
        """Read messages."""
        for _, entry in self._reading.items(entries, place):
            if "from" in entry and "role" not in entry:
                self._turn(entry)
            elif _is_typed(entry.peek("content")):
                self._typed(entry)
            else:
                self._message(entry)

    # --- ShareGPT --------------------------------------------------------------------------------

    def _turn(self, entry: Members) -> None:
        who, value = entry.text("from"), entry.text("value")
        role = _FROM.get(who or "")
        if who is None or value is None or role is None:
            self._reading.note("foreign-message", entry.place)
            return
        if who in ("user", "assistant", "chatgpt", "tool_call", "tool", "function_response"):
            self._reading.note("role-form", entry.at("from"))
        kept = {name: entry.value(name) for name in entry.names() if entry.peek(name) is not None}
        place = entry.at("value")
        if role == "call":
            self.say("assistant", self._called(value, place), kept)
        elif role == "tool":
            self.say("tool", [result_part(self._answered(place), value)], kept)
        elif role == "system":
            self.say("system", [text_part(value)], kept)
        else:
            self.say(role, self._placed(value, place), kept)

    def _called(self, text: str, place: str) -> list[Json]:
        """Return the calls that a text is; the text itself, where it is something else."""
        calls = calls_in(text)
        if calls is None:
            self._reading.note("malformed-part", place)
            return [text_part(text)]
        parts = []
        for call in calls:
            self._number += 1
            call_id = f"call_{self._number}"
            self._calls.add(OpenCall(call_id, call["name"], None))
            parts.append(call_part(call_id, call["name"], call["arguments"]))
            if call.keys() - {"name", "arguments"}:
                self._reading.note("content-form", place)
        self._reading.note("call-id-invented", place)
        return parts

    def _answered(self, place: str) -> str:
        self._reading.note("call-id-invented", place)
        call = self._calls.of_name(None)
        if call is not None:
            return call.call_id
        self._number += 1
        return f"call_{self._number}"

    def _placed(self, text: str, place: str) -> list[Json]:
        """Return a text with the files that have their places in it."""
        parts: list[Json] = []
        start = 0
        for found in _PLACES.finditer(text):
            kind = found[0][1:-1]
            if not (files := self._media.get(kind)):
                continue
            if text[start : found.start()]:
                parts.append(text_part(text[start : found.start()]))
            parts.append(file_part(files.pop(), kind, place, self._reading))
            start = found.end()
        if text[start:] or not parts:
            parts.append(text_part(text[start:]))
        return parts

    # --- chat ------------------------------------------------------------------------------------

    def _message(self, message: Members) -> None:
        """Read a message as OpenAI's, with what training data has beside it."""
        reading, before = self._reading, len(self._reading.messages)
        kept = {name: message.value(name) for name in _WEIGHTS if message.peek(name) is not None}
        role, content, place = message.peek("role"), message.peek("content"), message.at("content")
        if role == "user" and (parts := self._user_parts(content, place)) is not None:
            message.value("content")
            message.value("role")
            meta = {OWN: kept} if kept else None
            reading.add("user", parts, meta=meta, **names_of(message))
            message.close()
            return
        self._chat.message(message)
        if len(reading.messages) == before:
            for name in kept:
                reading.note("foreign-member", message.at(name))
            return
        made = reading.messages[-1]
        if kept:
            made["meta"] = {**made.get("meta", {}), OWN: kept}
        for part in made["parts"]:  # that a call had no id is reported already
            opaque = part["payload"].get("opaque") if part["kind"] == "tool_call" else None
            if opaque and opaque["data"] == {"items": [], "toolCallId": None}:
                del part["payload"]["opaque"]

    def _user_parts(self, content: Any, place: str) -> list[Json] | None:
        """Return the parts of content with files as training data has them; None for others."""
        if isinstance(content, str) and any(self._media.values()):
            return self._placed(content, place)
        if type(content) is not list or not any(_is_file(block) for block in content):
            return None
        parts = []
        for number, given in enumerate(content):
            at = f"{place}/{number}"
            block = Members(given, at, self._reading) if type(given) is dict else None
            part = None
            if block is not None:
                read = self._file if _is_file(given) else chat_part
                part = read(block, self._reading)
            if part is None:
                self._reading.note("foreign-part", at)
            else:
                parts.append(part)
        return parts

    def _file(self, block: Members, reading: Reading) -> Json:
        """Read a file as chat templates have it."""
        kind = block.text("type") or ""
        name = next(name for name in ("path", "url", kind) if block.has_text(name))
        part = file_part(block.text(name) or "", kind, block.at(name), reading)
        block.close()
        return part

    # --- typed values ----------------------------------------------------------------------------

    def _typed(self, message: Members) -> None:
        """Read a message whose content is ``{"type", "value"}``, as LLaMA-Factory has it."""
        role = message.text("role")
        if role not in ("system", "user", "assistant", "tool"):
            self._reading.note("foreign-message", message.place)
            return
        kept = {name: message.value(name) for name in _WEIGHTS if message.peek(name) is not None}
        place, parts = message.at("content"), []
        for at, block in self._reading.items(message.value("content"), place):
            made = self._value(role, block)
            if made:
                block.close()
                parts += made
            else:
                self._reading.note("foreign-part", at)
        if role == "tool":
            texts = [part["payload"]["text"] for part in parts]
            content = texts[0] if len(texts) == 1 else parts
            parts = [result_part(self._answered(place), content)]
        self.say(role, parts, kept)
        message.close()

    def _value(self, role: str, block: Members) -> list[Json] | None:
        kind, place, value = block.text("type"), block.at("value"), block.text("value")
        if value is None or (kind in ("reasoning", "tool_call") and role != "assistant"):
            return None
        if kind == "text":
            return [text_part(value)]
        if kind == "reasoning":
            return [{"kind": "thinking", "payload": {"text": value}}]
        if kind == "tool_call":
            return self._called(value, place)
        media = (kind or "").removesuffix("_url")
        if media in KINDS and role in ("user", "assistant") and value:
            return [file_part(value, media, place, self._reading)]
        return None


def _is_typed(content: Any) -> bool:
    return (
        type(content) is list
        and bool(content)
        and all(type(block) is dict and "value" in block and "type" in block for block in content)
    )


def _is_file(block: Any) -> bool:
    """Return whether a block is a file at a path, or behind a URL, as chat templates have it."""
    if type(block) is not dict or block.get("type") not in KINDS:
        return False
    named = (block.get(name) for name in ("path", "url", block["type"]))
    where = next((each for each in named if isinstance(each, str) and each), "data:")
    return not where.startswith("data:")
