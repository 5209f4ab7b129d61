"""Python with msgspec: a dictionary of lists of lines as they are, decoded when they are folded."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import msgspec
from lines_fold import message_of


class _Names(msgspec.Struct, rename="camel", gc=False):
    run_id: str
    message_id: str | None = None


def main(output: str, files: list[str]) -> None:
    """Read everything, then write a message of each stream."""
    names_of = msgspec.json.Decoder(_Names).decode
    streams = defaultdict(list)
    for path in files:
        with Path(path).open("rb") as lines:
            for line in lines:
                if line.strip():
                    names = names_of(line)
                    streams[names.run_id, names.message_id].append(line)
    with Path(output).open("wb") as made:
        made.writelines(message_of(stream) + b"\n" for stream in streams.values())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
