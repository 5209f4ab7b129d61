"""A file or stdin as a stream of deltas, whatever dialect it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, TypeVar

import click

from ...contract.clock import now
from ...contract.current import LATEST_VERSION
from ...errors import Finding, FramingError, PartwireError
from ...files.inputs import Source, read_chunks
from ...files.limits import document_bytes
from ...providers import ADAPTERS, ByteAdapter, ProviderAdapter, detect_dialect, open_adapter
from ...providers.adapt import looks_like_delta, undetected
from ...providers.framing import JSONLinesDecoder
from ...reading.pipeline import read
from ...tables.event_dialects import ALIASES
from ..options import gathered
from .foreign import foreign_hint
from .format_streams import STREAM_FORMATS

__all__ = [
    "DELTAS",
    "PROVIDER_DIALECTS",
    "DeltaStream",
    "StreamSaid",
    "dialect_option",
    "located",
    "said_options",
]

DELTAS = "deltas"


_Command = TypeVar("_Command", bound=Callable[..., Any])


def dialect_option(choices: tuple[str, ...]) -> Callable[[_Command], _Command]:
    """Return the option ``--from DIALECT``."""
    return click.option(
        "--from",
        "dialect",
        type=_Dialect(choices),
        help="What FILE holds, where its first events do not show it: "
        + ("deltas of the contract, or " if DELTAS in choices else "")
        + "a provider's own stream"
        + (", or one of a format of others" if set(STREAM_FORMATS) & set(choices) else "")
        + ". "
        + f"Aliases: {_SHOWN_ALIASES}.",
    )


PROVIDER_DIALECTS = tuple(ADAPTERS)
_SHOWN_ALIASES = ", ".join(f"{alias} = {dialect}" for alias, dialect in ALIASES.items())


class _Dialect(click.Choice[str]):
    """A dialect by its name or an alias."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(ALIASES.get(value, value), param, ctx)


@dataclass(frozen=True)
class StreamSaid:
    """What a caller says of a provider's stream; options of commands."""

    run_id: str = "run"
    author: str | None = None
    agent: tuple[str, ...] = ()
    json_as: str | None = None

    def words(self) -> dict[str, Any]:
        """Return it as the keywords of an adapter."""
        author = {"name": self.author} if self.author is not None else {}
        path = {"agentPath": list(self.agent)} if self.agent else {}
        form = {"name": self.json_as} if self.json_as else {}
        return {
            "author": {**author, **path} or None,
            "format": None if self.json_as is None else form,
        }

    def refuse_for(self, dialect: str) -> None:
        """Refuse what only the stream of a provider takes."""
        given = {"--author": self.author, "--agent": self.agent, "--json-as": self.json_as}
        for option, value in given.items():
            if value not in (None, ()):
                raise click.UsageError(f"{option} is not for --from {dialect}.")


_SAID: Final = (
    click.option(
        "--run-id", default="run", show_default=True, help="Run id of a provider's stream."
    ),
    click.option("--author", metavar="NAME", help="Who writes the message, by name."),
    click.option(
        "--agent",
        multiple=True,
        metavar="NAME",
        help="The agent that writes it; repeat it for one inside others, the outermost first.",
    ),
    click.option(
        "--json-as",
        metavar="NAME",
        help="The request asked for JSON; NAME is that of its form, or empty.",
    ),
)


