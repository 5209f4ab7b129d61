"""Adapters over the bytes of a provider, with run and clock by default."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .. import providers
from ..contract.clock import now
from ..contract.current import LATEST_VERSION
from ..contract.current.message import MessageDelta
from ..contract.ids import new_id

if TYPE_CHECKING:
    from ..providers import Framing
    from ..providers.core.stream_words import AuthorLike, FormatLike

__all__ = ["adapt", "adapt_async"]


def adapt(  # noqa: PLR0913 - those of the adapter, and the framing
    dialect: str | None,
    chunks: bytes | Iterable[bytes],
    *,
    run_id: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    clock: Callable[[], str] = now,
) -> Iterator[MessageDelta]:
    """Yield the deltas of a provider's response; the last one is ``done`` or ``error``.

    ``dialect`` may be an alias such as ``anthropic``; None is the one that the first events show.
    ``chunks`` are its bytes, in any cut or whole. ``run_id`` is a new one unless it is given.
    ``author``, a name or an Author, and ``format``, a TextFormat, are for the start; ``version``
    "v0.2" writes the deltas of that version, which has neither. For findings take a
    :class:`partwire.providers.ByteAdapter`. Raises UsageError ``usage/unknown-dialect``,
    ``usage/unknown-version`` or ``usage/invalid-argument``.
    """
    return providers.adapt_bytes(
        dialect,
        chunks,
        new_id("run") if run_id is None else run_id,
        clock=clock,
        framing=framing,
        used_tool_call_ids=used_tool_call_ids,
        keep_raw=keep_raw,
        message_id=message_id,
        turn_id=turn_id,
        author=author,
        format=format,
        version=version,
    )


def adapt_async(  # noqa: PLR0913 - as adapt
    dialect: str | None,
    chunks: AsyncIterable[bytes],
    *,
    run_id: str | None = None,
    message_id: str | None = None,
    turn_id: str | None = None,
    author: AuthorLike | None = None,
    format: FormatLike | None = None,  # noqa: A002 - its name in the contract
    version: str = LATEST_VERSION,
    framing: Framing = "auto",
    used_tool_call_ids: frozenset[str] = frozenset(),
    keep_raw: bool = False,
    clock: Callable[[], str] = now,
) -> AsyncIterator[MessageDelta]:
    """Yield the deltas of a response that comes asynchronously; arguments as :func:`adapt`."""
    return providers.adapt_bytes_async(
        dialect,
        chunks,
        new_id("run") if run_id is None else run_id,
        clock=clock,
        framing=framing,
        used_tool_call_ids=used_tool_call_ids,
        keep_raw=keep_raw,
        message_id=message_id,
        turn_id=turn_id,
        author=author,
        format=format,
        version=version,
    )
