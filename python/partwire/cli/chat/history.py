"""The messages of a conversation, in memory and in a file that grows with it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ...contract.clock import now
from ...contract.current.message import (
    Message,
    ToolCallPart,
    ToolCallPayload,
    ToolResult,
    ToolResultPart,
)
from ...errors import Finding, PartwireError, ReadError, UsageError
from ...files.inputs import Source
from ...message import check_history
from ...reading.pipeline import dump, read
from ...tables.history_repairs import INTERRUPTED
from ..files.streams import located

__all__ = ["ChatHistory", "read_messages", "tool_message"]

_MODE: Final = 0o600


class ChatHistory:
    """What has been said. Every message is in the file, a line each, as soon as it is here.

    Raises UsageError ``usage/unwritable-output`` where the file cannot be written, or exists and
    is not the one that ``continued`` came from.
    """

    def __init__(
        self, save: str | None, continued: str | None, messages: Iterable[Message]
    ) -> None:
        self.messages: list[Message] = list(messages)
        self._save = save
        self._file = None
        if save is None:
            return
        try:
            if continued is not None and os.path.exists(save) and os.path.samefile(save, continued):  # noqa: PTH110, PTH121
                self._file = Path(save).open("ab", buffering=0)  # noqa: SIM115
                if not Path(save).read_bytes().endswith(b"\n") and self.messages:
                    self._file.write(b"\n")
                return
            number = os.open(save, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
            self._file = os.fdopen(number, "wb", buffering=0)
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from None
        for message in self.messages:
            self._write(message)

    def add(self, message: Message) -> None:
        """Append a message."""
        self.messages.append(message)
        self._write(message)

    def open_calls(self) -> list[ToolCallPayload]:
        """Return the calls of the last answer that have no result yet, in order."""
        answered: set[str] = set()
        for message in reversed(self.messages):
            if message.role == "user":
                break
            for part in message.parts:
                if isinstance(part, ToolResultPart):
                    answered.add(part.payload.tool_call_id)
            if message.role == "assistant":
                return [
                    part.payload
                    for part in message.parts
                    if isinstance(part, ToolCallPart) and part.payload.tool_call_id not in answered
                ]
        return []

    def settle(self) -> None:
        """Answer calls that nobody is going to execute: no history may leave them open."""
        calls = self.open_calls()
        if calls:
            run_id = self.messages[-1].run_id
            results = [
                ToolResult(tool_call_id=call.tool_call_id, is_error=True, content=INTERRUPTED)
                for call in calls
            ]
            self.add(tool_message(run_id, results))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _write(self, message: Message) -> None:
        if self._file is None:
            return
        try:
            line = memoryview(dump(message) + b"\n")
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: Exception) -> UsageError:
        why = getattr(error, "strerror", None) or str(error)
        if isinstance(error, FileExistsError):
            why += "; --continue it as well, or name another one"
        return UsageError(
            Finding(
                "usage/unwritable-output",
                f"The history cannot be written: {why}",
                source=self._save,
                actual=self._save,
            )
        )


def tool_message(run_id: str, results: Iterable[ToolResult]) -> Message:
    """Return the message that carries results."""
    parts = [ToolResultPart(payload=result) for result in results]
    return Message(run_id=run_id, role="tool", parts=[*parts], timestamp=now())


def read_messages(name: str) -> list[Message]:
    """Return the messages of a history, one per line; parts of newer writers are kept as they are.

    Raises PartwireError, with source and line, for what cannot be read, is not a message, or does
    not make a history.
    """
    source = Source(name)
    lines: list[int | None] = []
    messages: list[Message] = []
    for document in source.documents():
        try:
            messages.append(read(document.data, "message.Message", mode="tolerant"))
        except PartwireError as error:
            raise located(error, source, document.line) from None
        lines.append(document.line)
    wrong = [f for f in check_history(messages, ongoing=True) if f.severity == "error"]
    if wrong:
        raise ReadError(
            *(
                finding._replace(
                    source=source.label, line=lines[int(finding.pointer.split("/")[1])]
                )
                for finding in wrong
            )
        )
    return messages
