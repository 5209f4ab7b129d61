"""DuckDB: aggregate the lines of each stream as a list, and fold it in Python."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
from lines_fold import message_of


def main(output: str, files: list[str]) -> None:
    """Group everything, then write a message of each stream."""
    database = duckdb.connect()
    database.execute("SET preserve_insertion_order = false")
    rows = database.execute(
        """
        SELECT list(line)
        FROM (
            SELECT
                unnest(json_transform(json, '{"runId":"VARCHAR","messageId":"VARCHAR"}')),
                json::VARCHAR AS line
            FROM read_ndjson_objects($files)
        )
        GROUP BY runId, messageId
        """,
        {"files": files},
    )
    with Path(output).open("wb") as made:
        while found := rows.fetchmany(1_000):
            made.writelines(message_of(lines) + b"\n" for (lines,) in found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
