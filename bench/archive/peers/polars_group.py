"""Polars: scan the lines, read the names in them, group them, and fold each group in Python."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from lines_fold import message_of


def main(output: str, files: list[str]) -> None:
    """Group everything, then write a message of each stream."""
    names = pl.Struct({"runId": pl.String, "messageId": pl.String})
    line = pl.col("line")
    streams = (
        pl.scan_lines(files)
        .filter(line.str.starts_with("{"))
        .with_columns(line.str.json_decode(names).struct.unnest())
        .group_by("runId", "messageId")
        .agg(line)
        .select("line")
        .collect(engine="streaming")
    )
    with Path(output).open("wb") as made:
        for rows in streams.iter_slices(1_000):
            made.writelines(message_of(lines) + b"\n" for lines in rows["line"].to_list())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
