"""Repairs of a history: every defect that ``check_history`` finds has a policy.

Nothing goes without being named: what a repair takes out is in its change. What nothing is wrong
with stays as it was given.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType, structs

from ...contract.current import LATEST_VERSION
from ...contract.current.message import (
    Message,
    TextPart,
    TextPayload,
    ToolResult,
    ToolResultPart,
)
from ...errors import Finding, PartwireError, ReadError, bad_argument, clip, printable
from ...json.canonical import canonical
from ...json.text import value_findings
from ...reading.plain import plain_value
from ...tables.history_repairs import HOME_ROLES, INTERRUPTED, REPAIRS
from .messages import (
    APPROVALS,
    CALLS,
    RESULTS,
    allowed_kinds,
    has_outcome,
    plain_message,
    read_message,
    several_messages,
)
from .runs import Turns, pointer_position

__all__ = [
    "INTERRUPTED",
    "REPAIRS",
    "Draft",
    "HistoryChange",
    "Item",
    "RepairResult",
    "repair_history",
    "whole_policy",
]


# --- policies -------------------------------------------------------------------------------------


class HistoryChange(NamedTuple):
    """One thing that a repair did.

    ``pointer`` is the place in the given history, ``result`` the place in the repaired one where
    what was made of it stands (None if nothing is left). ``removed`` is what was taken out, as
    JSON value.
    """

    rule: str
    action: str
    pointer: str
    message: str
    result: str | None = None
    removed: Any = None

    def to_wire(self) -> dict[str, Any]:
        """Return the change as a JSON object; fields that are None are left out."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class RepairResult(NamedTuple):
    """The repaired history, each message in the form in which it was given, and the changes."""

    messages: list[Any]
    changes: list[HistoryChange]


def whole_policy(policy: Mapping[str, str]) -> dict[str, str]:
    """Return defect → action for all defects; raises UsageError ``usage/invalid-argument``."""
    if not isinstance(policy, Mapping):
        raise bad_argument(
            "A policy maps defects to actions",
            'a mapping, such as {"orphan-tool-result": "text"}',
            policy,
        )
    for name, action in policy.items():
        actions = REPAIRS.get(name, ())
        if action not in actions:
            raise bad_argument(
                f"No such repair of {name}" if actions else "No such defect",
                " or ".join(actions or REPAIRS),
                action if actions else name,
            )
    return {name: policy.get(name, actions[0]) for name, actions in REPAIRS.items()}


# --- the draft ------------------------------------------------------------------------------------


class Item:
    """One part; ``place`` is index of message and part in the given history, None if made.

    ``partner`` of a call is its result, and of a result its call; of a request for approval the
    call, and of the answer the request.
    """

    __slots__ = ("approval_id", "call_id", "draft", "gone", "kind", "partner", "place", "value")

    def __init__(self, value: Any, part: Any, place: tuple[int, int] | None) -> None:
        self.value = value
        self.place = place
        self.kind: str | None = getattr(part, "kind", None)
        payload: Any = None if self.kind is None else part.payload
        self.call_id: str = payload.tool_call_id if self.kind in _WITH_CALL else ""
        self.approval_id: str = payload.approval_id if self.kind in APPROVALS else ""
        self.draft: Draft
        self.gone = False
        self.partner: Item | None = None

    @property
    def is_server(self) -> bool:
        """Whether it is a call that the provider runs, or the result of one."""
        return self.kind in ("server_tool_call", "server_tool_result")

    def rename(self, call_id: str) -> None:
        """Give the call, or what belongs to one, another id."""
        self.call_id = call_id
        self.draft.changed = True
        if isinstance(self.value, dict):
            payload = {**self.value["payload"], "toolCallId": call_id}
            self.value = {**self.value, "payload": payload}
        else:
            payload = structs.replace(self.value.payload, tool_call_id=call_id)
            self.value = structs.replace(self.value, payload=payload)

    def wire(self) -> Any:
        """Return the part as JSON value."""
        return plain_value(self.value)[0]

    @property
    def pointer(self) -> str:
        """Where the part stands in the given history."""
        message, part = self.place or (-1, -1)
        return f"/{message}/parts/{part}"


