"""Checks that no single message shows: tool calls and their results over a whole history.

Ids are scoped to the run; the messages of several runs may stand in any mixture. A call is open
until a result answers it. What is asked of a history:

- an id is used by one call of the run (``history/duplicate-tool-call``),
- a call has exactly one result (``history/unanswered-tool-call``,
  ``history/duplicate-tool-result``), which comes after it (``history/result-before-call``) and in
  the same turn (``history/late-tool-result``, a warning), in the order of the calls
  (``history/result-order``, an information),
- a result has a call (``history/orphan-tool-result``),
- a role holds the parts of its row (``history/role-part-kind``).

A turn is what a run's assistant says without being interrupted, and the results that follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ...contract.current import LATEST_VERSION
from ...contract.current.message import ToolCallPart, ToolResultPart
from ...errors import Finding, bad_argument, clip
from ...severities import SEVERITIES
from ...tables.limits import DEFAULT_REMEMBERED
from .messages import allowed_kinds, read_message, several_messages
from .runs import Place, RecentIds, RunState, pointer_position

__all__ = ["HistoryChecker", "check_history"]


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
    """A tool call or result, and where it stands."""

    id: str
    place: Place


class HistoryChecker:
    """Check a history message by message, in memory that does not grow with the history.

    What is kept: the open calls, the results whose call has not come, and the ids of the last
    ``remember`` to ``2 * remember`` answered calls (as 64-bit digests). A second result is always
    an error; once its call is forgotten, it is an orphan. A second call is found while the first
    one is open or remembered. With ``remember=None`` nothing is forgotten: exact, at about 70
    bytes a call.

    ``ongoing=True`` is for a history that goes on: calls of a run's last turn may be waiting for
    their results and are not findings. Nothing tells them from calls whose results were lost, so
    they are unanswered unless the caller says so.

    ``version`` is the contract version whose table of roles holds: that of the oldest reader.
    """

    __slots__ = ("_answered", "_index", "_kinds", "_ongoing", "_runs")

    def __init__(
        self,
        *,
        ongoing: bool = False,
        remember: int | None = DEFAULT_REMEMBERED,
        version: str = LATEST_VERSION,
    ) -> None:
        """Raise UsageError ``usage/invalid-argument`` if ``remember`` is less than 1.

        And ``usage/unknown-version`` for no version of the contract.
        """
        if remember is not None and (type(remember) is not int or remember < 1):
            raise bad_argument(
                "remember is a number of answered calls",
                "an integer of at least 1, or None",
                remember,
            )
        self._ongoing = ongoing
        self._kinds = allowed_kinds(version)
        self._answered = RecentIds(remember)
        self._runs: dict[str, RunState] = {}
        self._index = 0

    def add(self, message: Any, line: int | None = None) -> list[Finding]:
        """Take the next message, and return what it shows to be wrong, so far.

        A message that is none is reported, counted, and takes no part. ``line`` is its line in a
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
            kind = getattr(part, "kind", None)  # an Unknown has none, and is not judged
            if kind is not None and kind not in kinds:
                found.append(_misplaced(Place(index, number, line), role, kind, kinds))
            if type(part) is ToolCallPart:
                run = run or self._open_run(run_id)
                placed = _Placed(part.payload.tool_call_id, Place(index, number, line))
                self._call(run, run_id, placed, found)
            elif type(part) is ToolResultPart:
                run = run or self._open_run(run_id)
                placed = _Placed(part.payload.tool_call_id, Place(index, number, line))
                self._result(run, run_id, placed, found)
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
                (place, _unanswered(id_, place)) for id_, place in run.unanswered(self._ongoing)
            ]
        self._runs.clear()
        self._answered.clear()
        self._index = 0
        return [finding for _, finding in sorted(found, key=lambda pair: pair[0][:2])]

    def _open_run(self, run_id: str) -> RunState:
        run = self._runs[run_id] = RunState()
        return run

    def _call(self, run: RunState, run_id: str, call: _Placed, found: list[Finding]) -> None:
        run.hear("assistant")  # whatever the role of the message
        first = run.place_of(call.id)
        if first is not None:
            found.append(_duplicate_call(call, f"The call at {first.pointer} is still open"))
            return
        if (run_id, call.id) in self._answered:
            # Its results are to be told from those of the first one: it is open again.
            found.append(_duplicate_call(call, "An earlier call of the run is answered"))
        early = run.open_call(call.id, call.place)
        found += [_before_call(call, place) for place in early]

    def _result(self, run: RunState, run_id: str, result: _Placed, found: list[Finding]) -> None:
        how = run.answer(result.id)
        if how == "late":
            found.append(_late(result))
        elif how == "out of order":
            found.append(_out_of_order(result))
        if how is not None:
            self._answered.add((run_id, result.id))
        elif (run_id, result.id) in self._answered:
            found.append(_duplicate_result(result))
        else:
            run.hold(result.id, result.place)


# --- findings -------------------------------------------------------------------------------------


def _misplaced(place: Place, role: str, kind: str, kinds: frozenset[str]) -> Finding:
    return Finding(
        "history/role-part-kind",
        f"Not allowed in a message of role {role}",
        f"/{place.message}/parts/{place.part}/kind",
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


def _unanswered(id_: str, place: Place) -> Finding:
    message = "The call has no result"
    return _finding(
        "history/unanswered-tool-call", message, _Placed(id_, place), "a tool_result of this id"
    )


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
        placed.place.pointer,
        SEVERITIES[rule],
        expected,
        clip(placed.id),
        line=placed.place.line,
    )
