"""The stream and the tool states, from the tables that every language works by, with pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from codegen import model as m
from codegen.site.markdown import Page, code, link, table
from codegen.site.places import STREAM, TOOL_STATES, group_page, rule_page, type_page
from codegen.site.svg import Move, picture

__all__ = ["stream_page", "tool_states_page"]

_OTHER: Final = "*"
_MOST_NAMED: Final = 2
_ABOUT_STREAM: Final = "What a delta of each kind does in each status of a stream."
_ABOUT_STATES: Final = "Which states a tool call goes through, and what a move to each takes."


def stream_page(stream: Mapping[str, Mapping[str, str]]) -> Page:
    """Return the page of the stream's table: status → kind → the next status, or a rule."""
    moves = list(_stream_moves(stream))
    steps = "; ".join(f"{move.old} to {move.new} by {move.label}" for move in moves)
    drawn = picture("stream", "The statuses of a stream", f"{steps}.", list(stream), moves)
    kinds = list(dict.fromkeys(kind for row in stream.values() for kind in row))
    rows = [
        (
            code(kind) if kind != _OTHER else "any other",
            *(_step(stream, status, kind) for status in stream),
        )
        for kind in kinds
    ]
    parts = [
        _ABOUT_STREAM,
        (
            "A stream begins as `idle` and ends as `done` or `error`. All assemblers work by "
            "this table. What else a delta has to keep is in the "
            f"{link(STREAM, group_page('stream'), 'rules')}."
        ),
        drawn,
        table(("kind", *map(code, stream)), rows),
    ]
    return Page(STREAM, "The stream", "\n\n".join(parts) + "\n", _ABOUT_STREAM)


def _stream_moves(stream: Mapping[str, Mapping[str, str]]) -> Iterator[Move]:
    for status, row in stream.items():
        for new in stream:
            kinds = [kind for kind, step in row.items() if step == new]
            if kinds:
                yield Move(status, new, _named(kinds))


def _named(kinds: Sequence[str]) -> str:
    return ", ".join(kinds) if len(kinds) <= _MOST_NAMED else f"{len(kinds)} kinds"


def _step(stream: Mapping[str, Mapping[str, str]], status: str, kind: str) -> str:
    step = stream[status].get(kind, "")
    return code(step) if step in stream else link(STREAM, rule_page(step), code(step))


def tool_states_page(
    states: Mapping[str, Mapping[str, Sequence[str]]], definition: m.TypeDef, version: str
) -> Page:
    """Return the page of the tool states: what a move takes, and which moves ``definition`` has."""
    transitions = definition.transitions or {}
    moves = [Move(old, new) for old, after in transitions.items() for new in after]
    steps = "; ".join(f"{move.old} to {move.new}" for move in moves)
    drawn = picture("states", "The states of a tool call", f"{steps}.", list(transitions), moves)
    rows = [
        (
            code(state),
            *(", ".join(map(code, row.get(each, ()))) for each in ("takes", "needs", "mayChange")),
            ", ".join(map(code, transitions.get(state, ()))) or "none",
        )
        for state, row in states.items()
    ]
    target = type_page(version, definition.file, definition.name)
    parts = [
        _ABOUT_STATES,
        f"The type is {link(TOOL_STATES, target, code(definition.name))}.",
        drawn,
        table(("state", "takes", "of these needs", "may change", "may go on to"), rows),
    ]
    return Page(TOOL_STATES, "Tool states", "\n\n".join(parts) + "\n", _ABOUT_STATES)
