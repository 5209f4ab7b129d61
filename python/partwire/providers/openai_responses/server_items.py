"""Items of tools that the provider runs: what each says of its call, and of its result."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from partwire.tables import provider_names

from ..core.opaque import well_formed
from ..core.raw_events import as_json_text
from ..core.tool_results import ReadResult, read_result

__all__ = [
    "APPROVAL",
    "ServerResult",
    "arguments_text",
    "is_bookkeeping",
    "is_server_call",
    "is_server_item",
    "is_server_output",
    "name_of_tool",
    "result_of",
]

APPROVAL: Final = "mcp_approval_request"
"""The item that asks for approval: a call, which has no result itself."""

_CALLS: Final = provider_names.RESPONSES_SERVER_CALLS
_RESULTS: Final = provider_names.RESPONSES_SERVER_RESULTS
_CLIENT_TOOLS: Final = frozenset(provider_names.RESPONSES_CLIENT_ITEMS)
_BOOKKEEPING: Final = frozenset(provider_names.RESPONSES_BOOKKEEPING)


def is_bookkeeping(kind: str) -> bool:
    """Return whether an item is the provider's own: nothing that a reader misses."""
    return kind in _BOOKKEEPING


def is_server_item(kind: str, body: dict[str, Any]) -> bool:
    """Return whether an item is of a tool that the provider executes itself."""
    if kind in _CLIENT_TOOLS:
        return False
    if kind == "tool_search_call":
        return body.get("execution") != "client"
    if kind == "shell_call":
        environment = body.get("environment")
        return isinstance(environment, dict) and environment.get("type") != "local"
    return kind.endswith(provider_names.RESPONSES_SERVER_ENDINGS) or ":" in kind


def is_server_call(kind: str, body: dict[str, Any]) -> bool:
    """Return whether an item is a call of the provider's that is reported as one."""
    return kind in _CALLS and (kind == APPROVAL or is_server_item(kind, body))


def is_server_output(kind: str) -> bool:
    """Return whether an item is the result alone of a call of the provider's."""
    return kind in _RESULTS and kind not in _CALLS


def name_of_tool(kind: str, body: dict[str, Any]) -> str:
    """Return the name of the tool that is called, ``""`` where it has not come."""
    if _CALLS.get(kind) != "arguments" or kind == "tool_search_call":
        return kind.removesuffix("_call")
    name = body.get("name")
    return name if isinstance(name, str) else ""


def arguments_text(kind: str, body: dict[str, Any]) -> str:
    """Return the arguments of a whole call as text, but for those that come as code."""
    member = _CALLS[kind]
    value = body.get(member)
    if value is None or (member == "arguments" and isinstance(value, str)):
        return value or ""
    if kind == "web_search_call" and isinstance(value, dict):
        value = {name: each for name, each in value.items() if name != _RESULTS[kind]}
    return as_json_text(value if member == "arguments" else {member: value}) or ""


# --- results --------------------------------------------------------------------------------------


class ServerResult(NamedTuple):
    """What a call gave: for readers, as data, and how it came out."""

    content: str
    structured: Any
    outcome: str

    @property
    def is_error(self) -> bool:
        """Whether a model must not take it for a success."""
        return self.outcome != "success"


def result_of(kind: str, body: dict[str, Any]) -> ServerResult:
    """Return what an item says of its result."""
    if error := body.get("error"):
        return ServerResult(*_of_error(error), "error")
    action = body.get("action")
    holder = action if kind == "web_search_call" and isinstance(action, dict) else body
    value = holder.get(_RESULTS.get(kind, ""))
    read = read_result if kind == "tool_search_output" else _read
    return ServerResult(*read(value), _outcome(body))


def _outcome(body: dict[str, Any]) -> str:
    status = body.get("status")
    if status == "failed":
        return "error"
    outputs = body.get("output")
    if isinstance(outputs, list) and any(map(_timed_out, outputs)):
        return "timeout"
    return "interrupted" if status == "incomplete" else "success"


def _timed_out(entry: object) -> bool:
    outcome = entry.get("outcome") if isinstance(entry, dict) else None
    return isinstance(outcome, dict) and outcome.get("type") == "timeout"


def _read(value: object) -> ReadResult:
    """Return what a result says; a list is the texts of its entries, one below the other."""
    read = read_result(value)
    texts = [_text_of(entry) for entry in value] if isinstance(value, list) else [None]
    if None in texts:
        return read
    return read._replace(content=_joined([text for text in texts if text]))


def _text_of(entry: object) -> str | None:
    """Return what one of several results says, None where that is not text."""
    if not isinstance(entry, dict):
        return None
    if "stdout" in entry or "stderr" in entry:
        return _joined(_texts(entry, "stdout", "stderr"))
    if texts := _texts(entry, "text", "logs"):
        return texts[0]
    page = _texts(entry, "title", "name", "url")  # or an image, or where a search looked
    return " ".join(page) if page else None


def _texts(entry: dict[str, Any], *names: str) -> list[str]:
    """Return the members of these names that are text, and not empty."""
    texts = (entry.get(name) for name in names)
    return [text for text in texts if isinstance(text, str) and text]


def _joined(texts: list[str]) -> str:
    lines = [text if text.endswith("\n") else f"{text}\n" for text in texts[:-1]]
    return well_formed("".join([*lines, *texts[-1:]]))


def _of_error(error: object) -> ReadResult:
    """Return an error: its message, what the tool said, or its code."""
    read = read_result(error)
    if isinstance(error, dict):
        said = (error.get("message"), _read(error.get("content")).content, error.get("code"))
        words = next((each for each in said if each), None)
        if words is not None:
            return read._replace(content=read_result(words).content)
    return read
