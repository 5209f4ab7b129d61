"""Gemini: a request body, its contents, or one of them; an answer.

- Names may be in camel case, as the REST API has them, or in snake case, as Python's client has.
- ``systemInstruction`` is a system message before the others.
- Function responses are messages of the role tool, whatever its role. One without an id
  answers the first call of its function that waits. ``output`` is what the function said, ``error``
  that it failed; any other object is the output itself.
- What an answer says of itself (model, usage, why it ended) is its message's ``meta``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from partwire.json.pointer import escape_pointer
from partwire.json.text import json_text
from partwire.tables import provider_names, usage_figures

from ..core.parts import inline, media_part, result_part, text_part, url_part, value_result
from ..core.reading import Json, Members, Reading
from .answers import Answers
from .pieces import REASONS, Turns, add_spoken, add_whole, figures, made_id

__all__ = ["mark_thoughts", "read", "spoken_parts"]

_UNDERSCORE: Final = re.compile(r"_([a-z])")
_VERBATIM: Final = frozenset({"partMetadata"})  # the user's own JSON
_STATE: Final = tuple(provider_names.GEMINI_STATE)
_OF_TOOLS: Final = "toolUsePromptTokenCount"
_MOST_LEVELS: Final = 64
_ROLES: Final = frozenset({None, "user", "function", "tool", "model", "system"})
"""Roles of contents; functions had one of their own, and users need none."""
# Of a part's content, the members that the adapter takes; parts of other content it keeps whole.
_TAKEN: Final = {
    "functionCall": ("name", "id", "args"),
    "inlineData": ("mimeType", "data", "displayName"),
    "fileData": ("mimeType", "fileUri", "displayName"),
}


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of contents, one content, or an answer."""
    _read(source, reading)
    for message in reading.messages:
        mark_thoughts(message["parts"])


def _read(source: Any, reading: Reading) -> None:
    history = _History(reading)
    if type(source) is not dict:
        history.read(source, "")
        return
    body = _Names(source, "", reading)
    if "candidates" in body:
        _read_answer(body, Answers("gemini", reading), reading)
    elif "contents" in body:
        place, config = body.at("config"), body.object("config")
        if config is not None:  # of the clients: whatever is not the model and the contents
            inner = _Names(config, place, reading)
            _read_system(inner, reading)
            inner.close("request-member")
        _read_system(body, reading)
        place = body.at("contents")
        history.read(body.value("contents"), place)
        body.close("request-member")
    else:
        history.read(source, "")


def mark_thoughts(parts: list[Json]) -> None:
    """Say of reasoning without any state that it is Gemini's: only so does it go back there."""
    payloads = [part["payload"] for part in parts]
    if not any("opaque" in payload for payload in payloads):
        for part in parts:
            if part["kind"] == "thinking":
                part["payload"]["opaque"] = {"provider": "gemini", "data": {"items": []}}


class _Names(Members):
    """Members whose names are in camel or snake case, taken by their names in camel case.

    Of one that is there in both spellings the second one is reported.
    """

    __slots__ = ("_names",)

    def __init__(self, value: Json, place: str, reading: Reading) -> None:
        self._names: dict[str, str] = {}
        if not any("_" in name for name in value):
            super().__init__(value, place, reading)
            return
        members: Json = {}
        for name, member in value.items():
            camel = _camel(name)
            if camel not in members:
                members[camel] = member
                self._names[camel] = name
            elif member is not None:
                reading.note("foreign-member", f"{place}/{escape_pointer(name)}")
        super().__init__(members, place, reading)

    def at(self, name: str) -> str:
        """Return the place of a member."""
        return super().at(self._names.get(name, name))


def _camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda found: found[1].upper(), name) if "_" in name else name


# --- contents -------------------------------------------------------------------------------------


class _History:
    """The messages read so far."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._turns = Turns(Answers("gemini", reading), reading, _answer, "functionCall")

    def read(self, contents: Any, place: str) -> None:
        """Read contents; Python's client takes one content, or text, in place of a list."""
        if type(contents) in (str, dict):
            self._add(contents, place)
        elif type(contents) is list:
            for number, content in enumerate(contents):
                self._add(content, f"{place}/{number}")
        else:
            raise self._reading.refuse(place, "an array of contents", contents)
        self._turns.end()

    def _add(self, given: Any, place: str) -> None:
        reading = self._reading
        if type(given) is str:
            given = {"parts": [given]}
        elif type(given) is not dict:
            raise reading.refuse(place, "a content as an object", given)
        content = _Names(given, place, reading)
        if "role" not in content and "parts" not in content:
            raise reading.refuse(place, "a content: role and parts", given)
        at, role = content.at("role"), content.value("role")
        if role is not None and type(role) is not str:
            raise reading.refuse(at, "user or model", role)
        if role not in _ROLES:
            reading.note("foreign-message", place)
            return
        at, parts = content.at("parts"), content.value("parts")
        opened = _opened(parts, at, reading)
        if role == "model":
            self._turns.add([_taken(part, reading) for part in opened], at)
        else:
            self._turns.end()
            if role == "system":
                reading.add("system", _spoken(opened, None, reading))
            else:
                add_spoken("user", _spoken(opened, self._turns.answers, reading), reading)
        content.close()


