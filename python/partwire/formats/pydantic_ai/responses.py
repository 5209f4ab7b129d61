"""Responses: what a model said, its state, and what the library says of it."""

from __future__ import annotations

from typing import Any, Final

from partwire.contract import times

from ..core.calls import Calls, OpenCall
from ..core.parts import call_part, text_part
from ..core.reading import Json, Members, Reading
from .files import file_of
from .names import FINISH_REASONS, KEPT, OWN, PARTS, RESPONSE, STATES, take_kept
from .results import result_of, server_call, server_result
from .state import goes_on, take_state

__all__ = ["Responses", "file_members", "speech_of", "time_of"]

_OLD: Final = {"vendor_details": "provider_details", "vendor_id": "provider_response_id"}
_OLD_USAGE: Final = {"request_tokens": "input_tokens", "response_tokens": "output_tokens"}
_FIGURES: Final = {
    "output_reasoning_tokens": "reasoningTokens",
    "cache_read_tokens": "cacheReadTokens",
    "cache_write_tokens": "cacheWriteTokens",
}
_FINISH: Final = "finish_reason"


class Responses:
    """Reads the responses of a history; ``calls`` are those of tools, for their results."""

    def __init__(self, reading: Reading) -> None:
        self.calls: Final = Calls()
        self._server_calls = Calls()
        self._reading = reading
        self._made = 0

    def read(self, message: Members, metadata: Json | None) -> list[Json]:
        """Return the message of a response, which is not added."""
        if not message.lacks(*_OLD):
            _rename(message)
        place, parts = message.at(PARTS), message.value(PARTS)
        provider = message.peek("provider_name")
        answer = _Parts(self, provider if isinstance(provider, str) else None, self._reading)
        for _, part in self._reading.items(parts, place):
            answer.read(part)
        made: Json = {"role": "assistant", "parts": answer.parts, **time_of(message)}
        meta = _meta(message, self._reading)
        own = take_kept(message, RESPONSE) | meta.pop(OWN)
        if metadata is not None:
            own["metadata"] = metadata
        own |= answer.kept_beside(made.get("timestamp"))
        meta |= {OWN: own} if own else {}
        return [{**made, "meta": meta} if meta else made]

    def own_id(self, part: Members, used: set[str], calls: Calls) -> tuple[str, str, Json]:
        """Take the id of a call and the name of its tool; return them, and what the part keeps."""
        name, own, kept = part.text("tool_name") or "", part.text("tool_call_id") or None, {}
        call_id = own or ""
        if not own or own in used:
            self._made += 1
            call_id = f"call_{self._made}"
            while call_id in used:
                self._made += 1
                call_id = f"call_{self._made}"
            self._reading.note("call-id-invented", part.place)
            kept = {"tool_call_id": own} if own else {}
        used.add(call_id)
        calls.add(OpenCall(call_id, name, own))
        return call_id, name, kept

    def answered(self, own: str, *, server: bool = False) -> OpenCall | None:
        """Return the call that a result with an id answers."""
        return (self._server_calls if server else self.calls).of_id(own)

    @property
    def server_calls(self) -> Calls:
        """The calls of tools that a provider ran."""
        return self._server_calls


def _rename(message: Members) -> None:
    for old, name in _OLD.items():
        if old in message and name not in message:
            message.put(name, message.value(old))


def time_of(members: Members) -> Json:
    """Take the time, where it is one."""
    if times.is_timestamp(members.peek("timestamp")):
        return {"timestamp": members.text("timestamp")}
    return {}


def file_members(content: Any, place: str, reading: Reading) -> tuple[Json, Json] | None:
    """Return the part of a file at a place, and what it keeps; None for anything else."""
    if type(content) is not dict:
        return None
    item = Members(content, place, reading)
    made = file_of(item, reading)
    if made is not None:
        item.close()
    return made


def speech_of(part: Members, reading: Reading) -> tuple[Json, Json] | None:
    """Return the part that speech is: its sound with its words, or the words alone."""
    place, audio = part.at("audio"), part.object("audio")
    words = part.text("transcript")
    kept: Json = {"part_kind": "speech"}
    if audio is None:
        if words is None:
            return None
        return text_part(words), kept | take_kept(part, KEPT["speech"])
    made = file_members(audio, place, reading)
    if made is None:
        return None
    said, beside = made
    if said["kind"] == "image":
        said = _as_media(said)
    if words is not None:
        said["payload"]["transcript"] = words
    kept |= {"audio": beside} if beside else {}
    return said, kept | take_kept(part, KEPT["speech"])


def _as_media(part: Json) -> Json:
    payload = part["payload"]
    source: Json = {"kind": "inline", "data": payload["data"]} if "data" in payload else {}
    source = source or {"kind": "url", "url": payload["url"]}
    return {"kind": "media", "payload": {"mimeType": payload["mimeType"], "source": source}}


