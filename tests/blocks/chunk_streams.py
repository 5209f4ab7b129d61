"""Chunks for tests: rows in, structs out; streams of every order; and what they say, plainly."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from hypothesis import strategies as st

from partwire import read
from partwire.blocks import ChunksToDeltas, DeltasToChunks
from partwire.contract.current.blocks import (
    ContentBlockDeltaChunk,
    ContentBlockStartChunk,
    ContentBlockStopChunk,
    ErrorChunk,
    MessageStopChunk,
    StreamChunk,
    TextBlock,
    TokenUsage,
    ToolUseBlock,
    ToolUseChunk,
)
from partwire.contract.current.message import MessageDelta, TextPart, ThinkingPart, ToolCallPart

AT = "2026-01-02T03:04:05Z"
END = ("end", 12, 7, 19)

_FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "start": ("content_block_start", ("index",)),
    "delta": ("content_block_delta", ("index", "delta")),
    "stop": ("content_block_stop", ("index",)),
    "tool": ("tool_use", ("tool_use_id", "tool_name", "parameters")),
    "error": ("error", ("message",)),
}


def chunk(name: str, *values: Any) -> StreamChunk:
    """Return the chunk of a row, such as ``("delta", 0, "text")`` or ``("end", 12, 7)``."""
    if name == "end":
        figures = ("input_tokens", "output_tokens", "total_tokens")
        usage = TokenUsage(**dict(zip(figures, values, strict=False)))
        return MessageStopChunk(usage=usage)
    kind, fields = _FIELDS[name]
    document = {"type": kind, **dict(zip(fields, values, strict=True))}
    made: StreamChunk = read(document, "blocks.StreamChunk")
    return made


def chunks(*rows: tuple[Any, ...]) -> list[StreamChunk]:
    """Return the chunks of rows."""
    return [chunk(*row) for row in rows]


def to_deltas(stream: list[Any], **options: Any) -> tuple[list[MessageDelta], ChunksToDeltas]:
    """Return the deltas of a whole stream, and the converter."""
    converter = ChunksToDeltas("run_1", lambda: AT, **options)
    deltas = [delta for each in stream for delta in converter.feed(each)]
    return deltas + converter.close(), converter


def to_chunks(deltas: list[Any], **options: Any) -> tuple[list[StreamChunk], DeltasToChunks]:
    """Return the chunks of a whole stream, and the converter."""
    converter = DeltasToChunks(**options)
    made = [each for delta in deltas for each in converter.feed(delta)]
    return made + converter.close(), converter


def codes(converter: ChunksToDeltas | DeltasToChunks) -> list[str]:
    """Return the codes of what was reported, in order."""
    return [loss.code for loss in converter.losses]


# --- streams of every order ---------------------------------------------------------------------

TEXTS = st.sampled_from(["", "a", "b ", "é", "世界", "\n", "x" * 200])
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
)
PARAMETERS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(
        _scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=5,
    ),
    max_size=3,
)


@st.composite
def streams(draw: st.DrawFn, *, plain: bool = False) -> list[StreamChunk]:
    """Draw a chunk stream that keeps every rule, but may be cut; ``plain``: as deltas can say it.

    Plain streams have one open block at a time, no empty text, no two texts side by side, indexes
    that are places in the content, a total, and no stop before an error.
    """
    rows: list[tuple[Any, ...]] = []
    opened: list[int] = []
    index = place = calls = 0
    texts = TEXTS.filter(bool) if plain else TEXTS
    after_text = False
    for _ in range(draw(st.integers(0, 12))):
        step = draw(st.sampled_from(["start", "delta", "delta", "stop", "tool"]))
        if step == "start" and not (plain and (opened or after_text)):
            index = place if plain else index + draw(st.integers(1, 3))
            rows.append(("start", index))
            opened.append(index)
            if plain:
                rows.append(("delta", index, draw(texts)))
            place += 1
            after_text = True
        elif step == "tool" and not (plain and opened):
            rows.append(("tool", f"call_{calls}", "f", draw(PARAMETERS)))
            calls += 1
            place += 1
            after_text = False
        elif step != "start" and step != "tool" and opened:
            chosen = draw(st.sampled_from(opened))
            if step == "delta":
                rows.append(("delta", chosen, draw(texts)))
            else:
                rows.append(("stop", chosen))
                opened.remove(chosen)
    ending = draw(st.sampled_from(["end", "end", "error", *([] if plain else ["cut"])]))
    if ending == "error" and plain and rows and rows[-1][0] == "stop":
        rows.pop()
    if ending == "end":
        rows += [("stop", each) for each in opened]
        total = (9,) if plain else draw(st.sampled_from([(), (9,)]))
        rows.append(("end", draw(st.integers(0, 99)), 7, *total))
    elif ending == "error":
        rows.append(("error", draw(st.text(max_size=5))))
    return chunks(*rows)


# --- a reference, as plainly as it goes -----------------------------------------------------------


def content_of(stream: list[StreamChunk]) -> list[Any]:
    """Return the content of a stream: texts as str, tool uses as chunks."""
    content: list[Any] = []
    places: dict[int, int] = {}
    for each in stream:
        if isinstance(each, ContentBlockStartChunk):
            places[each.index] = len(content)
            content.append("")
        elif isinstance(each, ContentBlockDeltaChunk):
            content[places[each.index]] += each.delta
        elif isinstance(each, ToolUseChunk):
            content.append(each)
    return [each for each in content if each != ""]


def plainly(blocks: list[Any]) -> list[Any]:
    """Return blocks or parts as the reference has them; thinking is left out."""
    found: list[Any] = []
    for each in blocks:
        if isinstance(each, TextBlock):
            found.append(each.text)
        elif isinstance(each, TextPart):
            found.append(each.payload.text)
        elif isinstance(each, ToolUseBlock):
            found.append(
                ToolUseChunk(
                    tool_use_id=each.tool_use_id,
                    tool_name=each.tool_name,
                    parameters=each.parameters,
                )
            )
        elif isinstance(each, ToolCallPart):
            call = each.payload
            found.append(
                ToolUseChunk(
                    tool_use_id=call.tool_call_id,
                    tool_name=call.tool_name,
                    parameters=call.arguments,
                )
            )
        else:
            assert isinstance(each, ThinkingPart)
    return found


def joined(content: list[Any]) -> list[Any]:
    """Return content with adjacent texts joined."""
    out: list[Any] = []
    for is_text, group in groupby(content, lambda each: isinstance(each, str)):
        items = list(group)
        out += ["".join(items)] if is_text else items
    return out


def refused_by_reference(stream: list[StreamChunk]) -> tuple[int, str] | None:
    """Return the first chunk that the rules refuse, and the rule."""
    opened: set[int] = set()
    last, ids, ended = -1, set(), False
    for number, each in enumerate(stream):
        rule = None
        if ended:
            rule = "blocks/after-terminal"
        elif isinstance(each, ContentBlockStartChunk):
            if each.index <= last:
                rule = "blocks/index-not-increasing"
            last = max(last, each.index)
            opened.add(each.index)
        elif isinstance(each, ContentBlockDeltaChunk | ContentBlockStopChunk):
            if each.index not in opened:
                rule = "blocks/block-not-open"
            elif isinstance(each, ContentBlockStopChunk):
                opened.remove(each.index)
        elif isinstance(each, ToolUseChunk):
            if each.tool_use_id in ids:
                rule = "blocks/duplicate-tool-use"
            ids.add(each.tool_use_id)
        elif isinstance(each, MessageStopChunk) and opened:
            rule = "blocks/block-open"
        if rule is not None:
            return number, rule
        ended = isinstance(each, MessageStopChunk | ErrorChunk)
    return None
