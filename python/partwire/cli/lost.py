"""What a migration in place leaves out, as lines of JSON that keep it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ..losses import MAX_PER_CODE, Loss
from .entries import Piece

__all__ = ["lost_rows"]

_decode_members: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_items: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def lost_rows(piece: Piece, losses: Sequence[Loss]) -> bytes:
    """Return a line of JSON for each place from which something is lost, with all that is there.

    ``line`` is that of the document, where the file is lines; ``pointer`` leads from there, or
    through the whole file. A document of which not every loss is known is there as a whole.
    """
    lossy = [loss for loss in losses if loss.severity == "lossy"]
    counts = Counter(loss.code for loss in lossy)
    # Of one code, a migration names no more.
    if any(count >= MAX_PER_CODE for count in counts.values()):
        lossy = [loss._replace(pointer="") for loss in {loss.code: loss for loss in lossy}.values()]
    return b"".join(_row(piece, loss) for loss in lossy)


def _row(piece: Piece, loss: Loss) -> bytes:
    pointer, value = loss.pointer, _at(piece.text, loss.pointer)
    if value is None:  # a name that a pointer only describes
        pointer, value = "", piece.text
    row: dict[str, Any] = {} if piece.line is None else {"line": piece.line}
    row |= {
        "pointer": f"{piece.pointer}{pointer}",
        "code": loss.code,
        "value": msgspec.Raw(msgspec.json.format(value, indent=-1)),
    }
    return msgspec.json.encode(row) + b"\n"


def _at(text: bytes, pointer: str) -> bytes | None:
    """Return the text of the value that a pointer leads to; None where there is none."""
    for token in pointer.split("/")[1:]:
        try:
            if text.lstrip().startswith(b"["):
                raw = _decode_items(text)[int(token)]
            else:
                raw = _decode_members(text)[token.replace("~1", "/").replace("~0", "~")]
        except (ValueError, LookupError, RecursionError):
            return None
        text = bytes(raw)
    return text
