"""Messages as every provider sees them: turns, made of pieces in order.

Empty text is not a piece. Pointers lead into the request, see ``notes``.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import UNSET

from partwire.contract.current.message import ApprovalResponse, FileRefPart, ImagePart, MediaPart

from .call_ids import Form
from .media import Media, file_media, image_media, part_media
from .notes import Notes
from .state import Item

__all__ = [
    "MEDIA_PIECES",
    "USER_MEDIA",
    "Approval",
    "AssistantPiece",
    "AssistantTurn",
    "Attachment",
    "Call",
    "File",
    "Forms",
    "Image",
    "MediaPiece",
    "Result",
    "State",
    "SystemTurn",
    "Text",
    "Thinking",
    "ToolTurn",
    "Turn",
    "UserPiece",
    "UserTurn",
    "attachment",
    "media_piece",
    "words_of",
]


class Forms(NamedTuple):
    """What a provider takes.

    ``author`` is what it takes as the name of a message's author, None where messages have none.
    ``approvals`` is the kind of state that asks for one, "" where requests have no place for them.
    ``apart`` says that a server tool's result is a separate block, without which neither it nor
    its call goes back; elsewhere it is one of the calls whose kind is among ``paired``. ``blank``
    says whether text may be white space alone. ``citing`` are the kinds of state of a text with
    which its citations go back; those that carry the provider's own go back anyway.
    """

    call_id: Form
    tool_name: Form
    author: Form | None = None
    approvals: str = ""
    apart: bool = False
    paired: Container[str] = ()
    blank: bool = True
    citing: frozenset[str] = frozenset()


class Text(NamedTuple):
    """Text, never empty; ``state`` is what covers it.

    ``alone``: it is a separate block, and joins no other text.
    """

    text: str
    pointer: str
    state: tuple[Item, ...] = ()
    alone: bool = False


class Thinking(NamedTuple):
    """Reasoning, never empty; ``state`` is what covers it."""

    text: str
    pointer: str
    state: tuple[Item, ...] = ()


class Call(NamedTuple):
    """A tool call. ``raw_args`` is the argument text where ``arguments`` does not say it all.

    ``nameless``: the provider that made it gave it no id.
    """

    call_id: str
    name: str
    arguments: dict[str, Any]
    raw_args: str | None
    pointer: str
    state: tuple[Item, ...] = ()
    nameless: bool = False


class State(NamedTuple):
    """Provider state that stands here, between other pieces."""

    item: Item


class Image(NamedTuple):
    """An image, in a message or a tool result."""

    media: Media
    pointer: str


class File(NamedTuple):
    """A file that is referred to, in a message or a tool result."""

    media: Media
    pointer: str


class Attachment(NamedTuple):
    """Media of any type, in a message or a tool result.

    ``state`` is what an assistant's has of the target's dialect, ``transcript`` what is said in it.
    """

    media: Media
    pointer: str
    state: tuple[Item, ...] = ()
    transcript: str = ""


class Approval(NamedTuple):
    """A person's answer to a request of the target's dialect, whose state is ``request``."""

    payload: ApprovalResponse
    request: Item
    pointer: str


MediaPiece: TypeAlias = Image | File | Attachment
MEDIA_PIECES: Final = (Image, File, Attachment)
USER_MEDIA: Final = "media in messages of users or tools alone"
AssistantPiece: TypeAlias = Text | Thinking | Call | State | MediaPiece
UserPiece: TypeAlias = Text | MediaPiece


class Result(NamedTuple):
    """A tool result; ``name`` is that of the called tool, "" where the call is unknown.

    ``content`` is text (which may be empty), pieces, or an object.
    """

    call_id: str
    name: str
    is_error: bool
    content: str | list[UserPiece] | dict[str, Any]
    pointer: str


class SystemTurn(NamedTuple):
    """A system message; ``name`` is that of its author as the provider takes it, "" without."""

    pieces: list[Text]
    pointer: str
    name: str = ""


class UserTurn(NamedTuple):
    """A user's message, or a tool's as far as it has ``approvals``, which come first."""

    pieces: list[UserPiece]
    pointer: str
    name: str = ""
    approvals: tuple[Approval, ...] = ()


class AssistantTurn(NamedTuple):
    """An assistant's message.

    ``own`` says whether an adapter of the target's dialect left state in it; ``meta`` is the
    message's.
    """

    pieces: list[AssistantPiece]
    pointer: str
    own: bool
    meta: dict[str, Any]
    name: str = ""


class ToolTurn(NamedTuple):
    """Results: all that answer the calls of the turn before, or that answer nothing."""

    results: list[Result]


Turn: TypeAlias = SystemTurn | UserTurn | AssistantTurn | ToolTurn


def media_piece(part: Any, place: str) -> MediaPiece | None:
    """Return the piece of an image, a file or media; None for any other part."""
    if isinstance(part, ImagePart):
        return Image(image_media(part.payload), place)
    if isinstance(part, FileRefPart):
        return File(file_media(part.payload), place)
    return attachment(part, place) if isinstance(part, MediaPart) else None


def attachment(part: MediaPart, place: str, state: tuple[Item, ...] = ()) -> Attachment:
    """Return the piece of media with its words."""
    words = "" if part.payload.transcript is UNSET else part.payload.transcript
    return Attachment(part_media(part.payload), place, state, words)


def words_of(piece: MediaPiece, expected: str, notes: Notes) -> Text | None:
    """Return what is said in media that the provider does not take; both are noted."""
    if isinstance(piece, Attachment) and piece.transcript:
        notes.add(
            "encode/transcript-as-text",
            "The provider does not take this here; what is said in it is sent as text",
            piece.pointer,
        )
        return Text(piece.transcript, piece.pointer, alone=True)
    notes.unsupported_part(piece.pointer, expected, piece.media.said())
    return None
