"""DuckDB: write the lines into files by a hash of their stream, then fold file after file."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from lines_fold import message_of

PARTITIONS = 16
MEMORY = "1GB"


def main(output: str, files: list[str]) -> None:
    """Write a message of each stream."""
    with TemporaryDirectory(dir=Path(output).parent) as folder:
        database = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": folder})
        database.execute("SET preserve_insertion_order = false")
        database.execute(
            f"""
            COPY (
                SELECT runId, messageId, line, hash(runId, messageId) % {PARTITIONS} AS place
                FROM (
                    SELECT
                        unnest(json_transform(json, '{{"runId":"VARCHAR","messageId":"VARCHAR"}}')),
                        json::VARCHAR AS line
                    FROM read_ndjson_objects($files)
                )
            ) TO '{folder}/parts' (FORMAT parquet, PARTITION_BY (place), COMPRESSION 'lz4')
            """,
            {"files": files},
        )
        with Path(output).open("wb") as made:
            for part in sorted(Path(folder, "parts").iterdir()):
                rows = database.execute(
                    "SELECT string_agg(line) FROM read_parquet($part) GROUP BY runId, messageId",
                    {"part": f"{part}/*.parquet"},
                )
                while found := rows.fetchmany(1_000):
                    made.writelines(message_of(lines) + b"\n" for (lines,) in found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