def _answer(parts: list[Json]) -> Json:
    return {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}


def _read_system(body: Members, reading: Reading) -> None:
    place, system = body.at("systemInstruction"), body.value("systemInstruction")
    if system is None:
        return
    if type(system) is not dict or ("parts" not in system and "text" in system):
        reading.add("system", _spoken(_opened(system, place, reading), None, reading))
        return
    content = _Names(system, place, reading)
    parts = _opened(content.value("parts"), content.at("parts"), reading)
    content.skip("role", "user", "system", "model")  # it says nothing here
    reading.add("system", _spoken(parts, None, reading))
    content.close()


def _opened(parts: Any, place: str, reading: Reading) -> list[_Names]:
    """Open parts; clients take one part, or text, in place of a list."""
    if parts is None:
        return []
    if type(parts) in (str, dict):
        return [_part(parts, place, reading)]
    if type(parts) is not list:
        raise reading.refuse(place, "an array of parts", parts)
    return [_part(part, f"{place}/{number}", reading) for number, part in enumerate(parts)]


def _part(part: Any, place: str, reading: Reading) -> _Names:
    if type(part) is str:
        return _Names({"text": part}, place, reading)
    if type(part) is not dict:
        raise reading.refuse(place, "a part as an object", part)
    return _Names(part, place, reading)


# --- what the model said --------------------------------------------------------------------------


def _taken(part: _Names, reading: Reading) -> Json:
    """Return a part of the model as the adapter reads it, and report what it passes over."""
    made: Json = {}
    for name in part.names():
        place, value = part.at(name), part.value(name)
        if type(value) is dict and name not in _VERBATIM:
            content = _Names(value, place, reading)
            taken = _TAKEN.get(name)
            wanted = [each for each in taken or content.names() if each in content]
            value = {each: content.value(each) for each in wanted}
            content.close()
        made[name] = value
    said = {name: value for name, value in made.items() if value is not None}
    thought = said.get("thought", False)
    if thought is not True:
        said.pop("thought", None)
    is_bare = said.keys() == {"text", "thought"} and said["text"] == ""
    if type(thought) is not bool or is_bare:
        reading.note("foreign-member", part.at("thought"))
    return said


def _read_answer(body: Members, answers: Answers, reading: Reading) -> None:
    """Read an answer: its first candidate."""
    place, candidates = body.at("candidates"), body.value("candidates")
    if type(candidates) is not list or not candidates or type(candidates[0]) is not dict:
        raise reading.refuse(place, "an array of candidates", candidates)
    for number in range(1, len(candidates)):
        reading.note("foreign-message", f"{place}/{number}")
    made: Json = {}
    said: dict[str, str] = {}
    for theirs, ours in (("modelVersion", "modelId"), ("responseId", "requestId")):
        if given := body.text(theirs):
            made[theirs] = given
            said[ours] = body.at(theirs)
    if (usage := body.object("usageMetadata")) is not None:
        said["usage"] = body.at("usageMetadata")
        counts = _Names(usage, said["usage"], reading)
        made["usageMetadata"] = found = figures(counts, usage_figures.GEMINI)
        if found.get(_OF_TOOLS):  # the adapter takes it for a check of the total
            reading.note("foreign-member", counts.at(_OF_TOOLS))
        counts.close()
    candidate = _Names(candidates[0], f"{place}/0", reading)
    if reason := candidate.text("finishReason"):
        said |= dict.fromkeys(REASONS, candidate.at("finishReason"))
    at, content = candidate.at("content"), candidate.object("content")
    answer: Json = {"finishReason": reason or "STOP"}
    if content is not None:
        opened = _Names(content, at, reading)
        at = opened.at("parts")
        parts = _opened(opened.value("parts"), at, reading)
        answer["content"] = {"parts": [_taken(part, reading) for part in parts]}
        opened.skip("role", "model")
        opened.close()
    for name in _STATE:
        answer[name] = _in_camel_case(candidate.value(name))
    candidate.skip("index", 0)
    candidate.close()
    add_whole(answers, {**made, "candidates": [answer]}, at, said, reading)
    body.close()


