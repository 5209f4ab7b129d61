"""Operations between families: convert, convert_stream, collect."""

from __future__ import annotations

from typing import Any

from partwire.blocks import ChunkCollector, ChunksToDeltas, DeltasToChunks
from partwire.convert import convert, losses_for
from partwire.errors import PartwireError
from partwire.reading.pipeline import Mode, read, unknown_members

from ..values import (
    Json,
    bytes_of,
    clock_of,
    limits_of,
    lines_of,
    losses_of,
    refusal_of,
    served,
    served_deltas,
)
from .streams import line_error

__all__ = ["collect_chunks", "convert_documents", "convert_lines"]

_TYPES = {"chunks": "blocks.StreamChunk", "deltas": "message.MessageDelta"}


def convert_documents(given: Json, version: str) -> Json:
    """Return a document, or a list of them, in another family, and what that loses."""
    context = dict(given.get("context", {}))
    if "ids" in context:
        context["make_id"] = iter(context.pop("ids")).__next__
    options = {name: given[name] for name in ("strict", "accept") if name in given}
    document = bytes_of(given["document"])  # a string among values would be JSON text itself
    try:
        made = convert(document, given["to"], type=given["type"], **options, **context)
    except PartwireError as error:
        return refusal_of(error)
    if isinstance(made.value, list):
        value: Any = [served(each, version) for each in made.value]
    else:
        value = served(made.value, version)
    return {"value": value, "losses": losses_of(losses_for(made.losses, version))}


def convert_lines(given: Json, version: str) -> Json:
    """Return what a stream of chunks or deltas is as the other kind, and what that loses."""
    kind = given["from"]
    converter = _converter(given)
    mode: Mode = given.get("mode", "strict")
    out: list[Any] = []
    for number, line in enumerate(lines_of(given["lines"]), 1):
        try:
            item = read(line, _TYPES[kind], mode)
            out += converter.feed(item)
            converter.note_unknown_members(unknown_members(line, _TYPES[kind]))
        except PartwireError as error:
            return {"error": _without_seq(line_error(error, number))}
    out += converter.close()
    if kind == "chunks":
        items = served_deltas(out, version)
    else:
        items = [served(each, version) for each in out]
    return {"items": items, "losses": losses_of(converter.losses)}


def _converter(given: Json) -> ChunksToDeltas | DeltasToChunks:
    limits = limits_of(given)
    if given["from"] == "deltas":
        return DeltasToChunks(limits=limits)
    return ChunksToDeltas(
        given["run_id"],
        clock_of(given["clock"]),
        model_id=given.get("model_id"),
        request_id=given.get("request_id"),
        limits=limits,
    )


def collect_chunks(given: Json, version: str) -> Json:
    """Return the response that a stream of chunks is."""
    collector = ChunkCollector(limits_of(given))
    mode: Mode = given.get("mode", "strict")
    for number, line in enumerate(lines_of(given["chunks"]), 1):
        try:
            collector.feed(read(line, _TYPES["chunks"], mode))
        except PartwireError as error:
            return {"error": _without_seq(line_error(error, number))}
    try:
        return {"response": served(collector.close(), version)}
    except PartwireError as error:
        return {"error": {"rule": error.rule}}


def _without_seq(error: Json) -> Json:
    """Return the refusal of a line of chunks, which have no seq."""
    return {name: value for name, value in error.items() if name != "seq"}
