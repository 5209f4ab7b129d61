"""A file or stdin as a stream of deltas, whatever dialect it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from ...contract.clock import now
from ...errors import Finding, PartwireError
from ...providers import ADAPTERS, ByteAdapter, ProviderAdapter, open_adapter
from ...providers.framing import JSONLinesDecoder
from ...reading.pipeline import read
from ..report.render import render_finding, stream_format
from .inputs import Source, read_chunks

__all__ = ["DELTAS", "PROVIDER_DIALECTS", "DeltaStream", "dialect_option", "located"]

DELTAS = "deltas"


_Command = TypeVar("_Command", bound=Callable[..., Any])


def dialect_option(
    *, default: str | None, choices: tuple[str, ...]
) -> Callable[[_Command], _Command]:
    """Return the option ``--from DIALECT``."""
    return click.option(
        "--from",
        "dialect",
        type=click.Choice(choices),
        default=default,
        required=default is None,
        show_default=default is not None,
        help="What the input holds: "
        + ("deltas of the contract, or " if DELTAS in choices else "")
        + "a provider's own stream.",
    )


PROVIDER_DIALECTS = tuple(ADAPTERS)


class DeltaStream:
    """Line numbers (None for a provider's stream) and deltas, as they come.

    Raises PartwireError, with source and line, for a line that is not a delta. What an adapter
    finds goes to stderr, one JSON object per line.
    """

    def __init__(self, source: Source, dialect: str, run_id: str) -> None:
        self._source = source
        self._adapter = None if dialect == DELTAS else open_adapter(dialect, run_id, clock=now)

    def __iter__(self) -> Iterator[tuple[int | None, Any]]:
        """Read the source, once."""
        if self._adapter is None:
            return _from_lines(self._source)
        return ((None, delta) for delta in _from_provider(self._source, self._adapter))


def _from_lines(source: Source) -> Iterator[tuple[int | None, Any]]:
    decoder = JSONLinesDecoder()
    chunks = read_chunks(source.name)
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


def _from_provider(source: Source, adapter: ProviderAdapter) -> Iterator[Any]:
    reader = ByteAdapter(adapter)
    shown = 0
    for chunk in read_chunks(source.name):
        yield from reader.feed(chunk)
        shown = _show_findings(adapter.findings, shown, source)
    yield from reader.close()
    _show_findings(adapter.findings, shown, source)


def _show_findings(findings: list[Finding], shown: int, source: Source) -> int:
    for finding in findings[shown:]:
        render_finding(finding._replace(source=source.label), stream_format(), err=True)
    return len(findings)
