"""Messages as those of a session.

Both ways take whole histories: a session holds a call and its result in one part. A message that
carries the record of one (``meta.session``) becomes what it was; of another one a session asks for
more than it says, and that is given by the caller, or made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Unpack

from partwire.contract.current import session
from partwire.errors import ReadError
from partwire.json.pointer import escape
from partwire.reading.pipeline import read
from partwire.reading.plain import plain_value

from .context import Context
from .conversion import BridgeResult, Json, Work, derived_id, is_uuid
from .from_session import spoken_messages
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


def added_by_record(
    made: Json, one: Json, results: Mapping[str, Json], answered: str | None
) -> list[str] | None:
    """Return the places where ``made`` says more than the message ``one`` that it was made of.

    None where it says anything else: ``made`` is a session's message, ``results`` and ``answered``
    (a time) are those of the calls. Only the run and the turn may differ.
    """
    keep = keeps_ignored(one["meta"]["session"])
    quiet = Work([], "message.Message", {"run_id": one["runId"], "keep_ignored": keep})
    own, *tool = [each for each in spoken_messages(made, "", quiet) if each["role"] != "system"]
    parts = [{"kind": "tool_result", "payload": each} for each in results.values()]
    ended = [(each["parts"], each["timestamp"]) for each in tool]
    if ended != ([(parts, answered)] if parts else []):
        return None
    said = SAID_META[one["role"]]
    meta = {name: value for name, value in one["meta"].items() if name in said}
    given: Json = {**one, "meta": meta}
    given.pop("turnId", None)
    added = _add_members(given, own, made)
    added += _add_to_parts(given, own)
    return added if own == given else None


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
        while one["role"] == "assistant" and end < len(source) and source[end]["role"] == "tool":
            end += 1
        if one["role"] == "assistant":
            self._drop_system()
        results = _Results(self.work, one, range(index + 1, end))
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
            made = plain_value(read(fitted(record, one, results.payloads, system), _TYPE))[0]
        except (Misfit, ReadError):
            return False
        if not results.in_order:
            return False
        added = added_by_record(made, one, results.payloads, results.time)
        if added is None:
            return False
        for each in added:
            self.work.note("from-record", f"{place}{each}")
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
            if "opaque" in part["payload"]:
                self.work.note("opaque", f"/{at}/parts/{number}/payload/opaque")
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


class _Results:
    """The results that the tool's messages at ``places`` give to the calls of one message."""

    def __init__(self, work: Work, one: Json, places: range) -> None:
        self.payloads: dict[str, Json] = {}
        self.ends: dict[str, int] = {}
        self.places: dict[str, str] = {}
        calls = [p["payload"]["toolCallId"] for p in one["parts"] if p["kind"] == "tool_call"]
        used = [n for n in places if self._take(work, n, set(calls))]
        order = [call for call in calls if call in self.payloads]
        self.time = work.source[used[0]]["timestamp"] if used else None
        self.in_order = len(used) < 2 and list(self.payloads) == order
        if not self.in_order:
            work.note("result-order", f"/{used[0]}/parts")
            work.note("result-order", f"/{used[0]}/timestamp")
            for n in used[1:]:
                work.note("result-order", f"/{n}")

    def _take(self, work: Work, index: int, calls: set[str]) -> bool:
        source = work.source[index]
        fitting = []
        for number, part in enumerate(source["parts"]):
            call = part["payload"]["toolCallId"]
            if call in calls and call not in self.payloads:
                self.payloads[call] = part["payload"]
                self.places[call] = f"/{index}/parts/{number}/payload"
                fitting.append(call)
        if not fitting:
            work.note("result-without-call", f"/{index}")
            return False
        for number, part in enumerate(source["parts"]):
            if self.places.get(part["payload"]["toolCallId"]) != (
                f"/{index}/parts/{number}/payload"
            ):
                work.note("result-without-call", f"/{index}/parts/{number}")
        _note_names(work, index, source)
        if "meta" in source:
            work.note("meta", f"/{index}/meta")
        end = work.ms(source["timestamp"], f"/{index}/timestamp")
        self.ends.update(dict.fromkeys(fitting, end))
        return True


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
        info["agent"] = self._given("agent", "agent-invented", "unknown")
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
        for number, part in enumerate(self.one["parts"]):
            head = {
                "id": self.make() if self.make else f"prt_{number}",
                "sessionID": self.session_id,
                "messageID": self.id,
            }
            made.append({**head, **self._part(part, f"{self.place}/parts/{number}", head)})
        return made

    def _part(self, part: Json, place: str, head: Json) -> Json:
        kind, payload = part["kind"], part["payload"]
        if kind == "text":
            return put_opaque({"type": "text", "text": payload["text"]}, payload)
        if kind == "thinking":
            time = {"start": self.created}
            made = {"type": "reasoning", "text": payload["text"], "time": time}
            return put_opaque(made, payload)
        if kind == "tool_call":
            call = payload["toolCallId"]
            result = self.results.payloads.get(call)
            times = (self.created, self.results.ends.get(call, self.created))
            where = (f"{place}/payload", self.results.places.get(call, ""))
            state = tool_state(payload, result, times, where, head, self.work)
            tool = {"type": "tool", "callID": call, "tool": payload["toolName"], "state": state}
            return put_opaque(tool, payload)
        return file_part(part, place, self.work)
