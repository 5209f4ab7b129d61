"""Parts of messages as parts of requests and responses."""

from __future__ import annotations

from typing import Any, Final

from ..core.kept import kept_by, kept_of_part
from ..core.reading import Json
from .files import item_of
from .names import KEPT, OWN, STATE
from .requests import INSTRUCTIONS, PART
from .results import return_of
from .state import members_of, pieces

__all__ = ["Parts"]

_FILES: Final = ("image", "media", "file_ref")
_CALLS: Final = {"tool_call": "tool-call", "server_tool_call": "builtin-tool-call"}


class Parts:
    """The parts of one request or response, as they grow.

    ``left_out`` are the parts of ours that it has no place for, ``cut`` those that became several,
    ``nameless`` the results whose tool nobody names: all by number of the message and of the part.
    ``names`` are those of tools, with the id that is written, by the id of the call.
    """

    def __init__(self, names: dict[str, tuple[str, str]]) -> None:
        self.parts: list[Json] = []
        self.instructions: str | None = None
        self.left_out: set[tuple[int, int]] = set()
        self.cut: dict[tuple[int, int], int] = {}
        self.nameless: list[tuple[int, int]] = []
        self._names = names

    def add(self, number: int, message: Json) -> bool:
        """Add a message; return whether anything of it is there."""
        role = message["role"]
        if role == "user":
            return self._user(number, message)
        before = len(self.parts)
        if role == "system" and self._instruct(message):
            return True
        for at, part in enumerate(message["parts"]):
            kept = kept_of_part(message, OWN, at)
            made = self._part(role, part, kept, message["timestamp"])
            if made is None:
                self.left_out.add((number, at))
                continue
            if role == "tool" and "tool_name" not in made[0]:
                made[0]["tool_name"] = ""
                self.nameless.append((number, at))
            if (count := _apart(made)) > 1:
                self.cut[number, at] = count
            self.parts += made
        return len(self.parts) > before or role == "assistant"

    def _instruct(self, message: Json) -> bool:
        """Take a message that is the instructions of the request; return whether it is."""
        parts = message["parts"]
        if self.instructions is not None or kept_by(message, OWN).get(INSTRUCTIONS) is not True:
            return False
        if [part["kind"] for part in parts] != ["text"]:
            return False
        self.instructions = parts[0]["payload"]["text"]
        return True

    def _part(self, role: str, part: Json, kept: Json, time: str) -> list[Json] | None:
        """Return the parts that a part becomes; None where there is no place for it."""
        kind, payload = part["kind"], part["payload"]
        if role == "system":
            if kind != "text":
                return None
            made = {"content": payload["text"], "timestamp": kept.get("timestamp", time)}
            return [made | {"part_kind": "system-prompt"} | _only(kept, KEPT["system-prompt"])]
        if role == "tool":
            return [self._result("tool-return", payload, kept, time)] if kind == _RESULT else None
        if kind in ("text", "thinking"):
            return _text(kind, payload, kept)
        if kind in _CALLS:
            return [self._call(kind, payload, kept)]
        if kind == "server_tool_result":
            return [self._result("builtin-tool-return", payload, kept, time)]
        return _file(kind, payload, kept) if kind in _FILES else None

    # --- users -----------------------------------------------------------------------------------

    def _user(self, number: int, message: Json) -> bool:
        parts, time = message["parts"], message["timestamp"]
        if (feedback := _feedback(message)) is not None:
            self.parts.append(feedback)
            return True
        if len(parts) == 1 and (speech := _speech(parts[0], kept_of_part(message, OWN, 0), "user")):
            self.parts.append(speech)
            return True
        content: list[Any] = []
        for at, part in enumerate(parts):
            item = _item(part, kept_of_part(message, OWN, at))
            if item is None:
                self.left_out.add((number, at))
            else:
                content.append(item)
        is_text = len(content) == 1 and isinstance(content[0], str)
        said = content[0] if is_text else content
        self.parts.append({"content": said, "timestamp": time, "part_kind": "user-prompt"})
        return True

    # --- calls and results -----------------------------------------------------------------------

    def _call(self, kind: str, payload: Json, kept: Json) -> Json:
        call_id, raw = payload["toolCallId"], payload.get("rawArgsText")
        own_id = kept.get("tool_call_id")
        own_id = own_id if isinstance(own_id, str) and own_id else call_id
        self._names[call_id] = payload["toolName"], own_id
        made: Json = {
            "tool_name": payload["toolName"],
            "args": raw if raw is not None and not payload["arguments"] else payload["arguments"],
            "tool_call_id": own_id,
            "part_kind": _CALLS[kind],
        }
        made |= members_of(kind, payload.get("opaque")) | _state(kept)
        return made | _only(kept, KEPT[_CALLS[kind]])

    def _result(self, kind: str, payload: Json, kept: Json, time: str) -> Json:
        known, own_id = self._names.get(payload["toolCallId"], (None, payload["toolCallId"]))
        name = kept.get("tool_name", known)
        made: Json = {"tool_name": name} if isinstance(name, str) and name else {}
        made |= {"tool_call_id": own_id, "timestamp": kept.get("timestamp", time)}
        made |= {"part_kind": kind, **return_of(payload, kept)}
        if kind == "builtin-tool-return":
            made = {"tool_name": ""} | made | _state(kept)
        return made | _only(kept, KEPT[kind])


