"""Checks that no single message shows: tool calls and their results over a whole history.

Ids are scoped to the run; the messages of several runs may be mixed. A call is open
until a result answers it. What is asked of a history:

- an id is used by one call of the run (``history/duplicate-tool-call``),
- a call has exactly one result (``history/unanswered-tool-call``,
  ``history/duplicate-tool-result``), which comes after it (``history/result-before-call``) and in
  the same turn (``history/late-tool-result``, a warning), in the order of the calls
  (``history/result-order``, an information),
- a result has a call (``history/orphan-tool-result``) of its kind: the caller's or the provider's,
- the outcome of a result does not contradict ``isError`` (``history/outcome-contradicts``),
- an approval is asked for once, of a call before it, and decided once (``history/orphan-approval``,
  ``history/duplicate-approval``), by a known word and one of the choices that were offered
  (``history/unknown-decision``, ``history/unknown-choice``, warnings), and a call that waits for
  one has no result of a run (``history/unapproved-result``, a warning),
- a role holds the parts of its row (``history/role-part-kind``).

Calls that the provider runs may get their result in any later message, or never
(``history/unanswered-server-call``, an information).

A turn is what a run's assistant says without being interrupted, and the results that follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from ...contract.current import LATEST_VERSION
from ...contract.current.message import ApprovalChoice
from ...errors import Finding, bad_argument, clip
from ...severities import SEVERITIES
from ...tables.limits import DEFAULT_REMEMBERED
from .messages import CALLS, RESULTS, allowed_kinds, read_message, several_messages
from .runs import CallKey, Place, RecentIds, Request, RunState, pointer_position

__all__ = ["HistoryChecker", "check_history"]

_FAILURES: Final = frozenset({"error", "denied", "interrupted", "timeout"})
_DID_NOT_RUN: Final = frozenset({"denied", "interrupted"})
_APPROVED: Final = "approved"
_DECISIONS: Final = frozenset({_APPROVED, "denied"})


def check_history(
    messages: Iterable[Any],
    *,
    ongoing: bool = False,
    remember: int | None = DEFAULT_REMEMBERED,
    version: str = LATEST_VERSION,
) -> list[Finding]:
    """Return what is wrong with a history, in document order; an empty list means nothing.

    ``messages`` are Message structs, models, mappings or JSON text (str or bytes), in the order of
    the history, or one JSON text that is an array of them; they are read tolerantly and once, so an
    iterator will do. Pointers lead into the
    history as an array: ``/3/parts/0/payload/toolCallId`` is in the fourth message. Options and
    memory as for :class:`HistoryChecker`. Raises UsageError ``usage/invalid-argument``, for a
    single message or a text in place of several too, and ``usage/unknown-version``; never for a
    message of the history.
    """
    checker = HistoryChecker(ongoing=ongoing, remember=remember, version=version)
    found = [finding for message in several_messages(messages) for finding in checker.add(message)]
    found += checker.close()
    return sorted(found, key=pointer_position)


class _Placed(NamedTuple):
    """A tool call, a result or an approval, and where it stands."""

    id: str
    place: Place
    member: str = "/payload/toolCallId"


class HistoryChecker:
    """Check a history message by message, in memory that does not grow with the history.

    What is kept: the open calls, the results whose call has not come, and the ids of the last
    ``remember`` to ``2 * remember`` answered calls (as 64-bit digests). A second result is always
    an error; once its call is forgotten, it is an orphan. A second call is found while the first
    one is open or remembered. With ``remember=None`` nothing is forgotten: exact, at about 70
    bytes a call. So it is with requests for approval: those that nobody has answered are kept, of
    the others the ids of the last ones.

    ``ongoing=True`` is for a history that goes on: calls of a run's last turn may be waiting for
    their results and are not findings. Nothing tells them from calls whose results were lost, so
    they are unanswered unless the caller says so.

    ``version`` is the contract version whose table of roles holds: that of the oldest reader.
    """

    __slots__ = ("_answered", "_decided", "_index", "_kinds", "_known", "_ongoing", "_runs")

    def __init__(
        self,
        *,
        ongoing: bool = False,
        remember: int | None = DEFAULT_REMEMBERED,
        version: str = LATEST_VERSION,
    ) -> None:
        """Raise UsageError ``usage/invalid-argument`` if ``remember`` is less than 1.

        And ``usage/unknown-version`` for a version that does not exist.
        """
        if remember is not None and (type(remember) is not int or remember < 1):
            raise bad_argument(
                "remember is a number of answered calls",
                "an integer of at least 1, or None",
                remember,
            )
        self._ongoing = ongoing
        self._kinds = allowed_kinds(version)
        self._known = frozenset().union(*self._kinds.values())  # others are new to that version
        self._answered = RecentIds(remember)
        self._decided = RecentIds(remember)
        self._runs: dict[str, RunState] = {}
        self._index = 0

    def add(self, message: Any, line: int | None = None) -> list[Finding]:
        """Take the next message, and return what it shows to be wrong, so far.

        What is not a message is reported and counted, and has no effect. ``line`` is its line in a
        file, for the findings. What only the end can tell comes from :meth:`close`.
        """
        index = self._index
        self._index += 1
        opened, notes = read_message(message)
        found = [note._replace(pointer=f"/{index}{note.pointer}", line=line) for note in notes]
        if opened is None:
            return found
        run_id, role = opened.run_id, opened.role
        kinds = self._kinds[role]
        run = self._runs.get(run_id)
        if run is not None and not opened.parts:
            run.hear(role)
        for number, part in enumerate(opened.parts):
            # An Unknown has none, and is not judged.
            kind: str | None = getattr(part, "kind", None)
            place = Place(index, number, line)
            if kind is not None and kind not in kinds and kind in self._known:
                found.append(_misplaced(place, role, kind, kinds))
            if kind is not None and kind in self._takes:
                run = run or self._open_run(run_id)
                self._takes[kind](self, run, run_id, part, place, found)
            elif run is not None:
                run.hear(role)
        if run is not None and not run:
            del self._runs[run_id]
        return found

    def close(self) -> list[Finding]:
        """Return what only the end shows: unanswered calls and results without call.

        Findings come in document order. The checker is as new afterwards.
        """
        found: list[tuple[Place, Finding]] = []
        for run in self._runs.values():
            found += [(place, _orphan(id_, place)) for id_, place in run.early_results()]
            found += [
                (place, _unanswered(key, place)) for key, place in run.unanswered(self._ongoing)
            ]
        self._runs.clear()
        self._answered.clear()
        self._decided.clear()
        self._index = 0
        return [finding for _, finding in sorted(found, key=lambda pair: pair[0][:2])]

    def _open_run(self, run_id: str) -> RunState:
        run = self._runs[run_id] = RunState()
        return run

    def _is_answered(self, run_id: str, call_id: str) -> bool:
        answered = self._answered
        return any((run_id, call_id, is_server) in answered for is_server in (False, True))

    def _call(
        self, run: RunState, run_id: str, part: Any, place: Place, found: list[Finding]
    ) -> None:
        run.hear("assistant")  # whatever the role of the message
        call = _Placed(part.payload.tool_call_id, place)
        key = CallKey(call.id, part.kind == "server_tool_call")
        first = run.open_key(call.id)
        if first is not None:
            pointer = run.place_of(first).pointer
            found.append(_duplicate_call(call, f"The call at {pointer} is still open"))
        elif self._is_answered(run_id, call.id):
            # Its results are to be told from those of the first one: it is open again.
            found.append(_duplicate_call(call, "An earlier call of the run is answered"))
        if not run.is_open(key):
            early = run.open_call(key, place)
            found += [_before_call(call, each) for each in early]

    def _result(
        self, run: RunState, run_id: str, part: Any, place: Place, found: list[Finding]
    ) -> None:
        payload = part.payload
        result = _Placed(payload.tool_call_id, place)
        key = CallKey(result.id, part.kind == "server_tool_result")
        how = run.answer(key)
        if how == "late":
            found.append(_late(result))
        elif how == "out of order":
            found.append(_out_of_order(result))
        if how is not None:
            self._answered.add((run_id, *key))
            if run.take_unapproved(key) and payload.outcome not in _DID_NOT_RUN:
                found.append(_unapproved(result))
        elif (run_id, *key) in self._answered:
            found.append(_duplicate_result(result))
        else:
            run.hold(key, place)
        if payload.outcome in _FAILURES if not payload.is_error else payload.outcome == "success":
            found.append(_contradiction(place, payload.outcome, is_error=payload.is_error))

    def _request(
        self, run: RunState, run_id: str, part: Any, place: Place, found: list[Finding]
    ) -> None:
        payload = part.payload
        approval_id, call_id = payload.approval_id, payload.tool_call_id
        key = run.open_key(call_id)
        if run.asked(approval_id) or (run_id, approval_id) in self._decided:
            found.append(_duplicate_approval(approval_id, place))
        elif key is None and not self._is_answered(run_id, call_id):
            message = "No call before it in the run has this id"
            found.append(_orphan_approval(_Placed(call_id, place), message))
        else:
            key = key or CallKey(call_id, is_server=False)
            offered = () if payload.choices is UNSET else payload.choices
            choices = [each.id for each in offered if isinstance(each, ApprovalChoice)]
            run.ask(approval_id, Request(key, choices))

    def _response(
        self, run: RunState, run_id: str, part: Any, place: Place, found: list[Finding]
    ) -> None:
        payload = part.payload
        approval_id, call_id = payload.approval_id, payload.tool_call_id
        request = run.asked(approval_id)
        if request is None and (run_id, approval_id) in self._decided:
            found.append(_duplicate_approval(approval_id, place))
        elif request is None:
            answer = _Placed(approval_id, place, "/payload/approvalId")
            found.append(_orphan_approval(answer, "No request before it in the run has this id"))
        elif request.key.id != call_id:  # else a yes to one call would let another one run
            message = f"The request of this id is about the call {clip(request.key.id)}"
            found.append(_orphan_approval(_Placed(call_id, place), message))
        else:
            run.decide(approval_id, is_approved=payload.decision == _APPROVED)
            self._decided.add((run_id, approval_id))
            if payload.decision not in _DECISIONS:
                found.append(_unknown_decision(payload.decision, place))
            if payload.choice is not UNSET and payload.choice not in request.choices:
                found.append(_unknown_choice(payload.choice, request.choices, place))

    _takes: Final = {
        **dict.fromkeys(CALLS, _call),
        **dict.fromkeys(RESULTS, _result),
        "approval_request": _request,
        "approval_response": _response,
    }


# --- findings -------------------------------------------------------------------------------------


def _misplaced(place: Place, role: str, kind: str, kinds: frozenset[str]) -> Finding:
    return Finding(
        "history/role-part-kind",
        f"Not allowed in a message of role {role}",
        place.to("/kind"),
        expected=", ".join(sorted(kinds)),
        actual=clip(kind),
        line=place.line,
    )


def _duplicate_call(call: _Placed, message: str) -> Finding:
    return _finding(
        "history/duplicate-tool-call", message, call, "an id that no other call of the run has"
    )


def _duplicate_result(result: _Placed) -> Finding:
    return _finding(
        "history/duplicate-tool-result", "The call has a result already", result, "one result"
    )


def _before_call(call: _Placed, place: Place) -> Finding:
    message = f"The call comes later, at {call.place.pointer}"
    result = _Placed(call.id, place)
    return _finding("history/result-before-call", message, result, "a result after its call")


def _orphan(id_: str, place: Place) -> Finding:
    message = "No call of the run has this id"
    return _finding(
        "history/orphan-tool-result", message, _Placed(id_, place), "the id of an earlier call"
    )


def _unanswered(key: CallKey, place: Place) -> Finding:
    rule = "history/unanswered-server-call" if key.is_server else "history/unanswered-tool-call"
    kind = "server_tool_result" if key.is_server else "tool_result"
    return _finding(rule, "The call has no result", _Placed(key.id, place), f"a {kind} of this id")


def _duplicate_approval(approval_id: str, place: Place) -> Finding:
    message = "The approval has its request, or its answer, already"
    placed = _Placed(approval_id, place, "/payload/approvalId")
    return _finding("history/duplicate-approval", message, placed, "one request and one answer")


def _orphan_approval(placed: _Placed, message: str) -> Finding:
    expected = "a request for a call before it, or an answer to such a request"
    return _finding("history/orphan-approval", message, placed, expected)


def _unknown_decision(decision: str, place: Place) -> Finding:
    message = "Not a known decision: the call is not approved"
    placed = _Placed(decision, place, "/payload/decision")
    return _finding("history/unknown-decision", message, placed, " or ".join(sorted(_DECISIONS)))


def _unknown_choice(choice: str, choices: Sequence[str], place: Place) -> Finding:
    message = "The request of this id does not offer this choice"
    expected = " or ".join(map(clip, choices)) or "no choice: the request offers none"
    placed = _Placed(choice, place, "/payload/choice")
    return _finding("history/unknown-choice", message, placed, expected)


def _unapproved(result: _Placed) -> Finding:
    message = "The call waits for an approval, and has a result"
    expected = "an approval before it, or an outcome denied or interrupted"
    return _finding("history/unapproved-result", message, result, expected)


def _contradiction(place: Place, outcome: str, *, is_error: bool) -> Finding:
    message = f"Contradicts isError, which is {str(is_error).lower()}"
    expected = "an outcome of a failure" if is_error else "success, or an outcome that may be one"
    placed = _Placed(outcome, place, "/payload/outcome")
    return _finding("history/outcome-contradicts", message, placed, expected)


def _late(result: _Placed) -> Finding:
    message = "The run went on before the call had its result"
    expected = "the result directly behind the turn of its call"
    return _finding("history/late-tool-result", message, result, expected)


def _out_of_order(result: _Placed) -> Finding:
    message = "The result stands behind one of a later call of its turn"
    expected = "results in the order of their calls"
    return _finding("history/result-order", message, result, expected)


def _finding(rule: str, message: str, placed: _Placed, expected: str) -> Finding:
    return Finding(
        rule,
        message,
        placed.place.to(placed.member),
        SEVERITIES[rule],
        expected,
        clip(placed.id),
        line=placed.place.line,
    )
