"""The flat tables of an archive's messages, with the calls of tools beside their results.

1. *map*: each task makes its part of the tables ``messages``, ``parts`` and ``findings``, and gives
   calls and results to the partition of their run and id.
2. *rows*: rows about lines get their places.
3. *calls*: each partition puts calls and results together, in the order of the inputs.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Final

import msgspec

from ...files.lasting import new_file
from ..documents.options import ToParquet
from ..documents.rows import RowsTaken, RowTasks
from ..steps import Done, Step, Totals
from ..streams.pick import Picked
from ..streams.spill import Pieces, Spilled
from .flat import CALL_KINDS, ToolCalls, findings, flat_schema, messages, parts
from .outputs import ParquetOutputs
from .schema import arrow_module
from .tables import Held, group_bytes

__all__ = ["FlatTables"]

_PARTITION_BYTES: Final = 64 << 20
_BATCH_ROWS: Final = 4096
_TASK_BITS: Final = 32
"""Beneath them is the number of a message in its task."""
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


class _FlatTaken(RowsTaken):
    spill: str = ""
    """The file in the work folder with calls and results by partition."""
    ends: list[list[int]] = msgspec.field(default_factory=list)


@dataclass(frozen=True)
class FlatTables(RowTasks):
    """One run of a plan. Its steps are called in their order, the tasks of each in any."""

    options: ToParquet
    held_bytes: int
    result: ClassVar[type[RowsTaken]] = _FlatTaken

    def _partitions(self) -> int:
        return sum(each.size for each in self.plan.inputs) // _PARTITION_BYTES + 1

    def take(self, task: int) -> _FlatTaken:
        """Make the tables of the lines of a task."""
        name = f"{task:06}-{secrets.token_hex(4)}.spill"
        # There are three tables.
        size = group_bytes(self.held_bytes) // 3
        ends: list[list[int]] = []
        with (
            new_file(self.work / name) as file,
            ParquetOutputs(self.target, self.work, f"{task:06}", size) as outputs,
        ):
            pieces = Pieces(file, self._partitions(), self.held_bytes // 4, ends)
            if task == 0:  # a table that has no rows is there all the same
                for table in ("messages", "parts", "findings"):
                    outputs.begin(table, flat_schema(table))
            made = _Made(self.options, task, outputs, pieces)
            held = Held(self.options, made.add)
            found = self.taken(task, held, held.finish)
            pieces.write()
            found.done.files += outputs.put()
        taken = {each: getattr(found, each) for each in RowsTaken.__struct_fields__}
        return _FlatTaken(**taken, spill=name, ends=ends)

    def further(
        self, rows: list[Any], firsts: list[list[int]], totals: Totals
    ) -> Generator[Step, list[Any], None]:
        """Yield the step that joins calls with results."""
        join = partial(self.join, rows=rows)
        yield Step("calls", self._partitions(), join, Done, are_results=True)

    def join(self, partition: int, rows: list[_FlatTaken]) -> Done:
        """Make the table ``tool_calls`` of a partition."""
        spilled = Spilled([(self.work / each.spill, each.ends) for each in rows], partition)
        name, size = f"p{partition:06}", group_bytes(self.held_bytes)
        calls = ToolCalls()
        with ParquetOutputs(self.target, self.work, name, size) as outputs:
            if partition == 0:
                outputs.begin("tool_calls", flat_schema("tool_calls"))
            given = (_decode(row.data) for row in spilled.all_rows())
            while batch := list(islice(given, _BATCH_ROWS)):
                outputs.add("tool_calls", calls.add(_table(batch)))
            outputs.add("tool_calls", calls.end())
            return Done(outputs.put(), Totals())


class _Made:
    """What becomes of the batches of a task."""

    def __init__(
        self, options: ToParquet, task: int, outputs: ParquetOutputs, pieces: Pieces
    ) -> None:
        self._version = options.version
        self._task = task
        self._next = task << _TASK_BITS
        self._outputs = outputs
        self._pieces = pieces

    def add(self, batch: Any, texts: list[bytes]) -> None:
        """Add the rows of some messages."""
        pa = arrow_module()
        table, first = pa.Table.from_batches([batch]), self._next
        self._next += len(texts)
        self._outputs.add("messages", messages(table, first))
        made = parts(table, first)
        self._outputs.add("parts", made)
        self._outputs.add("findings", findings(texts, self._version, first))
        self._give(made)

    def _give(self, table: Any) -> None:
        pa, pc = arrow_module(), arrow_module("pyarrow.compute")
        asked = table.filter(pc.is_in(table["kind"], pa.array(CALL_KINDS)))
        at = asked.schema.get_field_index("timestamp")
        asked = asked.set_column(at, "timestamp", asked["timestamp"].cast(pa.int64()))
        rows = asked.to_pylist()
        keys = [_encode([row["runId"], row["toolCallId"]]).decode() for row in rows]
        lines = [
            _encode({name: each for name, each in row.items() if each is not None}) for row in rows
        ]
        self._pieces.add(Picked(self._task, [*keys], [0] * len(keys), lines))


def _table(rows: list[dict[str, Any]]) -> Any:
    """Return a table ``parts`` of rows that were given on."""
    pa = arrow_module()
    schema = flat_schema("parts")
    at = schema.get_field_index("timestamp")
    plain = schema.set(at, pa.field("timestamp", pa.int64()))
    return pa.Table.from_pylist(rows, plain).cast(schema)