_RESULT: Final = "tool_result"


def _apart(made: list[Json]) -> int:
    """Return how many parts are read back of these: summaries of one item are joined."""
    ids = [part.get("id") if part["part_kind"] == "thinking" else None for part in made]
    return len([at for at, own in enumerate(ids) if own is None or not at or own != ids[at - 1]])


def _only(kept: Json, names: tuple[str, ...]) -> Json:
    return {name: kept[name] for name in names if name in kept}


def _state(kept: Json) -> Json:
    """Return the members for the provider that a part keeps; null is for those that it has not."""
    return _only(kept, STATE)


def _text(kind: str, payload: Json, kept: Json) -> list[Json]:
    if kind == "text" and kept.get("part_kind") == "speech":
        speech: Json = {"speaker": "assistant", "transcript": payload["text"]}
        return [speech | {"part_kind": "speech"} | _only(kept, KEPT["speech"])]
    made: list[Json] = []
    for text, members in pieces(kind, payload):
        part: Json = {"content": text, "part_kind": kind, **members, **_state(kept)}
        made.append(part)
    if citations := payload.get("citations"):
        made[-1]["citations"] = _citations(citations)
    return made


def _file(kind: str, payload: Json, kept: Json) -> list[Json] | None:
    """Return a file that a model made, or its speech: bytes alone have a place in a response."""
    speech = _speech({"kind": kind, "payload": payload}, kept, "assistant")
    if speech is not None:
        return [speech]
    if "data" not in payload.get("source", payload):
        return None
    content = item_of(kind, payload, kept)
    made: Json = {"content": content, "part_kind": "file"}
    return [made | members_of("media", payload.get("opaque")) | _state(kept)]


def _item(part: Json, kept: Json) -> Any:
    """Return a part as an item of a user's content; None where there is no place for it."""
    kind, payload = part["kind"], part["payload"]
    if kind == "text":
        their = kept.get("kind")
        if their not in ("text-content", "structured-content"):
            return payload["text"]
        made: Json = {"content": payload["text"], "kind": their, **_only(kept, KEPT[their])}
        return made if their == "text-content" or "value" in made else payload["text"]
    return item_of(kind, payload, kept) if kind in _FILES else None


def _speech(part: Json, kept: Json, speaker: str) -> Json | None:
    """Return speech: what was read as such, and sound whose words are known."""
    kind, payload = part["kind"], part["payload"]
    is_speech = kept.get("part_kind") == "speech"
    made: Json = {"speaker": speaker}
    if kind == "text" and is_speech:
        made["transcript"] = payload["text"]
    elif kind == "media" and "data" in payload["source"] and (is_speech or _has_words(payload)):
        if "transcript" in payload:
            made["transcript"] = payload["transcript"]
        beside = kept.get("audio")
        made["audio"] = item_of(kind, payload, beside if isinstance(beside, dict) else {})
    else:
        return None
    return made | {"part_kind": "speech"} | _only(kept, KEPT["speech"])


def _has_words(payload: Json) -> bool:
    return "transcript" in payload and payload["mimeType"].startswith("audio/")


def _feedback(message: Json) -> Json | None:
    """Return what the library said to a model whose answer it could not use."""
    own: Any = kept_by(message, OWN).get(PART)
    parts = message["parts"]
    if not isinstance(own, dict) or own.get("part_kind") != "retry-feedback":
        return None
    if [part["kind"] for part in parts] != ["text"]:
        return None
    made: Json = {"content": own.get("content", parts[0]["payload"]["text"])}
    if "retry" in own:
        made["retry"] = own["retry"]
    return made | {"timestamp": message["timestamp"], "part_kind": "retry-feedback"}


# --- citations ------------------------------------------------------------------------------------


def _citations(citations: list[Json]) -> list[Json]:
    made: list[Json] = []
    for citation in citations:
        own = _beside(citation)
        source, beside = citation["source"], {"excerpts": own.get("excerpts", [])}
        if "quotedText" in citation:
            beside = {"excerpts": [citation["quotedText"]]}
        said: Json = {"kind": "document"}
        if "url" in source:
            said = {"kind": "web", "url": source["url"]}
        elif "id" in source:
            said["document_id"] = source["id"]
        said |= {"title": source["title"]} if source.get("title") else {}
        said |= beside
        if said == {"kind": "document", "excerpts": []}:  # a source has to say something
            continue
        if own.get("joined") is True and made:
            made[-1]["sources"].append(said)
            continue
        made.append({"sources": [said]})
        if citation.get("start", 0) < citation.get("end", 0) and "start" in citation:
            kind = "marker" if own.get("anchor") == "marker" else "content"
            made[-1]["anchor"] = {n: citation[n] for n in ("start", "end")} | {"kind": kind}
    return made


def _beside(citation: Json) -> Json:
    opaque = citation.get("opaque")
    return opaque["data"] if isinstance(opaque, dict) and opaque["provider"] == OWN else {}
