"""A message of v0.2 as one of v0.1: parts, provider state and what is left out."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from .members import Json, Walk
from .opaque_state import (
    CARRIERS,
    OFFSET,
    TEXTS,
    State,
    has_form,
    index_of,
    lift_state,
    placed,
    read_state,
    shifted,
)
from .state_places import settled

__all__ = ["downgrade_message"]

_FILES: Final = frozenset({"image", "file_ref", "media"})


def downgrade_message(walk: Walk, message: Json, pointer: str) -> Json:
    """Return a message as v0.1 has it; see the table of losses for what that changes."""
    state = _Parts(walk, message["role"], len(message["parts"]))
    parts, changed = settled(message["parts"], message["role"])
    for index in changed:
        walk.log.note("opaque-moved", f"{pointer}/parts/{index}")
    for index, part in parts:
        state.add(index, part, f"{pointer}/parts/{index}")
    state.close()
    made = walk.members({**message, "parts": []}, "Message", pointer)
    made["parts"] = state.parts
    given = made.get("meta", {}).get("opaque", UNSET)
    opaque = _opaque_of(walk, state, given, f"{pointer}/meta/opaque")
    if state.items or state.ids:
        if message.get("meta") == {}:
            walk.log.note("empty-meta", f"{pointer}/meta")
        made["meta"] = {**made.get("meta", {}), "opaque": opaque}
    elif opaque is not UNSET:
        made["meta"]["opaque"] = opaque
    _note_lifted(walk, message, made, pointer)
    return made


def _note_lifted(walk: Walk, message: Json, made: Json, pointer: str) -> None:
    """Say so where up again would take from ``meta.opaque`` what stood there in v0.2."""
    given = message.get("meta", {}).get("opaque", UNSET)
    if given is UNSET or any(loss.code == "opaque-in-meta" for loss in walk.log.losses):
        return
    if lift_state(made).get("meta", {}).get("opaque", UNSET) != given:
        walk.log.note("opaque-lifted", f"{pointer}/meta/opaque")


class _Parts:
    """The parts of v0.1 as far as they are known, and the state that belongs to each.

    v0.1 has no part that is there for its state alone, and joins text of one kind that only the
    end of a state parted.
    """

    def __init__(self, walk: Walk, role: str, count: int) -> None:
        self.parts: list[Json] = []
        self.items: dict[int, list[Json]] = {}
        self.ids: dict[str, str | None] = {}
        self.dialect = ""
        self.moved: list[int | None] = [None] * count
        """By index in v0.2: the index now, None where the part is not a part of its own."""
        self._walk = walk
        self._role = role
        self._joinable = ""  # the kind of the last part, where its state ended it
        self._waiting: list[tuple[str, Json, list[Json]]] = []  # parts of state alone
        self._texts: list[str] = []  # of the parts that the last one is joined of
        self._size = 0  # characters of these

    def add(self, index: int, part: Json, pointer: str) -> None:
        """Take the next part of v0.2, which has or had this index there."""
        kind = part["kind"]
        if self._role == "assistant" and kind in _FILES:
            self._walk.log.note("assistant-part", pointer)
            return
        data = None
        if kind in CARRIERS and "opaque" in part["payload"]:
            data = self._state_of(part, f"{pointer}/payload/opaque")
            payload = {name: each for name, each in part["payload"].items() if name != "opaque"}
            part = {**part, "payload": payload}
        made = self._walk.walk(part, "MessagePart", pointer)
        items = [] if data is None else data.get("items", [])
        if any(OFFSET in item for item in items):  # no part can have it, and up leaves it
            self._walk.log.note("opaque-moved", pointer)
        if kind in TEXTS and kind == self._joinable:
            self._join(made, items, pointer)
        elif kind in TEXTS and data is not None and made["payload"]["text"] == "":
            self._waiting.append((pointer, made, items))
            return
        else:
            self.moved[index] = len(self.parts)
            self._append(made, items)
        self._joinable = kind if data is not None else ""
        if data is not None and "toolCallId" in data:
            self.ids[made["payload"]["toolCallId"]] = data["toolCallId"]
            if "items" not in data:
                self._walk.log.note("opaque-moved", pointer)

    def _state_of(self, part: Json, pointer: str) -> Json | None:
        """Return the data of a part's state; None where v0.1 has no place for it."""
        opaque = self._walk.members(part["payload"]["opaque"], "Opaque", pointer)
        data: Json = opaque["data"]
        if not has_form(data, part["kind"]):
            self._walk.log.note("opaque-form", pointer)
            return None
        self.dialect = self.dialect or opaque["provider"]
        if opaque["provider"] != self.dialect:
            self._walk.log.note("opaque-provider", pointer)
            return None
        return data

    def _append(self, part: Json, items: list[Json]) -> None:
        self._end_join()
        index = len(self.parts)
        before: list[Json] = []
        for pointer, _, waiting in self._waiting:
            before += [placed(item, 0, 0) for item in waiting]
            self._walk.log.note("opaque-moved", pointer)
        self._waiting.clear()
        self.parts.append(part)
        if before or items:
            self.items[index] = before + items

    def _join(self, part: Json, items: list[Json], pointer: str) -> None:
        index = len(self.parts) - 1
        if not self._texts:
            text = self.parts[index]["payload"]["text"]
            self._texts, self._size = [text], len(text)
            # Until now, an item need not have said where it stands.
            self.items[index] = [shifted(item, 0, len(text)) for item in self.items.get(index, [])]
        more = part["payload"]["text"]
        self.items[index] += [shifted(item, self._size, len(more)) for item in items]
        self._texts.append(more)
        self._size += len(more)
        self._walk.log.note("parts-joined", pointer)

    def _end_join(self) -> None:
        """Give the last part its text, once no other joins it: put together again and again, it
        would cost the square of its size.
        """
        if self._texts:
            last = self.parts[-1]
            text = "".join(self._texts)
            self.parts[-1] = {**last, "payload": {**last["payload"], "text": text}}
            self._texts = []

    def close(self) -> None:
        """Say that no more parts come: state that waits for one stands behind the last."""
        self._end_join()
        if not self._waiting:
            return
        behind = [placed(item, 0, 0) for _, _, items in self._waiting for item in items]
        self.items[len(self.parts)] = behind
        if not self._comes_back(behind):
            for pointer, _, _ in self._waiting:
                self._walk.log.note("opaque-moved", pointer)

    def _comes_back(self, behind: list[Json]) -> bool:
        """Tell whether up again makes the very part that the state behind the last one was."""
        last = self.parts[-1]["kind"] if self.parts else ""
        _, part, items = self._waiting[-1]
        return (
            len(self._waiting) == 1
            and self._role == "assistant"
            and part["kind"] == ("text" if last == "thinking" else "thinking")
            and behind == items
        )