def _in_camel_case(value: Any, depth: int = 0) -> Any:
    """Return metadata of an answer with names in camel case; none of it is a user's own JSON."""
    if isinstance(value, list) and depth < _MOST_LEVELS:
        return [_in_camel_case(item, depth + 1) for item in value]
    if isinstance(value, dict) and depth < _MOST_LEVELS:
        return {_camel(name): _in_camel_case(item, depth + 1) for name, item in value.items()}
    return value


# --- what users and functions said ----------------------------------------------------------------


def spoken_parts(parts: Any, place: str, answers: Answers, reading: Reading) -> list[Json]:
    """Return the parts of what a user or a function said: text, a part, or a list of them."""
    return _spoken(_opened(parts, place, reading), answers, reading)


def _spoken(parts: list[_Names], answers: Answers | None, reading: Reading) -> list[Json]:
    """Return the parts of a user; without ``answers`` those of the system, which are texts."""
    found: list[Json] = []
    for part in parts:
        made: Json | None = None
        if part.flag("thought") is not True:
            if (text := part.text("text")) is not None:
                made = text_part(text)
            elif answers is not None and (response := part.object("functionResponse")) is not None:
                at = part.at("functionResponse")
                made = _result(_Names(response, at, reading), answers, reading)
            elif answers is not None:
                made = _media(part, reading)
        if made is None:
            reading.note("foreign-part", part.place)
        else:
            found.append(made)
            part.close()
    return found


def _media(part: _Names, reading: Reading) -> Json | None:
    """Return the part of bytes, or of a file that the provider fetches or has."""
    made: Json | None = None
    for name in ("inlineData", "fileData"):
        place, given = part.at(name), part.object(name)
        if given is None:
            continue
        content = _Names(given, place, reading)
        mime_type, title = content.text("mimeType"), content.text("displayName")
        if name == "inlineData":
            data = _standard(content.text("data") or "")
            made = inline(mime_type, data, title) if mime_type else None
        elif uri := content.text("fileUri"):
            made = _file(uri, mime_type, title, content.place, reading)
        if made is not None:
            content.close()
        return made
    return None


def _file(uri: str, mime_type: str | None, title: str | None, place: str, reading: Reading) -> Json:
    if title and mime_type:
        return media_part(mime_type, {"kind": "url", "url": uri}, title)
    is_image = (mime_type or "").startswith("image/") and not title
    made = url_part(uri, mime_type, place, reading, image=is_image)
    if title:
        made["payload"]["name"] = title
    return made


def _standard(data: str) -> str:
    """Return Base64 in the standard alphabet, padded: Python's client writes that of URLs."""
    if "-" in data or "_" in data:
        data = data.replace("-", "+").replace("_", "/")
    return data + "=" * (-len(data) % 4)


def _result(response: _Names, answers: Answers, reading: Reading) -> Json:
    own, name = response.text("id") or None, response.text("name")
    calls = answers.calls
    call = calls.of_name(name or "") if own is None else calls.of_id(own)
    if own is None:
        reading.note("call-id-invented", response.place)
    if name is not None and (call is None or call.name != name):
        reading.note("foreign-member", response.at("name"))
    call_id = call.call_id if call is not None else own or made_id(response.place)
    place, value = response.at("response"), response.value("response")
    is_error = _failed(value)
    content: Any = value
    if type(value) is dict and len(value) == 1 and ("output" in value or is_error):
        (content,) = value.values()
    content = "" if content is None else content
    media = [
        part
        for each in _opened(response.value("parts"), response.at("parts"), reading)
        if (part := _attached(each, reading)) is not None
    ]
    response.close()
    if media:
        if type(content) is not str:
            reading.note("content-form", place)
            content = json_text(content)
        content = [*([text_part(content)] if content else []), *media]
        return result_part(call_id, content, is_error=is_error)
    return value_result(call_id, content, is_error=is_error)


def _failed(response: Any) -> bool:
    """Return whether a response is an error: beside others, a member that is false says nothing."""
    if type(response) is not dict or "output" in response:
        return False
    error = response.get("error")
    return error is not None and error is not False and (bool(error) or len(response) == 1)


def _attached(part: _Names, reading: Reading) -> Json | None:
    made = _media(part, reading)
    if made is None:
        reading.note("foreign-part", part.place)
    else:
        part.close()
    return made
