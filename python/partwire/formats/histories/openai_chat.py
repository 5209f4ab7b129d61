"""Chat completions of OpenAI and of many others: a request, its messages, one of them, an answer.

- ``developer`` is the system; the older ``function`` messages are results, and ``function_call`` is
  a call without an id.
- A result without an id is that of the first call which waits, of its name where it says one.
- Of a whole answer, choice 0 is the message, as in a stream.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.json.text import json_text
from partwire.providers.core.citations import web_address
from partwire.providers.openai_chat.citations import citation_of
from partwire.tables.provider_names import CHAT_CHUNK_STATE

from ..core.parts import result_part, text_part
from ..core.reading import Json, Members, Reading
from .answers import Answers
from .openai_answer import note_lost_usage, time_of, usage_of
from .openai_media import at_url, sound, stored_file

__all__ = ["ChatHistory", "chat_part", "names_of", "read"]


def read(source: Any, reading: Reading) -> None:
    """Read a request, a list of messages, one message, or a chat completion."""
    history = ChatHistory(reading)
    place, messages = "", source
    if type(source) is dict and "messages" in source:
        body = reading.members(source, "")
        place, messages = "/messages", body.value("messages")
        body.close("request-member")
    elif type(source) is dict and "choices" in source:
        _read_completion(reading.members(source, ""), history, reading)
        return
    elif type(source) is dict:
        history.message(reading.members(source, ""))
        return
    for _, message in reading.items(messages, place):
        history.message(message)


# --- a whole answer -------------------------------------------------------------------------------


def _read_completion(body: Members, history: ChatHistory, reading: Reading) -> None:
    kept: Json = {"object": "chat.completion"}
    for name in ("id", "model"):
        if given := body.text(name):
            kept[name] = given
    body.skip("object", "chat.completion")
    choices = list(reading.items(body.value("choices"), "/choices"))
    if not choices:
        raise reading.refuse("/choices", "a choice", [])
    for at, _ in choices[1:]:
        reading.note("foreign-message", at)
    _, choice = choices[0]
    if (usage := usage_of(body, reading)) is not None:
        kept["usage"] = usage
    choice.skip("index", 0)
    reason = choice.text("finish_reason")
    message = reading.members(choice.value("message"), choice.at("message"))
    choice.close()
    kept |= _sources(body, reading, is_cited=message.has_text("content"))
    history.answer(message, {**kept, "finish_reason": reason}, time_of(body, "created"))
    body.close()


def _sources(body: Members, reading: Reading, *, is_cited: bool) -> Json:
    """Take the sources of an answer; those of a text are its citations, of address and title."""
    kept: Json = {}
    for name in CHAT_CHUNK_STATE:
        place, given = body.at(name), body.value(name)
        if not given:
            continue
        kept[name] = given
        if type(given) is not list or not is_cited:
            continue
        kept[name] = []
        for number, each in enumerate(given):
            at = f"{place}/{number}"
            page = Members(each if type(each) is dict else {"url": each}, at, reading)
            if web_address(page.value("url")) is None:
                reading.note("foreign-part", at)
            else:
                kept[name].append(each)
                page.value("title")
                page.close()
    return kept


# --- messages -------------------------------------------------------------------------------------

# Members of an assistant's message that the adapter reads, or keeps as they are.
_TAKEN: Final = (
    "content",
    "refusal",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "annotations",
    "audio",
    "images",
    "executed_tools",
    "extra_content",
    "thinking_blocks",
    "reasoning_signature",
)
# Of these the adapter makes parts: member → the members of each that it takes.
_TAKEN_OF: Final = {
    "audio": ("id", "data", "transcript", "expires_at"),
    "images": ("image_url",),
    "executed_tools": (
        "type",
        "name",
        "id",
        "arguments",
        "output",
        "search_results",
        "code_results",
        "browser_results",
    ),
}
_TAKEN_OF_CITATION: Final = (
    "url",
    "title",
    "file_id",
    "filename",
    "content",
    "start_index",
    "end_index",
)
_TAKEN_OF_PART: Final = {
    "text": ("text",),
    "thinking": ("thinking", "signature"),
    "refusal": ("refusal",),
}


class ChatHistory:
    """The messages of one history, as they are read."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._answers = Answers("openai-chat", reading)

    def message(self, message: Members) -> None:
        """Read a message."""
        role = message.text("role")
        if role == "assistant":
            self.answer(message)
        elif role in ("system", "developer", "user"):
            if role == "developer":
                self._reading.note("role-form", message.at("role"))
            self._spoken(message, "user" if role == "user" else "system")
        elif role in ("tool", "function"):
            if role == "function":
                self._reading.note("role-form", message.at("role"))
            self._result(message)
        elif role:
            self._reading.note("foreign-message", message.place)
        else:
            raise self._reading.refuse(message.at("role"), "a role", message.value("role"))

    def _spoken(self, message: Members, role: str) -> None:
        parts = _parts(message.value("content"), message.at("content"), self._reading)
        if role == "system":
            parts = self._texts(parts, message)
        self._reading.add(role, parts, **names_of(message))
        message.close()

    def _texts(self, parts: list[Json], message: Members) -> list[Json]:
        """Return the texts: a system message has no other parts."""
        texts = [part for part in parts if part["kind"] == "text"]
        if len(texts) < len(parts):
            self._reading.note("foreign-part", message.at("content"))
        return texts

    def _result(self, message: Members) -> None:
        reading = self._reading
        calls, name, own = self._answers.calls, message.text("name"), message.text("tool_call_id")
        call = calls.of_id(own) if own else calls.of_name(name or None)
        call_id = own if call is None else call.call_id
        if not call_id:
            reading.note("foreign-message", message.place)
            return
        if not own:
            reading.note("call-id-invented", message.place)
        if name is not None and (call is None or call.name != name):
            reading.note("foreign-member", message.at("name"))
        content = message.value("content")
        if type(content) is list:
            content = _parts(content, message.at("content"), reading)
        part = result_part(call_id, "" if content is None else content)
        names = {"messageId": message.text("id") or None}
        reading.add("tool", [part], **names)
        message.close()

    # --- the assistant ---------------------------------------------------------------------------

    def answer(
        self, message: Members, body: Json | None = None, timestamp: str | None = None
    ) -> None:
        """Read a message of an assistant; of a whole answer ``body`` is what else it says."""
        message.skip("role", "assistant")
        message.skip("prefix", False)
        names = names_of(message)
        said: Json = {"role": "assistant"}
        thinking, length = message.text("thinking"), _length(message.whole().get("content"))
        for name in _TAKEN:
            if name in message:
                said[name] = message.value(name)
                _note_untaken(name, said[name], message.at(name), length, self._reading)
        if thinking and not said.get("reasoning_content"):
            said["reasoning_content"] = thinking  # as templates for open models call it
        elif thinking:
            self._reading.note("foreign-member", message.at("thinking"))
        self._drop_repeated(said, message)
        calls = message.value("tool_calls")
        if calls is not None:
            said["tool_calls"] = self._calls(calls, message.at("tool_calls"))
        function = message.value("function_call")
        if function is not None:
            self._reading.note("call-id-invented", message.at("function_call"))
            said["function_call"] = function
            if type(function) is dict:
                said["function_call"] = _function(
                    Members(function, message.at("function_call"), self._reading)
                )
        reason = None if body is None else body["finish_reason"]
        choice = {"index": 0, "message": said, "finish_reason": reason or "stop"}
        added = self._answers.add(
            {"object": "chat.completion", **(body or {}), "choices": [choice]},
            message.place,
            is_whole=body is not None,
            timestamp=timestamp,
            **names,
        )
        if body is not None:
            note_lost_usage(body.get("usage"), added, self._reading)
        if body is not None and not reason:  # it is whole, and nobody says why it ended
            added["meta"]["finishReason"] = "unknown"
            added["meta"].pop("providerFinishReason", None)
        message.close()

    def _drop_repeated(self, said: Json, message: Members) -> None:
        """Leave out reasoning that another member says already: some vendors send both."""
        first, second = said.get("reasoning_content"), said.get("reasoning")
        if first and second:
            if first != second:
                self._reading.note("foreign-member", message.at("reasoning"))
            del said["reasoning"]

    def _calls(self, calls: Any, place: str) -> Any:
        """Return calls as the adapter reads them; what does not look like one it reports."""
        if type(calls) is not list or any(type(call) is not dict for call in calls):
            return calls
        return [
            self._call(Members(call, f"{place}/{number}", self._reading), number)
            for number, call in enumerate(calls)
        ]

    def _call(self, call: Members, number: int) -> Json:
        reading, place = self._reading, call.place
        call.skip("index", number, 0)  # of a whole message it says nothing
        kind, own = call.text("type"), call.value("id")
        if not own:
            reading.note("call-id-invented", place)
        made: Json = {"id": own, "extra_content": call.value("extra_content")}
        custom = call.object("custom")
        if custom is not None:
            inner = Members(custom, call.at("custom"), reading)
            made["function"] = {"name": inner.value("name"), "arguments": inner.value("input")}
            inner.close()
            reading.note("foreign-member", call.at("type"))  # it goes back as a function
        else:
            function = call.object("function")
            if function is None and "function" not in call:
                made["function"] = _function(call, is_closed=False)  # some leave the layer out
            elif function is not None:
                made["function"] = _function(Members(function, call.at("function"), reading))
            else:
                made["function"] = call.value("function")
            if kind not in (None, "function"):
                reading.note("foreign-member", call.at("type"))
        call.close()
        return made


