"""Law L2: messages, written and read again, are the same but for what is reported."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
from hypothesis import strategies as st

from partwire import formats
from partwire.contract.current.message import Message
from partwire.losses import Loss
from partwire.reading.pipeline import read
from partwire_testing import strategies

__all__ = ["comes_back", "comes_back_whole", "drawn_histories", "plain", "without"]

Json = dict[str, Any]


def plain(messages: list[Any]) -> list[Json]:
    """Return messages as the JSON values of their structs."""
    structs = [each if isinstance(each, Message) else read(each, Message) for each in messages]
    made: list[Json] = msgspec.to_builtins(structs)
    return made


drawn_histories = st.lists(strategies.documents("message.Message"), max_size=4)


def _back(format: str, messages: list[Json], **options: Any) -> tuple[list[Json], list[Loss]]:  # noqa: A002
    written = formats.write(format, messages, **options)
    return plain(formats.read(format, written.document).messages), written.losses


def comes_back(format: str, messages: list[Json], **options: Any) -> None:  # noqa: A002
    """Assert that parts and ids come back, in any message, but for what is reported."""
    back, losses = _back(format, messages, **options)
    lossy = {loss.pointer for loss in losses}
    parts = [(part["kind"], part["payload"]) for message in back for part in message["parts"]]
    for number, message in enumerate(messages):
        if f"/{number}" in lossy:
            continue
        if f"/{number}/messageId" not in lossy and "messageId" in message:
            assert message["messageId"] in {each.get("messageId") for each in back}
        for at, part in enumerate(message["parts"]):
            place = f"/{number}/parts/{at}"
            if place in lossy:
                continue
            said = {
                name: value
                for name, value in part["payload"].items()
                if f"{place}/payload/{name}" not in lossy
            }
            assert any(
                kind == part["kind"]
                and said
                == {n: v for n, v in payload.items() if f"{place}/payload/{n}" not in lossy}
                for kind, payload in parts
            ), place


def comes_back_whole(format: str, messages: list[Json], version: str) -> None:  # noqa: A002
    """Assert that messages come back equal, without a lossy report, with extensions."""
    back, losses = _back(format, messages, version=version, extensions=True)
    assert back == messages
    assert [loss for loss in losses if loss.severity == "lossy"] == []


def without(document: Any, losses: list[Loss]) -> Any:
    """Return a document without the places that are reported as lost."""
    made: Any = copy.deepcopy(document)
    for loss in losses:
        if loss.severity != "lossy":
            continue
        *way, last = loss.pointer.split("/")[1:]
        holder: Any = made
        for step in way:
            if holder is not None:  # which is lost as a whole
                holder = holder[int(step)] if isinstance(holder, list) else holder.get(step, {})
        if isinstance(holder, list):
            holder[int(last)] = None
        elif holder is not None:
            holder.pop(last, None)
    return made
