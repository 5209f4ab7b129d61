"""The floor: the lines of files decoded into the generated structs, and nothing done with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import msgspec

from partwire.types import MessageDelta

_CHUNK_BYTES: Final = 64 * 1024


def main(files: list[str]) -> None:
    """Print how many lines there are."""
    decode_lines = msgspec.json.Decoder(MessageDelta).decode_lines
    count = 0
    for path in files:
        held = b""
        with Path(path).open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                text = held + chunk
                end = text.rfind(b"\n") + 1
                count += len(decode_lines(text[:end]))
                held = text[end:]
        count += len(decode_lines(held))
    print(count)


if __name__ == "__main__":
    main(sys.argv[1:])