def _function(function: Members, *, is_closed: bool = True) -> Json:
    """Return a function's call with its arguments as text, which some store as an object."""
    name, arguments = function.value("name"), function.value("arguments")
    if type(arguments) is dict:
        arguments = json_text(arguments)
    if is_closed:
        function.close()
    return {"name": name, "arguments": arguments}


def names_of(message: Members) -> Json:
    """Take the id and the author of a message."""
    message.skip("name", "")
    name = message.text("name")
    message_id = message.text("id") or None
    return {"messageId": message_id, "author": {"name": name} if name else None}


def _length(content: Any) -> int:
    """Return how many characters the text of an answer has."""
    parts = content if type(content) is list else [content]
    texts = (part.get("text") if type(part) is dict else part for part in parts)
    return sum(len(text) for text in texts if type(text) is str)


def _note_place(cited: Json, members: Members, length: int, reading: Reading) -> None:
    """Report the place of a citation that is not one in the text; 0 and 0 is none."""
    start, end = cited.get("start_index"), cited.get("end_index")
    is_place = type(start) is int and type(end) is int and 0 <= start < end <= length
    if length and not is_place:
        for name, value in (("start_index", start), ("end_index", end)):
            if (start or end) and value is not None:
                reading.note("foreign-member", members.at(name))


