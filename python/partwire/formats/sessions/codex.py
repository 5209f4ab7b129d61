"""Codex CLI: the lines of a session, ``{timestamp, type, payload}``.

- ``response_item`` lines are items of Responses, and the conversation. ``event_msg`` lines say the
  same again for people to see, and are left out. Of them ``token_count`` gives an answer its usage:
  that of the last request, not the sum over the session.
- ``turn_context`` says which model answers, ``session_meta`` the run.
- Before such lines there were items as they are, and messages with role and content.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.errors import ReadError
from partwire.tables.provider_names import RESPONSES_CALLS

from ..core.reading import Json, Members, Reading
from ..histories.openai_responses import ResponsesHistory, is_item, is_of_answer
from .lines import SessionReader, read_lines, time_in

__all__ = ["CodexReader", "read", "reader"]

_OWN: Final = "codex"
_BARE: Final = frozenset(
    {
        None,
        "message",
        "reasoning",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
        *RESPONSES_CALLS,
        *(f"{call}_output" for call in RESPONSES_CALLS),
    }
)
"""Types of items that stood in lines of their own."""
_USAGE: Final = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
    "cached_input_tokens": "cacheReadTokens",
    "reasoning_output_tokens": "reasoningTokens",
}


def read(source: Any, reading: Reading) -> None:
    """Read the lines of a session, or one line."""
    is_line = type(source) is dict
    session = CodexReader(reading, None if is_line else "")
    read_lines(session, [source] if is_line else source, reading)


def reader(reading: Reading) -> CodexReader:
    """Return a reader of a session that grows."""
    return CodexReader(reading)


class CodexReader(SessionReader):
    """Reads lines of Codex. An answer is held until somebody else says something."""

    def __init__(self, reading: Reading, base: str | None = "") -> None:
        super().__init__(reading, base)
        self._history = ResponsesHistory(reading)
        self._run_id: str | None = None
        self._model: str | None = None
        self._total: Any = None  # tokens of the session, when they were told last
        self._next_usage: Json | None = None  # told before the answer
        self._answer: list[tuple[int, str | None, Json]] = []  # its lines: number, time, the rest
        self._usage: Json | None = None

    def _line(self, line: Members, number: int) -> None:
        kind, payload = line.peek("type"), line.peek("payload")
        if kind == "response_item" and type(payload) is dict:
            self._item(payload, line.at("payload"), line, number)
            return
        if "payload" not in line and _is_bare(line.whole()):
            rest = line.whole()
            names = ("timestamp", "created_at", "record_type")
            item = {name: value for name, value in rest.items() if name not in names}
            rest = {name: rest[name] for name in names if name in rest}
            self._item(item, line.place, Members(rest, line.place, self._reading), number)
            return
        if type(payload) is dict:
            self._event(kind, payload)
        self._reading.note("foreign-event", line.place)

    def _event(self, kind: Any, payload: Json) -> None:
        """Take what a line that is left out says of the run, the model and the tokens."""
        if kind == "session_meta" and isinstance(payload.get("id"), str) and payload["id"]:
            self._flush()
            self._run_id = payload["id"]
        elif kind == "turn_context" and isinstance(payload.get("model"), str):
            self._flush()
            self._model = payload["model"]
        elif kind == "event_msg" and payload.get("type") == "token_count":
            info = payload.get("info")
            total = info.get("total_token_usage") if type(info) is dict else None
            usage = _usage(info.get("last_token_usage")) if type(info) is dict else None
            if usage is None or (total is not None and total == self._total):
                return  # said again, with other limits
            self._total = total
            if self._answer:
                self._usage = usage
            else:
                self._next_usage = usage

    def _item(self, item: Json, place: str, line: Members, number: int) -> None:
        if not is_item(item):
            self._reading.note("malformed-event", line.place)
            return
        time = time_in(line, "timestamp") or time_in(line, "created_at")
        rest = _rest(line.whole(), time)
        if is_of_answer(item):
            if not self._answer:
                self._usage, self._next_usage = self._next_usage, None
            self._answer.append((number, time, rest))
            self._history.item(item, place)
            return
        self._flush()
        self._make([(number, time, rest)], lambda: self._history.item(item, place))

    def _end(self) -> None:
        self._flush()

    def _flush(self) -> None:
        """Make messages of the answer."""
        lines, self._answer = self._answer, []
        if not lines:
            return
        made = self._make(lines, self._history.finish)
        said = {"modelId": self._model, "usage": self._usage}
        meta = {name: value for name, value in said.items() if value}
        if made and meta:
            made[-1]["meta"] = {**made[-1].get("meta", {}), **meta}
        self._usage = None

    def _make(self, lines: list[tuple[int, str | None, Json]], make: Any) -> list[Json]:
        _, time, _ = lines[0]
        self._reading.says(run_id=self._run_id, timestamp=time)
        try:
            make()
        except ReadError:  # arguments are nested too deep, or a message has no role
            for number, _, _ in lines:
                self._reading.note("malformed-event", self._place(number))
        made = list(self._reading.messages)
        kept = [rest if at == time else {"timestamp": at, **rest} for _, at, rest in lines]
        if made and any(kept):
            made[0]["meta"] = {**made[0].get("meta", {}), _OWN: {"lines": kept}}
        self._add(tuple(number for number, _, _ in lines))
        return made


def _is_bare(line: Json) -> bool:
    kind = line.get("type")
    if kind is not None and not isinstance(kind, str):
        return False
    return kind in _BARE and (kind is not None or isinstance(line.get("role"), str))


def _rest(line: Json, time: str | None) -> Json:
    """Return what a line says beside its item and its time."""
    names = {"type", "payload"} | {n for n in ("timestamp", "created_at") if line.get(n) == time}
    return {n: value for n, value in line.items() if n not in names and value is not None}


def _usage(given: Any) -> Json | None:
    """Return the tokens of one request; None for what is not that."""
    if type(given) is not dict:
        return None
    found = {ours: given.get(theirs) for theirs, ours in _USAGE.items()}
    counts = {n: v for n, v in found.items() if type(v) is int and 0 <= v < 2**53}
    if "inputTokens" not in counts or "outputTokens" not in counts:
        return None
    total = counts.setdefault("totalTokens", counts["inputTokens"] + counts["outputTokens"])
    return counts if total < 2**53 else None
