"""What a move from one tool state to another does; which moves there are says the schema's table.

Nothing is changed in place: a move makes a new state that shares no object with the old one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypedDict, TypeVar, get_args

from msgspec import UNSET, Struct
from msgspec.structs import replace

from partwire.contract.current.session import (
    FilePart,
    ToolApproval,
    ToolCompletedTime,
    ToolEndTime,
    ToolStartTime,
    ToolState,
    ToolStateAwaitingApproval,
    ToolStateCompleted,
    ToolStateDenied,
    ToolStateError,
    ToolStateRunning,
    ToolStatus,
)
from partwire.contract.current.vocabulary import TRANSITIONS
from partwire.errors import Finding, UsageError, bad_argument, clip
from partwire.json.equality import same_json
from partwire.reading.pipeline import validate_value
from partwire.reading.plain import plain_value

from ..severities import SEVERITIES
from ..tables.tool_states import EMPTY_OUTPUT_PLACEHOLDER, STATES
from .copies import as_object, copied, listed, of_now, optional, owned
from .errors import NO_IDS, Ids, log_findings, part_refused, transition_refused

__all__ = [
    "EMPTY_OUTPUT_PLACEHOLDER",
    "Approval",
    "EmptyOutput",
    "StateFields",
    "begun_already",
    "chosen_output",
    "chosen_title",
    "follow",
    "move",
    "owned_state",
    "placeholder_finding",
]

EmptyOutput = Literal["reject", "placeholder"]
"""What becomes of an output without text: it is refused, or a placeholder is put in its place."""
Approval = ToolApproval | Mapping[str, Any]
"""What was asked and decided: a struct, or a JSON object."""

S = TypeVar("S", bound=Struct)


class StateFields(TypedDict, total=False):
    """What a move may be given; None is the same as nothing, times are milliseconds of the epoch.

    pending takes ``input``, ``raw``; awaiting_approval ``approval``, ``metadata``; running
    ``start``, ``title``, ``metadata``, ``approval``; completed ``output``, ``end``, ``title``,
    ``tool``, ``metadata``, ``attachments``, ``empty_output``; error ``error``, ``end``,
    ``metadata``; denied ``approval``, ``error``, ``metadata``.
    """

    input: Mapping[str, Any] | None
    raw: str | None
    start: int | None
    end: int | None
    output: str | None
    error: str | None
    title: str | None
    tool: str | None
    metadata: Mapping[str, Any] | None
    attachments: Sequence[FilePart] | None
    empty_output: EmptyOutput | None
    approval: Approval | None


_TABLE: Final = TRANSITIONS["session.ToolState"]
_STATES: Final = get_args(ToolState)


def move(state: ToolState, to: str, fields: StateFields, ids: Ids = NO_IDS) -> ToolState:
    """Return the state that follows; ``state`` itself where nothing changes.

    Raises InvalidStateTransition (``session/invalid-transition``, ``session/state-changed``),
    PartValidationError for what is not valid, UsageError for fields that ``to`` does not take.
    """
    state = of_now(state, "session.ToolState", ids)
    current = _status(state, ids)
    if not isinstance(to, str):
        raise bad_argument("A status is a string", "a status", to)
    if to != current and to not in _TABLE[current]:
        raise _not_allowed(current, to, ids)
    given: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
    for name in given:
        if name not in STATES[to].takes:
            raise bad_argument(f"{to} takes no such field", ", ".join(STATES[to].takes), name)
    checked = owned_state(state, ids)
    if to == current:
        return _again(checked, given, ids) or state
    for name in STATES[to].needs:
        if name not in given:
            raise bad_argument(f"{to} needs {name}", name, given)
    made = _MAKERS[to](checked, given, ids)
    _check_approval(checked, made, ids)
    return made


def follow(before: ToolState, after: ToolState, ids: Ids = NO_IDS) -> ToolState:
    """Return ``after``, made elsewhere, if it may follow ``before``; ``before`` if they are equal.

    Input, start and approval stay what they were; only a call that waits gets its decision. Raises
    as :func:`move`.
    """
    before, after = (of_now(each, "session.ToolState", ids) for each in (before, after))
    current, to = _status(before, ids), _status(after, ids)
    if to != current and to not in _TABLE[current]:
        raise _not_allowed(current, to, ids)
    made = owned_state(after, ids)
    changed = _changed(before, made)
    if to == current:
        _refuse_fixed(current, changed.difference(STATES[current].may_change), ids)
        return made if changed else before
    fixed = {"input"} & changed
    if isinstance(before, ToolStateRunning):
        fixed |= {"approval"} & changed
        fixed |= {"time"} if _start(made) != before.time.start else set()
    _refuse_fixed(current, fixed, ids)
    _check_approval(before, made, ids)
    return made


def _start(state: Any) -> Any:
    return state.time.start


def owned_state(state: S, ids: Ids = NO_IDS) -> S:
    """Return ``state`` checked and copied; raises PartValidationError."""
    return owned(state, "session.ToolState", ids)


# --- what is chosen -----------------------------------------------------------------------------


def chosen_output(output: Any, policy: EmptyOutput, ids: Ids = NO_IDS) -> Any:
    """Return ``output``, or the placeholder for an empty one if that is the policy; logged then."""
    chosen = _filled(output, policy)
    if chosen is not output:
        log_findings(logging.WARNING, "Filled in", [placeholder_finding("/output")], ids)
    return chosen


def _filled(output: Any, policy: Any) -> Any:
    if policy not in get_args(EmptyOutput):
        expected = " or ".join(get_args(EmptyOutput))
        raise bad_argument("No such way to take an empty output", expected, policy)
    return EMPTY_OUTPUT_PLACEHOLDER if output == "" and policy == "placeholder" else output


def placeholder_finding(pointer: str) -> Finding:
    """Report that a placeholder stands for an empty output."""
    return Finding(
        "session/placeholder-output",
        "The tool had no output: a placeholder stands for it",
        pointer,
        SEVERITIES["session/placeholder-output"],
        expected="the tool's output",
        actual=clip(EMPTY_OUTPUT_PLACEHOLDER),
    )


def chosen_title(given: Any, *others: Any, ids: Ids = NO_IDS) -> Any:
    """Return the title that is given, else the first of ``others`` that says something."""
    title = given
    if given is None:
        says = (each for each in others if each is not UNSET and each is not None and each != "")
        title = next(says, None)
    if title is None or title == "":
        message = "A completed call has a title, and there is none to fall back to"
        missing = Finding(
            "session/title-missing", message, "/title", expected="a title, or the tool's name"
        )
        raise part_refused([missing], ids)
    return title


def _merged(before: Any, given: Any) -> Any:
    """Return metadata with members put over those of the same name; UNSET where there is none."""
    if given is None:
        return before
    if not isinstance(given, Mapping):
        return given
    return dict(given) if before is UNSET else {**before, **given}


def _decided(before: Any, given: Any) -> Any:
    """Return an approval with members put over those of the same name, in its time too."""
    if given is None:
        return before
    made, old = copied(given), {} if before is UNSET else copied(before)
    if not isinstance(made, dict):
        return made
    times = [each["time"] for each in (old, made) if isinstance(each.get("time"), dict)]
    time = {"time": {**times[0], **times[1]}} if len(times) == 2 else {}
    return {**old, **made, **time}


# --- moves to another status --------------------------------------------------------------------


def _to_awaiting(state: Any, given: Mapping[str, Any], ids: Ids) -> ToolState:
    awaiting = ToolStateAwaitingApproval(
        input=state.input,
        raw=state.raw,
        approval=_decided(UNSET, given["approval"]),
        metadata=_merged(UNSET, given.get("metadata")),
    )
    return owned_state(awaiting, ids)


def _to_running(state: Any, given: Mapping[str, Any], ids: Ids) -> ToolState:
    running = ToolStateRunning(
        input=state.input,
        time=ToolStartTime(start=given["start"]),
        title=optional(given.get("title")),
        metadata=_merged(getattr(state, "metadata", UNSET), given.get("metadata")),
        approval=_decided(getattr(state, "approval", UNSET), given.get("approval")),
    )
    return owned_state(running, ids)


def _to_completed(state: Any, given: Mapping[str, Any], ids: Ids) -> ToolState:
    title = chosen_title(given.get("title"), state.title, given.get("tool"), ids=ids)
    metadata = _merged(state.metadata, given.get("metadata"))
    completed = ToolStateCompleted(
        input=state.input,
        output=chosen_output(given["output"], given.get("empty_output", "reject"), ids),
        title=title,
        metadata={} if metadata is UNSET else metadata,
        time=ToolCompletedTime(start=state.time.start, end=given["end"]),
        attachments=listed(given.get("attachments")),
        approval=state.approval,
    )
    return owned_state(completed, ids)


def _to_error(state: Any, given: Mapping[str, Any], ids: Ids) -> ToolState:
    failed = ToolStateError(
        input=state.input,
        error=given["error"],
        time=ToolEndTime(start=state.time.start, end=given["end"]),
        metadata=_merged(state.metadata, given.get("metadata")),
        approval=state.approval,
    )
    return owned_state(failed, ids)


def _to_denied(state: Any, given: Mapping[str, Any], ids: Ids) -> ToolState:
    denied = ToolStateDenied(
        input=state.input,
        approval=_decided(state.approval, given["approval"]),
        error=optional(given.get("error")),
        metadata=_merged(state.metadata, given.get("metadata")),
    )
    return owned_state(denied, ids)


_MAKERS: Final[Mapping[str, Callable[[Any, Mapping[str, Any], Ids], ToolState]]] = {
    "awaiting_approval": _to_awaiting,
    "running": _to_running,
    "completed": _to_completed,
    "error": _to_error,
    "denied": _to_denied,
}


def _check_approval(before: Any, made: Any, ids: Ids) -> None:
    """Refuse an answer to another question than the one that waits, and a run without a yes."""
    approval = getattr(made, "approval", UNSET)
    if isinstance(before, ToolStateAwaitingApproval) and (
        approval is UNSET or approval.id != before.approval.id
    ):
        raise _state_changed(before.status, "approval", ids)
    runs = made.status == "running"
    if approval is UNSET or not (runs or made.status == "denied"):
        return
    if runs != (approval.decision == "approved"):
        finding = Finding(
            "session/invalid-transition",
            "A call that needs approval runs once it is approved, and is denied otherwise",
            "/approval/decision",
            expected="approved" if runs else "another decision than approved",
            actual=None if approval.decision is UNSET else clip(approval.decision),
        )
        raise transition_refused(finding, before.status, made.status, ids)


# --- the same status again ----------------------------------------------------------------------


def _again(state: Any, given: Mapping[str, Any], ids: Ids) -> ToolState | None:
    """Return the state with what may change changed; None where all is as it was."""
    if not given:
        return None
    after: ToolState = owned_state(_rewritten(state, given), ids)
    changed = _changed(state, after)
    _refuse_fixed(state.status, changed.difference(STATES[state.status].may_change), ids)
    return after if changed else None


def _changed(before: ToolState, after: ToolState) -> set[str]:
    """Return the members, by their names on the wire, that are not the same."""
    old, new = plain_value(before)[0], plain_value(after)[0]
    return {
        name
        for name in old.keys() | new.keys()
        if not (name in old and name in new and same_json(old[name], new[name]))
    }


def _refuse_fixed(status: ToolStatus, changed: set[str], ids: Ids) -> None:
    for name in sorted(changed):
        raise _state_changed(status, name, ids)


def _rewritten(state: Any, given: Mapping[str, Any]) -> Any:
    members = {name: given[name] for name in ("raw", "error", "title") if name in given}
    if "input" in given:
        members["input"] = as_object(given["input"])
    if "output" in given or "empty_output" in given:
        output = given.get("output", getattr(state, "output", None))
        members["output"] = _filled(output, given.get("empty_output", "reject"))
    if "attachments" in given:
        members["attachments"] = listed(given["attachments"])
    if "metadata" in given:
        members["metadata"] = _merged(state.metadata, given["metadata"])
    if "approval" in given:
        members["approval"] = _decided(state.approval, given["approval"])
    times = {name: given[name] for name in ("start", "end") if name in given}
    if times:
        members["time"] = replace(state.time, **times)
    return replace(state, **members)


# --- refusals -----------------------------------------------------------------------------------


def _status(state: Any, ids: Ids) -> ToolStatus:
    if isinstance(state, _STATES):
        status: ToolStatus = state.status
        return status
    wrong = Finding(
        "shape/type", "Not one of the tool states", "", expected="a state", actual=clip(state)
    )
    try:
        found = validate_value(state, "session.ToolState")
    except UsageError:  # no document at all
        found = []
    raise part_refused([each for each in found if each.severity == "error"] or [wrong], ids)


def _not_allowed(current: ToolStatus, to: str, ids: Ids) -> Exception:
    allowed = ", ".join(_TABLE[current])
    finding = Finding(
        "session/invalid-transition",
        f"A call that is {current} cannot become {clip(to)}",
        "/status",
        expected=allowed or "no other state",
        actual=clip(to),
    )
    return transition_refused(finding, current, to, ids)


def begun_already(ids: Ids = NO_IDS) -> Exception:
    """Return the error for a call that runs, where one is wanted that has not begun."""
    finding = Finding(
        "session/state-changed",
        "A call that is running has begun already: it is no longer pending",
        "/time",
        expected="a call that is pending",
    )
    return transition_refused(finding, "running", "running", ids)


def _state_changed(current: ToolStatus, member: str, ids: Ids) -> Exception:
    finding = Finding(
        "session/state-changed",
        f"A call that is {current} already has another {member}",
        f"/{member}",
        expected="the same content",
    )
    return transition_refused(finding, current, current, ids)
