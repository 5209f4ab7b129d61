"""Which part is this: type guards that type checkers understand, in both branches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from msgspec import UNSET

from partwire.reading import Unknown
from partwire.v0_2.structs.session import (
    FilePart,
    Part,
    ReasoningPart,
    StepFinishPart,
    StepStartPart,
    TextPart,
    ToolPart,
)

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "is_file_part",
    "is_reasoning_part",
    "is_step_finish_part",
    "is_step_start_part",
    "is_text_part",
    "is_tool_part",
    "visible_to_model",
]

P = TypeVar("P", bound=Part | Unknown)


def is_text_part(part: object) -> TypeIs[TextPart]:
    """Tell whether ``part`` is a text part. Source: requirements S002-37."""
    return isinstance(part, TextPart)


def is_reasoning_part(part: object) -> TypeIs[ReasoningPart]:
    """Tell whether ``part`` is a reasoning part. Source: requirements S002-37."""
    return isinstance(part, ReasoningPart)


def is_tool_part(part: object) -> TypeIs[ToolPart]:
    """Tell whether ``part`` is a tool part. Source: requirements S002-37."""
    return isinstance(part, ToolPart)


def is_step_start_part(part: object) -> TypeIs[StepStartPart]:
    """Tell whether ``part`` is a step start. Source: requirements S002-37."""
    return isinstance(part, StepStartPart)


def is_step_finish_part(part: object) -> TypeIs[StepFinishPart]:
    """Tell whether ``part`` is a step finish. Source: requirements S002-37."""
    return isinstance(part, StepFinishPart)


def is_file_part(part: object) -> TypeIs[FilePart]:
    """Tell whether ``part`` is a file part."""
    return isinstance(part, FilePart)


def visible_to_model(parts: Iterable[P]) -> list[P]:
    """Return the parts in order, without text parts that are ``ignored``.

    Parts of a type that this version does not know stay. Source: requirements S002-67, S002-68.
    """
    return [part for part in parts if not _is_ignored(part)]


def _is_ignored(part: Part | Unknown) -> bool:
    """Tell by the members, which are those of parts of older versions too."""
    return getattr(part, "type", "") == "text" and getattr(part, "ignored", UNSET) is True
