"""Messages as those of a session.

Both ways take whole histories: a session holds a call and its result in one part. A message that
carries the record of one (``meta.session``) becomes what it was; of another one a session asks for
more than it says, and that is given by the caller, or made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Unpack

from partwire.contract.current import session
from partwire.errors import ReadError
from partwire.json.pointer import escape
from partwire.reading.pipeline import read
from partwire.reading.plain import plain_value
from partwire.tables.losses import KIND_CODES

from .context import Context
from .conversion import BridgeResult, Json, Work, derived_id, is_uuid
from .from_session import spoken_messages
from .session_approvals import approval_of, asked_in, decided_at, in_order
from .session_parts import file_part, put_opaque, tool_state
from .session_record import FIRST_VERSION, Misfit, fitted, keeps_ignored, record_of
from .session_tokens import COUNTS, tokens_of

__all__ = ["SAID_META", "added_by_record", "messages_to_session"]


# --- whether meta.session still fits the message --------------------------------------------------

SAID_META: Final = {
    "user": {"completedAt", "session"},
    "assistant": {"completedAt", "session", "usage"},
}
_FILES: Final = {"image", "file_ref"}


def added_by_record(made: Json, one: Json, told: Json | None) -> list[str] | None:
    """Return the places where ``made`` says more than the message ``one`` that it was made of.

    None where it says anything else: ``made`` is a session's message, ``told`` the tool's message
    about its calls. Only the run, the turn and the author may differ, and outcomes that are not
    said.
    """
    keep = keeps_ignored(one["meta"]["session"])
    quiet = Work([], "message.Message", {"run_id": one["runId"], "keep_ignored": keep})
    own, *tool = [each for each in spoken_messages(made, "", quiet) if each["role"] != "system"]
    given_parts = [] if told is None else [(told["parts"], told["timestamp"])]
    if told is not None and tool:
        given_parts = [(_with_outcomes(told["parts"], tool[0]["parts"]), told["timestamp"])]
    if [(each["parts"], each["timestamp"]) for each in tool] != given_parts:
        return None
    said = SAID_META[one["role"]]
    meta = {name: value for name, value in one["meta"].items() if name in said}
    given: Json = {**one, "meta": meta}
    given.pop("turnId", None)
    given.pop("author", None)
    added = _add_members(given, own, made)
    added += _add_to_parts(given, own)
    return added if own == given else None


def _with_outcomes(parts: list[Json], again: list[Json]) -> list[Json]:
    """Return the parts with the outcomes that ``again`` says of them, where they say none."""
    made = []
    for part, other in zip(parts, again, strict=False):
        outcome = other["payload"].get("outcome")
        if part["kind"] == "tool_result" and outcome is not None:
            payload = {"outcome": outcome, **part["payload"]}
            made.append({**part, "payload": payload})
        else:
            made.append(part)
    return made + parts[len(made) :]


def _add_members(given: Json, own: Json, made: Json) -> list[str]:
    added = []
    if "messageId" not in given:
        given["messageId"] = own["messageId"]
        added.append("/messageId")
    meta = given["meta"]
    again = own["meta"]
    if isinstance(meta.get("usage"), dict) and "usage" in again:
        missing = [name for name in COUNTS if name not in meta["usage"]]
        meta["usage"] = {**{name: again["usage"][name] for name in missing}, **meta["usage"]}
        added += [f"/meta/usage/{name}" for name in missing]
    older = record_of(made, FIRST_VERSION, keep_ignored=keeps_ignored(meta["session"]))
    if meta["session"] != again["session"] and meta["session"] == older:
        meta["session"] = again["session"]
        added.append("/meta/session")
    return added


def _add_to_parts(given: Json, own: Json) -> list[str]:
    """Give the parts what only the record says of them: provider's state, an assistant's files."""
    said, again = given["parts"], own["parts"]
    kept = again
    if own["role"] == "assistant" and not any(part["kind"] in _FILES for part in said):
        kept = [part for part in again if part["kind"] not in _FILES]
    filled: list[Any] = []
    added = []
    for number, (part, known) in enumerate(zip(said, kept, strict=False)):
        payload = part["payload"]
        if "opaque" in known["payload"] and "opaque" not in payload:
            payload = {**payload, "opaque": known["payload"]["opaque"]}
            added.append(f"/parts/{number}/payload/opaque")
        filled.append({**part, "payload": payload})
    given["parts"] = filled + said[len(filled) :]
    if len(kept) != len(again) and given["parts"] == kept:
        given["parts"] = again
        added.append("/parts")
    return added


# --- messages to sessions -------------------------------------------------------------------------

_NO_TOKENS: Final[Json] = {
    "input": 0,
    "output": 0,
    "reasoning": 0,
    "cache": {"read": 0, "write": 0},
}
_TYPE: Final = "session.WithParts"


def messages_to_session(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[session.WithParts]]:
    """Return ``message.Message`` (one or a list) as ``session.WithParts``.

    Results are taken from the tool's messages right behind a call's message: repair a history in
    which they stand elsewhere first (:func:`partwire.message.repair_history`). Raises ReadError
    and UsageError.
    """
    work = Work(values, "message.Message", context)
    return work.finish(_History(work).convert(), _TYPE)


class _History:
    """The way from messages to a session, message by message."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.made: list[Json] = []
        self.ids: set[str] = set()  # of messages, in lower case
        self._system: tuple[int, Json] | None = None
        self._sessions: dict[str, str] = {}

    def session_of(self, run_id: str) -> str:
        """Return the id that is made for the session of a run."""
        if run_id not in self._sessions:
            self._sessions[run_id] = derived_id("session", run_id)
        return self._sessions[run_id]

    def convert(self) -> list[Json]:
        """Return the messages of the session."""
        source = self.work.source
        index = 0
        while index < len(source):
            role = source[index]["role"]
            if role == "system":
                self._drop_system()
                self._system = (index, source[index])
            elif role == "tool":
                self._drop_system()
                self.work.note("result-without-call", f"/{index}")
            else:
                index += self._spoken(index)
                continue
            index += 1
        self._drop_system()
        return self.made

    def _drop_system(self) -> None:
        if self._system is not None:
            self.work.note("system-message", f"/{self._system[0]}")
            self._system = None

    def _spoken(self, index: int) -> int:
        """Convert a user's or assistant's message; return how many messages that took."""
        source = self.work.source
        one = source[index]
        end = index + 1
        while one["role"] == "assistant" and end < len(source) and _is_told(source[end]):
            end += 1
        if one["role"] == "assistant":
            self._drop_system()
        results = _Results(self.work, one, index, range(index + 1, end))
        _note_names(self.work, index, one, spoken=True)
        record = one.get("meta", {}).get("session")
        self._note_meta(one, index)
        created = self.work.ms(one["timestamp"], f"/{index}/timestamp")
        system = self._take_system(index, one, created) if one["role"] == "user" else None
        if record is not None:
            if self._take_record(record, one, f"/{index}", results, system):
                return end - index
            self.work.note("record-misfit", f"/{index}/meta/session")
        self.made.append(_Message(self, index, one, created, results, system).convert())
        return end - index

    def _note_meta(self, one: Json, index: int) -> None:
        for name in one.get("meta", {}):
            if name not in SAID_META[one["role"]]:
                self.work.note("meta", f"/{index}/meta/{escape(name)}")

    def _take_record(
        self, record: Any, one: Json, place: str, results: _Results, system: str | None
    ) -> bool:
        """Take the session's message that the record and the message make; tell if they fit."""
        try:
            # Anyone may write a record: what a session would not take is not a record of one.
            made = plain_value(read(fitted(record, one, results, system), _TYPE))[0]
        except (Misfit, ReadError):
            return False
        if not results.in_order:
            return False
        told = results.message
        added = added_by_record(made, one, told)
        if added is None:
            return False
        for each in added:
            self.work.note("from-record", f"{place}{each}")
        for number, part in enumerate(told["parts"] if told is not None else ()):
            if part["kind"] == "tool_result" and "outcome" not in part["payload"]:
                self.work.note("outcome-form", f"{results.place}/parts/{number}/payload/outcome")
        _note_author(self.work, one, made["info"]["agent"], place)
        self.made.append(made)
        self.ids.add(made["info"]["id"].lower())
        return True

    def _take_system(self, index: int, one: Json, created: int) -> str | None:
        """Return the system prompt that stands before this message, and note what it loses."""
        if self._system is None:
            return None
        at, system = self._system
        texts = [part["payload"]["text"] for part in system["parts"] if part["kind"] == "text"]
        if not texts:
            self._drop_system()
            return None
        self._system = None
        _note_names(self.work, at, system)
        if self.work.ms(system["timestamp"], f"/{at}/timestamp") != created:
            self.work.note("system-time", f"/{at}/timestamp")
        if "meta" in system:
            self.work.note("meta", f"/{at}/meta")
        for number, part in enumerate(system["parts"]):
            place = f"/{at}/parts/{number}/payload"
            if "opaque" in part["payload"]:
                self.work.note("opaque", f"{place}/opaque")
            self.work.note_text(part["payload"], place)
        if len(texts) != 1 or len(system["parts"]) != 1:
            self.work.note("system-parts", f"/{at}/parts")
        return "\n\n".join(texts)


