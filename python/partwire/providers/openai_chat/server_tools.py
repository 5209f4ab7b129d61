"""Tools that the vendor runs, as Groq tells of them: twice, the second time with the output."""

from __future__ import annotations

from typing import Any, Final

from ..core.findings import FindingLog
from ..core.raw_events import as_json_text
from ..core.tool_results import read_result
from ..core.writer import DeltaWriter, OpenCall

__all__ = ["ChatServerTools"]

_FOUND: Final = ("search_results", "code_results", "browser_results")  # the output as data
_SAID: Final = ("arguments", "output", *_FOUND)


class _Tool:
    """A tool that has been told of. ``said``: what it has said, as JSON text by member."""

    __slots__ = ("call", "is_over", "name", "said")

    def __init__(self, name: str, call: OpenCall, said: dict[str, str | None]) -> None:
        self.name = name
        self.call = call
        self.is_over = False
        self.said = said

    def contradicts(self, said: dict[str, str | None]) -> bool:
        """Return whether it says otherwise now, of what has been written."""
        written = said if self.is_over else said.keys() & {"arguments"}
        return any(said[name] != self.said.get(name) for name in written)


class ChatServerTools:
    """Write the calls and results of one answer."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._tools: dict[object, _Tool] = {}  # by index, or place

    def read(self, tools: object) -> list[Any]:
        """Read the tools of one chunk; return those that have not been written, or not whole."""
        given: list[Any] = tools if type(tools) is list else [tools]
        return [tool for place, tool in enumerate(given) if not self._read(tool, place)]

    def _read(self, tool: Any, place: int) -> bool:
        """Write what a tool says; return False where it has no name, or contradicts itself."""
        name = _name_of(tool) if type(tool) is dict else ""
        if not name:
            return False
        index = tool.get("index")
        key = index if type(index) is int else place
        said = {name: as_json_text(tool[name]) for name in _SAID if tool.get(name)}
        known = self._tools.get(key)
        if known is None or known.name != name or (known.is_over and type(index) is not int):
            known = self._tools[key] = self._open(tool, name, said)
        is_sound = not known.contradicts(said)
        if not known.is_over:
            known.said |= said
            self._write_result(known, tool)
        return is_sound

    def _write_result(self, known: _Tool, tool: dict[str, Any]) -> None:
        output = tool.get("output")
        found = next((tool[member] for member in _FOUND if tool.get(member)), None)
        if output is None and found is None:
            return
        known.is_over = True
        read = read_result(found if output is None else output)
        self._writer.server_result(
            known.call.tool_call_id,
            is_error=False,
            content=read.content,
            outcome="success",
            structured=read.structured if found is None else read_result(found).structured,
        )

    def _open(self, tool: dict[str, Any], name: str, said: dict[str, str | None]) -> _Tool:
        own, arguments = tool.get("id"), tool.get("arguments")
        call = self._writer.open_server_call(own if isinstance(own, str) else None, name)
        if arguments is not None:
            text = arguments if isinstance(arguments, str) else as_json_text(arguments)
            self._writer.args(call, text or "")
        self._writer.end_call(call)
        return _Tool(name, call, said)


def _name_of(tool: dict[str, Any]) -> str:
    """Return the name of a tool: its type, unless that is what all have."""
    kind, name = tool.get("type"), tool.get("name")
    said = name if isinstance(name, str) and name and kind in (None, "function") else kind
    return said if isinstance(said, str) else ""
