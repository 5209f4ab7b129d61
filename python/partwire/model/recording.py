"""A model that writes down what another one is asked and answers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import IO, Any, Final, Self, Unpack

from ..contract.clock import now
from ..contract.current.message import (
    Message,
    MessageDelta,
    ModelInfo,
    RequestMetadata,
    ToolChoice,
    ToolSpec,
)
from ..errors import Finding, UsageError, bad_argument
from ..providers.core.stream_words import AuthorLike, FormatLike
from ..providers.framing import DEFAULT_LIMIT_BYTES
from ..reading.pipeline import to_wire
from ..reading.plain import plain_value
from .config import ConfigParams, StreamParams, changes_of, check_callables, merged
from .credentials import redacted, redacted_state, redacted_texts, without_keys
from .delta_redaction import DeltaRedactor
from .protocol import Json, Model
from .recording_format import Ending, header_row, line_of
from .stream import ModelStream

__all__ = ["RecordingModel"]

_MODE: Final = 0o600


class RecordingModel:
    """Wraps a model and writes each stream, as it is read, into a file that ReplayModel plays.

    ``file`` is a path or an open binary file. A path is made anew, readable by its owner alone;
    one that exists is refused, unless ``overwrite`` says otherwise. Every line is handed to the
    system at once: what a killed process leaves can be read. Streams that run at once share the
    file, also from several threads. Credentials are taken out: members by their names, headers,
    keys in texts by their form, also where two deltas share one; a provider's state (signatures)
    stays. ``providerRaw`` is left out unless ``keep_raw``. Pictures and texts are not looked
    into otherwise: a recording is as private as its conversation.

    ``clock`` gives instants (RFC 3339), ``seconds`` a number that only grows. Close the model, or
    use it as a context manager; a file that was given stays open. Raises UsageError
    ``usage/unwritable-output``, also out of a stream whose line cannot be written.
    The format: :mod:`partwire.model.recording_format`.
    """

    def __init__(
        self,
        model: Model,
        file: str | os.PathLike[str] | IO[bytes],
        *,
        overwrite: bool = False,
        keep_raw: bool = False,
        clock: Callable[[], str] = now,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(model, Model):
            raise bad_argument("A recording is made of a model", "a Model", model)
        check_callables(clock=clock, seconds=seconds)
        self.model = model
        self._keep_raw = keep_raw
        self._clock = clock
        self._seconds = seconds
        self._out = _Output(file, overwrite)
        info = redacted(to_wire(model.model_info()))
        self._out.write(header_row(info, clock()))

    # --- the model's own -------------------------------------------------------------------------

    def update_config(self, **model_config: Unpack[ConfigParams]) -> None:
        """Change members of the model's configuration; see :class:`.Model`."""
        self.model.update_config(**model_config)

    def get_config(self) -> dict[str, Any]:
        """Return a copy of the model's configuration."""
        return self.model.get_config()

    def model_info(self) -> ModelInfo:
        """Return what is known of the model."""
        return self.model.model_info()

    def stream(  # noqa: PLR0913 - what the contract says that a model is given
        self,
        messages: Sequence[Message | Json],
        tool_specs: Sequence[ToolSpec | Json] = (),
        system_prompt: str | None = None,
        *,
        tool_choice: ToolChoice | Json | None = None,
        system_prompt_content: Sequence[Json] | None = None,
        invocation_state: Mapping[str, Any] | None = None,
        request_metadata: RequestMetadata | Json | None = None,
        message_id: str | None = None,
        turn_id: str | None = None,
        author: AuthorLike | None = None,
        format: FormatLike | None = None,  # noqa: A002 - its name in the contract
        **params: Unpack[StreamParams],
    ) -> ModelStream:
        """Return the model's stream, which is recorded from its first delta on.

        What the model refuses at once is not a stream, and one that is never read is not recorded.
        """
        said: dict[str, Any] = {
            "message_id": message_id,
            "turn_id": turn_id,
            "author": author,
            "format": format,
        }
        inner = self.model.stream(
            messages,
            tool_specs,
            system_prompt,
            tool_choice=tool_choice,
            system_prompt_content=system_prompt_content,
            invocation_state=invocation_state,
            request_metadata=request_metadata,
            # Only what is given: a model of another's may know the interface of v0.1 alone.
            **{name: value for name, value in said.items() if value is not None},
            **params,
        )
        request = {
            "messages": [_message(_plain(each)) for each in messages],
            "toolSpecs": [redacted_texts(_plain(each)) for each in tool_specs],
            "config": redacted(merged(self.model.get_config(), changes_of(params, StreamParams))),
            "systemPrompt": redacted(system_prompt),
            "systemPromptContent": redacted(_plain(system_prompt_content)),
            "toolChoice": redacted(_plain(tool_choice)),
            "requestMetadata": redacted(_plain(request_metadata)),
        }
        row = {name: value for name, value in request.items() if value is not None}
        return ModelStream(self._recorded(inner, row), lambda: inner.findings)

    # --- the recording ---------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file, if it was opened here. Streams that still run fail at their next line."""
        self._out.close()

    def __enter__(self) -> Self:
        """Return the model; its file is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    async def _recorded(
        self, inner: ModelStream, request: dict[str, Any]
    ) -> AsyncGenerator[MessageDelta, None]:
        entry = _Entry(self._out, inner, self._seconds, self._keep_raw)
        entry.begin({"at": self._clock(), **request})
        how: Ending = "cut"
        error: Exception | None = None
        try:
            async with aclosing(inner):
                async for delta in inner:
                    entry.add(delta)
                    yield delta  # the last one is seen once its stream's end is written
        except GeneratorExit:
            how = "closed"
            raise
        except Exception as raised:
            how, error = "raised", raised
            raise
        except BaseException:
            how = "cancelled"  # asyncio's and trio's way to say so, or an interrupt
            raise
        finally:
            entry.end(how, error)


class _Entry:
    """The lines of one stream."""

    def __init__(
        self, out: _Output, inner: ModelStream, seconds: Callable[[], float], keep_raw: bool
    ) -> None:
        self._out = out
        self._inner = inner
        self._seconds = seconds
        self._keep_raw = keep_raw
        self._redactor = DeltaRedactor()
        self._last: str | None = None
        self._began = 0.0
        self._number = 0
        self._ended = False

    def begin(self, request: dict[str, Any]) -> None:
        self._began = self._seconds()
        self._number = self._out.next_stream()
        row = {"type": "request", "stream": self._number, **request}
        if len(line := line_of(row)) > DEFAULT_LIMIT_BYTES:
            # A line that no reader takes would spoil the file.
            row |= {"messages": [], "toolSpecs": [], "leftOutBytes": len(line)}
        self._write(row)

    def add(self, delta: MessageDelta) -> None:
        if self._ended:  # a model that goes on after its end
            return
        wire = _plain(delta)
        if not self._keep_raw:
            wire.pop("providerRaw", None)
        row = {"type": "delta", "stream": self._number, "atMs": self._now(), "delta": wire}
        for settled in self._redactor.feed(row):
            self._write(settled)
        self._last = wire["kind"]
        if self._last in ("done", "error"):
            # Now, since many readers stop here, and neither read on nor close.
            self.end("cut")

    def end(self, how: Ending, error: Exception | None = None) -> None:
        if self._ended:
            return
        self._ended = True
        for settled in self._redactor.close():
            self._write(settled)
        row = {"type": "end", "stream": self._number, "atMs": self._now()}
        row["how"] = self._last if self._last in ("done", "error") else how
        if findings := self._inner.findings:
            row["findings"] = [redacted(finding.to_wire()) for finding in findings]
        if error is not None:
            row["error"] = without_keys(f"{type(error).__name__}: {error}")[:2000]
        self._write(row)

    def _write(self, row: dict[str, Any]) -> None:
        try:
            self._out.write(row)
        except UsageError:
            self._ended = True
            raise

    def _now(self) -> int:
        return max(0, round((self._seconds() - self._began) * 1000))


class _Output:
    """The file: whole lines, one at a time, from any thread."""

    def __init__(self, file: str | os.PathLike[str] | IO[bytes], overwrite: bool) -> None:
        self._lock = threading.Lock()
        self._streams = 0
        self._own = isinstance(file, (str, os.PathLike))
        self._name: str | None = None
        if isinstance(file, (str, os.PathLike)):
            self._name = os.fspath(file)
            self._file = self._opened(self._name, overwrite)
        elif callable(getattr(file, "write", None)) and not hasattr(file, "encoding"):
            self._file = file
        else:
            raise bad_argument("A recording is written to a file", "a path or a binary file", file)

    def _opened(self, name: str, overwrite: bool) -> IO[bytes]:
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if overwrite else os.O_EXCL)
        try:
            number = os.open(name, flags | getattr(os, "O_CLOEXEC", 0), _MODE)
            if overwrite and hasattr(os, "fchmod"):
                os.fchmod(number, _MODE)
            return os.fdopen(number, "wb", buffering=0)
        except (OSError, ValueError) as error:
            raise self._failed(error) from None

    def next_stream(self) -> int:
        with self._lock:
            self._streams += 1
            return self._streams

    def write(self, row: dict[str, Any]) -> None:
        try:
            line = memoryview(line_of(row))
            with self._lock:
                while line:  # an unbuffered file may take a part of it
                    line = line[self._file.write(line) or len(line) :]
                if callable(flush := getattr(self._file, "flush", None)):
                    flush()
        except (OSError, TypeError, ValueError) as error:  # closed, or text that is not Unicode
            raise self._failed(error) from None

    def close(self) -> None:
        if self._own:
            self._file.close()

    def _failed(self, error: Exception) -> UsageError:
        why = getattr(error, "strerror", None) or str(error)
        message = f"The recording cannot be written: {why}"
        return UsageError(
            Finding("usage/unwritable-output", message, source=self._name, actual=self._name)
        )


def _message(wire: Any) -> Any:
    """Return a message without credentials; its provider state as it is."""
    out = redacted(wire)
    if not isinstance(wire, dict):
        return out
    holders = [(wire.get("meta"), out.get("meta"))]  # there it is in v0.1
    for part, shown in zip(wire.get("parts", ()), out.get("parts", ()), strict=True):
        if isinstance(part, dict):
            holders.append((part.get("payload"), shown.get("payload")))
    for holder, shown in holders:
        if isinstance(holder, dict) and "opaque" in holder:
            shown["opaque"] = redacted_state(holder["opaque"])
    return out


def _plain(value: Any) -> Any:
    if hasattr(value, "to_message"):  # a snapshot
        value = value.to_message()
    return plain_value(list(value) if isinstance(value, tuple) else value)[0]
