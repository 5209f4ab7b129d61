"""Histories of messages, and those of sessions: ``messages_to_session``, ``session_to_messages``.

A session holds a call and its result in one part; messages hold the call in the assistant's
message and the result in the tool's message behind it. So both ways take whole histories. What a
session says and a message does not stands in ``meta.session`` and is taken from there on the way
back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Unpack

from partwire.errors import ReadError
from partwire.plain import plain_value
from partwire.reading import read
from partwire.v0_2.structs import message, session

from .context import Context
from .session_parts import call_part, call_result, file_part, message_file, tool_state
from .session_record import Misfit, fitted, record_of, spoken_parts
from .work import BridgeResult, Json, Work, derived_id

__all__ = ["messages_to_session", "session_to_messages"]

_NO_TOKENS: Final[Json] = {
    "input": 0,
    "output": 0,
    "reasoning": 0,
    "cache": {"read": 0, "write": 0},
}
_MAX: Final = 2**53 - 1
_TYPE: Final = "session.WithParts"
_SAID_META: Final = {
    "user": {"completedAt", "session"},
    "assistant": {"completedAt", "session", "usage"},
}


def session_to_messages(
    values: Any, **context: Unpack[Context]
) -> BridgeResult[list[message.Message]]:
    """Return ``session.WithParts`` (one or a list) as ``message.Message``.

    An assistant's message whose calls have ended becomes two: the message and the tool's. A user's
    system prompt becomes a message before it. Raises ReadError and UsageError.
    """
    work = Work(values, _TYPE, context)
    made: list[Json] = []
    for index, source in enumerate(work.source):
        made += _to_messages(source, f"/{index}", work)
    return work.finish(made, "message.Message")


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


# --- session to messages --------------------------------------------------------------------------


def _to_messages(source: Json, place: str, work: Work) -> list[Json]:
    info, parts = source["info"], source["parts"]
    role, time = info["role"], info["time"]
    fallback = parts[0]["sessionID"] if parts else info["id"]
    run_id = work.given("run_id", f"{place}/runId", "run-id-invented", fallback)
    created = work.text(time["created"], f"{place}/info/time/created")
    meta: Json = {"session": record_of(source)}
    if "completed" in time:
        meta["completedAt"] = work.text(time["completed"], f"{place}/info/time/completed")
    if role == "assistant":
        meta["usage"] = _usage(info)
    own, results, ends = [], [], []
    for index, (part, spoken) in enumerate(zip(parts, spoken_parts(source), strict=True)):
        at = f"{place}/parts/{index}"
        if not spoken:
            work.note("kept-in-meta", at)
            continue
        own.append(_message_part(part))
        if part["type"] == "tool" and (result := call_result(part)) is not None:
            results.append({"kind": "tool_result", "payload": result})
            ends.append((part["state"]["time"]["end"], f"{at}/state/time/end"))
    head = {"runId": run_id, "timestamp": created}
    made: list[Json] = []
    if "system" in info:
        system = [{"kind": "text", "payload": {"text": info["system"]}}]
        made.append({**head, "role": "system", "parts": system})
    made.append({**head, "role": role, "parts": own, "meta": meta})
    if results:
        ended = work.text(*max(ends))
        made.append({"runId": run_id, "role": "tool", "parts": results, "timestamp": ended})
    return made


def _usage(info: Json) -> Json:
    tokens = info["tokens"]
    total = min(tokens["input"] + tokens["output"], _MAX)
    return {
        "inputTokens": tokens["input"],
        "outputTokens": tokens["output"],
        "totalTokens": total,
        "cost": info["cost"],
    }


def _message_part(part: Json) -> Json:
    """Return what a message says of a session's part."""
    kind = part["type"]
    if kind == "text":
        return {"kind": "text", "payload": {"text": part["text"]}}
    if kind == "reasoning":
        return {"kind": "thinking", "payload": {"text": part["text"]}}
    return message_file(part) if kind == "file" else call_part(part)


# --- messages to session --------------------------------------------------------------------------


