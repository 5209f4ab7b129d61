"""Deltas of a version, each drawn after the schema of its kind and put into a stream's frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from partwire.contract.current import LATEST_VERSION
from partwire.contract.versions import parse_type

from ..conformance.drawn.schemas import Schema, resolve
from .documents import FamilyStrategies, Strategy, family_strategies
from .values import json_objects

__all__ = ["IDS", "Delta", "DeltaMaker", "delta_maker", "renumbered"]

Delta = dict[str, Any]

IDS: Final = {"messageId": "stream/message-id-mismatch", "turnId": "stream/turn-id-mismatch"}
"""The ids that a start may have, and the rule that a delta with another one breaks."""

_MAX_GAP: Final = 3


class DeltaMaker:
    """Draws the deltas of one stream after the other; what they share comes in ``head``."""

    def __init__(self, version: str, unknown_members: bool) -> None:
        self._all: FamilyStrategies = family_strategies("message", version, unknown_members)
        defs = self._all.defs
        self.kinds: dict[str, Schema] = {}
        """Kind → schema of its delta."""
        for each in defs["MessageDelta"]["oneOf"]:
            schema = resolve(each, defs)
            self.kinds[resolve(schema["properties"]["kind"], defs)["const"]] = schema
        self.ids = [name for name in IDS if name in self.kinds["start"]["properties"]]
        """The ids, of those in IDS, that this version has."""
        self.call_ids = self._all.of_type("ToolCallId")
        self._bodies = {kind: self._body(schema) for kind, schema in self.kinds.items()}
        self._heads = self._head()

    def _head(self) -> Strategy:
        start = self.kinds["start"]["properties"]
        optional = {name: self._all.of(start[name]) for name in self.ids}
        return st.fixed_dictionaries({"runId": self._all.of(start["runId"])}, optional=optional)

    def _body(self, schema: Schema) -> Strategy:
        """Return what a delta has beside the members that it shares with its stream."""
        shared = {"runId", "seq", "kind", *IDS}
        own = {name: each for name, each in schema["properties"].items() if name not in shared}
        required = [name for name in schema["required"] if name in own]
        return self._all.of({**schema, "properties": own, "required": required})

    def head(self, draw: st.DrawFn) -> Mapping[str, str]:
        """Draw what all deltas of a stream share: the run, and perhaps ids."""
        drawn: Mapping[str, str] = draw(self._heads)
        return drawn

    def delta(self, draw: st.DrawFn, kind: str, head: Mapping[str, str], **payload: Any) -> Delta:
        """Draw a delta of a kind; members of ``payload`` are given. Its ``seq`` is still 0."""
        body: Delta = draw(self._bodies[kind])
        body["payload"] = body["payload"] | payload
        own = dict(head)
        if kind != "start":  # ids may be repeated, and need not be
            for name in self.ids:
                if name in own and draw(st.booleans()):
                    del own[name]
        return {**own, "seq": 0, "kind": kind, **body}

    def new_call_id(self, draw: st.DrawFn, used: set[str]) -> str:
        """Draw the id of a tool call that no other has."""
        drawn: str = draw(self.call_ids.filter(lambda each: each not in used))
        used.add(drawn)
        return drawn


@cache
def delta_maker(version: str = LATEST_VERSION, unknown_members: bool = False) -> DeltaMaker:
    """Return the maker of a version, made once. Raises UsageError ``usage/unknown-version``."""
    return DeltaMaker(parse_type("message.MessageDelta", version).version, unknown_members)


def renumbered(draw: st.DrawFn, deltas: list[Delta]) -> list[Delta]:
    """Give deltas numbers that increase, now and then by more than one."""
    seq = draw(st.integers(0, _MAX_GAP))
    for each in deltas:
        each["seq"] = seq
        seq += draw(st.integers(1, _MAX_GAP))
    return deltas


argument_texts: Final[st.SearchStrategy[str]] = st.one_of(
    st.just(""),
    json_objects.map(lambda value: json.dumps(value, ensure_ascii=False)),
    json_objects.map(lambda value: json.dumps(value, indent=1)),
    st.text(st.characters(codec="utf-8"), max_size=12),
)
"""Texts of tool calls' arguments: none, objects, and what a model writes when it writes no JSON."""