_WITH_CALL: Final = CALLS | RESULTS | APPROVALS
_SILENT: Final = APPROVALS | {"server_tool_result"}


class Draft:
    """One message: its items, who speaks, and what it is made from."""

    __slots__ = (
        "_base",
        "_given",
        "_items",
        "changed",
        "count",
        "emptied_by",
        "index",
        "leaves",
        "role",
        "run_id",
        "turn",
    )

    def __init__(self, given: Any, base: Any, message: Message, index: int | None) -> None:
        self._given = given
        self._base = base
        self.index = index
        self.run_id = message.run_id
        self.role: str = message.role
        self._items: list[Item] = []
        self.count = 0
        self.changed = False
        self.turn = 0
        self.leaves = False  # its place, as a whole, for another one
        self.emptied_by = ""  # the rule by which its last part went

    @classmethod
    def open(cls, given: Any, message: Message, index: int) -> Draft:
        """Return the draft of a message; ``message`` is ``given`` as it was read."""
        base: Any = message
        if isinstance(given, (Mapping, str, bytes, bytearray, memoryview)):
            base = plain_message(given)
        draft = cls(given, base, message, index)
        values = base["parts"] if isinstance(base, dict) else message.parts
        for number, (value, part) in enumerate(zip(values, message.parts, strict=True)):
            draft.put(Item(value, part, (index, number)))
        return draft

    def beside(self, role: str, *, invented: bool = False) -> Draft:
        """Return a new message of the same run, time and form, without parts.

        It has the author of this one, if it says in the same role what this one said.
        """
        base = self._base
        has_author = role == self.role and not invented
        if isinstance(base, dict):
            author = {"author": base["author"]} if has_author and "author" in base else {}
            made: Any = {
                "runId": self.run_id,
                "role": role,
                **author,
                "parts": [],
                "timestamp": base["timestamp"],
            }
        else:
            made = Message(
                run_id=self.run_id,
                role=role,  # type: ignore[arg-type]
                parts=[],
                timestamp=base.timestamp,
                author=base.author if has_author else UNSET,
            )
        given: str | bytes | None = None
        if isinstance(self._given, (str, bytes, bytearray, memoryview)):
            given = "" if isinstance(self._given, str) else b""
        message = Message(run_id=self.run_id, role=role, parts=[], timestamp="")  # type: ignore[arg-type]
        draft = Draft(given, made, message, None)
        draft.changed = True
        return draft

    @property
    def items(self) -> list[Item]:
        """The parts that are in the message now, in order."""
        return [item for item in self._items if item.draft is self and not item.gone]

    @property
    def is_silent(self) -> bool:
        """Whether nobody speaks here: there are approvals and results of the provider alone."""
        is_empty = not self.count and not self.changed  # as it was given: somebody said nothing
        return not is_empty and all(item.kind in _SILENT for item in self.items)

    def put(self, item: Item) -> None:
        """Append a part."""
        item.draft = self
        item.gone = False
        self._items.append(item)
        self.count += 1

    def remove(self, item: Item, rule: str) -> None:
        """Take a part out, by a rule."""
        # Not out of the list: one by one, that would cost the square of them.
        item.gone = True
        self.count -= 1
        self.changed = True
        self.emptied_by = rule

    def take_all(self) -> list[Item]:
        """Take all parts out and return them."""
        items = self.items
        self._items = []
        self.count = 0
        self.changed = True
        return items

    def put_result(self, call_id: str, content: str, outcome: str | UnsetType) -> Item:
        """Append an error result for a call, and return it."""
        payload = ToolResult(tool_call_id=call_id, is_error=True, content=content, outcome=outcome)
        return self._put_made(ToolResultPart(payload=payload))

    def put_quote(self, result: Item) -> Item:
        """Append a tool result as what it holds: text, and parts as they are."""
        payload = result.wire()["payload"]
        what = "Error" if payload["isError"] else "Result"
        content = payload["content"]
        text = f"{what} of the tool call {result.call_id}, whose call is not in this history:"
        if isinstance(content, list):
            first = self._put_made(TextPart(payload=TextPayload(text=text)))
            nested = (
                result.value["payload"]["content"]
                if isinstance(result.value, dict)
                else result.value.payload.content
            )
            for value in nested:
                self.put(Item(value, None, None))
            return first
        if not isinstance(content, str):
            content = canonical(content).decode()
        return self._put_made(TextPart(payload=TextPayload(text=f"{text}\n{content}")))

    def _put_made(self, part: Any) -> Item:
        value = plain_value(part)[0] if isinstance(self._base, dict) else part
        item = Item(value, part, None)
        self.put(item)
        self.changed = True
        return item

    def given_wire(self) -> Any:
        """Return the message as it was given, as JSON value."""
        return plain_message(self._given)

    def result(self) -> Any:
        """Return the message: the given one if nothing changed, else one of its form."""
        if not self.changed:
            return self._given
        values = [item.value for item in self.items]
        if not isinstance(self._base, dict):
            return structs.replace(self._base, role=self.role, parts=values)
        made = {**self._base, "role": self.role, "parts": values}
        if isinstance(self._given, str):
            return msgspec.json.encode(made).decode()
        if isinstance(self._given, (bytes, bytearray, memoryview)):
            return msgspec.json.encode(made)
        return made


