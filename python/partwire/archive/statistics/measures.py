"""What is counted of documents, as data: tables of sums, by pointers into a document.

A table is made for a type that declares what its pointers lead to.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from .sketches import Op

__all__ = [
    "CALLS",
    "CALL_OPS",
    "COUNTED_TEXTS",
    "MOST_SAMPLED",
    "By",
    "Calls",
    "Of",
    "Table",
    "calls_of",
    "tables_of",
    "time_of",
]


class By(NamedTuple):
    """What distinguishes rows.

    ``text``: the text at a place; without a place nothing. ``day``: that of a time, in UTC.
    ``span``: how many milliseconds it is from one time to another, as a bucket; -1 where that is
    less than none. ``amount``: the integer at a place, as a bucket. ``size``: the length of the
    document in bytes, as a bucket.
    """

    kind: Literal["text", "day", "span", "amount", "size"]
    pointer: str = ""
    end: str = ""


class Of(NamedTuple):
    """A value of a row.

    ``one``: 1 for each document. ``bytes``: its length. ``integer``: that at a place.
    ``billionths`` of the number at a place. ``time``: milliseconds since 1970. ``where``: only of
    documents that have one of some texts at a place.
    """

    op: Op
    kind: Literal["one", "bytes", "integer", "billionths", "time"]
    pointer: str = ""
    where: tuple[str, tuple[str, ...]] | None = None


class Table(NamedTuple):
    """Documents that have something at ``when`` (empty: all), and their sums."""

    name: str
    when: str
    by: tuple[By, ...]
    of: tuple[tuple[str, Of], ...]
    """Values by name."""
    type: str = ""
    """The type of the documents that it is of; empty: of any type."""
    most: int = 2000
    """How many names are kept."""
    is_sample: bool = False
    """Whether a sample of the names is kept, with everything recorded of each."""


class Calls(NamedTuple):
    """Where documents tell of calls of tools: a call and its result may be in two documents.

    An item tells of a
    call if it has an id, and a tool or an outcome.
    """

    items: str
    """The array; empty where the document is the item."""
    run: str
    """Of the document; all else is of the item."""
    call: str
    tool: str
    failed: str
    words: tuple[str, str] | None = None
    """The texts that say that a call went well, and that it failed; None: true where it failed."""


CALLS: Final = "calls"
"""The table of calls."""
CALL_OPS: Final[tuple[Op, ...]] = ("max", "max")
"""Of the tool's name, and of 1 for a call that has failed: of several results a bad one counts."""
MOST_SAMPLED: Final = 4096
_MOST_BUCKETS: Final = 10_000

_TIMES: Final = ("/timestamp", "/sent_at", "/created_at", "/info/time/created", "/time/start")
"""Where the time of a document is: the first of these that its type declares."""
_KINDS: Final = ("/kind", "/role", "/type", "/message_type", "/info/role", "/result_type")
"""Where the kind of a document is, in the same way."""

COUNTED_TEXTS: Final = frozenset(
    {
        "agent",
        "code",
        "mime",
        "mimeType",
        "modelID",
        "modelId",
        "providerFinishReason",
        "providerID",
        "reason",
        "result_type",
        "tool",
        "toolName",
        "tool_name",
    }
)
"""Members whose texts are counted, although any text may be in them."""

_ONE: Final = ("documents", Of("sum", "one"))


def _sums(above: str, names: Mapping[str, str]) -> tuple[tuple[str, Of], ...]:
    return tuple(
        (name, Of("sum", "billionths" if name == "costBillionths" else "integer", above + place))
        for name, place in names.items()
    )


_USAGE: Final = {
    "inputTokens": "/inputTokens",
    "outputTokens": "/outputTokens",
    "totalTokens": "/totalTokens",
    "reasoningTokens": "/reasoningTokens",
    "cacheReadTokens": "/cacheReadTokens",
    "cacheWriteTokens": "/cacheWriteTokens",
    "costBillionths": "/cost",
}
_SESSION_USAGE: Final = {
    "inputTokens": "/tokens/input",
    "outputTokens": "/tokens/output",
    "totalTokens": "/tokens/total",
    "reasoningTokens": "/tokens/reasoning",
    "cacheReadTokens": "/tokens/cache/read",
    "cacheWriteTokens": "/tokens/cache/write",
    "costBillionths": "/cost",
}

_CONTENT: Final = (
    "text",
    "thinking",
    "tool_call_start",
    "server_tool_call_start",
    "media_start",
)
"""Kinds of deltas of which the first one is what somebody waits for."""


def _amounts(
    type_name: str, when: str, model: str, above: str, names: Mapping[str, str]
) -> Iterator[Table]:
    """Yield the tables of how many tokens documents of a model have read and written."""
    for table, name in (("read", "inputTokens"), ("written", "outputTokens")):
        by = (By("text", model), By("amount", above + names[name]))
        yield Table(table, when, by, (_ONE,), type_name, _MOST_BUCKETS)


