"""Tools that the vendor runs, as Groq tells of them: twice, the second time with the output."""

from __future__ import annotations

from typing import Any, Final

from ..core.findings import FindingLog
from ..core.raw_events import as_json_text
from ..core.tool_results import read_result
from ..core.writer import DeltaWriter, OpenCall

__all__ = ["ChatServerTools"]

_PLACE: Final = "/choices/0/delta/executed_tools"
_FOUND: Final = ("search_results", "code_results", "browser_results")  # the output as data


class _Tool:
    """A tool that has been told of."""

    __slots__ = ("call", "is_over", "name")

    def __init__(self, name: str, call: OpenCall) -> None:
        self.name = name
        self.call = call
        self.is_over = False


class ChatServerTools:
    """Write the calls and results of one answer."""

    def __init__(self, writer: DeltaWriter, log: FindingLog) -> None:
        self._writer = writer
        self._log = log
        self._tools: dict[object, _Tool] = {}  # by index, or place

    def read(self, tools: object) -> bool:
        """Read the tools of one chunk; return False where one of them has no name."""
        given: list[Any] = tools if type(tools) is list else [tools]
        if not all(type(tool) is dict and _name_of(tool) for tool in given):
            return False
        for place, tool in enumerate(given):
            self._read(tool, place)
        return True

    def _read(self, tool: dict[str, Any], place: int) -> None:
        index, name = tool.get("index"), _name_of(tool)
        key = index if type(index) is int else place
        known = self._tools.get(key)
        if known is None or known.name != name or (known.is_over and type(index) is not int):
            known = self._tools[key] = self._open(tool, name)
        if known.is_over:
            return
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

    def _open(self, tool: dict[str, Any], name: str) -> _Tool:
        own, arguments = tool.get("id"), tool.get("arguments")
        call = self._writer.open_server_call(own if isinstance(own, str) else None, name)
        if arguments is not None:
            text = arguments if isinstance(arguments, str) else as_json_text(arguments)
            self._writer.args(call, text or "")
        self._writer.end_call(call)
        return _Tool(name, call)


def _name_of(tool: dict[str, Any]) -> str:
    """Return the name of a tool: its type, unless that is what all have."""
    kind, name = tool.get("type"), tool.get("name")
    said = name if isinstance(name, str) and name and kind in (None, "function") else kind
    return said if isinstance(said, str) else ""
