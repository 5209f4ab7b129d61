"""What comes whole, and media: the kinds of v0.3, as plainly as the others."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from tests.mutants.sizes import nesting, refuse, shallow, size, weight_of
from tests.mutants.stream import Stream

Json = dict[str, Any]


class Whole(Stream):
    """Citations, results, requests for approval, media and warnings."""

    # --- limits -----------------------------------------------------------------------------------

    def check_limit(self, name: str, size: int) -> None:
        if size > self.limits[name]:
            refuse(f"stream/limit-exceeded {name}")

    def id_length(self, text: str) -> int:
        """Return the length of an id in code points."""
        return len(text)

    def check_id(self, text: str) -> None:
        self.check_limit("id_chars", self.id_length(text))

    def check_text(self, text: str) -> None:
        kept = sum(size(each.get("text", "")) for each in self.slots)
        self.check_limit("text_bytes", kept + size(text))

    def check_payload(self, payload: Json, *apart: str) -> Json:
        """Return what counts of a payload, which is all but what has separate limits."""
        counted = {name: value for name, value in payload.items() if name not in apart}
        seen = shallow(counted, self.limits["payload_depth"])
        self.check_limit("payload_bytes", sum(map(weight_of, [*self.payloads, seen])))
        self.check_limit("payload_depth", nesting(counted))
        return counted

    def check_opaque(self, opaque: Json | None, call: Json | None) -> None:
        """Count what is kept, with ``opaque`` in the place of what the call had."""
        if opaque is None:
            return
        kept = [each["opaque"] for each in self.slots if each is not call and "opaque" in each]
        seen = {**opaque, "data": shallow(opaque["data"], self.limits["opaque_depth"])}
        self.check_limit("opaque_bytes", sum(map(self.weight, [*kept, seen])))
        self.check_limit("opaque_depth", nesting(opaque["data"]))

    def weight(self, opaque: Json) -> int:
        return 8 + size(opaque["provider"]) + weight_of(opaque["data"])

    def take_opaque_of_call(self, call: Json, payload: Json) -> None:
        if "opaque" in payload:
            call["opaque"] = payload["opaque"]

    # --- citations --------------------------------------------------------------------------------

    def on_text_citation(self, delta: Json, payload: Json) -> None:
        slot = self.cited(payload)
        self.payloads.append(self.check_payload(payload, "partIndex"))
        slot.setdefault("citations", []).append(payload["citation"])

    def cited(self, payload: Json) -> Json:
        """Return the text that a citation is of."""
        texts = [place for place, slot in enumerate(self.slots) if slot["kind"] == "text"]
        place = payload.get("partIndex", texts[-1] if texts else -1)
        if place not in texts:
            refuse("stream/unknown-text-part")
        return self.slots[place]

    # --- parts ------------------------------------------------------------------------------------

    def on_server_tool_result(self, delta: Json, payload: Json) -> None:
        self.check_id(payload["toolCallId"])
        self.check_ended(payload["toolCallId"])
        if self.calls.get(payload["toolCallId"], {}).get("kind") == "tool_call":
            refuse("stream/unknown-tool-call")
        if payload["toolCallId"] in self.payloads_of("server_tool_result", "toolCallId"):
            refuse("stream/duplicate-tool-result")
        self.add_whole("server_tool_result", payload)

    def on_approval_request(self, delta: Json, payload: Json) -> None:
        self.check_id(payload["approvalId"])
        if payload["toolCallId"] not in self.calls:
            refuse("stream/unknown-tool-call")
        self.check_ended(payload["toolCallId"])
        if payload["approvalId"] in self.payloads_of("approval_request", "approvalId"):
            refuse("stream/duplicate-approval")
        self.add_whole("approval_request", payload)

    def check_ended(self, call_id: str) -> None:
        if self.calls.get(call_id, {}).get("open"):
            refuse("stream/tool-call-open")

    def payloads_of(self, kind: str, member: str) -> list[str]:
        return [slot["payload"][member] for slot in self.slots if slot["kind"] == kind]

    def add_whole(self, kind: str, payload: Json) -> None:
        self.check_limit("parts", len(self.slots) + 1)
        self.payloads.append(self.check_payload(payload))
        self.slots.append({"kind": kind, "payload": payload})

    # --- media ------------------------------------------------------------------------------------

    def on_media_start(self, delta: Json, payload: Json) -> None:
        self.check_id(payload["mediaId"])
        if payload["mediaId"] in self.media:
            refuse("stream/duplicate-media")
        self.check_limit("parts", len(self.slots) + 1)
        counted = self.check_payload(payload, "opaque")
        self.check_opaque(payload.get("opaque"), None)
        self.payloads.append(counted)
        slot = {"kind": "media", "start": payload, "text": "", "bytes": b"", "open": True}
        self.media[payload["mediaId"]] = slot
        self.slots.append(slot)
        self.take_opaque_of_call(slot, payload)

    def on_media_data(self, delta: Json, payload: Json) -> None:
        slot = self.open_media(payload["mediaId"])
        self.check_text(payload.get("transcriptDelta", ""))
        data = self.joined(slot, payload)
        self.check_media(slot, data)
        slot["text"] += payload.get("transcriptDelta", "")
        slot["bytes"] = data

    def joined(self, slot: Json, payload: Json) -> bytes:
        """Return the bytes of media with those that a delta brings."""
        before: bytes = b64decode(payload["data"]) if "data" in payload else slot["bytes"]
        return before + b64decode(payload.get("dataDelta", ""))

    def check_media(self, slot: Json, data: bytes) -> None:
        held = [each["bytes"] for each in self.media.values() if each is not slot]
        letters = sum(len(b64encode(each)) for each in [*held, data])
        self.check_limit("media_bytes", letters)

    def on_media_end(self, delta: Json, payload: Json) -> None:
        slot = self.open_media(payload["mediaId"])
        source = payload.get("source")
        if source is None and not slot["bytes"]:
            refuse("stream/empty-media")
        inline = source is not None and source["kind"] == "inline"
        counted = self.check_payload(payload, "opaque", *(["source"] if inline else []))
        self.check_opaque(payload.get("opaque"), slot)
        data = slot["bytes"] if source is None else b64decode(source["data"]) if inline else b""
        self.check_media(slot, data)
        self.payloads.append(counted)
        slot |= {"open": False, "bytes": data, "end": payload}
        self.take_opaque_of_call(slot, payload)

    def open_media(self, media_id: str) -> Json:
        if media_id not in self.media:
            refuse("stream/unknown-media")
        if not self.media[media_id]["open"]:
            refuse("stream/media-closed")
        return self.media[media_id]

    # --- warnings ---------------------------------------------------------------------------------

    def on_warning(self, delta: Json, payload: Json) -> None:
        if payload not in self.warnings:
            self.payloads.append(self.check_payload(payload))
            self.warnings.append(payload)
