"""Histories there and back: what a reader made of a request, written by the encoder again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from partwire.providers.requests import encode_request
from tests.formats.laws import read_given

__all__ = ["Json", "joined", "known", "sent_back"]

Json = dict[str, Any]

_CONFIG = {"provider": "any", "modelId": "any", "maxTokens": 1}


def sent_back(format: str, document: Any) -> Json:  # noqa: A002
    """Return the body that the messages of a document make."""
    messages = read_given(format, document).messages
    return encode_request(format, messages, config=_CONFIG).body


def known(value: Any) -> Any:
    """Return a copy without the members that are null."""
    if isinstance(value, dict):
        return {name: known(member) for name, member in value.items() if member is not None}
    return [known(item) for item in value] if isinstance(value, list) else value


def joined(messages: list[Json], content: str, block: Callable[[Json], Json | None]) -> list[Json]:
    """Return messages in a normal form: text as a block, those of one side in a row as one.

    ``content`` is the member that holds the blocks; ``block`` is the normal form of one, None for a
    block that says nothing.
    """
    made: list[Json] = []
    for message in copy.deepcopy(known(messages)):
        given = message.get(content) or []
        blocks = [each for item in _blocks(given) if (each := block(item)) is not None]
        if not blocks:
            continue
        if made and made[-1]["role"] == message["role"]:
            made[-1][content] += blocks
        else:
            made.append({"role": message["role"], content: blocks})
    return made


def _blocks(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
