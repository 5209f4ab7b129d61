"""The operation assemble: a stream of deltas, and what becomes of it."""

from __future__ import annotations

from typing import Any

import msgspec

from partwire.errors import PartwireError, StreamFailed, StreamProtocolError
from partwire.message import MessageAssembler
from partwire.message.assembler.lines import read_delta_line
from partwire.reading.pipeline import Mode, to_wire

from ..values import Json, findings_of, limits_of, lines_of, served

__all__ = ["assemble_lines", "line_error"]


def assemble_lines(given: Json, version: str) -> Json:
    """Return the message of a stream, or its refusal, and what was to be seen on the way."""
    taker = _Taker(given, version)
    result: Json = {}
    for number, line in enumerate(lines_of(given["deltas"]), 1):
        try:
            taker.take(line)
        except PartwireError as error:
            if not given.get("drop_refused", False):
                result = {"error": line_error(error, number)}
                break
            taker.refused.append(line_error(error, number))
        taker.look()
    else:
        result = _ending(taker.assembler, version)
    result["findings"] = findings_of(taker.assembler.findings)
    return result | taker.seen()


class _Taker:
    """An assembler with what was asked to be seen of it."""

    def __init__(self, given: Json, version: str) -> None:
        self.assembler = MessageAssembler(given.get("run_id"), limits_of(given))
        self.refused: list[Json] = []
        self._version = version
        self._mode: Mode = given.get("mode", "strict")
        self._asked = {
            name for name in ("snapshots", "progress", "drop_refused") if given.get(name, False)
        }
        self._snapshots: list[Any] = []
        self._progress: list[Json] = []

    def take(self, line: bytes) -> None:
        """Consume a line, as services do: typed, and with care where that fails."""
        self.assembler.consume(read_delta_line(line, self._mode))

    def look(self) -> None:
        """Take what was asked for, if there is anything to take."""
        if self.assembler.status == "idle":
            return
        if "snapshots" in self._asked:
            at_once = to_wire(self.assembler.snapshot())
            self._snapshots.append((at_once, self.assembler.snapshot()))
        if "progress" in self._asked:
            wire = self.assembler.progress().to_wire()
            del wire["message"]
            self._progress.append(wire)

    def seen(self) -> Json:
        """Return what was asked for. Snapshots are read again: they never change."""
        found: Json = {}
        if "snapshots" in self._asked:
            for at_once, snapshot in self._snapshots:
                if to_wire(snapshot) != at_once:
                    raise AssertionError("a snapshot has changed after it was taken")
            found["snapshots"] = [
                served(snapshot, self._version) for _, snapshot in self._snapshots
            ]
        if "progress" in self._asked:
            found["progress"] = self._progress
        if "drop_refused" in self._asked:
            found["refused"] = self.refused
        return found


def _ending(assembler: MessageAssembler, version: str) -> Json:
    """Close the assembler and return what can be read from it."""
    try:
        assembler.close()
        return {"message": served(assembler.build_final_message(), version)}
    except StreamFailed as error:
        return {
            "error": {"rule": error.rule},
            "failure": msgspec.to_builtins(error.error),
            "partial": served(error.partial, version),
        }
    except StreamProtocolError as error:
        outcome: Json = {"error": {"rule": error.rule}}
        if assembler.status != "idle":
            outcome["partial"] = served(assembler.build_partial(), version)
        return outcome


def line_error(error: PartwireError, line: int) -> Json:
    """Return the refusal of a line: rule and line, and what else is known of it."""
    finding = error.findings[0]
    found: Json = {"rule": finding.rule, "line": line}
    if isinstance(error, StreamProtocolError) and error.seq is not None:
        found["seq"] = error.seq
    if finding.rule == "stream/limit-exceeded":
        found["limit"] = finding.message.split()[2]  # "The limit parts is passed"
    return found
