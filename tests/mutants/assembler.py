"""An assembler of JSON values, written plainly after the semantics: what is asked is worked out."""

from __future__ import annotations

import re
from typing import Any

from tests.mutants.json_text import depth_of
from tests.mutants.reader import Kept, definitions
from tests.mutants.sizes import refuse, size
from tests.mutants.whole import Whole

Json = dict[str, Any]


class Assembler(Whole):
    """One stream. A delta is checked first and taken then, so that a refusal changes nothing."""

    def consume(self, delta: Json) -> None:
        """Take a delta, or raise Refused and be as before."""
        self.check_place(delta)
        if delta["kind"] != "start":
            self.check_ids(delta)
        self.check_seq(delta)
        if isinstance(delta, Kept):
            self.on_unknown(delta)
        else:
            getattr(self, f"on_{delta['kind']}")(delta, delta["payload"])
        self.last_seq = delta["seq"]

    # --- rules of every delta -----------------------------------------------------------------

    def check_place(self, delta: Json) -> None:
        """The first one is start, the only one, and nothing follows the end."""
        if self.end:
            refuse("stream/after-terminal")
        if not self.start and delta["kind"] != "start":
            refuse("stream/start-expected")
        if self.start and delta["kind"] == "start":
            refuse("stream/duplicate-start")
        if self.run_id not in (None, delta["runId"]):
            refuse("stream/run-id-mismatch")

    def check_ids(self, delta: Json) -> None:
        """Ids are the start's, or not there."""
        if delta["runId"] != self.start["runId"]:
            refuse("stream/run-id-mismatch")
        if "messageId" in delta and delta["messageId"] != self.start.get("messageId"):
            refuse("stream/message-id-mismatch")
        if "turnId" in delta and delta["turnId"] != self.start.get("turnId"):
            refuse("stream/turn-id-mismatch")

    def check_seq(self, delta: Json) -> None:
        if delta["seq"] <= self.last_seq:
            refuse("stream/seq-not-increasing")

    def check_time(self, delta: Json) -> None:
        """A time that goes into the message has the contract's form."""
        pattern = definitions("message", "v0.3")["Timestamp"]["pattern"].removesuffix("$")
        if not re.search(pattern + r"\Z", delta["timestamp"]):
            refuse("stream/invalid-timestamp")

    # --- one method per kind --------------------------------------------------------------------

    def on_start(self, delta: Json, payload: Json) -> None:
        ids = [delta[name] for name in ("runId", "messageId", "turnId") if name in delta]
        for each in (*ids, payload["modelId"], payload["requestId"]):
            self.check_id(each)
        author, form = payload.get("author", {}), payload.get("format", {})
        path = author.get("agentPath", [])
        for each in (author.get("name", ""), *path, *form.values()):
            self.check_id(each)
        self.check_limit("agents", len(path))
        self.check_time(delta)
        self.start = delta

    def on_text(self, delta: Json, payload: Json) -> None:
        self.take_text(delta["kind"], payload["textDelta"], payload.get("opaque"))

    on_thinking = on_text

    def take_text(self, kind: str, text: str, opaque: Json | None) -> None:
        if not text and opaque is None:
            return
        slot = self.place_of_text(kind, text, opaque)
        if slot is None:
            self.check_limit("parts", len(self.slots) + 1)
        self.check_opaque(opaque, None)
        self.check_text(text)
        if slot is None:
            slot = {"kind": kind, "text": ""}
            self.slots.append(slot)
        slot["text"] += text
        if opaque is not None:
            self.take_opaque_of_text(slot, opaque)

    def place_of_text(self, kind: str, text: str, opaque: Json | None) -> Json | None:
        """Return the part that a piece of text joins: the last one; None where it begins one."""
        last = self.slots[-1] if self.slots else {"kind": ""}
        return last if last["kind"] == kind and "opaque" not in last else None

    def take_opaque_of_text(self, slot: Json, opaque: Json) -> None:
        slot["opaque"] = opaque

    def on_tool_call_start(self, delta: Json, payload: Json) -> None:
        call_id = payload["toolCallId"]
        self.check_id(call_id)
        if call_id in self.calls:
            refuse("stream/duplicate-tool-call")
        self.check_limit("tool_calls", len(self.calls) + 1)
        self.check_limit("parts", len(self.slots) + 1)
        self.check_opaque(payload.get("opaque"), None)
        slot = {
            "kind": delta["kind"].removesuffix("_start"),
            "id": call_id,
            "name": payload["toolName"],
            "raw": "",
            "open": True,
        }
        self.calls[call_id] = slot
        self.slots.append(slot)
        self.take_opaque_of_call(slot, payload)

    on_server_tool_call_start = on_tool_call_start

    def on_tool_call_args(self, delta: Json, payload: Json) -> None:
        self.check_kind(delta)
        call = self.open_call(payload["toolCallId"])
        self.check_opaque(payload.get("opaque"), call)
        self.check_limit("arguments_bytes", size(call["raw"]) + size(payload["argsTextDelta"]))
        self.take_arguments(call, payload["argsTextDelta"])
        self.take_opaque_of_call(call, payload)

    on_server_tool_call_args = on_tool_call_args

    def take_arguments(self, call: Json, text: str) -> None:
        call["raw"] += text

    def on_tool_call_end(self, delta: Json, payload: Json) -> None:
        self.check_kind(delta)
        call = self.open_call(payload["toolCallId"])
        self.check_opaque(payload.get("opaque"), call)
        self.check_limit("arguments_depth", depth_of(call["raw"]))
        self.close_call(call)
        self.take_opaque_of_call(call, payload)

    on_server_tool_call_end = on_tool_call_end

    def close_call(self, call: Json) -> None:
        call["open"] = False
        call["arguments"], call["keep"], call["error"] = self.parse(call["raw"])

    def open_call(self, call_id: str) -> Json:
        if call_id not in self.calls:
            refuse("stream/unknown-tool-call")
        if not self.calls[call_id]["open"]:
            refuse("stream/tool-call-closed")
        return self.calls[call_id]

    def check_kind(self, delta: Json) -> None:
        """A call of a tool that the provider runs is none of the caller's, and the other way."""
        kind = delta["kind"].rpartition("_")[0]
        if self.calls.get(delta["payload"]["toolCallId"], {}).get("kind", kind) != kind:
            refuse("stream/unknown-tool-call")

    def on_usage(self, delta: Json, payload: Json) -> None:
        self.usage = {**self.usage, **payload}

    def on_done(self, delta: Json, payload: Json) -> None:
        if any(call["open"] for call in self.calls.values()):
            refuse("stream/tool-call-open")
        if any(media["open"] for media in self.media.values()):
            refuse("stream/media-open")
        self.on_error(delta, payload)

    def on_error(self, delta: Json, payload: Json) -> None:
        self.check_time(delta)
        self.end = delta

    def on_unknown(self, delta: Json) -> None:
        if delta["kind"] not in self.unknown:
            self.unknown.append(delta["kind"])
