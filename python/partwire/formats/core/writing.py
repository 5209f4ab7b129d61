"""What writing a document gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from partwire.contract.current.message import Message
from partwire.errors import Finding, ReadError, bad_argument, clip
from partwire.losses import Loss
from partwire.reading.pipeline import read

from .reading import Json

__all__ = ["Written", "messages_of", "plain"]


class Written(NamedTuple):
    """A document as JSON value, and what it does not say of the messages, by place in them."""

    document: Any
    losses: list[Loss]


def messages_of(messages: Sequence[Any]) -> list[Json]:
    """Return messages (structs, models or JSON objects) as JSON objects of their own.

    Raises UsageError for what is not a list of them, and ReadError for what is not a message.
    """
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Sequence):
        raise bad_argument("messages is wrong", "a list of messages", messages)
    made: list[Json] = []
    for message in messages:
        given: Any = message
        if hasattr(given, "model_dump_json"):
            given = given.model_dump_json(by_alias=True, exclude_unset=True)
        struct = given if isinstance(given, Message) else read(given, Message)
        made.append(plain(struct))
    return made


def plain(value: Any) -> Any:
    """Return structs as the JSON values that they are.

    Raises ReadError for what tolerant reading has kept aside: no format has a place for it.
    """
    return msgspec.to_builtins(value, enc_hook=_refused)


def _refused(value: Any) -> Any:
    found = clip(getattr(value, "tag", value))
    message = "No variant has this kind"
    expected = "a kind that this version knows"
    raise ReadError(Finding("shape/unknown-variant", message, expected=expected, actual=found))