_TABLES: Final = (
    *_amounts("message.Message", "/meta/usage", "/meta/modelId", "/meta/usage", _USAGE),
    *_amounts("message.MessageDelta", "/payload/inputTokens", "", "/payload", _USAGE),
    *_amounts("session.WithParts", "/info/tokens", "", "/info", _SESSION_USAGE),
    Table("sizes", "", (By("size"),), (_ONE,), most=_MOST_BUCKETS),
    Table(
        "usage",
        "/meta/usage",
        (By("text", "/meta/modelId"), By("day", "/timestamp")),
        (_ONE, *_sums("/meta/usage", _USAGE)),
        "message.Message",
    ),
    Table(
        "latency",
        "/meta/completedAt",
        (By("text", "/meta/modelId"), By("span", "/timestamp", "/meta/completedAt")),
        (_ONE,),
        "message.Message",
        _MOST_BUCKETS,
    ),
    Table(
        "finish",
        "/meta/finishReason",
        (By("text", "/meta/modelId"), By("text", "/meta/finishReason")),
        (_ONE,),
        "message.Message",
    ),
    Table(
        "cut",
        "/meta/incomplete",
        (By("day", "/timestamp"), By("text", "/meta/incomplete/ending")),
        (_ONE,),
        "message.Message",
    ),
    Table(
        "usage",
        "/payload/inputTokens",
        (By("text"), By("day", "/timestamp")),
        (_ONE, *_sums("/payload", _USAGE)),
        "message.MessageDelta",
    ),
    Table(
        "finish",
        "/payload/finishReason",
        (By("text"), By("text", "/payload/finishReason")),
        (_ONE,),
        "message.MessageDelta",
    ),
    Table(
        "cut",
        "/payload/errorCode",
        (By("day", "/timestamp"), By("text", "/payload/errorCode")),
        (_ONE,),
        "message.MessageDelta",
    ),
    Table(
        "usage",
        "/info/tokens",
        (By("text"), By("day", "/info/time/created")),
        (_ONE, *_sums("/info", _SESSION_USAGE)),
        "session.WithParts",
    ),
    Table(
        "latency",
        "/info/time/completed",
        (
            By("text"),
            By("span", "/info/time/created", "/info/time/completed"),
        ),
        (_ONE,),
        "session.WithParts",
        _MOST_BUCKETS,
    ),
    Table(
        "runs",
        "/runId",
        (By("text", "/runId"),),
        (
            _ONE,
            ("first", Of("min", "time", "/timestamp")),
            ("last", Of("max", "time", "/timestamp")),
        ),
        "message.Message",
        MOST_SAMPLED,
        is_sample=True,
    ),
    Table(
        "streams",
        "/runId",
        (By("text", "/runId"), By("text", "/messageId")),
        (
            _ONE,
            ("bytes", Of("sum", "bytes")),
            ("start", Of("min", "time", "/timestamp", ("/kind", ("start",)))),
            ("content", Of("min", "time", "/timestamp", ("/kind", _CONTENT))),
            ("last", Of("max", "time", "/timestamp")),
            ("ended", Of("max", "one", "", ("/kind", ("done", "error")))),
        ),
        "message.MessageDelta",
        MOST_SAMPLED,
        is_sample=True,
    ),
)


def time_of(declared: Container[str]) -> str | None:
    """Return where the time of documents is, of a type that declares some places."""
    return next((each for each in _TIMES if each in declared), None)


def tables_of(type_name: str, declared: Container[str]) -> tuple[Table, ...]:
    """Return the tables of a type that declares some places."""
    time = time_of(declared)
    kind = next((each for each in _KINDS if each in declared), None)
    by = (By("day", time or ""), By("text", kind or ""))
    volumes = Table("volumes", "", by, (_ONE, ("bytes", Of("sum", "bytes"))), most=20_000)
    return (volumes, *(each for each in _TABLES if each.type in ("", type_name)))


_CALLS_OF: Final[Mapping[str, Calls]] = {
    "message.Message": Calls(
        "/parts", "/runId", "/payload/toolCallId", "/payload/toolName", "/payload/isError"
    ),
    "message.MessageDelta": Calls(
        "", "/runId", "/payload/toolCallId", "/payload/toolName", "/payload/isError"
    ),
    "session.WithParts": Calls(
        "/parts", "/info/id", "/callID", "/tool", "/state/status", ("completed", "error")
    ),
}


def calls_of(type_name: str) -> Calls | None:
    """Return where documents of a type tell of calls; None if they do not."""
    return _CALLS_OF.get(type_name)
