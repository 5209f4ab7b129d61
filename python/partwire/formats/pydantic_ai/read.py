"""pydantic-ai histories: the list that ``ModelMessagesTypeAdapter`` writes, or one message of it.

- A request has parts of several roles: each becomes a message, in the order of the parts. Results
  of tools that stand together are one message, and so are parts of the system.
- ``instructions`` are a message of the system, once; that a later request has the same is kept.
- What 1.x stored as ``retry-prompt`` is read as 2.x reads it.
"""

from __future__ import annotations

from typing import Any

from ..core.extension import PARTWIRE, restored
from ..core.reading import Json, Members, Reading
from .names import OWN
from .requests import Requests
from .responses import Responses

__all__ = ["ReadBack", "read"]


def read(source: Any, reading: Reading) -> None:
    """Read a list of messages, or one message."""
    if type(source) is dict:
        _Histories(reading).read(reading.members(source, ""))
        return
    histories = _Histories(reading)
    for _, message in reading.items(source, ""):
        histories.read(message)


class ReadBack:
    """Reads what a writer writes, message by message."""

    def __init__(self) -> None:
        self._reading = Reading(OWN)
        self._histories = _Histories(self._reading)

    def read(self, message: Json) -> list[Json]:
        """Return the messages of one of the document, as JSON objects that nobody has checked."""
        before = len(self._reading.messages)
        self._histories.read(self._reading.members(message, ""))
        return self._reading.messages[before:]


class _Histories:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._responses = Responses(reading)
        self._requests = Requests(reading, self._responses.calls)
        self._was_request = False

    def read(self, message: Members) -> None:
        reading, kind = self._reading, message.text("kind")
        if kind not in ("request", "response"):
            raise reading.refuse(message.at("kind"), "request or response", kind)
        run_id = message.text("run_id") or None
        metadata, extension = _metadata(message)
        if kind == "request":
            made = self._requests.read(message, metadata, is_next=self._was_request)
        else:
            made = self._responses.read(message, metadata)
        self._was_request = kind == "request"
        for each in made if run_id else ():
            each["runId"] = run_id
        if extension is not None:
            made = restored(made, extension, reading, f"{message.at('metadata')}/{PARTWIRE}")
        for each in made:
            reading.add(each.pop("role"), each.pop("parts"), **each)
        if not made:
            reading.note("foreign-message", message.place)
        message.close()


def _metadata(message: Members) -> tuple[Json | None, Any]:
    """Take the metadata: what the application put there, and what is ours."""
    metadata = message.object("metadata")
    if metadata is None:
        return None, None
    kept = {name: value for name, value in metadata.items() if name != PARTWIRE}
    return kept or None, metadata.get(PARTWIRE)