# --- the repair -----------------------------------------------------------------------------------


def repair_history(
    messages: Iterable[Any],
    policy: Mapping[str, str] | None = None,
    *,
    ongoing: bool = False,
    version: str = LATEST_VERSION,
) -> RepairResult:
    """Return the history without what ``check_history`` calls an error, and what was changed.

    ``policy`` says by name of the defect what to do about it (``REPAIRS``). The messages that
    are given are not changed; those that need no repair are returned as they are, the others in
    the same form (struct, JSON value or JSON text; models and snapshots become structs). Repairing
    what was repaired changes nothing. Calls that ``ongoing`` lets wait are left alone. New results
    have the time of the message before them: nothing here has a clock. ``version`` is the contract
    version whose table of roles holds; results that are made say their outcome where that knows it.

    Raises UsageError ``usage/invalid-argument`` for a policy that is none and for a single message
    in place of several, ``usage/unknown-version``, and ReadError for a message that cannot be read,
    unless the policy is to drop it.
    """
    whole = whole_policy({} if policy is None else policy)
    outcome = INTERRUPTED if has_outcome(version) else UNSET
    repair = _Repair(whole, allowed_kinds(version), outcome)
    return repair.run(several_messages(messages), ongoing)


class _Note(NamedTuple):
    """A change whose result has no place yet: it is where ``item`` comes to stand."""

    change: HistoryChange
    item: Item | None


_Key = tuple[str, str]


class _Slot(NamedTuple):
    """A run, the id of a call in it, and whether the provider runs it: calls and their results."""

    run_id: str
    call_id: str
    is_server: bool


