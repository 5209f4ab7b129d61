"""What an assembler keeps of a stream, and what can be read of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from tests.mutants.json_text import SPACE, JSONText, Refused, depth_of
from tests.mutants.sizes import LIMITS
from tests.reference.partial_json_reference import (
    can_become_any,
    can_become_valid,
    expected_of_any,
    expected_value,
)

Json = dict[str, Any]


class Stream:
    """One stream so far. ``slots`` are its parts in order, open calls among them."""

    def __init__(self, run_id: str | None, limits: dict[str, int]) -> None:
        self.run_id = run_id
        self.limits = {**LIMITS, **limits}
        self.start: Json = {}
        self.end: Json = {}
        self.last_seq = -1
        self.slots: list[Json] = []
        self.calls: dict[str, Json] = {}
        self.media: dict[str, Json] = {}
        self.payloads: list[Json] = []  # what counts of those that came whole
        self.warnings: list[Json] = []
        self.usage: Json = {}
        self.unknown: list[str] = []

    def parse(self, text: str) -> tuple[Json, bool, str | None]:
        """Return arguments, whether to keep their text, and what is wrong with it."""
        if not text.strip(SPACE):
            return {}, False, None
        try:
            value = JSONText().parse(text.encode("utf-8"))
        except (Refused, UnicodeEncodeError):
            return {}, True, "invalid_json"
        if not isinstance(value, dict):
            return {}, True, "not_an_object"
        return value, self.holds_large(value), None

    def holds_large(self, value: Any) -> bool:
        if isinstance(value, (dict, list)):
            members = value.values() if isinstance(value, dict) else value
            return any(self.holds_large(each) for each in members)
        return isinstance(value, int) and abs(value) > 2**53 - 1

    # --- what is read -----------------------------------------------------------------------------

    def snapshot(self) -> Json:
        """Return the message so far, without usage and open calls."""
        meta = {name: self.start["payload"][name] for name in ("modelId", "requestId")}
        parts = [self.part(slot) for slot in self.slots if not slot.get("open")]
        errors = [
            {"toolCallId": slot["id"], "error": slot["error"]}
            for slot in self.slots
            if slot.get("error")
        ]
        ids: Json = {
            name: self.start[name]
            for name in ("runId", "messageId", "turnId")
            if name in self.start
        }
        meta |= {"toolCallParseErrors": errors} if errors else {}
        meta |= {"warnings": list(self.warnings)} if self.warnings else {}
        author = self.start["payload"].get("author")
        ids |= {"author": author} if author is not None else {}
        time = self.start["timestamp"]
        return {**ids, "role": "assistant", "parts": parts, "timestamp": time, "meta": meta}

    def part(self, slot: Json) -> Json:
        if "payload" in slot:
            return {"kind": slot["kind"], "payload": slot["payload"]}
        if slot["kind"] == "media":
            payload = self.media_payload(slot)
        elif "raw" in slot:
            payload = {
                "toolCallId": slot["id"],
                "toolName": slot["name"],
                "arguments": slot["arguments"],
            }
            payload |= {"rawArgsText": slot["raw"]} if slot["keep"] else {}
        else:
            payload = {"text": slot["text"]}
            if slot["kind"] == "text":
                payload |= {"citations": list(slot["citations"])} if "citations" in slot else {}
                payload |= self.form()
        payload |= {"opaque": slot["opaque"]} if "opaque" in slot else {}
        return {"kind": slot["kind"], "payload": payload}

    def form(self) -> Json:
        """Return the format of each text."""
        names = self.start["payload"].keys() & {"format"}
        return {name: self.start["payload"][name] for name in names}

    def media_payload(self, slot: Json) -> Json:
        start, end = slot["start"], slot["end"]
        bytes_that_came = {"kind": "inline", "data": b64encode(slot["bytes"]).decode()}
        made = {"mimeType": start["mimeType"], "source": bytes_that_came}
        made |= {name: start[name] for name in ("name",) if name in start}
        made |= {name: end[name] for name in ("mimeType", "source", "sizeBytes") if name in end}
        return made | ({"transcript": slot["text"]} if slot["text"] else {})

    def message(self) -> Json:
        """Return the message of a stream that is over, or was cut."""
        found = self.snapshot()
        meta = found["meta"]
        if self.end:
            meta["completedAt"] = self.end["timestamp"]
        meta |= {"usage": self.usage} if self.usage else {}
        if self.end.get("kind") == "done":
            meta |= self.end["payload"]
        else:
            ending = "error" if self.end else "truncated"
            waiting = [slot["id"] for slot in self.slots if slot.get("open") and "raw" in slot]
            meta["incomplete"] = {"ending": ending, "openToolCallIds": waiting}
            media = [media_id for media_id, slot in self.media.items() if slot["open"]]
            meta["incomplete"] |= {"openMediaIds": media} if media else {}
        return found

    def progress(self) -> Json:
        """Return what a snapshot leaves out."""
        waiting = [
            {
                "toolCallId": slot["id"],
                "toolName": slot["name"],
                "rawArgsText": slot["raw"],
                "partialArguments": self.preview(slot["raw"]),
                **({"isServer": True} if slot["kind"] == "server_tool_call" else {}),
            }
            for slot in self.slots
            if slot.get("open") and "raw" in slot
        ]
        media = [
            {
                "mediaId": media_id,
                "mimeType": slot["start"]["mimeType"],
                "transcript": slot["text"],
                "data": b64encode(slot["bytes"]).decode(),
            }
            for media_id, slot in self.media.items()
            if slot["open"]
        ]
        values = [
            {"partIndex": index, **self.value_of(slot["text"])}
            for index, slot in enumerate(self.slots)
            if slot["kind"] == "text" and self.form()
        ]
        found: Json = {"openCalls": waiting}
        found |= {"usage": self.usage} if self.usage else {}
        found |= {"openMedia": media} if media else {}
        return found | ({"partialValues": values} if values else {})

    def value_of(self, text: str) -> Json:
        """Return what is certain of a JSON value, of a text that is the beginning of one."""
        if depth_of(text) > self.limits["arguments_depth"] or not can_become_any(text):
            return {}
        found = expected_of_any(text)
        return {} if found is None else {"partialValue": found[0]}

    def preview(self, text: str) -> Json:
        """Return what is certain of cut arguments: of those that broke, what was before."""
        while not can_become_valid(text):
            text = text[:-1]
        return expected_value(text)

    def result(self) -> Json:
        """Return how the stream ends when no more comes."""
        if self.end.get("kind") == "done":
            return {"message": self.message()}
        if self.end:
            failure = {"error": {"rule": "stream/failed"}, "failure": self.end["payload"]}
            return failure | {"partial": self.message()}
        cut = {"error": {"rule": "stream/truncated"}}
        return cut | ({"partial": self.message()} if self.start else {})
