"""Claude Code: the lines of a session, or of a subagent's (``agent-*.jsonl``).

- Lines are a tree: each names its parent. What counts leads from the last line that somebody said
  to the root, as in the vendor's SDK. Where lines name no parent, or one that is not there, they
  follow the line before.
- One answer of the API is several lines with one ``message.id``; results of its calls may stand
  between. It is one message, with the usage of its last line: the figures grow.
- Behind a compaction the summary stands for what was before, which has no link to it.
- What subagents and teams say is left out, but where a file has nothing else. So is what the
  program adds for itself (``isMeta``), but in a subagent's file.
- What a line says beside its message is kept in ``meta["claude-code"]``, line by line.
"""

from __future__ import annotations

from array import array
from typing import Any, Final

from partwire.errors import ReadError
from partwire.tables import usage_figures

from ..core.reading import Json, Members, Reading
from ..histories.answers import Answers
from ..histories.anthropic import SPOKEN, SpokenBlocks, note_untaken
from ..histories.pieces import REASONS, add_spoken, figures
from .lines import Lines, SessionReader, read_lines, time_in

__all__ = ["ClaudeCodeReader", "read", "reader"]

_OWN: Final = "claude-code"
_LINES: Final = "loglines"  # of a session on the web
_ROOT: Final = -1
_LINKS: Final = ("user", "assistant", "system", "progress", "attachment")
"""Types of lines that others may name as their parent."""


def read(source: Any, reading: Reading) -> None:
    """Read the lines of a session, or the document of a session on the web."""
    document = source.sole() if isinstance(source, Lines) else source
    if type(document) is not dict or _LINES not in document:
        is_line = type(source) is dict
        session = ClaudeCodeReader(reading, None if is_line else "")
        read_lines(session, [source] if is_line else source, reading)
        return
    body = reading.members(document, "")
    place, lines = body.at(_LINES), body.value(_LINES)
    read_lines(ClaudeCodeReader(reading, place), lines, reading)
    body.close()


def reader(reading: Reading) -> ClaudeCodeReader:
    """Return a reader of a session that grows."""
    return ClaudeCodeReader(reading)


class _Line:
    """A line that somebody said: its message opened."""

    def __init__(self, line: Members, message: Members, number: int) -> None:
        self.line = line
        self.message = message
        self.number = number
        self.content_place = message.at("content")
        self.content: Any = message.value("content")
        self.time = time_in(line, "timestamp")
        self.run_id = line.peek("sessionId")
        self.uuid = line.peek("uuid")


