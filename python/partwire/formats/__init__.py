"""Formats of others: histories that people have stored, read as messages of the contract.

    read = formats.read("openai-chat", json.load(open("log.json")), run_id="run_1")
    read.messages    # list of Message
    read.losses      # what the messages do not say, by code and place

Sans-IO and pure. What a format says and a message cannot is a loss, never silence: readers take
what they know from an object, and whatever is left in it is reported.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .api import read as read
    from .api import reader as reader
    from .api import write as write
    from .api import writer as writer
    from .core.reading import FormatResult as FormatResult
    from .core.runs import RunAssembler as RunAssembler
    from .core.streams import StreamReader as StreamReader
    from .core.streams import StreamWriter as StreamWriter
    from .core.writing import Written as Written
    from .registry import FORMATS as FORMATS
    from .registry import Format as Format
    from .registry import format_of as format_of
    from .signs import Sniffed as Sniffed
    from .signs import sniff as sniff
    from .signs import sniff_events as sniff_events

_HOMES = {
    "api": ("read", "reader", "write", "writer"),
    "core.reading": ("FormatResult",),
    "core.runs": ("RunAssembler",),
    "core.streams": ("StreamReader", "StreamWriter"),
    "core.writing": ("Written",),
    "registry": ("FORMATS", "Format", "format_of"),
    "signs": ("Sniffed", "sniff", "sniff_events"),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
