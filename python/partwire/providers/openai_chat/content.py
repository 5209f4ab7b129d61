"""What a choice says: reasoning, text, refusals and tool calls, by delta or as a message."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Final

from partwire.errors import clip
from partwire.json.equality import same_json

from ..core.findings import FindingLog
from ..core.raw_events import as_json_text
from ..core.writer import DeltaWriter, TextKind
from .citations import citation_of, sources_of
from .media import ChatMedia
from .server_tools import ChatServerTools
from .tool_calls import ChatToolCalls

__all__ = ["ChatContent", "ReasoningDetails"]


# --- OpenRouter's reasoning_details ---------------------------------------------------------------

_TEXTS: Final = ("text", "summary", "signature")


class _Detail:
    """One detail: its members as the last piece has them, texts in pieces."""

    __slots__ = ("members", "texts")

    def __init__(self) -> None:
        self.members: dict[str, Any] = {}
        self.texts: dict[str, list[str]] = {}

    def add(self, piece: dict[str, Any]) -> None:
        for name, value in piece.items():
            if name in _TEXTS and isinstance(value, str):
                self.texts.setdefault(name, []).append(value)
            elif value is not None or name not in self.members:
                self.members[name] = value

    def goes_on_with(self, piece: dict[str, Any]) -> bool:
        """Return whether ``piece`` continues this detail: of its type and number, not signed yet.

        Encrypted details come whole.
        """
        if "data" in piece or not same_json(piece.get("type"), self.members.get("type")):
            return False
        ours, theirs = self.members.get("index"), piece.get("index")
        if not (ours is None or theirs is None or same_json(ours, theirs)):
            return False
        is_signed = any(self.texts.get("signature", ()))
        return not (is_signed and (piece.get("text") or piece.get("summary")))

    def whole(self) -> dict[str, Any]:
        return self.members | {name: "".join(pieces) for name, pieces in self.texts.items()}


class ReasoningDetails:
    """The details of one answer."""

    def __init__(self) -> None:
        self._details: list[_Detail] = []

    def add(self, piece: dict[str, Any]) -> None:
        """Take a piece; it goes on with the last detail, or begins another."""
        if not self._details or not self._details[-1].goes_on_with(piece):
            self._details.append(_Detail())
        self._details[-1].add(piece)

    def whole(self) -> list[dict[str, Any]]:
        """Return the details as the provider sends them where it does not stream."""
        return [detail.whole() for detail in self._details]


# --- citations ------------------------------------------------------------------------------------


class _Annotations:
    """The annotations of one answer.

    They come before the text, in it or behind it, and count in all of it: each is written when
    its text is over, or at the end.
    """

    def __init__(self, writer: DeltaWriter) -> None:
        self._writer = writer
        self._waiting: list[Any] = []
        self._late: list[Any] = []  # that were too early, or are none
        self._seen: set[str | None] = set()
        self._begins: list[int] = []  # of each part of text, in all of it
        self._parts: list[int] = []
        self._length = 0

    def add(self, annotations: object) -> None:
        """Take annotations, each once: some vendors close with the whole message."""
        for each in annotations if type(annotations) is list else [annotations]:
            text = as_json_text(each)
            if text not in self._seen:
                self._seen.add(text)
                self._waiting.append(each)

    def write(self) -> None:
        """Write those whose text is there."""
        writer = self._writer
        if writer.kind == "text":
            if self._parts[-1:] != [writer.part]:
                self._parts.append(writer.part)
                self._begins.append(self._length)
            self._length = self._begins[-1] + writer.chars
        if self._waiting and self._parts:
            waiting, self._waiting = self._waiting, []
            self._late += [each for each in waiting if not self._cite(each, is_end=False)]

    def finish(self) -> None:
        """Write the rest; without any text they are kept as they came."""
        if self._waiting or self._late:
            self._writer.flush_half()
            self.write()
            late = self._late + self._waiting
            if left := [each for each in late if not self._cite(each, is_end=True)]:
                self._writer.keep("annotations", left)

    def _cite(self, annotation: object, *, is_end: bool) -> bool:
        """Write a citation; return whether it has been written."""
        found = citation_of(annotation)
        if found is None:
            return False
        citation, start, end = found
        if end > self._length and not is_end:
            return False
        if end == 0 or end > self._length:
            return self._writer.cite(citation)
        number = bisect_right(self._begins, start) - 1
        begin = self._begins[number]
        if end > min([*self._begins[number + 1 : number + 2], self._length]):
            return self._writer.cite(citation)
        placed = {**citation, "start": start - begin, "end": end - begin}
        return self._writer.cite(placed, part=self._parts[number])


# --- content --------------------------------------------------------------------------------------

# Kept for the way back, or for readers of v0.2: no part, and nothing that a reader misses.
_STATE: Final = frozenset(
    {"annotations", "extra_content", "thinking_blocks", "reasoning_signature"}
)
_NO_PART: Final = frozenset({"audio", "images"})
_EXTRAS: Final = _STATE | _NO_PART | {"executed_tools"}
_REASONING: Final = ("reasoning_content", "reasoning")
# Member of a message → kind of what is written for it.
_KINDS: Final = {
    "content": "text",
    "refusal": "text",
    "reasoning": "thinking",
    "reasoning_content": "thinking",
    "reasoning_details": "thinking",
    "tool_calls": "tool_call",
    "function_call": "tool_call",
    "executed_tools": "server_tool_call",
    "audio": "media",
    "images": "media",
}
_OF_CALLS: Final = frozenset({"role", "tool_calls", "function_call"})
_DELTA: Final = "/choices/0/delta"


class ChatContent:
    """Write the content of choice 0. ``refused``: the model has refused."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self.calls = ChatToolCalls(writer, log)
        self.refused = False
        self._writer = writer
        self._log = log
        self._so_far: dict[str, str] = {}  # text that came by message, by member
        self._details = ReasoningDetails()
        self._reasoning_member: str | None = None  # that the reasoning came in
        self._refusal: tuple[int, int] | None = None  # part and character where it begins
        self._annotations = _Annotations(writer)
        self._media = ChatMedia(writer, log)
        self._server_tools = ChatServerTools(writer, log)
        if writer.says_new:
            writer.collect = self._annotations.write

    # --- deltas ----------------------------------------------------------------------------------

    def read_delta(self, delta: dict[str, Any]) -> None:
        """Read a delta, or a whole message, whose members have the same names."""
        if self.calls.waiting is not None and any(
            value and name not in _OF_CALLS for name, value in delta.items()
        ):
            self.calls.settle()
        get = delta.get
        is_read = self._read_reasoning(delta)
        details = get("reasoning_details")
        if details:
            self._read_details(details, is_read)
        content = get("content")
        if type(content) is str:
            self._writer.write("text", content)
        elif content is not None:
            self._read_parts(content)
        if get("refusal"):
            self._read_refusal(delta["refusal"])
        if get("tool_calls"):
            self.calls.read(delta["tool_calls"])
        if get("function_call"):
            self.calls.read_legacy(delta["function_call"])
        for name, value in delta.items():
            if name in _EXTRAS:
                self._read_extra(name, value)

    def _read_reasoning(self, delta: dict[str, Any]) -> bool:
        """Write the reasoning, once; return whether there was any."""
        for name in _REASONING:
            reasoning = delta.get(name)
            if not reasoning:
                continue
            if type(reasoning) is str:
                self._think(reasoning, name)
                return True
            self._log.invalid(f"{_DELTA}/{name}", "a string", reasoning)
        return False

    def _think(self, text: str, member: str) -> None:
        self._writer.write("thinking", text)
        if self._reasoning_member is None and text:
            self._reasoning_member = member

    def _read_details(self, details: object, is_read: bool) -> None:
        """Read OpenRouter's ``reasoning_details``; ``is_read``: their text has been written."""
        if type(details) is not list:
            self._log.invalid(f"{_DELTA}/reasoning_details", "an array", details)
            return
        for number, detail in enumerate(details):
            if type(detail) is not dict:
                place = f"{_DELTA}/reasoning_details/{number}"
                self._log.invalid(place, "an object", detail)
                continue
            text = detail.get("text") or detail.get("summary")
            if not is_read and isinstance(text, str):
                self._think(text, "reasoning_details")
            self._details.add(detail)

    def _read_extra(self, name: str, value: object) -> None:
        if value and self._writer.says_new:
            value = self._left_of(name, value)
        if not value:
            return
        if name == "executed_tools":
            self._note_server_tools(value)
            return
        self._writer.keep(name, value)
        if name in _NO_PART:
            self._note_no_part(f"{_DELTA}/{name}", name)

    def _left_of(self, name: str, value: object) -> object:
        """Read what v0.3 has a place for; return what is left of it."""
        is_read = False
        if name == "annotations":
            self._annotations.add(value)
            is_read = True
        elif name == "audio":
            is_read = self._media.sound(value)
        elif name == "executed_tools":
            return self._server_tools.read(value)
        elif name == "images" and type(value) is list:
            return [image for image in value if not self._media.image(image)]
        return None if is_read else value

    def _note_server_tools(self, tools: object) -> None:
        for tool in tools if type(tools) is list else [tools]:
            self._writer.keep("executed_tool", tool)
            name = tool.get("type") if type(tool) is dict else tool
            self._log.note(
                "adapter/server-tool-call",
                "The provider executes this tool itself; it is not a tool call of the message",
                f"{_DELTA}/executed_tools",
                actual=clip(name),
            )

    # --- content parts ---------------------------------------------------------------------------

    def _read_parts(self, content: object) -> None:
        """Read content that is not a string: a list of parts, as Mistral sends it."""
        if type(content) is not list:
            self._log.invalid(f"{_DELTA}/content", "a string", content)
            return
        for number, part in enumerate(content):
            place = f"{_DELTA}/content/{number}"
            kind = part.get("type") if type(part) is dict else None
            if isinstance(part, str):
                self._writer.write("text", part)
            elif kind == "text" and isinstance(part.get("text"), str):
                self._writer.write("text", part["text"])
            elif kind == "thinking":
                self._read_thinking(part, place)
            elif kind == "refusal":
                self._read_refusal(part.get("refusal"))
            elif type(part) is dict:
                self._writer.keep("content_part", part)
                self._note_no_part(place, kind)
            else:
                self._log.invalid(place, "an object", part)

    def _read_thinking(self, part: dict[str, Any], place: str) -> None:
        thinking = part.get("thinking")
        for piece in thinking if type(thinking) is list else [thinking]:
            text = piece.get("text") if type(piece) is dict else piece
            if isinstance(text, str):
                self._think(text, "content")
            elif text is not None or type(piece) is dict:
                self._log.invalid(f"{place}/thinking", "text, or parts of type text", piece)
        if part.get("signature"):
            self._keep_with_thinking("signature", part["signature"])

    def _read_refusal(self, refusal: object) -> None:
        if isinstance(refusal, str):
            self._begin_refusal(refusal)
            self._writer.write("text", refusal)
        else:
            self._log.invalid(f"{_DELTA}/refusal", "a string", refusal)

    def _begin_refusal(self, refusal: str) -> None:
        if refusal and not self.refused:
            self.refused = True
            writer = self._writer
            is_text = writer.kind == "text"
            self._refusal = (writer.part, writer.chars) if is_text else (writer.part + 1, 0)

    def _keep_with_thinking(self, kind: str, data: object) -> None:
        self._writer.keep(kind, data, 0 if self._writer.kind == "thinking" else None)

    def _note_no_part(self, place: str, kind: object) -> None:
        self._log.note(
            "adapter/unsupported-content",
            "The contract has no part for this content; it is kept beside the message",
            place,
            actual=clip(kind),
        )

    def cite_sources(self, citations: object, results: object) -> bool:
        """Write the sources of the answer as a whole; return False where there is no text."""
        cited = [self._writer.cite({"source": each}) for each in sources_of(citations, results)]
        return bool(cited) and all(cited)

    def keep_state(self) -> None:
        """Keep what the vendor wants back of the answer as a whole, at its end."""
        writer = self._writer
        if writer.says_new:
            self._annotations.finish()
            self._media.finish()
        if self._refusal is not None:
            part, start = self._refusal
            if writer.kind == "text" and writer.part == part and writer.chars > start:
                writer.keep("refusal", True, start)
        if self._reasoning_member is not None:
            writer.keep("reasoning_member", self._reasoning_member)
        if details := self._details.whole():
            writer.keep("reasoning_details", details)

    # --- messages --------------------------------------------------------------------------------

    def read_message(self, message: object) -> None:
        """Read a whole message, or the message so far, where a delta is due."""
        self.calls.settle()
        if type(message) is not dict:
            self._log.invalid("/choices/0/message", "an object", message)
        elif self._so_far:
            self._read_growth(message)
        elif wrote := self._writer.wrote:
            # Some vendors close with the whole message: what has been written is passed over.
            self.read_delta({k: v for k, v in message.items() if _KINDS.get(k) not in wrote})
        else:
            self._log.note(
                "adapter/whole-body",
                "The message came whole, not as a stream",
                "/choices/0/message",
            )
            self.read_delta(message)
            texts = {k: v for k, v in message.items() if isinstance(v, str)}
            self._so_far = texts or {"content": ""}

    def _read_growth(self, message: dict[str, Any]) -> None:
        """Write what a message has more than the one before it."""
        for name in (*_REASONING, "content"):
            text, before = message.get(name), self._so_far.get(name, "")
            if not isinstance(text, str) or text == before:
                continue
            if text.startswith(before):
                self._so_far[name] = text
                kind: TextKind = "text" if name == "content" else "thinking"
                self._writer.write(kind, text[len(before) :])
            else:
                place = f"/choices/0/message/{name}"
                self._log.invalid(place, "the text so far, and more", text)
        calls = message.get("tool_calls")
        if calls and "tool_call" not in self._writer.wrote:
            self.calls.read(calls)
