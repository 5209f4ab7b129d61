"""Factories for the six parts.

Each makes the part's id with ``make_id``, a UUID of version 7 where none is given, checks the part,
and returns one that shares nothing with the arguments. Times are passed in, in milliseconds since
the epoch. All raise PartValidationError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from msgspec import UNSET

from partwire.contract.current.session import (
    FilePart,
    FilePartSource,
    Part,
    ReasoningPart,
    ReasoningTime,
    StepFinishPart,
    StepStartPart,
    TextPart,
    TextTime,
    TokenStats,
    ToolPart,
    ToolState,
)
from partwire.contract.ids import uuid7
from partwire.reading.pipeline import Unknown

from .copies import as_object, optional, owned

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "MakeId",
    "PartBase",
    "create_file_part",
    "create_reasoning_part",
    "create_step_finish_part",
    "create_step_start_part",
    "create_text_part",
    "create_tool_part",
    "is_file_part",
    "is_reasoning_part",
    "is_step_finish_part",
    "is_step_start_part",
    "is_text_part",
    "is_tool_part",
    "visible_to_model",
]


# --- type guards ----------------------------------------------------------------------------------

P = TypeVar("P", bound=Part | Unknown)


def is_text_part(part: object) -> TypeIs[TextPart]:
    """Return whether ``part`` is a text part."""
    return isinstance(part, TextPart)


def is_reasoning_part(part: object) -> TypeIs[ReasoningPart]:
    """Return whether ``part`` is a reasoning part."""
    return isinstance(part, ReasoningPart)


def is_tool_part(part: object) -> TypeIs[ToolPart]:
    """Return whether ``part`` is a tool part."""
    return isinstance(part, ToolPart)


def is_step_start_part(part: object) -> TypeIs[StepStartPart]:
    """Return whether ``part`` is a step start."""
    return isinstance(part, StepStartPart)


def is_step_finish_part(part: object) -> TypeIs[StepFinishPart]:
    """Return whether ``part`` is a step finish."""
    return isinstance(part, StepFinishPart)


def is_file_part(part: object) -> TypeIs[FilePart]:
    """Return whether ``part`` is a file part."""
    return isinstance(part, FilePart)


def visible_to_model(parts: Iterable[P]) -> list[P]:
    """Return the parts in order, without text parts that are ``ignored``.

    Parts of a type that this version does not know stay.
    """
    return [part for part in parts if not _is_ignored(part)]


def _is_ignored(part: Part | Unknown) -> bool:
    """By the members, which are those of parts of older versions too."""
    return getattr(part, "type", "") == "text" and getattr(part, "ignored", UNSET) is True


# --- factories ------------------------------------------------------------------------------------

MakeId = Callable[[], str]
"""Returns a new id at every call."""


@runtime_checkable
class PartBase(Protocol):
    """What every part has, whatever its type: an Unknown has not."""

    @property
    def id(self) -> str:
        """Identifies the part; unique within its message."""
        ...

    @property
    def session_id(self) -> str:
        """The session that the part belongs to."""
        ...

    @property
    def message_id(self) -> str:
        """The message that the part belongs to."""
        ...


Q = TypeVar("Q", bound=Part)


def create_text_part(
    session_id: str,
    message_id: str,
    text: str,
    *,
    synthetic: bool | None = None,
    ignored: bool | None = None,
    time: TextTime | None = None,
    metadata: Mapping[str, Any] | None = None,
    make_id: MakeId = uuid7,
) -> TextPart:
    """Return a text part; ``ignored`` keeps it from the model."""
    return _checked(
        TextPart(
            id=make_id(),
            session_id=session_id,
            message_id=message_id,
            text=text,
            synthetic=optional(synthetic),
            ignored=optional(ignored),
            time=optional(time),
            metadata=optional(as_object(metadata)),
        )
    )


def create_reasoning_part(
    session_id: str,
    message_id: str,
    text: str,
    *,
    start: int,
    end: int | None = None,
    metadata: Mapping[str, Any] | None = None,
    make_id: MakeId = uuid7,
) -> ReasoningPart:
    """Return a reasoning part that began at ``start``."""
    return _checked(
        ReasoningPart(
            id=make_id(),
            session_id=session_id,
            message_id=message_id,
            text=text,
            time=ReasoningTime(start=start, end=optional(end)),
            metadata=optional(as_object(metadata)),
        )
    )


def create_tool_part(
    session_id: str,
    message_id: str,
    call_id: str,
    tool: str,
    state: ToolState,
    *,
    metadata: Mapping[str, Any] | None = None,
    make_id: MakeId = uuid7,
) -> ToolPart:
    """Return a tool part for the call ``call_id`` of ``tool``."""
    return _checked(
        ToolPart(
            id=make_id(),
            session_id=session_id,
            message_id=message_id,
            call_id=call_id,
            tool=tool,
            state=state,
            metadata=optional(as_object(metadata)),
        )
    )


def create_step_start_part(
    session_id: str,
    message_id: str,
    *,
    snapshot: str | None = None,
    make_id: MakeId = uuid7,
) -> StepStartPart:
    """Return the part that begins a step."""
    return _checked(
        StepStartPart(
            id=make_id(),
            session_id=session_id,
            message_id=message_id,
            snapshot=optional(snapshot),
        )
    )


def create_step_finish_part(
    session_id: str,
    message_id: str,
    reason: str,
    cost: float,
    tokens: TokenStats,
    *,
    snapshot: str | None = None,
    make_id: MakeId = uuid7,
) -> StepFinishPart:
    """Return the part that ends a step; ``cost`` is in US dollars."""
    return _checked(
        StepFinishPart(
            id=make_id(),
            session_id=session_id,
            message_id=message_id,
            reason=reason,
            cost=cost,
            tokens=tokens,
            snapshot=optional(snapshot),
        )
    )


def create_file_part(
    session_id: str,
    message_id: str,
    mime: str,
    url: str,
    *,
    filename: str | None = None,
    source: FilePartSource | None = None,
    make_id: MakeId = uuid7,
) -> FilePart:
    """Return a file part."""
    return _checked(
        FilePart(
            id=make_id(),
            session_id=session_id,
            message_id=message_id,
            mime=mime,
            url=url,
            filename=optional(filename),
            source=optional(source),
        )
    )


def _checked(part: Q) -> Q:
    ids = {"part": part.id, "message": part.message_id, "session": part.session_id}
    return owned(part, "session.Part", ids)