class _Parts:
    """The parts of one response, and what they keep, by number."""

    def __init__(self, responses: Responses, provider: str | None, reading: Reading) -> None:
        self.parts: list[Json] = []
        self.kept: Json = {}
        self._responses = responses
        self._provider = provider
        self._reading = reading
        self._used: set[str] = set()
        self._server_used: set[str] = set()
        self._answered: set[str] = set()

    def read(self, part: Members) -> None:
        kind = part.text("part_kind") or ""
        made: tuple[Json, Json] | None = None
        if kind in ("text", "thinking"):
            made = self._text(kind, part)
        elif kind in ("tool-call", "builtin-tool-call"):
            made = self._call(kind, part)
        elif kind == "builtin-tool-return":
            made = self._result(part)
        elif kind == "file":
            made = self._file(part)
        elif kind == "speech" and part.drop("speaker", "assistant"):
            made = speech_of(part, self._reading)
        if made is None:
            self._reading.note("foreign-part", part.place)
            return
        part.close()
        said, kept = made
        if not kept and self.parts and goes_on(self.parts[-1], said):
            return
        if kept:
            self.kept[str(len(self.parts))] = kept
        self.parts.append(said)

    def kept_beside(self, timestamp: str | None) -> Json:
        """Return what is kept of the parts of a message of this time."""
        if not self.kept:
            return {}
        for each in self.kept.values():
            if each.get("timestamp") == timestamp:
                each.pop("timestamp", None)
        kept = {number: each for number, each in self.kept.items() if each}
        return {PARTS: kept} if kept else {}

    def _state(self, kind: str, said: Json, part: Members, text: str) -> Json:
        opaque, kept = take_state(kind, part, text, self._provider, self._reading)
        if opaque is not None:
            said["payload"]["opaque"] = opaque
        return kept

    def _text(self, kind: str, part: Members) -> tuple[Json, Json] | None:
        text = part.text("content")
        if text is None:
            return None
        said: Json = {"kind": kind, "payload": {"text": text}}
        kept = self._state(kind, said, part, text)
        if kind == "text" and (citations := _citations(part, self._reading)):
            said["payload"]["citations"] = citations
        return said, kept

    def _call(self, kind: str, part: Members) -> tuple[Json, Json] | None:
        if not part.has_text("tool_name"):
            return None
        args = part.peek("args")
        if not isinstance(args, (str, dict, type(None))):
            return None
        part.value("args")
        server = kind == "builtin-tool-call"
        responses = self._responses
        calls = responses.server_calls if server else responses.calls
        used = self._server_used if server else self._used
        call_id, name, kept = responses.own_id(part, used, calls)
        said = call_part(call_id, name, args or {})
        if server:
            said["kind"] = "server_tool_call"
        kept |= self._state(said["kind"], said, part, "") | take_kept(part, KEPT[kind])
        if server:
            provider = kept.get("provider_name", self._provider)
            server_call(said, provider, kept.get("provider_details"))
        return said, kept

    def _result(self, part: Members) -> tuple[Json, Json] | None:
        own, name = part.text("tool_call_id"), part.text("tool_name")
        if not own or not name:
            return None
        call = self._responses.answered(own, server=True)
        call_id = own if call is None else call.call_id
        if call_id in self._answered:
            return None
        self._answered.add(call_id)
        value = part.peek("content")
        said, kept = result_of(call_id, part, self._reading)
        said["kind"] = "server_tool_result"
        kept |= self._state(said["kind"], said, part, "") | take_kept(
            part, KEPT["builtin-tool-return"]
        )
        if call is None or call.name != name:
            kept["tool_name"] = name
        kept |= time_of(part)
        provider = kept.get("provider_name", self._provider)
        server_result(said, value, name, provider, kept.get("provider_details"))
        return said, kept

    def _file(self, part: Members) -> tuple[Json, Json] | None:
        made = file_members(part.peek("content"), part.at("content"), self._reading)
        if made is None:
            return None
        part.value("content")
        said, kept = made
        media = _as_media(said) if said["kind"] == "image" else said
        kept |= self._state("media", media, part, "")
        return media if "opaque" in media["payload"] else said, kept


# --- citations ------------------------------------------------------------------------------------

_SOURCES: Final = {"web": "url", "document": "document"}


def _citations(part: Members, reading: Reading) -> list[Json]:
    found: list[Json] = []
    given = part.list("citations")
    if given is None:
        return found
    place = part.at("citations")
    for number, each in enumerate(given):
        at = f"{place}/{number}"
        made = _citation(Members(each, at, reading), reading) if type(each) is dict else []
        if not made:
            reading.note("foreign-member", at)
        found += made
    return found