def _opaque_of(walk: Walk, state: _Parts, given: Any, pointer: str) -> Any:
    """Return ``meta.opaque``: the state of the parts, and what has been there, ``given``."""
    own = {str(index): items for index, items in state.items.items()}
    has_own = bool(own or state.ids)
    if given is UNSET and not has_own:
        return UNSET
    left = read_state(given)
    if left is None or (has_own and left.dialect != state.dialect):
        if has_own and given is not UNSET:
            walk.log.note("opaque-in-meta", pointer)
        if not has_own:
            return given
        left = State(state.dialect, {}, None)
    ids = left.ids if left.ids is not None or not state.ids else {}
    for key, items in left.parts.items():
        new = _new_key(state, key)
        if new is None or new in own:
            walk.log.note("opaque-in-meta", pointer)
        else:
            own[new] = items
    if ids and ids.keys() & state.ids.keys():
        walk.log.note("opaque-in-meta", pointer)
    both = None if ids is None else {**ids, **state.ids}
    return State(left.dialect, own, both).to_wire()


def _new_key(state: _Parts, key: str) -> str | None:
    """Return where a member of ``parts`` now stands; None where its part is no more."""
    index, count = index_of(key), len(state.moved)
    if index is None or index > count or (index == count and None not in state.moved[:-1]):
        return key
    new = len(state.parts) if index == count else state.moved[index]
    return None if new is None else str(new)