def _note_names(work: Work, index: int, source: Json, *, spoken: bool = False) -> None:
    """Note the names that a session has no place for; a spoken message's id has one."""
    work.note("run-id", f"/{index}/runId")
    if "turnId" in source:
        work.note("turn-id", f"/{index}/turnId")
    if "messageId" in source and not spoken:
        work.note("message-id", f"/{index}/messageId")
    if "author" in source and not spoken:
        work.note("author", f"/{index}/author")


def _is_told(message: Json) -> bool:
    """Tell whether a message is of a tool, or has a person's answers and nothing else."""
    kinds = {part["kind"] for part in message["parts"]}
    return bool(message["role"] == "tool") or kinds == {"approval_response"}


def _note_author(work: Work, one: Json, agent: str, place: str) -> None:
    """Note what the name of the session's agent does not say of the author."""
    author = one.get("author")
    if author is not None:
        same = author in ({"agentPath": [agent]}, {"name": agent})
        work.note("author-as-agent" if same else "author", f"{place}/author")


class _Results:
    """What the messages at ``places`` say of the calls of one message: results, and answers to
    what was asked about them.
    """

    def __init__(self, work: Work, one: Json, index: int, places: range) -> None:
        self.payloads: dict[str, Json] = {}
        self.ends: dict[str, int] = {}
        self.places: dict[str, str] = {}
        self._work = work
        self._parts = one["parts"]
        self._index = index
        self._asked = asked_in(self._parts)
        self.time = 0
        self._answers: dict[str, tuple[Json, str]] = {}
        self._calls = [p["payload"]["toolCallId"] for p in self._parts if p["kind"] == "tool_call"]
        used = [n for n in places if self._take(n)]
        self.message = work.source[used[0]] if used else None
        self.place = f"/{used[0]}" if used else ""
        self.in_order = not used or (len(used) < 2 and self._as_told(self.message))
        if not self.in_order:
            code = "approval-order" if self._answers else "result-order"
            work.note(code, f"{self.place}/parts")
            work.note(code, f"{self.place}/timestamp")
            if self.message is not None and self.message["role"] != "tool":
                work.note(code, f"{self.place}/role")
            for n in used[1:]:
                work.note(code, f"/{n}")

    def _take(self, index: int) -> bool:
        work, source, place = self._work, self._work.source[index], f"/{index}"
        fitting = []
        left = dict[int, str]()
        for number, part in enumerate(source["parts"]):
            payload, at = part["payload"], f"{place}/parts/{number}/payload"
            call = payload["toolCallId"]
            if part["kind"] == "approval_response":
                if call in self._answers or not self._is_asked(payload):
                    left[number] = "approval"
                else:
                    self._answers[call] = (payload, at)
            elif call in self._calls and call not in self.payloads:
                self.payloads[call] = payload
                self.places[call] = at
                fitting.append(call)
            else:
                left[number] = "result-without-call"
        if len(left) == len(source["parts"]):
            alone = source["parts"] and "result-without-call" not in left.values()
            work.note("approval" if alone else "result-without-call", place)
            return False
        for number, code in left.items():
            work.note(code, f"{place}/parts/{number}")
        _note_names(work, index, source)
        if "meta" in source:
            work.note("meta", f"{place}/meta")
        self.time = end = work.ms(source["timestamp"], f"{place}/timestamp")
        self.ends.update(dict.fromkeys(fitting, end))
        return True

    def _is_asked(self, answer: Json) -> bool:
        number = self._asked.get(answer["toolCallId"])
        asked = None if number is None else self._parts[number]["payload"]
        return asked is not None and bool(asked["approvalId"] == answer["approvalId"])

    def _as_told(self, message: Any) -> bool:
        """Tell whether answers and results stand as they do on the way back: call by call."""
        told = []
        for call in self._calls:
            told += [self._answers[call][0]] if call in self._answers else []
            told += [self.payloads[call]] if call in self.payloads else []
        kept = [p["payload"] for p in message["parts"] if any(p["payload"] is t for t in told)]
        same = all(mine is its for mine, its in zip(told, kept, strict=True))
        return bool(message["role"] == "tool") and same

    def is_joined(self, number: int) -> bool:
        """Tell whether a part of the message is the request that its call's state takes in."""
        call = self._parts[number]["payload"]["toolCallId"]
        return self._asked.get(call) == number

    def answered_at(self, call: str) -> str:
        """Return the pointer of the answer for a call."""
        return self._answers.get(call, ({}, ""))[1]

    def approval(self, call: str, rest: Any = None) -> Json | None:
        """Return the approval of a call, with what its parts do not say; None without one."""
        number = self._asked.get(call)
        if number is None:
            return None
        answer, at = self._answers.get(call, (None, ""))
        places = (f"/{self._index}/parts/{number}/payload", at)
        return approval_of(self._parts[number]["payload"], answer, places, self._work, rest)