def _citation(citation: Members, reading: Reading) -> list[Json]:
    """Return a citation for each source of one."""
    place, sources = citation.at("sources"), citation.list("sources")
    if not sources or not all(type(each) is dict for each in sources):
        return []
    found: list[Json] = []
    stretch, data = _anchor(citation, reading)
    for number, each in enumerate(sources):
        source = Members(each, f"{place}/{number}", reading)
        made = _source(source)
        if made is None:
            return []
        beside = data | ({"joined": True} if number else {}) | made.pop("beside")
        if beside:
            made["opaque"] = {"provider": OWN, "data": beside}
        found.append({**stretch, **made})
        source.close()
    citation.close()
    return found


def _anchor(citation: Members, reading: Reading) -> tuple[Json, Json]:
    place, given = citation.at("anchor"), citation.object("anchor")
    if given is None:
        return {}, {}
    anchor = Members(given, place, reading)
    kind, start, end = anchor.text("kind"), anchor.peek("start"), anchor.peek("end")
    is_right = type(start) is int and type(end) is int and 0 <= start <= end < 2**53
    if kind not in ("content", "marker") or not is_right:
        reading.note("foreign-member", place)
        return {}, {}
    anchor.value("start")
    anchor.value("end")
    anchor.close()
    return {"start": start, "end": end}, {"anchor": kind} if kind == "marker" else {}


def _source(source: Members) -> Json | None:
    kind = source.text("kind") or ""
    if kind not in _SOURCES:
        return None
    made: Json = {"kind": _SOURCES[kind]}
    for theirs, ours in (("url", "url"), ("document_id", "id"), ("title", "title")):
        if source.has_text(theirs) and (theirs != "document_id" or kind == "document"):
            made[ours] = source.text(theirs)
    if kind == "web" and "url" not in made:
        return None
    excerpts = source.list("excerpts") or []
    said: Json = {"source": made, "beside": {}}
    if len(excerpts) == 1 and isinstance(excerpts[0], str):
        said["quotedText"] = excerpts[0]
    elif excerpts:
        said["beside"] = {"excerpts": excerpts}
    return said


# --- what a response says of itself ---------------------------------------------------------------


_OF_ITSELF: Final = (
    "model_name",
    "provider_response_id",
    _FINISH,
    "provider_details",
    "state",
    "usage",
)


def _meta(message: Members, reading: Reading) -> Json:
    """Return the meta of a response; with what it keeps as the member of this format."""
    meta: Json = {}
    own: Json = {}
    if message.lacks(*_OF_ITSELF):
        return {OWN: own}
    for theirs, ours in (("model_name", "modelId"), ("provider_response_id", "requestId")):
        if (said := message.text(theirs)) is not None:
            meta[ours] = said
    reason = message.peek(_FINISH)
    if isinstance(reason, str) and reason in FINISH_REASONS:
        meta["finishReason"] = FINISH_REASONS[message.text(_FINISH) or ""]
    if (details := message.object("provider_details")) is not None:
        if isinstance(details.get(_FINISH), str):
            meta["providerFinishReason"] = details[_FINISH]
            details = {name: value for name, value in details.items() if name != _FINISH}
        own |= {"provider_details": details} if details else {}
    state = message.peek("state")
    message.skip("state", "complete")
    if isinstance(state, str) and state in STATES:
        message.value("state")
        meta["incomplete"] = {"ending": STATES[state], "openToolCallIds": []}
    elif message.drop("state", "suspended"):
        own["state"] = state
    place, usage = message.at("usage"), message.object("usage")
    if usage is not None:
        meta |= _usage(Members(usage, place, reading), own)
    return {**meta, OWN: own}


def _usage(usage: Members, own: Json) -> Json:
    """Return the usage; what is nought says nothing where all is."""
    for old, name in _OLD_USAGE.items():
        if old in usage and not usage.peek(name):
            usage.value(name)
            usage.put(name, usage.value(old))
    said = {name: usage.count(name) for name in ("input_tokens", "output_tokens")}
    read, written = said["input_tokens"] or 0, said["output_tokens"] or 0
    total = usage.count("total_tokens")
    made: Json = {"inputTokens": read, "outputTokens": written}
    made["totalTokens"] = read + written if total is None else total
    if made["totalTokens"] >= 2**53:  # no count: kept as it was written
        own["usage"] = {"input_tokens": read, "output_tokens": written, **usage.whole()}
        return {}
    for theirs, ours in _FIGURES.items():
        count = usage.count(theirs)
        if count is not None:
            made[ours] = count
    cost = usage.peek("cost")
    if (number := _cost(cost)) is not None:
        usage.value("cost")
        made["cost"] = number
    beside = {name: value for name in usage.names() if (value := usage.value(name))}
    if isinstance(cost, str) and number is not None and str(number) != cost:
        beside["cost"] = cost  # as it was written
    if beside:
        own["usage"] = beside
    return {"usage": made} if any(made.values()) else {}


def _cost(cost: Any) -> float | None:
    """Return a price, which is a number in text."""
    if not isinstance(cost, str) or not cost.isascii() or len(cost) > 40:
        return None
    try:
        number = float(cost)
    except ValueError:
        return None
    return number if 0 <= number < 2**53 else None
