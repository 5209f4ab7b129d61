"""The operations of the conformance protocol, answered by the second implementation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from partwire_testing.conformance.values import bytes_of
from tests.mutants.assembler import Assembler
from tests.mutants.history import History
from tests.mutants.json_text import Place, Refused
from tests.mutants.reader import Kept, Reader, severities
from tests.mutants.states import States, Unmoved

Json = dict[str, Any]
Operation = Callable[[Json, str], Json]


@dataclass(frozen=True)
class Implementation:
    """The classes that answer; a mutant has one of them that is wrong."""

    reader: type[Reader] = Reader
    assembler: type[Assembler] = Assembler
    states: type[States] = States
    history: type[History] = History

    def operations(self) -> dict[str, Operation]:
        """Return every operation that there is."""
        return {
            "validate": self.validate,
            "read": self.read,
            "read_tolerant": self.read_tolerant,
            "assemble": self.assemble,
            "transition": self.transition,
            "check_history": self.check_history,
        }

    # --- documents --------------------------------------------------------------------------------

    def validate(self, given: Json, version: str) -> Json:
        reader = self.reader(given["type"], version)
        try:
            found = reader.findings(reader.parse(bytes_of(given["document"])))
        except Refused as refused:
            found = refused.places
        return {"findings": wire(found)}

    def read(self, given: Json, version: str) -> Json:
        return self._read(given, version, tolerant=False)

    def read_tolerant(self, given: Json, version: str) -> Json:
        return self._read(given, version, tolerant=True)

    def _read(self, given: Json, version: str, *, tolerant: bool) -> Json:
        reader = self.reader(given["type"], version)
        try:
            value, notes = reader.read(bytes_of(given["document"]), tolerant=tolerant)
        except Refused as refused:
            return refusal(refused)
        made = {"value": value, "findings": wire(notes)}
        return {**made, "defaults": reader.taken} if reader.taken else made

    # --- streams ----------------------------------------------------------------------------------

    def assemble(self, given: Json, version: str) -> Json:
        assembler = self.assembler(given.get("run_id"), given.get("limits", {}))
        seen: Json = {name: [] for name in ("snapshots", "progress") if name in given}
        refusals: list[Json] = []
        for number, line in enumerate(given["deltas"], 1):
            wrong = self.take(assembler, bytes_of(line), given.get("mode", "strict"), version)
            if wrong is not None:
                refusals.append({**wrong, "line": number})
                if "drop_refused" not in given:
                    break
            for name, kept in seen.items():
                if assembler.start:
                    kept.append(
                        assembler.snapshot() if name == "snapshots" else assembler.progress()
                    )
        if "drop_refused" in given:
            seen["refused"] = refusals
        elif refusals:
            return {"error": refusals[0], **seen}
        notes = [("stream/unknown-delta-kind", "/kind") for _ in assembler.unknown]
        return {**assembler.result(), "findings": wire(notes), **seen}

    def take(self, assembler: Assembler, line: bytes, mode: str, version: str) -> Json | None:
        """Give a line to the assembler; return why it is refused."""
        delta = read_delta(line, mode, version)
        if isinstance(delta, Refused):
            return {"rule": delta.places[0][0]}
        try:
            assembler.consume(copy.deepcopy(delta))
        except Refused as refused:
            rule, _, limit = refused.places[0][0].partition(" ")
            return {"rule": rule, "seq": delta["seq"]} | ({"limit": limit} if limit else {})
        return None

    # --- states and histories ---------------------------------------------------------------------

    def transition(self, given: Json, version: str) -> Json:
        states, state, fields = self.states(version), copy.deepcopy(given["state"]), given["fields"]
        try:
            if given["call"] == "transition":
                after = states.move(state, given["to"], fields)
            else:
                after = getattr(states, given["call"])(state, **fields)
        except Refused as refused:
            rule, pointer = refused.places[0]
            found: Json = {"error": {"rule": rule, "pointer": pointer}}
            return found | ({"details": refused.details} if isinstance(refused, Unmoved) else {})
        told = {"same": True} if after is state else {"state": after}
        return {**told, "before": state}

    def check_history(self, given: Json, version: str) -> Json:
        history = self.history(version, ongoing=given.get("ongoing", False))
        return {"findings": wire(history.check([bytes_of(each) for each in given["messages"]]))}


@cache
def read_delta(line: bytes, mode: str, version: str) -> Any:
    """Return a delta, or Refused; the form of its time is the assembler's to check."""
    reader = Reader("message.MessageDelta", version)
    try:
        value = reader.parse(line)
    except Refused as refused:
        return refused
    if mode == "tolerant":
        value = reader.relax(value, reader.schema, "", [])
    found = [each for each in reader.findings(value) if each != ("shape/pattern", "/timestamp")]
    if found:
        return Refused(*found)
    return value if isinstance(value, Kept) else reader.written(value, reader.schema)


def wire(found: list[Place]) -> list[Json]:
    """Return findings as the protocol has them."""
    return [
        {"rule": rule, "pointer": pointer, "severity": severities()[rule]}
        for rule, pointer in found
    ]


def refusal(refused: Refused) -> Json:
    """Return a refusal as the protocol has it."""
    rule, pointer = refused.places[0]
    return {"error": {"rule": rule, "pointer": pointer, "findings": wire(refused.places)}}
