"""Daft: read the lines, group them by the names in them, and fold each group in Python."""

from __future__ import annotations

import sys
from pathlib import Path

import daft
from daft import DataType, col
from lines_fold import message_of


def main(output: str, files: list[str]) -> None:
    """Group everything, then write a message of each stream."""
    # A line is a row of CSV with one column: what would part or quote it is not in JSON.
    lines = daft.read_csv(
        files,
        infer_schema=False,
        schema={"line": DataType.string()},
        has_headers=False,
        delimiter="\x01",
        quote="\x02",
    )
    text, names = col("line"), col("names")
    type_of_names = DataType.struct({"runId": DataType.string(), "messageId": DataType.string()})
    streams = (
        lines.where(text.startswith("{"))
        .with_column("names", text.try_deserialize("json", type_of_names))
        .with_columns({"run": names.get("runId"), "message": names.get("messageId")})
        .groupby("run", "message")
        .agg(text.list_agg().alias("lines"))
        .select("lines")
    )
    with Path(output).open("wb") as made:
        for batch in streams.to_arrow_iter():
            made.writelines(message_of(rows.as_py()) + b"\n" for rows in batch.column("lines"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
