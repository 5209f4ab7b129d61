"""Messages that are written and read again: what differs is reported, nothing with extensions."""

from __future__ import annotations

from typing import Any

import msgspec

from partwire import formats
from partwire.contract.current.message import Message
from partwire.losses import Loss
from partwire.reading.pipeline import read

__all__ = ["back", "comes_back", "comes_back_whole", "plain"]

Json = dict[str, Any]


def plain(messages: Any) -> list[Json]:
    """Return messages, structs or documents, as JSON objects."""
    made: list[Json] = msgspec.to_builtins([_struct(message) for message in messages])
    return made


def _struct(message: Any) -> Any:
    return message if isinstance(message, Message) else read(message, Message)


def back(format: str, messages: list[Json], **options: Any) -> tuple[list[Json], list[Loss]]:  # noqa: A002
    """Return what is read of the document that messages are written as, and its losses."""
    written = formats.write(format, messages, **options)
    return plain(formats.read(format, written.document).messages), written.losses


def comes_back_whole(format: str, messages: list[Json], **options: Any) -> None:  # noqa: A002
    """Assert that messages are the same with extensions, and that nothing is reported."""
    found, losses = back(format, messages, extensions=True, **options)
    assert found == messages
    assert [loss for loss in losses if loss.severity == "lossy"] == []


def comes_back(format: str, messages: list[Json], **options: Any) -> None:  # noqa: A002
    """Assert that each message is there again, in order, but for the places of losses."""
    found, losses = back(format, messages, **options)
    lossy = {loss.pointer for loss in losses if loss.severity == "lossy"}
    rest = iter(found)
    for number, message in enumerate(messages):
        place = f"/{number}"
        if place not in lossy:
            assert any(_is_same(message, other, place, lossy) for other in rest), place


def _is_same(message: Json, other: Json, place: str, lossy: set[str]) -> bool:
    parts = [part for at, part in enumerate(message["parts"]) if f"{place}/parts/{at}" not in lossy]
    if not _but(_head(message), _head(other), place, lossy):
        return False
    is_whole = len(parts) == len(message["parts"]) and f"{place}/parts" not in lossy
    if is_whole and len(parts) != len(other["parts"]):
        return False
    return all(
        any(
            part["kind"] == theirs["kind"]
            and _but(part["payload"], theirs["payload"], f"{place}/parts/{at}/payload", lossy)
            for theirs in ([other["parts"][at]] if is_whole else other["parts"])
        )
        for at, part in enumerate(message["parts"])
        if part in parts
    )


def _head(message: Json) -> Json:
    return {name: value for name, value in message.items() if name != "parts"}


def _but(mine: Json, theirs: Json, place: str, lossy: set[str]) -> bool:
    """Return whether two objects are the same, but for members that are reported."""
    for name in {**mine, **theirs}:
        at = f"{place}/{name}"
        is_named = any(each == at or each.startswith(f"{at}/") for each in lossy)
        if not is_named and (name in mine) + (name in theirs) == 1:
            return False
        if not is_named and mine[name] != theirs[name]:
            return False
    return True
