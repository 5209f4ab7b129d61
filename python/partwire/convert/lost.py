"""What a conversion has left out of a document, with all that was there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from ..json.pointer import unescape
from ..losses import MAX_PER_CODE, Loss

__all__ = ["LostValue", "lost_values"]

_decode_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_items: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


class LostValue(NamedTuple):
    """What is lost at one place of a document."""

    pointer: str
    code: str
    text: bytes
    """What was there, as JSON text."""

    def to_wire(self) -> dict[str, Any]:
        """Return it as an object that msgspec encodes."""
        value = msgspec.Raw(msgspec.json.format(self.text, indent=-1))
        return {"pointer": self.pointer, "code": self.code, "value": value}


def lost_values(text: bytes, losses: Iterable[Loss]) -> Iterator[LostValue]:
    """Yield what is lost of a document, in the order of its losses; infos lose nothing.

    A document of which not every loss is known is there as a whole, and so is one in which a
    pointer leads to nothing that is there.
    """
    lossy = [loss for loss in losses if loss.severity == "lossy"]
    counts = Counter(loss.code for loss in lossy)
    # Of one code, a conversion names no more.
    if any(count >= MAX_PER_CODE for count in counts.values()):
        lossy = [loss._replace(pointer="") for loss in {loss.code: loss for loss in lossy}.values()]
    for loss in lossy:
        value = _at(text, loss.pointer)
        # None: a name that a pointer only describes.
        found = ("", loss.code, text) if value is None else (loss.pointer, loss.code, value)
        yield LostValue(*found)


def _at(text: bytes, pointer: str) -> bytes | None:
    """Return the text of the value that a pointer leads to; None where there is none."""
    for token in pointer.split("/")[1:]:
        try:
            if text.lstrip().startswith(b"["):
                raw = _decode_items(text)[int(token)]
            else:
                raw = _decode_members(text)[unescape(token)]
        except (ValueError, LookupError, RecursionError):
            return None
        text = bytes(raw)
    return text