def _note_untaken(name: str, value: Any, place: str, length: int, reading: Reading) -> None:
    """Report what the adapter passes over in a member of an assistant's message."""
    if name == "audio" and type(value) is dict and not value.get("data"):
        return  # kept whole
    each_at = enumerate(value) if type(value) is list else [(None, value)]
    for number, each in each_at:
        if type(each) is not dict:
            continue
        members = Members(each, place if number is None else f"{place}/{number}", reading)
        if name == "content":
            _note_untaken_part(members, reading)
        elif name == "annotations" and citation_of(each) is not None:
            kind = members.text("type") or ""
            inner = members.object(kind)
            cited = members if inner is None else Members(inner, members.at(kind), reading)
            for taken in _TAKEN_OF_CITATION:
                cited.value(taken)
            _note_place(each if inner is None else inner, cited, length, reading)
            cited.close()
            if inner is not None:
                members.close()
        elif name in _TAKEN_OF:
            members.skip("index", number)
            if name == "images":
                members.skip("type", "image_url")
            for taken in _TAKEN_OF[name]:
                members.value(taken)
            members.close()


def _note_untaken_part(part: Members, reading: Reading) -> None:
    taken = _TAKEN_OF_PART.get(part.text("type") or "")
    if taken is None:
        return  # kept whole
    for name in taken:
        given = part.value(name)
        if name == "thinking" and type(given) is list:
            for number, each in enumerate(given):
                if type(each) is dict:
                    inner = Members(each, f"{part.at(name)}/{number}", reading)
                    inner.value("text")
                    inner.skip("type", "text")
                    inner.close()
    part.close()


# --- what users and tools say ---------------------------------------------------------------------

# Part of a vendor's → whether it is an image; its URL is in the member of its name.
_AT_URL: Final = {
    "image_url": True,
    "document_url": False,
    "video_url": False,
    "audio_url": False,
    "file_url": False,
}


def _parts(content: Any, place: str, reading: Reading) -> list[Json]:
    """Return the parts of content; what is not content is reported, and left out."""
    if content is None or content == "":
        return []
    if type(content) is str:
        return [text_part(content)]
    listed = (
        [(f"{place}/{number}", each) for number, each in enumerate(content)]
        if (type(content) is list)
        else [(place, content)]
    )
    found = []
    for at, each in listed:
        part = None
        if type(each) is str:
            part = text_part(each)
        elif type(each) is dict:
            part = chat_part(Members(each, at, reading), reading)
        if part is None:
            reading.note("foreign-part", at)
        else:
            found.append(part)
    return found


def chat_part(part: Members, reading: Reading) -> Json | None:
    """Return the part that a block of a user is; None where messages have none such."""
    kind = part.text("type")
    made: Json | None = None
    if kind in ("text", "input_text", "output_text"):
        text = part.text("text")
        made = None if text is None else text_part(text)
    elif kind in _AT_URL:
        made = _at_url(kind, part, reading)
    elif kind in ("input_audio", "file"):
        place, inner = part.at(kind), part.object(kind)
        if inner is not None:
            source = Members(inner, place, reading)
            made = sound(source) if kind == "input_audio" else stored_file(source, place, reading)
            if made is not None:
                source.close()
    if made is not None:
        part.close()
    return made


def _at_url(kind: str, part: Members, reading: Reading) -> Json | None:
    place, given = part.at(kind), part.value(kind)
    name = part.text("document_name") or None
    if type(given) is str:
        return at_url(given, place, reading, image=_AT_URL[kind], name=name)
    if type(given) is not dict:
        return None
    inner = Members(given, place, reading)
    made = at_url(inner.text("url") or "", place, reading, image=_AT_URL[kind], name=name)
    if made is not None:
        inner.skip("detail", "auto")
        inner.close()
    return made
