"""Parts of messages, as the conventions and instrumentations have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from partwire.json.text import json_text

from ..core.calls import Calls, OpenCall
from ..core.parts import call_part, inline, media_part, text_part, url_part, value_result
from ..core.reading import Json, Members, Reading
from .names import BUILT_IN, modality_of

__all__ = ["PartReader"]

Said = tuple[Json, Json]
"""A part, and the members that it has no place for."""

_URLS: Final = ("image-url", "audio-url", "video-url", "document-url")
_MIMES: Final = {"image": "image/*", "audio": "audio/*", "video": "video/*"}
_KEPT: Final = ("code_arg_name", "code_arg_language")
_TO_STANDARD: Final = str.maketrans("-_", "+/")


class PartReader:
    """Reads the parts of a history; calls have ids by which their results find them."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._calls = Calls()
        self._server_calls = Calls()
        self._used: set[tuple[str, str]] = set()
        self._made = 0

    def begin(self) -> None:
        """Begin a message: the ids of its calls are unique in it."""
        self._used = set()

    def read(self, part: Members) -> Said | None:
        """Return the part that one of theirs is; None where it is none."""
        kind = part.text("type") or ""
        if kind in _URLS and "modality" not in part:
            part.put("modality", kind.removesuffix("-url"))
        reader = _READERS.get(kind)
        made = reader(self, part) if reader is not None else None
        if made is not None:
            part.close()
        return made

    def answer(self, part: Members) -> Said | None:
        """Return text that a tool says as the result of the call that waits."""
        text = part.text("content") if part.text("type") == "text" else None
        call = None if text is None else self._calls.of_name(None)
        if call is None:
            return None
        self._reading.note("call-id-invented", part.place)
        part.close()
        return value_result(call.call_id, text), {"type": "text"}

    # --- text ------------------------------------------------------------------------------------

    def _text(self, part: Members) -> Said | None:
        if "content" in part and type(part.peek("content")) is not str:
            return None
        return text_part(part.text("content") or ""), {}  # content may be left out, for privacy

    def _reasoning(self, part: Members) -> Said | None:
        made = self._text(part)
        return None if made is None else (made[0] | {"kind": "thinking"}, {})

    # --- calls -----------------------------------------------------------------------------------

    def _call(self, part: Members) -> Said | None:
        server = part.drop(BUILT_IN, value=True)
        if not part.has_text("name"):
            return None
        given = part.value("arguments")
        arguments = given if isinstance(given, (str, dict)) else json_text(given)
        kept = {name: part.value(name) for name in _KEPT if name in part}
        made = self._called(part, {} if given is None else arguments, server=server)
        return made, kept | ({BUILT_IN: True} if server else {})

    def _server_call(self, part: Members) -> Said | None:
        given = part.peek("server_tool_call")
        if not part.has_text("name") or type(given) is not dict:
            return None
        part.value("server_tool_call")
        name = part.peek("name")
        arguments = {n: value for n, value in given.items() if n != "type" or value != name}
        kept = {} if "type" not in given or given["type"] == name else {"typed": True}
        return self._called(part, arguments, server=True), kept

    def _called(self, part: Members, arguments: Any, *, server: bool) -> Json:
        name, own = part.text("name") or "", part.text("id") or None
        kind = "server_tool_call" if server else "tool_call"
        call_id = own or ""
        if own is None or (kind, own) in self._used:
            self._reading.note("call-id-invented", part.place)
            call_id = self._free(kind)
        self._used.add((kind, call_id))
        calls = self._server_calls if server else self._calls
        calls.add(OpenCall(call_id, name, own))
        return call_part(call_id, name, arguments) | {"kind": kind}

    def _free(self, kind: str) -> str:
        self._made += 1
        while (kind, f"call_{self._made}") in self._used:
            self._made += 1
        return f"call_{self._made}"

    # --- results ---------------------------------------------------------------------------------

    def _result(self, part: Members) -> Said | None:
        server = part.drop(BUILT_IN, value=True)
        name = part.text("name") or None
        call = self._answered(part, name, server=server)
        if call is None:
            return None
        member = "response" if "response" in part else "result"
        place, given = part.at(member), part.peek(member)
        if member in part and given is None:
            self._reading.note("result-null", place)
        value = given if member in part else ""  # it may be left out, for privacy
        part.value(member)
        made = value_result(call.call_id, value)
        kept: Json = {"name": name} if name is not None and name != call.name else {}
        if server:
            made["kind"] = "server_tool_result"
            kept[BUILT_IN] = True
        return made, kept

    def _server_result(self, part: Members) -> Said | None:
        given = part.peek("server_tool_call_response")
        if type(given) is not dict:
            return None
        call = self._answered(part, None, server=True)
        if call is None:
            return None
        part.value("server_tool_call_response")
        said = {n: value for n, value in given.items() if n != "type" or value != call.name}
        is_text = said.keys() == {"content"} and isinstance(said["content"], str)
        made = value_result(call.call_id, said["content"] if is_text else said)
        kept = {"typed": True} if "type" in said else {}
        return made | {"kind": "server_tool_result"}, kept

    def _answered(self, part: Members, name: str | None, *, server: bool) -> OpenCall | None:
        """Return the call that a result answers; None where none fits, or it has a result here."""
        own, calls = part.text("id") or None, self._server_calls if server else self._calls
        call = calls.of_id(own) if own else calls.of_name(name)
        if own is None:
            if call is None:
                return None
            self._reading.note("call-id-invented", part.place)
        found = OpenCall(own or "", "", own) if call is None else call
        key = ("server_result" if server else "result", found.call_id)
        if server and key in self._used:
            return None
        self._used.add(key)
        return found

    # --- media -----------------------------------------------------------------------------------

    def _blob(self, part: Members) -> Said | None:
        place = part.place
        said = part.text("mime_type") or part.text("media_type") or None
        given = part.text("content")
        modality = part.text("modality")
        mime = said or _MIMES.get(modality or "", "application/octet-stream")
        if not given and "content" not in part:  # it is left out, for privacy
            made: Json | None = media_part(mime, {"kind": "inline", "data": ""}, None)
        else:
            made = inline(mime, (given or "").translate(_TO_STANDARD))
        if made is None:
            return None
        if said is None:
            self._reading.note("mime-invented", place)
        return self._media(part, made, mime, modality)

    def _uri(self, part: Members) -> Said | None:
        member = "uri" if "uri" in part else "url"
        url, modality = part.text(member), part.text("modality")
        if not url:
            return None
        said = part.text("mime_type") or None
        is_image = said.startswith("image/") if said else modality == "image"
        made = url_part(url, said, part.place, self._reading, image=is_image)
        kept = {} if said else {"mime_type": None}
        made, beside = self._media(part, made, made["payload"]["mimeType"], modality)
        return made, kept | beside

    def _file(self, part: Members) -> Said | None:
        file_id, modality = part.text("file_id"), part.text("modality")
        if not file_id:
            return None
        said = part.text("mime_type") or None
        if said is None:
            self._reading.note("mime-invented", part.place)
        mime = said or _MIMES.get(modality or "", "application/octet-stream")
        made = media_part(mime, {"kind": "ref", "ref": file_id}, None)
        return self._media(part, made, mime, modality)

    def _media(self, part: Members, made: Json, mime: str, modality: str | None) -> Said:
        kept: Json = {}
        if modality is not None and modality != modality_of(mime):
            kept["modality"] = modality
        if part.has_text("transcript"):
            made = _as_media(made)
            made["payload"]["transcript"] = part.text("transcript")
        return made, kept


def _as_media(part: Json) -> Json:
    """Return an image as media, which may have words."""
    if part["kind"] != "image":
        return part
    payload = part["payload"]
    source: Json = {"kind": "inline", "data": payload["data"]} if "data" in payload else {}
    return media_part(payload["mimeType"], source or {"kind": "url", "url": payload["url"]}, None)


_READERS: Final[dict[str, Callable[[PartReader, Members], Said | None]]] = {
    "text": PartReader._text,
    "reasoning": PartReader._reasoning,
    "thinking": PartReader._reasoning,
    "tool_call": PartReader._call,
    "tool_call_response": PartReader._result,
    "server_tool_call": PartReader._server_call,
    "server_tool_call_response": PartReader._server_result,
    "blob": PartReader._blob,
    "binary": PartReader._blob,
    "uri": PartReader._uri,
    "file": PartReader._file,
    **dict.fromkeys(_URLS, PartReader._uri),
}
