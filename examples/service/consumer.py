"""A consumer with partwire's msgspec structs: an event stream becomes a message."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import httpx

from partwire import Limits, MessageAssembler, dump, read
from partwire.providers.framing import SSEDecoder
from partwire.types import Message, TextDelta

__all__ = ["ask", "assembled"]


def _unheard(_text: str) -> None:
    pass


def assembled(
    chunks: Iterable[bytes],
    on_text: Callable[[str], object] = _unheard,
    *,
    mode: Literal["strict", "tolerant"] = "tolerant",
    run_id: str | None = None,
    limits: Limits | None = None,
) -> Message:
    """Return the message of an event stream, whatever the cuts between its chunks.

    ``on_text`` is given each piece of text as it comes; tolerant reading lets a newer service add
    kinds and members. Raises what partwire raises, never half a message: StreamFailed after an
    error delta, StreamProtocolError for a stream that is cut or breaks a rule, ReadError for an
    event that is not a delta, FramingError for bytes that are not an event stream.
    """
    decoder, assembler = SSEDecoder(), MessageAssembler(run_id, limits)
    for chunk in chunks:
        for event in decoder.feed(chunk):
            delta = read(event.data.encode(), "message.MessageDelta", mode)
            assembler.consume(delta)
            if isinstance(delta, TextDelta):
                on_text(delta.payload.text_delta)
    decoder.close()  # raises what was wrong with the last bytes; a cut event is not an event
    assembler.close()
    return assembler.build_final_message()


def ask(url: str, question: Message, on_text: Callable[[str], object]) -> Message:
    """Ask the service at ``url`` and return its answer; raises also what httpx raises."""
    headers = {"content-type": "application/json"}
    with httpx.stream(
        "POST", f"{url}/answers", content=dump(question), headers=headers, timeout=60
    ) as response:
        response.raise_for_status()
        return assembled(response.iter_bytes(), on_text)