class _Repair:
    """One repair: drafts of all messages, settled defect by defect."""

    def __init__(
        self,
        policy: dict[str, str],
        kinds: Mapping[str, frozenset[str]],
        outcome: str | UnsetType,
    ) -> None:
        self._policy = policy
        self._kinds = kinds
        self._outcome = outcome
        self._drafts: list[Draft] = []
        self._notes: list[_Note] = []
        # Calls and results, by run and by the id that they were given with.
        self._used: dict[str, set[str]] = defaultdict(set)
        self._latest: dict[_Key, Item] = {}
        self._waiting: dict[_Slot, deque[Item]] = {}
        self._early: dict[_Slot, list[Item]] = defaultdict(list)
        self._calls: list[Item] = []
        self._last_number: dict[_Key, int] = {}
        self._out_of_order: set[Item] = set()
        self._quoted: list[Item] = []
        # Requests by run and approval, each with the id of its call as given; those with an answer.
        self._requests: dict[_Key, tuple[Item, str]] = {}
        self._decided: set[_Key] = set()
        self._approvals: list[Item] = []
        # Turns, by run and number, and what comes to stand beside a message.
        self._starts: dict[tuple[str, int], Draft] = {}
        self._ends: dict[tuple[str, int], Draft] = {}
        self._before: dict[Draft, list[Draft]] = defaultdict(list)
        self._next: dict[Draft, list[Draft]] = defaultdict(list)
        self._behind: dict[Draft, list[Draft]] = defaultdict(list)

    def run(self, messages: Iterable[Any], ongoing: bool) -> RepairResult:
        self._open(messages)
        self._settle_roles()
        self._match()
        self._settle_early()
        self._settle_turns(ongoing)
        self._settle_approvals()
        return self._result()

    # --- messages ---------------------------------------------------------------------------------

    def _open(self, messages: Iterable[Any]) -> None:
        refused: list[Finding] = []
        for index, given in enumerate(messages):
            message, found = read_message(given)
            if message is not None:
                self._drafts.append(Draft.open(given, message, index))
            elif self._policy["unreadable-message"] == "refuse":
                refused += [each._replace(pointer=f"/{index}{each.pointer}") for each in found]
            else:
                text = f"No message: {found[0].message}"
                change = HistoryChange(found[0].rule, "drop", f"/{index}", text, None, _raw(given))
                self._notes.append(_Note(change, None))
        if refused:
            raise ReadError(*refused)

    def _settle_roles(self) -> None:
        drafts: list[Draft] = []
        known: frozenset[str | None] = frozenset().union(*self._kinds.values())
        for draft in self._drafts:
            kinds = self._kinds[draft.role]
            misplaced = [item for item in draft.items if item.kind in known.difference(kinds)]
            if misplaced and self._policy["role-part-kind"] == "split":
                drafts += self._split(draft, misplaced)
                continue
            for item in misplaced:
                self._drop("role-part-kind", item)
            drafts.append(draft)
        self._drafts = drafts

    def _split(self, draft: Draft, misplaced: list[Item]) -> list[Draft]:
        """Cut a message where the speaker changes; the first piece of its own role stays itself."""
        wrong = set(misplaced)
        items = draft.take_all()
        speakers = [HOME_ROLES[item.kind or ""] if item in wrong else draft.role for item in items]
        draft.role = draft.role if draft.role in speakers else speakers[0]
        pieces: list[Draft] = []
        for item, speaker in zip(items, speakers, strict=True):
            if not pieces or pieces[-1].role != speaker:
                stays = speaker == draft.role and not draft.count
                pieces.append(draft if stays else draft.beside(speaker))
            pieces[-1].put(item)
        for item in misplaced:
            self._note("role-part-kind", "split", item, f"In a message of role {item.draft.role}")
        return pieces

    # --- calls and results ------------------------------------------------------------------------

    def _match(self) -> None:
        """Give every call the first result that comes while it waits."""
        for draft in self._drafts:
            self._used[draft.run_id].update(item.call_id for item in draft.items)
        for draft in self._drafts:
            for item in draft.items:
                if item.kind in CALLS:
                    self._match_call(item, _Slot(draft.run_id, item.call_id, item.is_server))
                elif item.kind in RESULTS:
                    self._match_result(item, _Slot(draft.run_id, item.call_id, item.is_server))
                elif item.kind == "approval_request":
                    self._match_request(item, (draft.run_id, item.call_id))
                elif item.kind == "approval_response":
                    self._match_response(item, draft.run_id)

    def _match_call(self, call: Item, slot: _Slot) -> None:
        key = slot[:2]
        is_used = key in self._latest
        self._latest[key] = call
        if is_used:
            if self._policy["duplicate-tool-call"] == "drop":
                self._drop("duplicate-tool-call", call)
                return
            self._rename(call, self._new_id(key))
        self._calls.append(call)
        self._waiting.setdefault(slot, deque()).append(call)

    def _match_result(self, result: Item, slot: _Slot) -> None:
        waiting = self._waiting.get(slot)
        if waiting is None:
            self._early[slot].append(result)
        elif waiting:
            self._answer(waiting.popleft(), result)
        else:
            self._drop("duplicate-tool-result", result)

    def _answer(self, call: Item, result: Item) -> None:
        call.partner = result
        result.partner = call
        if call.call_id != result.call_id:
            self._rename(result, call.call_id)

    def _match_request(self, request: Item, key: _Key) -> None:
        call = self._latest.get(key)
        asked = (key[0], request.approval_id)
        if asked in self._requests:
            self._drop("duplicate-approval", request, "approvalId")
        elif call is None or call.gone:
            self._drop("orphan-approval", request)
        else:
            self._requests[asked] = (request, request.call_id)
            self._approve(request, call)

    def _match_response(self, response: Item, run_id: str) -> None:
        asked = (run_id, response.approval_id)
        request, call_id = self._requests.get(asked, (None, ""))
        if asked in self._decided:
            self._drop("duplicate-approval", response, "approvalId")
        elif request is None:
            self._drop("orphan-approval", response, "approvalId")
        elif response.call_id != call_id:
            self._drop("orphan-approval", response)
        else:
            self._decided.add(asked)
            self._approve(response, request)

    def _approve(self, item: Item, partner: Item) -> None:
        item.partner = partner
        self._approvals.append(item)
        if item.call_id != partner.call_id:
            self._rename(item, partner.call_id)

    def _settle_approvals(self) -> None:
        """Drop the requests of calls that are dropped, and their answers."""
        for item in self._approvals:
            if item.partner is not None and item.partner.gone:
                is_answer = item.kind == "approval_response"
                self._drop("orphan-approval", item, "approvalId" if is_answer else "toolCallId")

    def _rename(self, item: Item, new_id: str) -> None:
        message = f"Renamed from {clip(item.call_id)} to {clip(new_id)}"
        self._note("duplicate-tool-call", "rename", item, message)
        item.rename(new_id)

    def _new_id(self, key: _Key) -> str:
        run_id, call_id = key
        used = self._used[run_id]
        # Of n calls with one id, each looks behind the names of those before it.
        number = self._last_number.get(key, 1) + 1
        while (new_id := f"{call_id}_{number}") in used:
            number += 1
        self._last_number[key] = number
        return new_id

    def _settle_early(self) -> None:
        """Settle results that stand before their call, and those that have none."""
        for slot, results in self._early.items():
            waiting = self._waiting.get(slot)
            for result in results:
                if waiting is None:
                    self._settle_orphan(result)
                elif waiting and self._policy["result-before-call"] == "move":
                    where = "message" if result.is_server else "turn"
                    self._note(
                        "result-before-call", "move", result, f"Behind the {where} of its call"
                    )
                    self._answer(waiting.popleft(), result)
                    self._out_of_order.add(result)
                else:  # as the policy says, or because the call has another result behind it
                    self._drop("result-before-call", result)

    def _settle_orphan(self, orphan: Item) -> None:
        if self._policy["orphan-tool-result"] == "text":
            self._quoted.append(orphan)
        else:
            self._drop("orphan-tool-result", orphan)

    # --- turns ------------------------------------------------------------------------------------

    def _settle_turns(self, ongoing: bool) -> None:
        """Answer the open calls, and bring results behind the turn of their call."""
        last = self._count_turns()
        answers: dict[Draft, Draft] = {}
        for call in self._calls:
            draft, result = call.draft, call.partner
            # A version that does not know a kind leaves its part where no turn ends or starts.
            end = self._ends.get((draft.run_id, draft.turn), draft)
            if call.is_server:  # only the provider knows whether it goes on
                if result is not None and result in self._out_of_order:
                    self._next[draft].append(self._moved(result))
            elif result is None:
                if not ongoing or draft.turn != last[draft.run_id].now:
                    self._settle_unanswered(call, end, answers)
            elif result in self._out_of_order or self._is_late(result, draft.turn):
                self._behind[end].append(self._moved(result))
        for orphan in self._quoted:
            self._quote(orphan)
        self._drafts = [
            each
            for draft in self._drafts
            for each in (
                *self._before.get(draft, ()),
                *(() if draft.leaves else (draft,)),
                *self._next.get(draft, ()),
                *self._behind.get(draft, ()),
            )
        ]

    def _count_turns(self) -> dict[str, Turns]:
        turns: dict[str, Turns] = defaultdict(Turns)
        for draft in self._drafts:
            run_id, turn = draft.run_id, turns[draft.run_id]
            if not draft.is_silent:
                turn.hear(draft.role)
            draft.turn = turn.now
            answers = draft.role == "tool" and any(map(self._is_in_time, draft.items))
            if answers:
                turn.hear_result()
            if answers or draft.is_silent or draft.role in ("user", "assistant"):
                self._ends[run_id, turn.now] = draft
            if draft.role != "system":
                self._starts.setdefault((run_id, turn.now), draft)
        return turns

    def _is_in_time(self, result: Item) -> bool:
        # The turn of a call that has not come is still 0; an approval answers no call.
        if result.kind != "tool_result":
            return False
        return result.partner is not None and result.partner.draft.turn == result.draft.turn

    def _is_late(self, result: Item, turn: int) -> bool:
        if result.draft.turn == turn or self._policy["late-tool-result"] == "keep":
            return False
        self._note("late-tool-result", "move", result, "Behind the turn of its call")
        return True

    def _moved(self, result: Item) -> Draft:
        """Return the message that holds ``result`` alone: its own, or a new one."""
        draft = result.draft
        if draft.count == 1:
            draft.leaves = True
            return draft
        alone = draft.beside(draft.role)
        draft.remove(result, "history/late-tool-result")
        alone.put(result)
        return alone

    def _settle_unanswered(self, call: Item, end: Draft, answers: dict[Draft, Draft]) -> None:
        if self._policy["unanswered-tool-call"] == "drop":
            self._drop("unanswered-tool-call", call)
            return
        if end not in answers:
            answers[end] = end.beside("tool", invented=True)
            self._behind[end].append(answers[end])
        result = answers[end].put_result(call.call_id, INTERRUPTED, self._outcome)
        message = f"Answered by an error result: {INTERRUPTED}"
        self._note("unanswered-tool-call", "answer", call, message, result)

    def _quote(self, orphan: Item) -> None:
        """Let the user say what an orphan holds, before the turn that it stands in.

        Behind it, the quote would part a call that waits from its result.
        """
        draft = orphan.draft
        quote = draft.beside("user")
        message = "Quoted in a message of the user"
        self._note("orphan-tool-result", "text", orphan, message, quote.put_quote(orphan))
        draft.remove(orphan, "history/orphan-tool-result")
        start = self._starts.get((draft.run_id, draft.turn), draft)
        self._before[start].append(quote)

    # --- changes ----------------------------------------------------------------------------------

    def _drop(self, defect: str, item: Item, member: str = "toolCallId") -> None:
        change = _change(defect, "drop", item, "Taken out", member)._replace(removed=item.wire())
        self._notes.append(_Note(change, None))
        item.draft.remove(item, change.rule)

    def _note(
        self, defect: str, action: str, item: Item, message: str, made: Item | None = None
    ) -> None:
        self._notes.append(_Note(_change(defect, action, item, message), made or item))

    def _result(self) -> RepairResult:
        kept = [draft for draft in self._drafts if draft.count or not draft.changed]
        emptied = [
            _emptied(draft)
            for draft in self._drafts
            if draft.changed and not draft.count and draft.index is not None
        ]
        places = {
            item: f"/{index}/parts/{number}"
            for index, draft in enumerate(kept)
            for number, item in enumerate(draft.items)
        }
        # A part that was named and taken out later has no place.
        changes = [
            change if item is None else change._replace(result=places.get(item))
            for change, item in self._notes
        ]
        changes = sorted([*changes, *emptied], key=pointer_position)
        return RepairResult([draft.result() for draft in kept], changes)


def _change(
    defect: str, action: str, item: Item, message: str, member: str = "toolCallId"
) -> HistoryChange:
    member = "/kind" if defect == "role-part-kind" else f"/payload/{member}"
    return HistoryChange(f"history/{defect}", action, item.pointer + member, message)


def _emptied(draft: Draft) -> HistoryChange:
    return HistoryChange(
        draft.emptied_by,
        "drop",
        f"/{draft.index}",
        "Taken out: nothing is left of the message",
        removed=draft.given_wire(),
    )


def _raw(given: Any) -> Any:
    """Return what is not a message: as JSON value as far as it is one, else as text."""
    if isinstance(given, str):
        return printable(given)
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(given).decode("utf-8", "backslashreplace")
    try:
        value = plain_message(given)
    except PartwireError:
        return clip(given)
    return clip(given) if value_findings(value) else value