class _History:
    """The way from messages to a session, message by message."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.made: list[Json] = []
        self._system: tuple[int, Json] | None = None

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
        self.work.note("run-id", f"/{index}/runId")
        record = one.get("meta", {}).get("session")
        self._note_meta(one, index)
        created = self.work.ms(one["timestamp"], f"/{index}/timestamp")
        system = self._take_system(index, one, created) if one["role"] == "user" else None
        if record is not None:
            fitting = self._recorded(record, one, results, system)
            if fitting is not None:
                self.made.append(fitting)
                return end - index
            self.work.note("record-misfit", f"/{index}/meta/session")
        self.made.append(_Message(self.work, index, one, created, results, system).convert())
        return end - index

    def _note_meta(self, one: Json, index: int) -> None:
        for name in one.get("meta", {}):
            if name not in _SAID_META[one["role"]]:
                token = name.replace("~", "~0").replace("/", "~1")
                self.work.note("meta", f"/{index}/meta/{token}")

    def _recorded(
        self, record: Any, one: Json, results: _Results, system: str | None
    ) -> Json | None:
        try:
            # Anyone may write a record: what a session would not take is no record of one.
            made = plain_value(read(fitted(record, one, results.payloads, system), _TYPE))[0]
        except (Misfit, ReadError):
            return None
        return made if results.in_order and _says_again(made, one, results) else None

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
        self.work.note("run-id", f"/{at}/runId")
        if self.work.ms(system["timestamp"], f"/{at}/timestamp") != created:
            self.work.note("system-time", f"/{at}/timestamp")
        if "meta" in system:
            self.work.note("meta", f"/{at}/meta")
        if len(texts) != 1 or len(system["parts"]) != 1:
            self.work.note("system-parts", f"/{at}/parts")
        return "\n\n".join(texts)


def _says_again(made: Json, one: Json, results: _Results) -> bool:
    """Tell whether ``made`` converts to what it was made of; only the run may differ."""
    quiet = Work([], "message.Message", {"run_id": one["runId"]})
    own, *tool = [each for each in _to_messages(made, "", quiet) if each["role"] != "system"]
    said = _SAID_META[one["role"]]
    meta = {name: value for name, value in one["meta"].items() if name in said}
    parts = [{"kind": "tool_result", "payload": each} for each in results.payloads.values()]
    again = [each["parts"] for each in tool], [each["timestamp"] for each in tool]
    return {**own, "meta": meta} == {**one, "meta": own["meta"]} and again == (
        ([parts], [results.time]) if parts else ([], [])
    )


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
        work.note("run-id", f"/{index}/runId")
        if "meta" in source:
            work.note("meta", f"/{index}/meta")
        end = work.ms(source["timestamp"], f"/{index}/timestamp")
        self.ends.update(dict.fromkeys(fitting, end))
        return True


class _Message:
    """One message without a record: what a session asks for is given or made."""

    def __init__(  # one place calls it
        self,
        work: Work,
        index: int,
        one: Json,
        created: int,
        results: _Results,
        system: str | None,
    ) -> None:
        self.work, self.one, self.created = work, one, created
        self.results, self.system = results, system
        self.place = f"/{index}"
        # Where a message carries what a session says: the record, which it does not have.
        self.record = f"{self.place}/meta/session" if "meta" in one else f"{self.place}/meta"
        make: Callable[[], str] | None = work.context.get("make_id")
        work.note("ids-made", self.record)
        self.session_id = work.given(
            "session_id", self.record, "session-id-invented", derived_id("session", one["runId"])
        )
        self.id = make() if make else derived_id("message", self.session_id, index, one["runId"])
        self.make = make

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
        tokens = {
            **_NO_TOKENS,
            "input": usage["inputTokens"],
            "output": usage["outputTokens"],
        }
        if usage["totalTokens"] != min(tokens["input"] + tokens["output"], _MAX):
            self.work.note("usage-total", f"{at}/usage/totalTokens")
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
            return {"type": "text", "text": payload["text"]}
        if kind == "thinking":
            time = {"start": self.created}
            return {"type": "reasoning", "text": payload["text"], "time": time}
        if kind == "tool_call":
            call = payload["toolCallId"]
            result = self.results.payloads.get(call)
            times = (self.created, self.results.ends.get(call, self.created))
            where = (f"{place}/payload", self.results.places.get(call, ""))
            state = tool_state(payload, result, times, where, head, self.work)
            return {"type": "tool", "callID": call, "tool": payload["toolName"], "state": state}
        return file_part(part, place, self.work)
