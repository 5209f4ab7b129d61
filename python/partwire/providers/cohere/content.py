"""What a Cohere message is made of: content blocks, the tool plan and citations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from partwire.errors import clip

from ..core.citations import named, web_address
from ..core.cited_text import CitedText
from ..core.findings import FindingLog
from ..core.opaque import OpaqueItem
from ..core.raw_events import as_json_text
from ..core.writer import UNKNOWN, DeltaWriter, OpenCall

__all__ = ["CohereContent", "CohereToolCalls"]


# --- tool calls -----------------------------------------------------------------------------------

_CALLS_PLACE: Final = "/delta/message/tool_calls"


class _Call:
    """One call that has begun; it starts for the reader once its name is known."""

    __slots__ = ("call", "held", "provider_id")

    def __init__(self, provider_id: str) -> None:
        self.provider_id = provider_id
        self.call: OpenCall | None = None
        self.held: list[str] = []  # arguments that came before the name


class CohereToolCalls:
    """The tool calls of one message. ``before_call`` is called before one starts."""

    def __init__(
        self, writer: DeltaWriter, log: FindingLog, before_call: Callable[[], None]
    ) -> None:
        self._writer = writer
        self._log = log
        self._before_call = before_call
        self._open: dict[int, _Call] = {}
        self._last_index = -1

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def __contains__(self, index: int) -> bool:
        """Whether the call with this index is open."""
        return index in self._open

    def start(self, index: object, entry: object, place: str = _CALLS_PLACE) -> None:
        """Read one ``tool-call-start``, or a call of a whole message, at ``place``.

        Its arguments are empty in a stream and whole in a message.
        """
        if type(index) is not int:
            self._log.invalid("/index", "the call's number", index)
            index = self._last_index + 1
        entry = self._object(entry, place)
        if entry is None:
            return
        if index in self._open:
            # Some servers give every call the index 0: what begins is always another call.
            self._note_order("A tool call begins on the index of one that is open", index)
            self.end(index)
        self._last_index = index
        call = self._open[index] = _Call(self._log.string(entry.get("id"), f"{place}/id"))
        self._read_function(call, entry, place)

    def piece(self, index: object, entry: object) -> None:
        """Read one ``tool-call-delta``."""
        if type(index) is not int:
            self._log.invalid("/index", "the call's number", index)
            index = self._last_index
        call = self._open.get(index)
        entry = self._object(entry, _CALLS_PLACE)
        if entry is None:
            return
        if call is not None:
            self._read_function(call, entry, _CALLS_PLACE)
        else:
            self._note_order("A piece belongs to a tool call that is not open", index)
            self._writer.keep("unknown", entry)

    def end(self, index: object) -> None:
        """Read one ``tool-call-end``."""
        if type(index) is not int:
            self._log.invalid("/index", "the call's number", index)
            index = self._last_index
        call = self._open.pop(index, None)
        if call is None:
            self._note_order("A tool call ends that is not open", index)
        elif call.call is not None:
            self._writer.end_call(call.call)
        else:
            self._leave_out(call)

    def finish(self) -> None:
        """Say which open calls never got a name; the others are the writer's to end."""
        for call in self._open.values():
            if call.call is None:
                self._leave_out(call)
        self._open.clear()

    def _object(self, entry: object, place: str) -> dict[str, Any] | None:
        """Return the call that an event is about; whole messages have them in an array."""
        if type(entry) is dict:
            return entry
        self._log.invalid(place, "an object", entry)
        if type(entry) is list and len(entry) == 1 and type(entry[0]) is dict:
            return entry[0]
        return None

    def _read_function(self, call: _Call, entry: dict[str, Any], place: str) -> None:
        function = entry.get("function")
        if type(function) is not dict:
            self._log.invalid(f"{place}/function", "an object", function)
            return
        name = function.get("name")
        if name and call.call is None:
            name = self._log.string(name, f"{place}/function/name")
            if name:
                self._before_call()
                call.call = self._writer.open_call(call.provider_id or None, name)
                for held in call.held:
                    self._writer.args(call.call, held)
                call.held.clear()
        arguments = function.get("arguments")
        if arguments is None:
            return
        if not isinstance(arguments, str):
            self._log.invalid(f"{place}/function/arguments", "a string", arguments)
            arguments = as_json_text(arguments) or ""
        if call.call is None:
            call.held.append(arguments)
        else:
            self._writer.args(call.call, arguments)

    def _leave_out(self, call: _Call) -> None:
        self._log.note(
            "adapter/unnamed-tool-call",
            "A tool call without a name cannot be called; it is left out of the message",
            f"{_CALLS_PLACE}/function/name",
            expected="the tool's name",
            actual=clip(call.provider_id),
        )
        data = {"id": call.provider_id, "arguments": "".join(call.held)}
        self._writer.keep("unnamed_tool_call", data)

    def _note_order(self, message: str, index: object) -> None:
        self._log.note("adapter/block-order", message, "/index", actual=clip(index))


