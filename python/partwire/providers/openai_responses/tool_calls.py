"""Tool calls of a response: functions and custom tools of the caller's, and the provider's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from partwire.errors import clip
from partwire.tables.provider_names import (
    RESPONSES_CALLS,
    RESPONSES_PAIRED,
    RESPONSES_SERVER_CALLS,
    RESPONSES_XAI_TOOLS,
)

from ..core.findings import FindingLog
from ..core.raw_events import NOTHING, as_json_text, decode_event
from ..core.writer import DeltaWriter, OpenCall
from .items import Item, rest_of
from .server_items import APPROVAL, arguments_text, is_server_call, name_of_tool, result_of

__all__ = ["ResponsesCalls"]

_XAI_TOOLS: Final = frozenset(RESPONSES_XAI_TOOLS)
_XAI_PREFIX: Final = "xs_call"
_MEMBERS: Final = {**RESPONSES_SERVER_CALLS, **RESPONSES_CALLS}
_CODE: Final = "code"
_CODE_BEGINS: Final = '{"code":"'
_CODE_ENDS: Final = '"}'
_OUTPUTS: Final = {call: output for call, output in RESPONSES_PAIRED.items() if call in _MEMBERS}

_quoted = json.JSONEncoder(ensure_ascii=False).encode


class ResponsesCalls:
    """Write the calls of one response.

    ``leave`` notes where the text ends that is being written; ``collect`` also keeps what stands
    before a call. A call that the provider runs ends with its item, which holds its result as
    well, unless that is a separate item. Code comes in pieces: it is the one member of the
    arguments. ``asks``: a call waits for approval.
    """

    def __init__(
        self,
        writer: DeltaWriter,
        log: FindingLog,
        leave: Callable[[], None],
        collect: Callable[[], None],
    ) -> None:
        self._writer = writer
        self._log = log
        self._leave = leave
        self._collect = collect
        self._declared: set[str] = set()  # names of custom tools
        self._searches_x = False  # xAI's own tool is one of the tools
        self._waiting: dict[str, list[str]] = {}  # output that is due → ids of calls
        self.asks = False

    def takes(self, item: Item) -> bool:
        """Return whether an item is a call that is reported as one."""
        if item.kind in RESPONSES_CALLS:
            return True
        if not item.server and self._writer.says_new:
            item.server = is_server_call(item.kind, item.body)
        return item.server

    def declare(self, tools: object) -> None:
        """Read the tools of a response: a custom tool of the caller's is none of the provider's."""
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict):
                name = tool.get("name")
                if tool.get("type") == "custom" and isinstance(name, str):
                    self._declared.add(name)
                elif tool.get("type") == "namespace":
                    self.declare(tool.get("tools"))
                elif tool.get("type") == "x_search":
                    self._searches_x = True

    def begin(self, item: Item) -> None:
        """Start the call if its name and id are known; else it waits for the end of the item."""
        self._open(item, final=False)
        initial = item.body.get(_MEMBERS[item.kind])
        if isinstance(initial, str):
            item.initial = initial

    def piece(self, item: Item, delta: object) -> None:
        """Read one delta of arguments."""
        if type(delta) is not str:
            self._log.invalid("/delta", "a string", delta)
            return
        item.settled = False
        if item.initial:
            # Arguments that an item begins with come before its deltas; an empty object, or what
            # the first delta says again, only holds their place.
            initial, item.initial = item.initial, ""
            if initial != delta and initial.strip() != "{}":
                self._write(item, initial)
        self._write(item, delta)

    def whole(self, item: Item, event: dict[str, Any]) -> None:
        """Read an event with all arguments; newer ones say the name as well."""
        if isinstance(event.get("name"), str) and not item.body.get("name"):
            item.body["name"] = event["name"]
            self._open(item, final=False)
        member = _MEMBERS[item.kind]
        item.settled = True
        self._settle(item, event.get(member), f"/{member}")

    def done(self, item: Item, body: dict[str, Any], place: str) -> None:
        """Read a whole item, maybe not for the first time; its call ends with its arguments."""
        self._open(item, final=True)
        if item.call is None or item.ended:
            return
        for member, due in (("call_id", item.call_id), ("name", item.name)):
            given = body.get(member)
            if given and given != due:
                self._note_mismatch(f"{place}/{member}", due, given)
        member = _MEMBERS[item.kind]
        item.settled = True
        given = body.get(member)
        if item.kind in RESPONSES_SERVER_CALLS and member != _CODE:
            given = arguments_text(item.kind, body)
        self._settle(item, given, f"{place}/{member}")
        if item.server:
            self._end_server_call(item, item.call, code=isinstance(given, str) and member == _CODE)
            return
        text = "".join(item.pieces)
        # Some relays close an item after its first delta: arguments that are cut may go on.
        if item.kind != "function_call" or not text or decode_event(text) is not NOTHING:
            self._keep_body(item, item.call)
            self._writer.end_call(item.call)
            item.ended = True

    def _end_server_call(self, item: Item, call: OpenCall, *, code: bool) -> None:
        self._leave()
        if item.sent or code:
            begins = "" if item.sent else _CODE_BEGINS
            self._writer.args(call, f"{begins}{_CODE_ENDS}" if _is_code(item) else "")
        item.ended = item.made = True
        if item.kind == APPROVAL:
            self.asks = True
            self._collect()
            self._writer.end_call(call)
            self._writer.approval_request(
                approval_id=item.call_id or call.tool_call_id,
                call_id=call.tool_call_id,
                opaque=[(item.kind, item.body)],
            )
            return
        self._keep_body(item, call)
        self._writer.end_call(call)
        if item.kind in _OUTPUTS:
            self._waiting.setdefault(_OUTPUTS[item.kind], []).append(call.tool_call_id)
        else:
            said = result_of(item.kind, item.body)
            self._writer.server_result(call.tool_call_id, is_error=said.is_error, **said._asdict())

    def output(self, item: Item) -> bool:
        """Write the result that is a separate item; return False where it answers no call."""
        self._leave()
        own, waiting = item.body.get("call_id"), self._waiting.get(item.kind, [])
        if not isinstance(own, str) or not own:
            own = waiting[0] if waiting else item.id
        if own in waiting:
            waiting.remove(own)
        said = result_of(item.kind, item.body)
        item.made = own != "" and self._writer.server_result(
            own, is_error=said.is_error, **said._asdict(), opaque=[(item.kind, item.body)]
        )
        return item.made

    def is_open(self, item: Item) -> bool:
        """Return whether a call is in the middle of its arguments."""
        if item.call is None or item.server or item.ended or item.settled or not item.pieces:
            return False
        return item.kind != "function_call" or decode_event("".join(item.pieces)) is NOTHING

    def finish(self, item: Item) -> None:
        """Read the end of the stream; keep what the provider wants back with the call."""
        self._open(item, final=True)
        if item.call is not None:
            if item.final and not item.ended:
                self._keep_body(item, item.call)
        elif not item.server:
            self._log.note(
                "adapter/unnamed-tool-call",
                "A tool call without a name cannot be called; it is left out of the message",
                "/item/name",
                expected="the tool's name",
                actual=clip(item.body.get("name")),
            )
            data = {**item.body, _MEMBERS[item.kind]: "".join(item.pieces)}
            self._writer.keep("unnamed_tool_call", data)

    def _keep_body(self, item: Item, call: OpenCall) -> None:
        self._collect()
        self._writer.keep_with(call, item.kind, item.body)

    # --- inside ----------------------------------------------------------------------------------

    def _open(self, item: Item, final: bool) -> None:
        if item.call is not None or self._is_silent(item):
            return
        name, call_id = self._member(item, "name"), self._member(item, "call_id")
        if item.kind == "custom_tool_call" and self._is_server(name, call_id):
            item.server = True
            if self._is_silent(item):
                self._log.note(
                    "adapter/server-tool-call",
                    "The provider executes this tool itself; it is not a tool call of the message",
                    "/item/type",
                    actual=clip(name or item.kind),
                )
                return
        if item.server:
            if item.kind in RESPONSES_SERVER_CALLS:
                name = name_of_tool(item.kind, item.body)
            name = name or (item.kind.removesuffix("_call") if final else "")
            call_id = call_id or item.id
        if not name or not (call_id or final):
            return
        self._leave()
        open_call = self._writer.open_server_call if item.server else self._writer.open_call
        item.call = open_call(call_id or None, name)
        item.name, item.call_id = name, call_id
        if item.kind == "custom_tool_call" and not item.server:
            self._log.note(
                "adapter/unsupported-content",
                "The input of a custom tool is text, not JSON; it stands as raw arguments",
                "/item/input",
            )
        if item.pieces:
            self._send(item, item.call, "".join(item.pieces))

    def _is_silent(self, item: Item) -> bool:
        """Return whether nothing is written of a call: the provider's own, which v0.2 lacks."""
        return item.server and not self._writer.says_new

    def _send(self, item: Item, call: OpenCall, text: str) -> None:
        if _is_code(item):
            text = f"{'' if item.sent else _CODE_BEGINS}{_quoted(text)[1:-1]}"
        item.sent = True
        self._writer.args(call, text)

    def _is_server(self, name: str, call_id: str) -> bool:
        if name in self._declared:
            return False
        # Beside searches it looks at images and videos, under names that no page lists.
        return self._searches_x or name in _XAI_TOOLS or call_id.startswith(_XAI_PREFIX)

    def _member(self, item: Item, name: str) -> str:
        return self._log.string(item.body.get(name), f"/item/{name}")

    def _settle(self, item: Item, whole: object, place: str) -> None:
        """Write what all arguments have beyond the deltas."""
        if not isinstance(whole, str):
            if whole is None:
                return
            self._log.invalid(place, "text in a string", whole)
            whole = as_json_text(whole) or ""
        if not whole or item.ended or self._is_silent(item):
            return
        rest = rest_of("".join(item.pieces), whole)
        if rest:
            self._write(item, rest)
        elif rest is None and not item.mismatched:
            item.mismatched = True
            self._log.note(
                "adapter/text-mismatch",
                "The whole arguments are not what their deltas said; the deltas stand",
                place,
                expected=clip("".join(item.pieces)),
                actual=clip(whole),
            )

    def _write(self, item: Item, text: str) -> None:
        if not text or self._is_silent(item):
            return
        if item.ended:
            self._log.note(
                "adapter/block-order",
                "Arguments come for a call that has ended; they are lost",
                "/output_index",
                actual=clip(item.index),
            )
            return
        item.pieces.append(text)
        if item.call is not None:
            self._leave()
            self._send(item, item.call, text)

    def _note_mismatch(self, place: str, expected: str, actual: object) -> None:
        self._log.note(
            "adapter/tool-call-mismatch",
            "The whole call does not have the id or name that it began with; the first one counts",
            place,
            expected=clip(expected),
            actual=clip(actual),
        )


def _is_code(item: Item) -> bool:
    return _MEMBERS[item.kind] == _CODE
