"""Prompt blocks: what their text holds, worked out only where it is asked for.

Blocks are kept as they come: multi-line text or Base64. Nothing in a message distinguishes them,
and many a word is Base64 of something, so nothing here guesses: who knows that the sender writes
Base64 says so by calling :func:`decode_prompt_block`. What is not text, or no response, is refused:
UsageError ``usage/invalid-argument``.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from ..contract.current.envelope import PromptBlocksResponse
from ..errors import Finding, ReadError, UsageError, WriteError, bad_argument, clip
from ..json.text import value_findings
from .arguments import require_text

__all__ = [
    "decode_prompt_block",
    "decode_prompt_blocks",
    "encode_prompt_block",
    "encode_prompt_blocks",
    "may_be_base64",
]

_BLOCKS: Final = ("system", "task", "allowed_tools", "context_data", "instruction")


def encode_prompt_block(text: str) -> str:
    """Return ``text`` as Base64 of its UTF-8: standard alphabet, padded, in one line.

    Raises WriteError ``document/lone-surrogate``.
    """
    require_text("text", text)
    if found := value_findings(text):
        raise WriteError(*found)
    return base64.b64encode(text.encode()).decode("ascii")


def decode_prompt_block(text: str) -> str:
    """Return the text that a block of Base64 holds.

    Lines may be folded and indented; padding is asked for, and the last character has no stray
    bits. Raises ReadError ``envelope/prompt-block`` for what is not Base64, or not of UTF-8.
    """
    require_text("text", text)
    compact = "".join(text.split())
    try:
        data = base64.b64decode(compact, validate=True)
    except ValueError:
        raise _bad_block("The block is not Base64", "Base64, padded", text) from None
    if base64.b64encode(data).decode("ascii") != compact:
        raise _bad_block("The last character of the block has stray bits", "Base64", text)
    try:
        return data.decode()
    except UnicodeDecodeError as cause:
        message = f"The block is Base64, but not of UTF-8: byte {cause.start} of what it holds"
        raise _bad_block(message, "Base64 of UTF-8 text", text) from None


def may_be_base64(text: str) -> bool:
    """Return whether a block can be Base64: False is certain, True is not.

    ``edit`` is a word, and Base64 of two characters. Where this is False, the block is text.
    """
    try:
        return decode_prompt_block(text) != ""
    except ReadError:
        return False


def encode_prompt_blocks(response: PromptBlocksResponse) -> PromptBlocksResponse:
    """Return ``response`` with all five blocks as Base64; the envelope stays."""
    return _each_block(response, encode_prompt_block)


def decode_prompt_blocks(response: PromptBlocksResponse) -> PromptBlocksResponse:
    """Return ``response`` with the text of all five blocks, which have to be Base64.

    Raises ReadError ``envelope/prompt-block``; the pointer names the block.
    """
    return _each_block(response, decode_prompt_block)


def _each_block(
    response: PromptBlocksResponse, change: Callable[[str], str]
) -> PromptBlocksResponse:
    if not isinstance(response, PromptBlocksResponse):
        raise bad_argument("response is wrong", "a PromptBlocksResponse", response)
    changed = {}
    for name in _BLOCKS:
        try:
            changed[name] = change(getattr(response, name))
        except (ReadError, UsageError, WriteError) as error:
            found = [finding._replace(pointer=f"/{name}") for finding in error.findings]
            raise type(error)(*found) from None
    return replace(response, **changed)


def _bad_block(message: str, expected: str, text: str) -> ReadError:
    return ReadError(
        Finding("envelope/prompt-block", message, expected=expected, actual=clip(text))
    )
