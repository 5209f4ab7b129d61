"""Model messages: what the SDK gives to models, and what agents store of it."""

from __future__ import annotations

from typing import Any

from ..core.reading import Json, Members, Reading
from .server_tools import with_block
from .state import opaque_of, own_state
from .steps import Steps, text_like
from .values import call_of, file_of, result_of, typed_result

__all__ = ["ModelMessages"]


class ModelMessages:
    """Reads the model messages of one history: calls and approvals are known by their ids."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._names: dict[str, str] = {}
        self._server: set[str] = set()
        self._calls: dict[str, str] = {}  # approval → call

    def read(self, role: str, message: Members) -> None:
        """Read one message, and add what it is."""
        steps = Steps(self._reading)
        place, content = message.at("content"), message.value("content")
        if isinstance(content, str):
            if role == "tool" and content:  # it does not say of which call
                self._reading.note("foreign-part", place)
                content = ""
            content = [{"type": "text", "text": content}] if content else []
        for at, block in self._reading.items(content, place):
            if self._read(role, block, at, steps):
                block.close()
            else:
                self._reading.note("foreign-part", at)
        steps.end()
        head = {"messageId": message.text("id") or None}
        made = steps.messages(role, {k: v for k, v in head.items() if v is not None})
        for each in made:
            self._reading.add(each.pop("role"), each.pop("parts"), **each)
        message.close()

    def _read(self, role: str, block: Members, place: str, steps: Steps) -> bool:
        kind = block.text("type") or ""
        if role == "tool" and kind not in ("tool-result", "tool-approval-response"):
            return False
        if kind == "text" and (text := block.text("text")) is not None:
            steps.say(text_like("text", text, self._opaque(role, "text", block, text)))
        elif kind in ("file", "image"):
            part = file_of(block, place, self._reading, is_image=kind == "image")
            if part is None:
                return False
            steps.say(part)
        elif kind == "reasoning" and role == "assistant":
            text = block.text("text") or ""
            steps.say(text_like("thinking", text, self._thinking(role, block, text)))
        elif kind == "redacted-reasoning" and role == "assistant" and (data := block.text("data")):
            metadata = {"anthropic": {"redactedData": data}}
            opaque = opaque_of("thinking", metadata, "", place, self._reading)
            steps.say(text_like("thinking", "", opaque))
        elif kind == "tool-call":
            return self._call(role, block, steps)
        elif kind == "tool-result":
            return self._result(role, block, steps)
        elif kind in ("tool-approval-request", "tool-approval-response"):
            return self._approval(role, kind, block, steps)
        else:
            return False
        return True

    def _opaque(self, role: str, kind: str, block: Members, text: str) -> Json | None:
        """Take the options of a block of an assistant, which is where its state goes back."""
        if role != "assistant":
            return None
        name = "providerOptions" if "providerOptions" in block else "providerMetadata"
        metadata = block.object(name)
        if not metadata:
            return None
        return opaque_of(kind, metadata, text, block.at(name), self._reading)

    def _thinking(self, role: str, block: Members, text: str) -> Json | None:
        if (signature := block.text("signature")) is not None:  # of version 4
            metadata = {"anthropic": {"signature": signature}}
            return opaque_of("thinking", metadata, text, block.place, self._reading)
        return self._opaque(role, "thinking", block, text)

    def _call(self, role: str, block: Members, steps: Steps) -> bool:
        call_id, name = block.text("toolCallId"), block.text("toolName")
        if role != "assistant" or not call_id or not name:
            return False
        given = block.value("input") if "input" in block else block.value("args")
        server = block.flag("providerExecuted") or False
        self._names[call_id] = name
        if server:
            self._server.add(call_id)
        kind = "server_tool_call" if server else "tool_call"
        opaque = self._opaque(role, kind, block, "")
        steps.say(call_of(call_id, name, given, server=server, opaque=opaque))
        return True

    def _result(self, role: str, block: Members, steps: Steps) -> bool:
        call_id = block.text("toolCallId")
        if role not in ("assistant", "tool") or not call_id:
            return False
        place, given = block.at("output"), block.object("output")
        part: Json | None
        if given is not None:
            output = Members(given, place, self._reading)
            part = typed_result(call_id, output, self._reading)
            if part is not None:
                output.close()
        else:
            member = "output" if "output" in block else "result"
            part = result_of(call_id, block.value(member), block.at(member), self._reading)
        if part is None:
            return False
        if block.flag("isError"):
            part["payload"] |= {"isError": True, "outcome": "error"}
        if (name := block.text("toolName")) and self._names.get(call_id) != name:
            self._reading.note("tool-name", block.at("toolName"))
        if role == "assistant" and call_id in self._server:
            part["kind"] = "server_tool_result"
            opaque = self._opaque(role, "server_tool_result", block, "")
            if opaque is not None:
                part["payload"]["opaque"] = opaque
            part["payload"] = with_block(part["payload"])
            steps.say(part)
        else:
            steps.answer(part)
        return True

    def _approval(self, role: str, kind: str, block: Members, steps: Steps) -> bool:
        approval_id = block.text("approvalId")
        call_id = block.text("toolCallId") or self._calls.get(approval_id or "")
        if not approval_id or not call_id:
            return False
        payload: Json = {"approvalId": approval_id, "toolCallId": call_id}
        reason = block.text("reason")
        if reason is not None:
            payload["reason"] = reason
        if kind == "tool-approval-request":
            if role != "assistant":
                return False
            self._calls[approval_id] = call_id
            kept: dict[str, Any] = {
                name: block.value(name) for name in ("isAutomatic", "signature") if name in block
            }
            if kept:
                payload["opaque"] = own_state(kept)
            steps.say({"kind": "approval_request", "payload": payload})
            return True
        approved = block.flag("approved")
        if approved is None:
            return False
        if call_id in self._server:
            block.skip("providerExecuted", True)
        payload["decision"] = "approved" if approved else "denied"
        steps.answer({"kind": "approval_response", "payload": payload})
        return True