def said_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of :class:`StreamSaid`, one object to the command."""
    command = gathered(StreamSaid)(command)
    for option in reversed(_SAID):
        command = option(command)
    return command


class DeltaStream:
    """Line numbers (None for a provider's stream) and deltas, as they come.

    ``dialect`` None: the one that the first events show, one of ``dialects``. Raises PartwireError,
    with source and line, for a line that is not a delta, and UsageError ``usage/unknown-dialect``.
    ``tell`` is given what an adapter finds.
    """

    def __init__(
        self,
        source: Source,
        dialect: str | None,
        said: StreamSaid,
        dialects: tuple[str, ...],
        version: str = LATEST_VERSION,
        *,
        tell: Callable[[Finding], None],
    ) -> None:
        self._source = source
        self._dialect = dialect
        self._said = said
        self._dialects = dialects
        self._version = version
        self._tell = tell

    def __iter__(self) -> Iterator[tuple[int | None, Any]]:
        """Read the source, once."""
        dialect, chunks = self._dialect, read_chunks(self._source.name)
        if dialect is None:
            dialect, chunks = self._detected(chunks)
        if dialect == DELTAS:
            with self._source.labelled():
                yield from _from_lines(self._source, chunks)
            return
        said = self._said
        options = said.words() | {"clock": now, "version": self._version}
        adapter = open_adapter(dialect, said.run_id, **options)
        for delta in self._from_provider(adapter, chunks):
            yield None, delta

    def _from_provider(self, adapter: ProviderAdapter, chunks: Iterator[bytes]) -> Iterator[Any]:
        reader = ByteAdapter(adapter, max_event_bytes=document_bytes())
        shown = 0
        for chunk in chunks:
            yield from reader.feed(chunk)
            shown = self._show(adapter.findings, shown)
            if reader.failed:  # the rest may be without end
                break
        yield from reader.close()
        self._show(adapter.findings, shown)

    def _show(self, findings: list[Finding], shown: int) -> int:
        for finding in findings[shown:]:
            self._tell(finding._replace(source=self._source.label))
        return len(findings)

    def _detected(self, chunks: Iterator[bytes]) -> tuple[str, Iterator[bytes]]:
        if DELTAS in self._dialects:
            with self._source.labelled():
                head = _head_of(chunks)
            chunks = chain((head,), chunks)
            if not head.strip() or any(map(looks_like_delta, head.split(b"\n")[:_LOOKED_AT])):
                return DELTAS, chunks
        dialect, chunks = detect_dialect(chunks)
        if dialect is None:
            error = undetected(self._source.label, self._dialects, "--from")
            if hint := foreign_hint(self._source):
                error.findings = (error.findings[0]._replace(expected=hint),)
            raise error
        return dialect, chunks


_LOOKED_AT = 10  # lines: the first one of a file of deltas may be broken


def _head_of(chunks: Iterator[bytes]) -> bytes:
    """Return the bytes up to the end of the first line that is not blank, and what came with it.

    Raises FramingError ``framing/line-too-long`` and ``framing/document-too-large``: a device may
    have neither line ends nor an end.
    """
    head, size, most, has_begun = list[bytes](), 0, document_bytes(), False
    for chunk in chunks:
        head.append(chunk)
        size += len(chunk)
        rest = chunk if has_begun else chunk.lstrip()
        has_begun = has_begun or bool(rest)
        if has_begun and b"\n" in rest:
            break
        if size > most:
            rule, message = (
                ("framing/line-too-long", "The first line does not end within the limit")
                if has_begun
                else ("framing/document-too-large", "There is nothing but white space")
            )
            told = f"at most {most:,} bytes", f"more than {most:,} bytes"
            raise FramingError(Finding(rule, message, expected=told[0], actual=told[1]))
    return b"".join(head)


def _from_lines(source: Source, chunks: Iterator[bytes]) -> Iterator[tuple[int | None, Any]]:
    decoder = JSONLinesDecoder(document_bytes())
    for chunk in chunks:
        for line in decoder.feed(chunk):
            yield line.number, _delta(line.data, source, line.number)
    for line in decoder.close():
        yield line.number, _delta(line.data, source, line.number)


def _delta(data: bytes, source: Source, line: int) -> Any:
    try:
        return read(data, "message.MessageDelta")
    except PartwireError as error:
        raise located(error, source, line) from None


def located(error: PartwireError, source: Source, line: int | None) -> PartwireError:
    """Return ``error`` with source and line in its findings."""
    error.findings = tuple(
        finding._replace(source=source.label, line=finding.line or line)
        for finding in error.findings
    )
    return error