# --- content --------------------------------------------------------------------------------------

_PLACE: Final = "/delta/message/content"
_KINDS: Final = ("thinking", "text")
"""Kinds of blocks; each is also the name of the member that holds the block's text."""


class _Block:
    """One content block, and where in the message its text stands."""

    __slots__ = ("end", "kind", "part", "start", "text")

    def __init__(self, kind: str, part: int, start: int) -> None:
        self.kind = kind
        self.part = part
        self.start = start  # character of the part
        self.end: int | None = None
        self.text = CitedText()  # of the answer, as it has been written


class CohereContent:
    """The content of one message, its blocks told apart by their index."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self.calls = CohereToolCalls(writer, log, self._close_all)
        self._writer = writer
        self._log = log
        self._open: dict[int, _Block] = {}
        self._blocks: dict[int, _Block] = {}  # also those that have ended: citations come late
        self._last: dict[str, _Block] = {}
        self._last_index = -1
        self._plan: list[str] = []
        self._plan_citations: list[Any] = []

    def __bool__(self) -> bool:
        """Whether there is any, apart from what has been written."""
        return bool(self._blocks or self._plan or self.calls)

    # --- blocks ----------------------------------------------------------------------------------

    def start(self, index: object, content: object, place: str = _PLACE) -> None:
        """Read one ``content-start``, or a block of a whole message."""
        if type(index) is not int:
            self._log.invalid("/index", "the block's number", index)
            index = self._last_index + 1
        if type(content) is not dict:
            self._log.invalid(place, "an object", content)
            return
        if index in self._open:
            self._note_order("A block begins on the index of one that is open", index)
            self.end(index)
        self._last_index = index
        kind = content.get("type")
        if kind in _KINDS:
            self._begin(index, str(kind))
            self._write(index, content, place)
        else:
            self._keep_foreign(content, kind, place)

    def piece(self, index: object, content: object) -> None:
        """Read one ``content-delta``: text, or thinking."""
        if type(content) is dict and len(content) == 1 and type(index) is int:
            text, thinking = content.get("text"), content.get("thinking")
            if type(text) is str and index in self._open:
                self._write_text(index, text)
                return
            if type(thinking) is str and index in self._open:
                self._writer.write("thinking", thinking)
                return
        if type(index) is not int:
            self._log.invalid("/index", "the block's number", index)
            index = max(self._last_index, 0)
        if type(content) is not dict:
            self._log.invalid(_PLACE, "an object", content)
            return
        if index not in self._open:
            self._note_order("A piece belongs to a block that is not open", index)
            self._begin(index, "thinking" if content.get("thinking") else "text")
        if content and not any(name in content for name in _KINDS):
            self._keep_foreign(content, content.get("type"), _PLACE)
        self._write(index, content, _PLACE)

    def end(self, index: object) -> None:
        """Read one ``content-end``."""
        if type(index) is not int:
            self._log.invalid("/index", "the block's number", index)
            index = self._last_index
        block = self._open.pop(index, None)
        if block is not None:
            self._close(block)
        elif index not in self._blocks and index != self._last_index:
            self._note_order("A block ends that never began", index)

    def _begin(self, index: int, kind: str) -> None:
        self._keep_plan()
        writer = self._writer
        # Text that follows text of its kind joins the part: the block begins inside it.
        joins = writer.kind == kind
        part, start = (writer.part, writer.chars) if joins else (writer.part + 1, 0)
        block = _Block(kind, part, start)
        self._open[index] = self._blocks[index] = self._last[kind] = block
        self._last_index = index

    def _close(self, block: _Block) -> None:
        """Note where a block ends, and keep what the parts alone do not say.

        That is, that thinking is Cohere's, and where in a part a block begins behind another.
        """
        writer = self._writer
        if block.part != writer.part:
            return
        block.end = writer.chars
        if block.end > block.start and (block.kind == "thinking" or block.start):
            item = OpaqueItem(block.kind, {"type": block.kind}, block.part, block.start, block.end)
            writer.state.keep(item)

    def _close_all(self) -> None:
        """End the blocks: what comes behind them is a part of its own."""
        self._keep_plan()
        for block in self._open.values():
            self._close(block)
        self._open.clear()

    def _write_text(self, index: int, text: str) -> None:
        writer = self._writer
        start = writer.chars if writer.kind == "text" else 0
        writer.write("text", text)
        if text:
            self._blocks[index].text.add(writer.part, start, text)

    def _write(self, index: int, content: dict[str, Any], place: str) -> None:
        for name in _KINDS:
            text = content.get(name)
            if type(text) is str and name == "text":
                self._write_text(index, text)
            elif type(text) is str:
                self._writer.write("thinking", text)
            elif text is not None:
                self._log.invalid(f"{place}/{name}", "a string", text)

    def _keep_foreign(self, content: dict[str, Any], kind: object, place: str) -> None:
        self._log.note(
            "adapter/unsupported-content",
            "The contract has no part for this content; it is kept beside the message",
            f"{place}/type",
            actual=clip(kind),
        )
        self._writer.keep("content", content)

    # --- the plan --------------------------------------------------------------------------------

    def plan(self, text: object, place: str) -> None:
        """Read one ``tool-plan-delta``."""
        if isinstance(text, str):
            self._plan.append(text)
        elif text is not None:
            self._log.invalid(place, "a string", text)

    def _keep_plan(self) -> None:
        """Keep the plan so far, where it stands."""
        plan = "".join(self._plan)
        if plan:
            self._writer.keep("tool_plan", plan)
            self._plan = []
        for citation in self._plan_citations:
            self._writer.keep("citation", citation)
        self._plan_citations = []

    def finish(self) -> None:
        """Write what is held back."""
        self._close_all()
        self.calls.finish()

    # --- citations -------------------------------------------------------------------------------

    def cite(self, citation: object, place: str) -> None:
        """Write a citation of the answer's text; keep any other with what it is about."""
        if type(citation) is not dict:
            self._log.invalid(place, "an object", citation)
        elif citation.get("type") == "PLAN":
            self._plan_citations.append(citation)
        else:
            block = self._cited(citation)
            if self._write_citation(citation, block):
                return
            covers = None if block is None else self._covered(citation, block)
            if covers is None:
                self._writer.keep("citation", citation)
            else:
                self._writer.state.keep(OpaqueItem("citation", citation, *covers))

    def _cited(self, citation: dict[str, Any]) -> _Block | None:
        index = citation.get("content_index")
        kind = "thinking" if citation.get("type") == "THINKING_CONTENT" else "text"
        return self._blocks.get(index) if type(index) is int else self._last.get(kind)

    def _write_citation(self, citation: dict[str, Any], block: _Block | None) -> bool:
        """Write a citation for each source; return whether there is one, and text of the answer."""
        if not self._writer.says_new or block is None or not block.text:
            return False
        if citation.get("type") == "THINKING_CONTENT":
            return False
        given = citation.get("sources")
        sources = (
            [_source(each) for each in given if type(each) is dict] if type(given) is list else []
        )
        if not sources:
            return False
        found = block.text.find(citation.get("start"), citation.get("end"), citation.get("text"))
        place = {} if found is None else {"start": found.start, "end": found.end}
        part = block.text.part if found is None else found.part
        own = [("citation", citation)]  # once: it names all of them
        for number, source in enumerate(sources):
            made = {"source": source, **place}
            self._writer.cite(made, opaque=() if number else own, part=part)
        return True

    def _covered(self, citation: dict[str, Any], block: _Block) -> tuple[int, int, int] | None:
        """Return part, start and end of what a citation is about, None where nothing tells."""
        writer = self._writer
        is_last = block.part == writer.part and block.kind == writer.kind
        limit = writer.chars if is_last and block.end is None else block.end
        if limit is None or limit <= block.start:
            return None
        start, end = citation.get("start"), citation.get("end")
        if type(start) is not int or type(end) is not int:
            return block.part, block.start, limit
        start, end = block.start + start, min(block.start + end, limit)
        if not block.start <= start < end:
            return block.part, block.start, limit
        return block.part, start, end

    # --- messages --------------------------------------------------------------------------------

    def read_message(self, message: dict[str, Any], place: str) -> None:
        """Read a whole message, or the message as ``message-start`` has it."""
        self.plan(message.get("tool_plan"), f"{place}/tool_plan")
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for number, block in enumerate(self._list(content, f"{place}/content")):
            self.start(number, block, f"{place}/content/{number}")
            if number in self._open:
                self.end(number)
        for number, call in enumerate(self._list(message.get("tool_calls"), f"{place}/tool_calls")):
            self.calls.start(number, call, f"{place}/tool_calls/{number}")
            if number in self.calls:
                self.calls.end(number)
        citations = self._list(message.get("citations"), f"{place}/citations")
        for number, citation in enumerate(citations):
            self.cite(citation, f"{place}/citations/{number}")

    def _list(self, value: object, place: str) -> list[Any]:
        if type(value) is list:
            return value
        if value is not None:
            self._log.invalid(place, "an array", value)
        return []

    def _note_order(self, message: str, index: object) -> None:
        self._log.note("adapter/block-order", message, "/index", actual=clip(index))


_SOURCES: Final = {"tool": "tool_result", "document": "document"}


def _source(given: dict[str, Any]) -> dict[str, Any]:
    """Return what a citation is from; a document says its title and address in its own members."""
    document = given.get("document")
    about = document if type(document) is dict else {}
    kind = given.get("type")
    return {
        "kind": _SOURCES.get(kind, UNKNOWN) if isinstance(kind, str) else UNKNOWN,
        **named(id=given.get("id"), title=about.get("title")),
        **({"url": url} if (url := web_address(about.get("url"))) else {}),
    }