class ClaudeCodeReader(SessionReader):
    """Reads lines of Claude Code.

    The *turn* is an answer with the results behind it: it is held until somebody says what is not
    of it. Each message, or answer, or line of results is a node of the tree.
    """

    def __init__(self, reading: Reading, base: str | None = "") -> None:
        super().__init__(reading, base)
        self._answers = Answers("anthropic-messages", reading)
        self._nodes: dict[str, int] = {}  # uuid of a line → its node, or that of what it follows
        self._before = array("q")  # node → node
        self._ends = array("q")  # node → number of its last message, or of the one before
        self._first = 0  # node of the turn
        self._turn: list[_Line] = []  # the lines of its answer
        self._results: list[_Line] = []  # the lines of its results
        self._waiting: set[str] = set()  # calls without a result
        self._is_linked = False  # some line has a parent that is there
        self._is_anew = False  # the next line follows none
        self._of_agent: bool | None = None  # whether there is nothing but what a subagent says

    # --- lines -----------------------------------------------------------------------------------

    def _line(self, line: Members, number: int) -> None:
        kind, message = line.peek("type"), line.peek("message")
        code = self._left_out(kind, line)
        if code is None and type(message) is not dict:
            code = "malformed-event"
        if code is not None:
            if kind in _LINKS:
                self._link(line)
            self._reading.note(code, line.place)
            return
        said = _Line(line, Members(message, line.at("message"), self._reading), number)
        self._clean(said)
        if kind == "assistant":
            self._take_answer(said)
        else:
            self._take_spoken(said)

    def _left_out(self, kind: Any, line: Members) -> str | None:
        """Return the code of the loss that a line is; None for what somebody said."""
        if kind not in ("user", "assistant"):
            return "foreign-event"
        of_agent = bool(line.peek("isSidechain"))
        if line.peek("isMeta") and not (of_agent and self._of_agent is not False):
            return "hidden"
        if line.peek("teamName"):
            return "sidechain"
        if self._of_agent and not of_agent:  # what came was of a subagent, and the session begins
            self._flush()
            self._is_anew = True
        if self._of_agent is None or not of_agent:
            self._of_agent = of_agent
        return "sidechain" if of_agent and not self._of_agent else None

    def _clean(self, said: _Line) -> None:
        """Leave out what cannot be content."""
        content, place = said.content, said.content_place
        if type(content) is list:
            for number, block in enumerate(content):
                if type(block) is not dict:
                    self._reading.note("malformed-part", f"{place}/{number}")
            said.content = [block if type(block) is dict else {} for block in content]
        elif type(content) is not str:
            if content is not None:
                self._reading.note("malformed-part", place)
            said.content = []

    # --- the tree --------------------------------------------------------------------------------

    @property
    def _tip(self) -> int:
        return len(self._before) - 1

    def _link(self, line: Members) -> None:
        uuid = line.peek("uuid")
        if isinstance(uuid, str):
            self._nodes[uuid] = self._parent(line)

    def _parent(self, line: Members) -> int:
        """Return the node that a line follows."""
        parent = line.peek("parentUuid")
        if self._is_anew:
            self._is_anew, self._is_linked = False, True
            return _ROOT
        if isinstance(parent, str) and parent in self._nodes:
            self._is_linked = True
            return self._nodes[parent]
        return _ROOT if parent is None and self._is_linked else self._tip

    def _node(self, said: _Line, before: int) -> None:
        """Make a node of a line that follows another node."""
        self._before.append(before)
        self._remember(said, self._tip)

    def _remember(self, said: _Line, node: int) -> None:
        if isinstance(said.uuid, str):
            self._nodes[said.uuid] = node

    def _take_answer(self, said: _Line) -> None:
        own = said.message.peek("id")
        before = self._parent(said.line)
        if self._turn and own is not None and own == self._turn[0].message.peek("id"):
            self._turn.append(said)
            self._remember(said, self._first)
        else:
            if before >= self._first:
                before = self._tip
            self._flush()
            self._node(said, before)
            self._first = self._tip
            self._turn.append(said)
        for block in said.content if type(said.content) is list else ():
            if block.get("type") == "tool_use" and isinstance(block.get("id"), str):
                self._waiting.add(block["id"])

    def _take_spoken(self, said: _Line) -> None:
        answered = _answered(said.content)
        before = self._parent(said.line)
        is_next = before >= self._first or (answered and answered <= self._waiting)
        if is_next:
            before = self._tip
        self._waiting -= answered
        if answered and self._turn and is_next:
            self._node(said, before)
            self._results.append(said)
            return
        self._flush()
        self._node(said, before)
        self._first = self._tip
        self._results.append(said)
        self._flush()

    # --- messages --------------------------------------------------------------------------------

    def _end(self) -> None:
        self._flush()

    def _flush(self) -> None:
        """Make messages of the turn."""
        turn, results = self._turn, self._results
        self._turn, self._results = [], []
        if turn:
            self._go_to(self._first)
            self._make(self._answer, turn)
        for at, said in enumerate(results, self._first + bool(turn)):
            self._go_to(at)
            self._make(self._spoken, [said])

    def _go_to(self, node: int) -> None:
        """Go back, where a node does not follow the last message."""
        before = self._before[node]
        end = _ROOT if before == _ROOT else self._ends[before]
        if end != len(self._path) - 1:
            self._branch(end)
            self._waiting.clear()
        self._ends.append(end)

    def _make(self, make: Any, lines: list[_Line]) -> None:
        head = lines[0]
        self._reading.says(
            run_id=head.run_id if isinstance(head.run_id, str) and head.run_id else None,
            timestamp=head.time,
        )
        make(lines)
        made = self._reading.messages
        if made:
            kept = [_kept(each, made[0] if each is head else None) for each in lines]
            made[0]["meta"] = {**made[0].get("meta", {}), _OWN: {"lines": kept}}
            self._add(tuple(each.number for each in lines))
            self._ends[-1] = len(self._path) - 1

    def _answer(self, lines: list[_Line]) -> None:
        last = lines[-1].message
        content = [block for each in lines for block in _blocks(each.content)]
        for each in lines:
            for number, block in enumerate(each.content if type(each.content) is list else ()):
                note_untaken(Members(block, f"{each.content_place}/{number}", self._reading))
        body: Json = {"type": "message", "role": "assistant", "content": content}
        said = set()
        if isinstance(model := last.peek("model"), str) and model:
            body["model"] = model
            said.add("modelId")
        reason = last.peek("stop_reason")
        if isinstance(reason, str) and reason:
            said |= set(REASONS)
        body["stop_reason"] = reason if isinstance(reason, str) and reason else "end_turn"
        usage = last.peek("usage")
        if type(usage) is dict:
            said.add("usage")
            body["usage"] = figures(Members(usage, "", self._reading), usage_figures.ANTHROPIC)
        self._answers.add(body, None, is_whole=True)
        message = self._reading.messages[-1]
        meta = message.pop("meta", None) or {}
        kept = {name: value for name, value in meta.items() if name in said or name not in REASONS}
        if kept:
            message["meta"] = kept
        own = lines[0].message.peek("id") or lines[0].uuid
        if isinstance(own, str) and own:
            message["messageId"] = own
        if self._answers.was_damaged:
            self._note_damage(lines, body)

    def _note_damage(self, lines: list[_Line], body: Json) -> None:
        for each in lines:
            if self._answers.is_damaged({**body, "content": _blocks(each.content)}):
                self._reading.note("malformed-part", each.content_place)

    def _spoken(self, lines: list[_Line]) -> None:
        (said,) = lines
        blocks = SpokenBlocks(self._answers, self._reading)
        try:
            parts = blocks.parts(self._with_ids(said), said.content_place, SPOKEN["user"])
        except ReadError:  # a block in a block is not an object
            self._reading.note("malformed-part", said.content_place)
            parts = []
        add_spoken("user", parts, self._reading)
        if isinstance(said.uuid, str) and said.uuid:
            for message in self._reading.messages:
                message["messageId"] = said.uuid

    def _with_ids(self, said: _Line) -> Any:
        """Return content whose results say their calls: by order, where the session does not."""
        if type(said.content) is str:
            return said.content
        content = list(said.content)
        for number, block in enumerate(content):
            if block.get("type") == "tool_result" and block.get("tool_use_id") is None:
                call = self._answers.calls.of_name(None)
                if call is not None:
                    content[number] = {**block, "tool_use_id": call.call_id}
                    self._reading.note("call-id-invented", f"{said.content_place}/{number}")
        return content


def _blocks(content: Any) -> list[Json]:
    if type(content) is str:
        return [{"type": "text", "text": content}] if content else []
    return [block for block in content if block]


def _answered(content: Any) -> set[str]:
    """Return the ids of calls that a line has results of."""
    found = (block.get("tool_use_id") for block in content if type(block) is dict)
    return {each for each in found if isinstance(each, str)}


def _kept(said: _Line, message: Json | None) -> Json:
    """Return what a line says that its message does not; of the first line it says the head."""
    kept = dict(said.line.whole())
    del kept["message"]
    kind = kept.pop("type")
    inner = dict(said.message.whole())
    _drop(inner, "role", kind)
    _drop(inner, "type", "message")
    if message is not None:
        _drop(inner, "id", message.get("messageId"))
        _drop(kept, "uuid", message.get("messageId"))
        _drop(kept, "timestamp", message["timestamp"])
        _drop(kept, "sessionId", message["runId"])
    kept["message"] = {name: value for name, value in inner.items() if value is not None} or None
    return {name: value for name, value in kept.items() if value is not None}


def _drop(members: Json, name: str, value: Any) -> None:
    if members.get(name) == value:
        members.pop(name, None)
