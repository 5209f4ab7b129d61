"""The tool state machine: pending, perhaps awaiting approval, running, then completed or error.

The table of transitions is data of the schema; here are the functions that make states and move
them on. They are pure: they return new states, which share nothing with the old ones and with the
arguments, and any number of threads may call them at once. Nothing here reads a clock: every time
is passed in, in milliseconds since the epoch.

A state's ``input`` and ``metadata`` are its own copies. Do not change them in place.

States of older contract versions are taken as well; what comes back is this version's.

A call that waits for approval runs once its ``decision`` is ``approved``, and is denied otherwise.
The approval stays with the call from then on: members that are given with an answer are put over
those of the request, and its ``id`` never changes.

A repeated call is not an error: a state that is reached again with the same content comes back as
the same object. A running state may get another title and more metadata; every other difference
raises InvalidStateTransition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack, overload

from partwire.contract.current.session import (
    FilePart,
    ToolCompletedTime,
    ToolEndTime,
    ToolStartTime,
    ToolState,
    ToolStateAwaitingApproval,
    ToolStateCompleted,
    ToolStateDenied,
    ToolStateError,
    ToolStatePending,
    ToolStateRunning,
)
from partwire.errors import bad_argument

from .copies import as_object, listed, of_now, optional
from .transitions import (
    Approval,
    EmptyOutput,
    StateFields,
    begun_already,
    chosen_output,
    chosen_title,
    move,
    owned_state,
)

__all__ = [
    "awaiting_approval_to_denied",
    "awaiting_approval_to_running",
    "create_awaiting_approval",
    "create_completed",
    "create_denied",
    "create_error",
    "create_pending",
    "create_running",
    "expire",
    "fail_pending",
    "pending_to_awaiting_approval",
    "pending_to_running",
    "running_to_completed",
    "running_to_error",
    "transition",
]


def create_pending(input: Mapping[str, Any], raw: str) -> ToolStatePending:  # noqa: A002
    """Return a call that waits: ``raw`` is the argument text as the model wrote it.

    Raises PartValidationError.
    """
    return owned_state(ToolStatePending(input=as_object(input), raw=raw))


def create_awaiting_approval(
    input: Mapping[str, Any],  # noqa: A002
    raw: str,
    approval: Approval,
    *,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateAwaitingApproval:
    """Return a call that waits until a person has decided; ``approval`` says what is asked.

    Raises PartValidationError.
    """
    return owned_state(
        ToolStateAwaitingApproval(
            input=as_object(input),
            raw=raw,
            approval=as_object(approval),
            metadata=optional(as_object(metadata)),
        )
    )


def create_denied(
    input: Mapping[str, Any],  # noqa: A002
    approval: Approval,
    error: str | None = None,
    *,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateDenied:
    """Return a call that was not approved; ``error`` is what the model got instead of a result.

    Raises PartValidationError.
    """
    return owned_state(
        ToolStateDenied(
            input=as_object(input),
            approval=as_object(approval),
            error=optional(error),
            metadata=optional(as_object(metadata)),
        )
    )


def create_running(
    input: Mapping[str, Any],  # noqa: A002
    title: str | None = None,
    *,
    start: int,
    metadata: Mapping[str, Any] | None = None,
    approval: Approval | None = None,
) -> ToolStateRunning:
    """Return a call that has been running since ``start``.

    Raises PartValidationError.
    """
    return owned_state(
        ToolStateRunning(
            input=as_object(input),
            time=ToolStartTime(start=start),
            title=optional(title),
            metadata=optional(as_object(metadata)),
            approval=optional(as_object(approval)),
        )
    )


def create_completed(  # noqa: PLR0913 - the members of the state
    input: Mapping[str, Any],  # noqa: A002
    output: str,
    title: str,
    metadata: Mapping[str, Any],
    start_time: int,
    end_time: int,
    *,
    attachments: Sequence[FilePart] | None = None,
    empty_output: EmptyOutput = "reject",
    approval: Approval | None = None,
) -> ToolStateCompleted:
    """Return a call that has run from ``start_time`` to ``end_time``.

    An empty ``output`` is refused; ``empty_output="placeholder"`` puts EMPTY_OUTPUT_PLACEHOLDER in
    its place, which is logged here and reported as ``session/placeholder-output`` wherever the part
    is validated. An empty ``title`` is refused. Raises PartValidationError.
    """
    return owned_state(
        ToolStateCompleted(
            input=as_object(input),
            output=chosen_output(output, empty_output),
            title=chosen_title(title),
            metadata=as_object(metadata),
            time=ToolCompletedTime(start=start_time, end=end_time),
            attachments=listed(attachments),
            approval=optional(as_object(approval)),
        )
    )


def create_error(
    input: Mapping[str, Any],  # noqa: A002
    error: str,
    start_time: int,
    end_time: int,
    *,
    metadata: Mapping[str, Any] | None = None,
    approval: Approval | None = None,
) -> ToolStateError:
    """Return a call that failed at ``end_time``; ``error`` says why and is not empty.

    Raises PartValidationError.
    """
    return owned_state(
        ToolStateError(
            input=as_object(input),
            error=error,
            time=ToolEndTime(start=start_time, end=end_time),
            metadata=optional(as_object(metadata)),
            approval=optional(as_object(approval)),
        )
    )


def pending_to_awaiting_approval(
    state: ToolStatePending | ToolStateAwaitingApproval,
    approval: Approval,
    *,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateAwaitingApproval:
    """Return the call as it waits until a person has decided; ``approval`` says what is asked.

    A waiting state may be given again, with the same approval. Raises InvalidStateTransition,
    PartValidationError.
    """
    return transition(state, "awaiting_approval", approval=approval, metadata=metadata)


def awaiting_approval_to_running(
    state: ToolStateAwaitingApproval | ToolStateRunning,
    approval: Approval,
    *,
    start: int,
    title: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateRunning:
    """Return the call as it begins to run, since it is approved: ``decision`` is ``approved``.

    ``approval`` is the answer: its ``id``, and what is put over the members of the request, in its
    ``time`` too. Raises InvalidStateTransition (for another id or decision, too),
    PartValidationError.
    """
    return transition(
        state, "running", approval=approval, start=start, title=title, metadata=metadata
    )


def awaiting_approval_to_denied(
    state: ToolStateAwaitingApproval | ToolStateDenied,
    approval: Approval,
    *,
    error: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateDenied:
    """Return the call as it was not approved: any ``decision`` but ``approved``, or none.

    ``approval`` as for :func:`awaiting_approval_to_running`; ``error`` is what the model got
    instead of a result. Raises InvalidStateTransition, PartValidationError.
    """
    return transition(state, "denied", approval=approval, error=error, metadata=metadata)


def pending_to_running(
    state: ToolStatePending | ToolStateRunning,
    *,
    start: int,
    title: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateRunning:
    """Return the call as it begins to run at ``start``.

    A running state may be given again, with the same ``start``. Raises InvalidStateTransition,
    PartValidationError.
    """
    return transition(state, "running", start=start, title=title, metadata=metadata)


def running_to_completed(
    state: ToolStateRunning | ToolStateCompleted,
    output: str,
    end_time: int,
    *,
    title: str | None = None,
    tool: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    attachments: Sequence[FilePart] | None = None,
    empty_output: EmptyOutput = "reject",
) -> ToolStateCompleted:
    """Return the call as it ended well at ``end_time``.

    ``title`` falls back to the running state's title, then to ``tool``, the tool's name; if none
    says anything, that is an error. Members of ``metadata`` are put over those of the running
    state. ``empty_output`` as in :func:`create_completed`. A completed state may be given again,
    with the same content. Raises InvalidStateTransition, PartValidationError.
    """
    return transition(
        state,
        "completed",
        output=output,
        end=end_time,
        title=title,
        tool=tool,
        metadata=metadata,
        attachments=attachments,
        empty_output=empty_output,
    )


def running_to_error(
    state: ToolStateRunning | ToolStateError,
    error: str,
    end_time: int,
    *,
    metadata: Mapping[str, Any] | None = None,
) -> ToolStateError:
    """Return the call as it failed at ``end_time``; metadata is passed on as when it completes.

    An error state may be given again, with the same content. Raises InvalidStateTransition,
    PartValidationError.
    """
    return transition(state, "error", error=error, end=end_time, metadata=metadata)


def expire(state: ToolState, now: int, timeout_ms: int, *, error: str | None = None) -> ToolState:
    """Return a running state that has run for ``timeout_ms`` or longer as an error at ``now``.

    Every other state comes back as it is, and so does a running one while there is time. ``error``
    is the text to use. Whoever calls has the clock and decides when to look. A timeout of 0 ends
    whatever runs, after a restart for example: at its start if the clock has gone back behind it.
    Raises UsageError, PartValidationError.
    """
    for name, value in (("now", now), ("timeout_ms", timeout_ms)):
        if type(value) is not int or value < 0:
            raise bad_argument(f"{name} is a time in milliseconds", "an integer from 0 on", value)
    state = of_now(state, "session.ToolState")
    if not isinstance(state, ToolStateRunning):
        return state
    start = owned_state(state).time.start
    if timeout_ms > 0 and now - start < timeout_ms:
        return state
    return running_to_error(state, error or f"Timed out after {timeout_ms} ms", max(now, start))


def fail_pending(state: ToolStatePending | ToolStateError, error: str, now: int) -> ToolStateError:
    """Return a call that fails before it ran: it walks through running, and ends at ``now``.

    The error state that this gave may be given again. Raises InvalidStateTransition (also for any
    call that runs: running_to_error fails it, and for one that waits for approval: it is denied),
    PartValidationError.
    """
    state = of_now(state, "session.ToolState")
    given: object = state  # type checkers do not let a running state in
    if isinstance(given, ToolStateRunning):
        raise begun_already()
    if isinstance(state, ToolStateError):
        return running_to_error(state, error, now)
    return running_to_error(pending_to_running(state, start=now), error, now)


@overload
def transition(
    state: ToolState, to: Literal["pending"], **fields: Unpack[StateFields]
) -> ToolStatePending: ...
@overload
def transition(
    state: ToolState, to: Literal["awaiting_approval"], **fields: Unpack[StateFields]
) -> ToolStateAwaitingApproval: ...
@overload
def transition(
    state: ToolState, to: Literal["denied"], **fields: Unpack[StateFields]
) -> ToolStateDenied: ...
@overload
def transition(
    state: ToolState, to: Literal["running"], **fields: Unpack[StateFields]
) -> ToolStateRunning: ...
@overload
def transition(
    state: ToolState, to: Literal["completed"], **fields: Unpack[StateFields]
) -> ToolStateCompleted: ...
@overload
def transition(
    state: ToolState, to: Literal["error"], **fields: Unpack[StateFields]
) -> ToolStateError: ...
@overload
def transition(state: ToolState, to: str, **fields: Unpack[StateFields]) -> ToolState: ...
def transition(state: ToolState, to: str, **fields: Unpack[StateFields]) -> ToolState:
    """Return ``state`` moved on to the status ``to``; what ``to`` takes is at StateFields.

    The same status again gives the same object where the fields given say what the state says.
    Raises InvalidStateTransition (``session/invalid-transition``, ``session/state-changed``),
    PartValidationError, and UsageError for fields that are missing or not taken.
    """
    return move(state, to, fields)