class _Message:
    """One message without a record: what a session asks for is given or made."""

    def __init__(  # one place calls it
        self,
        history: _History,
        index: int,
        one: Json,
        created: int,
        results: _Results,
        system: str | None,
    ) -> None:
        work = history.work
        self.work, self.one, self.created = work, one, created
        self.results, self.system = results, system
        self.place = f"/{index}"
        # Where a message carries what a session says: the record, which it does not have.
        self.record = f"{self.place}/meta/session" if "meta" in one else f"{self.place}/meta"
        make: Callable[[], str] | None = work.context.get("make_id")
        work.note("ids-made", self.record)
        self.session_id = work.given(
            "session_id", self.record, "session-id-invented", history.session_of(one["runId"])
        )
        self.make = make
        self.id = self._own_id(history.ids) or (
            make() if make else derived_id("message", self.session_id, index, one["runId"])
        )
        self._ended: list[int] = []
        self._answered: list[int] = []
        history.ids.add(
            str(self.id).lower()
        )  # a maker may make what is not an id; reading refuses it

    def _own_id(self, taken: set[str]) -> str | None:
        """Return the message's own id, if a session takes it and no other message has it."""
        given = self.one.get("messageId")
        if given is None:
            self.work.note("message-id-made", f"{self.place}/messageId")
        elif is_uuid(given) and given.lower() not in taken:
            return str(given)
        else:
            self.work.note("message-id", f"{self.place}/messageId")
        return None

    def convert(self) -> Json:
        """Return the message of the session."""
        time = {"created": self.created}
        meta = self.one.get("meta", {})
        if "completedAt" in meta:
            time["completed"] = self.work.ms(meta["completedAt"], f"{self.place}/meta/completedAt")
        info: Json = {"id": self.id, "role": self.one["role"], "time": time}
        info["agent"] = self._agent()
        if info["role"] == "user":
            info["model"] = {
                "providerID": self._given("provider_id", "model-invented", "unknown"),
                "modelID": self._given("model_id", "model-invented", "unknown"),
            }
            if self.system is not None:
                info["system"] = self.system
        else:
            info["path"] = {
                "cwd": self._given("cwd", "path-invented", "/"),
                "root": self._given("root", "path-invented", "/"),
            }
            info.update(self._usage(meta))
        return {"info": info, "parts": self._parts()}

    def _given(self, name: str, code: str, invented: str) -> Any:
        return self.work.given(name, self.record, code, invented)

    def _agent(self) -> str:
        author = self.one.get("author", {})
        known = author.get("agentPath", [author.get("name")])[-1]
        if known is None or "agent" in self.work.context:
            known = self._given("agent", "agent-invented", "unknown")
        _note_author(self.work, self.one, known, self.place)
        return str(known)

    def _usage(self, meta: Json) -> Json:
        at = f"{self.place}/meta"
        usage = meta.get("usage")
        if usage is None:
            inner = f"{at}/usage" if "meta" in self.one else at
            tokens = self.work.given("tokens", inner, "usage-invented", _NO_TOKENS)
            if self.work.context.keys().isdisjoint({"tokens", "cost"}):
                return {"tokens": tokens, "cost": 0}
            cost = self.work.given("cost", inner, "cost-invented", 0)
            return {"tokens": tokens, "cost": cost}
        tokens = tokens_of(usage, f"{at}/usage", self.work)
        cost = usage.get("cost")
        if cost is None:
            cost = self.work.given("cost", f"{at}/usage/cost", "cost-invented", 0)
        return {"tokens": tokens, "cost": cost}

    def _parts(self) -> list[Json]:
        made = []
        kept: list[Json] = []
        for number, part in enumerate(self.one["parts"]):
            place = f"{self.place}/parts/{number}"
            code = self._code_of(number, part)
            if code is not None:
                self.work.note(code, place)
                continue
            kept.append(part)
            if part["kind"] == "approval_request":
                if "opaque" in part["payload"]:
                    self.work.note("opaque", f"{place}/payload/opaque")
                continue
            head = {
                "id": self.make() if self.make else f"prt_{number}",
                "sessionID": self.session_id,
                "messageID": self.id,
            }
            made.append({**head, **self._part(part, place, head)})
        self._note_order(kept)
        self._note_time()
        return made

    def _code_of(self, number: int, part: Json) -> str | None:
        """Return the loss of a part that a session has no place for."""
        kind = part["kind"]
        is_joined = kind == "approval_request" and self.results.is_joined(number)
        return None if is_joined else KIND_CODES.get(kind)

    def _note_order(self, kept: list[Json]) -> None:
        """Note requests that do not stand right behind their calls, as they do on the way back."""
        for before, part in zip([None, *kept], kept, strict=False):
            if part["kind"] == "approval_request":
                payload = part["payload"]
                call = None if before is None else before["payload"].get("toolCallId")
                if before is None or before["kind"] != "tool_call" or call != payload["toolCallId"]:
                    self.work.note("approval-order", f"{self.place}/parts")

    def _note_time(self) -> None:
        """Note the time of the tool's message, if the way back gives another one."""
        told = self._ended or self._answered
        if told and self.results.in_order and max(told) != self.results.time:
            self.work.note("timestamp", f"{self.results.place}/timestamp")

    def _part(self, part: Json, place: str, head: Json) -> Json:
        kind, payload = part["kind"], part["payload"]
        if kind == "text":
            self.work.note_text(payload, f"{place}/payload")
            return put_opaque({"type": "text", "text": payload["text"]}, payload)
        if kind == "thinking":
            time = {"start": self.created}
            made = {"type": "reasoning", "text": payload["text"], "time": time}
            return put_opaque(made, payload)
        if kind == "tool_call":
            tool = {"type": "tool", "callID": payload["toolCallId"], "tool": payload["toolName"]}
            tool["state"] = self._state(payload, f"{place}/payload", head)
            return put_opaque(tool, payload)
        return file_part(part, place, self.work)

    def _state(self, payload: Json, place: str, head: Json) -> Json:
        results, call = self.results, payload["toolCallId"]
        result, approval = results.payloads.get(call), results.approval(call)
        if approval is not None:
            approval = in_order(approval, results.answered_at(call), self.work)
        decided = None if approval is None else decided_at(approval)
        start = self.created if decided is None else max(self.created, decided[0])
        times = (start, results.ends.get(call, start))
        where = (place, results.places.get(call, ""))
        state = tool_state(payload, (result, approval), times, where, head, self.work)
        own = self.created if decided is None else decided[0]
        if result is not None:
            self._ended.append(own if state["status"] == "denied" else times[1])
        elif approval is not None and "decision" in approval:
            self._answered.append(own)
        return state
