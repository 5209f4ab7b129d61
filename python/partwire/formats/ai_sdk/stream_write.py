"""Deltas and messages as the UI message stream: one run is one UI message, with a step for each.

What the events do not say is known when the stream has ended: it is read back as any other.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.contract.current.message import Message
from partwire.errors import PartwireError
from partwire.json.text import decode_json
from partwire.losses import Loss, in_order
from partwire.message.assembler.lines import BLANK
from partwire.reading.tolerant import Unknown

from ..core.back import ReadBack
from ..core.compared import Losses, compare_streams
from ..core.extension import PARTWIRE, heads
from ..core.reading import Json, Reading
from ..core.runs import RunAssembler, RunItem, item_of
from ..core.streams import already_done
from ..core.writing import plain
from .chunks import OUR_REASONS
from .extension import SAID
from .parts import UiParts, approval_of, error_text, file_part, output_of, source_part
from .state import OWN, metadata_of, pieces_of
from .stream_read import UiStreamReader

__all__ = ["UiStreamWriter", "writer"]

_FIRST: Final = "5"
_LAST: Final = "7"
_PIECES: Final = {
    "text-delta": ("id", "delta"),
    "reasoning-delta": ("id", "delta"),
    "tool-input-delta": ("toolCallId", "inputTextDelta"),
}


def writer(version: str, *, extensions: bool = False) -> UiStreamWriter:
    """Return a writer of one UI message stream."""
    return UiStreamWriter(version, extensions=extensions)


class UiStreamWriter:
    """Items in, chunks out; see :func:`partwire.formats.writer`."""

    def __init__(self, version: str, *, extensions: bool = False) -> None:
        self._version = version
        self._extensions = extensions
        self._run = RunAssembler()
        self._back = ReadBack(UiStreamReader(Reading(OWN)), _PIECES)
        self._losses = Losses()
        self._chunks: list[Json] = []
        self._has_begun = False
        self._is_over = False
        self._number = 0  # of the next part's id
        self._text: tuple[str, str] | None = None  # kind and id of the text that is open
        self._said: list[str] = []
        self._names: dict[str, str] = {}
        self._args: dict[str, list[str]] = {}
        self._media: dict[str, Json] = {}
        self._asked: dict[str, str] = {}  # the call of an approval
        self._refused: set[str] = set()
        self._citations = 0
        self._reason = ""
        self._calls: dict[
            str, bool
        ] = {}  # whose end has been written; whether the provider runs it
        self._has_spoken = False
        self._opaque: dict[str, Json] = {}  # that came before the end of the call
        self._messages = 0
        self._spoken = 0

    @property
    def losses(self) -> list[Loss]:
        """What the events do not say of the items; all of it once the stream has ended."""
        return in_order(self._losses.found)

    def feed(self, item: RunItem) -> list[Json]:
        """Take an item; raises as :meth:`RunAssembler.feed`, and changes nothing then.

        Behind the end of the stream it raises StreamProtocolError ``stream/already-done``.
        """
        if self._is_over:
            raise already_done()
        given = item_of(item)
        if given is BLANK:
            return []
        made: Json = {} if isinstance(given, Unknown) else plain(given)
        self._run.feed(given)
        if isinstance(given, Unknown):  # what it says is passed over, as everywhere
            return []
        if isinstance(given, Message):
            self._message(made)
        else:
            self._delta(made)
        return self._taken()

    def finish(self) -> list[Json]:
        """End the stream; one whose last message is cut ends with an error."""
        if self._is_over:
            return []
        self._is_over = True
        if self._run.open is not None:
            self._end_text(None)
            self._put({"type": "error", "errorText": "The stream ended before it was finished"})
        messages: list[Json] = plain(self._run.finish())
        self._begin(None)
        finish: Json = {"type": "finish"}
        if self._reason:
            finish["finishReason"] = self._reason
        self._put(finish)
        back = self._back.finish()
        if self._extensions:  # for whoever stores the message that the client has made
            finish["messageMetadata"] = {PARTWIRE: heads(messages)}
        compare_streams(messages, back, self._losses, own=OWN, heads=self._extensions)
        return self._taken()

    def _say(self, delta: Json) -> None:
        """Write a delta that the format has no event for, as metadata of the message."""
        if not self._extensions:
            return
        said = {name: value for name, value in delta.items() if name not in ("seq", "providerRaw")}
        self._spoken += 1
        number = str(self._messages - (delta["kind"] != "start"))
        entry = {number: {SAID: {str(self._spoken): said}}}
        metadata = {PARTWIRE: {"messages": entry}}
        self._put({"type": "message-metadata", "messageMetadata": metadata})

    def _with_own(self, metadata: Json, **own: Any) -> Json:
        """Return metadata with what is ours, where there is any."""
        mine = {name: value for name, value in own.items() if value}
        return {**metadata, PARTWIRE: mine} if mine and self._extensions else metadata

    def _put(self, chunk: Json) -> None:
        self._chunks.append(chunk)
        self._back.put(chunk)

    def _taken(self) -> list[Json]:
        taken, self._chunks = self._chunks, []
        return taken

    def _begin(self, message_id: str | None) -> None:
        if not self._has_begun:
            self._has_begun = True
            named = {"messageId": message_id} if message_id else {}
            self._put({"type": "start", **named})

    # --- deltas ----------------------------------------------------------------------------------

    def _delta(self, delta: Json) -> None:
        kind, payload = delta["kind"], delta["payload"]
        if kind in ("text", "thinking"):
            self._on_text(kind, payload)
            return
        if kind in ("usage", "warning"):
            self._say(delta)
            return
        if kind == "text_citation":
            self._citations += 1
            source = source_part(payload["citation"], self._citations)
            own = source.pop("providerMetadata", {})
            own = self._with_own(own, citation=payload["citation"])
            self._put({**source, "providerMetadata": own} if own else source)
            return
        if kind == "media_data":
            _join(self._media[payload["mediaId"]], payload)
            return
        self._end_text(None)
        if kind == "start":
            self._has_spoken = True
            self._begin(delta.get("messageId"))
            self._say(delta)
            self._messages += 1
            self._put({"type": "start-step"})
        elif kind == "done":
            self._say(delta)
            self._reason = OUR_REASONS.get(payload["finishReason"], "other")
            self._put({"type": "finish-step"})
        elif kind == "error":
            self._say(delta)
            self._on_error(payload)
        elif kind == "media_start":
            self._media[payload["mediaId"]] = {**payload, "data": bytearray()}
        elif kind == "media_end":
            media = self._media.pop(payload["mediaId"])
            part = _file(media, payload, self._version)
            if _is_named(part):
                return
            opaque = payload.get("opaque") or media.get("opaque")
            part.pop("filename", None)  # which the client does not take from this event
            words = "".join(media["words"]) if "words" in media else None
            said = {"name": media.get("name"), "transcript": words}
            said["sizeBytes"] = payload.get("sizeBytes")
            said = {name: value for name, value in said.items() if value is not None}
            own = self._with_own(part.pop("providerMetadata", {}), opaque=opaque, media=said)
            self._put({**part, "providerMetadata": own} if own else part)
        elif kind == "server_tool_result":
            self._result(payload, server=True)
        elif kind == "approval_request":
            self._approval(payload)
        else:
            self._on_call(kind, payload)

    def _on_error(self, payload: Json) -> None:
        said = payload.get("message") or payload["errorCode"]
        if payload["errorCode"] == "cancelled":
            reason = {} if self._version == _FIRST else {"reason": said}
            self._put({"type": "abort", **reason})
        else:
            self._put({"type": "error", "errorText": said})

    def _on_text(self, kind: str, payload: Json) -> None:
        name = "text" if kind == "text" else "reasoning"
        if self._text is not None and self._text[0] != name:
            self._end_text(None)
        if payload["textDelta"] or "opaque" in payload:
            if self._text is None:
                self._number += 1
                self._text = (name, str(self._number))
                self._put({"type": f"{name}-start", "id": str(self._number)})
            if text := payload["textDelta"]:
                self._said.append(text)
                self._put({"type": f"{name}-delta", "id": self._text[1], "delta": text})
        if "opaque" in payload:
            self._end_text(payload["opaque"])

    def _end_text(self, opaque: Json | None) -> None:
        """End the text that is open, with the state of all of it; of pieces of it there is none."""
        if self._text is None:
            return
        name, text_id = self._text
        text, self._text, self._said = "".join(self._said), None, []
        ours = "text" if name == "text" else "thinking"
        first, *others = pieces_of(ours, text, opaque)
        whole = [each for each in (first, *others) if each.text == text and each.metadata]
        end: Json = {"type": f"{name}-end", "id": text_id}
        metadata = self._with_own(whole[0].metadata if whole else {}, opaque=opaque)
        if metadata:
            end["providerMetadata"] = metadata
        self._put(end)

    def _on_call(self, kind: str, payload: Json) -> None:
        call_id, server = payload["toolCallId"], kind.startswith("server_")
        step = kind.rpartition("_")[2]
        if "opaque" in payload and step != "end":
            self._opaque[call_id] = payload["opaque"]  # the last one counts
        ran = {"providerExecuted": True} if server else {}
        if step == "start":
            self._names[call_id], self._args[call_id] = payload["toolName"], []
            name = {"toolName": payload["toolName"]}
            self._put({"type": "tool-input-start", "toolCallId": call_id, **name, **ran})
            return
        if step == "args":
            text = payload["argsTextDelta"]
            if text:
                self._args[call_id].append(text)
                said = {"toolCallId": call_id, "inputTextDelta": text}
                self._put({"type": "tool-input-delta", **said})
            return
        raw = "".join(self._args.pop(call_id))
        self._calls[call_id] = server
        end: Json = {
            "type": "tool-input-available",
            "toolCallId": call_id,
            "toolName": self._names[call_id],
            "input": _input(raw),
            **ran,
        }
        ours = "server_tool_call" if server else "tool_call"
        opaque = payload.get("opaque") or self._opaque.pop(call_id, None)
        metadata = self._with_own(metadata_of(ours, opaque), opaque=opaque)
        if metadata:
            end["providerMetadata"] = metadata
        self._put(end)

    def _approval(self, payload: Json) -> None:
        if self._version != _FIRST:
            said = approval_of(payload, self._version)
            asked = {"approvalId": said.pop("id"), "toolCallId": payload["toolCallId"]}
            if "requestReason" in said:
                said["reason"] = said.pop("requestReason")
            self._asked[payload["approvalId"]] = payload["toolCallId"]
            self._put({"type": "tool-approval-request", **asked, **said})

    # --- whole messages --------------------------------------------------------------------------

    def _result(self, payload: Json, *, server: bool) -> None:
        call_id = payload["toolCallId"]
        if self._calls.get(call_id, server) != server:
            return  # the client would take the call for one of the other kind
        if call_id not in self._calls:
            # The client takes no result of a call that it does not have. Before all else it may
            # have it: of the message with which the stream goes on.
            if server or self._has_spoken:
                return
            self._begin(None)
        said: Json = {"toolCallId": call_id}
        ran: Json = {"providerExecuted": True} if server else {}
        metadata = metadata_of("server_tool_result", payload.get("opaque")) if server else {}
        own = {name: value for name, value in payload.items() if name != "toolCallId"}
        metadata = self._with_own(metadata, result=own)
        has_place = bool(metadata) and self._version != _FIRST
        state: Json = {"providerMetadata": metadata} if has_place else {}
        # The client has to know of the answer: of an earlier stream, or of this one.
        is_known = call_id in self._refused or call_id not in self._calls
        denied = payload.get("outcome") == "denied" and self._version != _FIRST and not server
        if denied and is_known:
            self._put({"type": "tool-output-denied", **said})
        elif payload["isError"]:
            said["errorText"] = error_text(payload)
            self._put({"type": "tool-output-error", **said, **ran, **state})
        else:
            said["output"] = output_of(payload)
            if payload.get("outcome") == "partial":
                said["preliminary"] = True
            self._put({"type": "tool-output-available", **said, **ran, **state})

    def _message(self, message: Json) -> None:
        self._messages += 1
        if message["role"] == "assistant":
            self._assistant(message)
            return
        for part in message["parts"] if message["role"] == "tool" else ():
            payload = part["payload"]
            if part["kind"] == "tool_result":
                self._result(payload, server=False)
            elif part["kind"] == "approval_response" and self._version == _LAST:
                said = {"approvalId": payload["approvalId"]}
                said["approved"] = payload["decision"] == "approved"
                if not said["approved"] and payload["approvalId"] in self._asked:
                    self._refused.add(self._asked[payload["approvalId"]])
                reason = {"reason": payload["reason"]} if "reason" in payload else {}
                self._put({"type": "tool-approval-response", **said, **reason})

    def _assistant(self, message: Json) -> None:
        """Write a whole message of the assistant as its step."""
        self._has_spoken = True
        self._begin(message.get("messageId"))
        self._put({"type": "start-step"})
        parts = UiParts(self._version)
        parts.add(0, message)
        for part in parts.parts:
            for chunk in self._chunks_of(part):
                self._put(chunk)
        self._reason = OUR_REASONS.get(message.get("meta", {}).get("finishReason", ""), "")
        self._put({"type": "finish-step"})

    def _chunks_of(self, part: Json) -> list[Json]:
        kind = part["type"]
        if kind in ("text", "reasoning"):
            self._number += 1
            text_id = str(self._number)
            metadata = {n: part[n] for n in ("providerMetadata",) if n in part}
            delta = {"type": f"{kind}-delta", "id": text_id, "delta": part["text"]}
            return [
                {"type": f"{kind}-start", "id": text_id},
                *([delta] if part["text"] else []),
                {"type": f"{kind}-end", "id": text_id, **metadata},
            ]
        if kind == "step-start" or _is_named(part):
            return []
        if kind.startswith("tool-"):
            return self._tool_chunks(part)
        # The client does not take the name of a file from the event.
        return [{name: value for name, value in part.items() if name != "filename"}]

    def _tool_chunks(self, part: Json) -> list[Json]:
        call: Json = {"toolCallId": part["toolCallId"]}
        self._calls[part["toolCallId"]] = "providerExecuted" in part
        ran = {"providerExecuted": True} if "providerExecuted" in part else {}
        available = {
            "type": "tool-input-available",
            **call,
            "toolName": part["type"].removeprefix("tool-"),
            "input": part["input"],
            **ran,
        }
        if "callProviderMetadata" in part:
            available["providerMetadata"] = part["callProviderMetadata"]
        made = [available]
        if (approval := part.get("approval")) is not None:
            said = {n: v for n, v in approval.items() if n != "id"}
            if "requestReason" in said:
                said["reason"] = said.pop("requestReason")
            self._asked[approval["id"]] = part["toolCallId"]
            made.append(
                {"type": "tool-approval-request", "approvalId": approval["id"], **call, **said}
            )
        if part["state"] == "output-available":
            made.append({"type": "tool-output-available", **call, "output": part["output"], **ran})
        elif part["state"] == "output-error":
            said = {"errorText": part["errorText"]}
            made.append({"type": "tool-output-error", **call, **said, **ran})
        return made


def _input(raw: str) -> Any:
    """Return the value that argument text is; the text itself where it is not an object."""
    if not raw:
        return {}
    try:
        value = decode_json(raw.encode())
    except (PartwireError, UnicodeEncodeError):
        return raw
    return value if isinstance(value, dict) else raw


def _join(media: Json, payload: Json) -> None:
    import base64  # noqa: PLC0415

    if "data" in payload:
        media["data"] = bytearray(base64.b64decode(payload["data"]))
    if "transcriptDelta" in payload:
        media.setdefault("words", []).append(payload["transcriptDelta"])
    if "dataDelta" in payload:
        media["data"] += base64.b64decode(payload["dataDelta"])


def _is_named(part: Json) -> bool:
    """Return whether a file has only the name that a provider gave it, which no event brings.

    Without that, and without a URL, the client has a file that it cannot send back.
    """
    return "providerReference" in part


def _file(media: Json, end: Json, version: str) -> Json:
    import base64  # noqa: PLC0415

    source = end.get("source")
    if source is None:
        source = {"kind": "inline", "data": base64.b64encode(media["data"]).decode()}
    payload = {"mimeType": end.get("mimeType") or media["mimeType"], "source": source}
    if "name" in media:
        payload["name"] = media["name"]
    opaque = end.get("opaque") or media.get("opaque")
    if opaque:
        payload["opaque"] = opaque
    return file_part("media", payload, version)
