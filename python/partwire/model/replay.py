"""A model that plays what was recorded: without a key, without a network, always the same."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Unpack

from ..contract.clock import now
from ..contract.current.message import (
    Message,
    MessageDelta,
    ModelInfo,
    RequestMetadata,
    ToolChoice,
    ToolSpec,
)
from ..errors import Finding, UsageError, bad_argument, counted
from ..providers.core.stream_ids import given_ids
from ..providers.core.stream_words import AuthorLike, FormatLike, given_words
from ..providers.request_core.inputs import read_request
from ..providers.request_core.notes import Notes
from .config import ConfigParams, StreamParams, changes_of, check_callables, merged, read_config
from .protocol import Json
from .provider_model import run_id_of, used_call_ids
from .replay_sources import Performance, load_plays
from .stream import ModelStream

__all__ = ["ReplayModel", "Timing"]

Timing = Literal["none", "real"] | float
"""No pauses; those of the recording; or those times a factor: 0.5 is twice as fast."""

Path = str | os.PathLike[str]
Sleep = Callable[[float], Awaitable[object]]

_PROVIDER: Final = "replay"


class ReplayModel:
    """Plays recorded streams in order: the n-th call of ``stream`` plays the n-th of them.

    ``source`` is a path, or several of them, each of which is

    - a file of a :class:`.RecordingModel`: all of its streams, in the order of their requests,
    - a provider's stream as its API sent it (.sse, .jsonl, .eventstream): ``dialect`` names what
      it speaks, or a case.json beside it (``api``), or its first event that shows it,
    - deltas of the contract, as JSON Lines (dialect ``deltas``),
    - a folder that holds one of these and a case.json that names it (``input``).

    Files are read at construction, and never again. After the last stream ``stream`` raises
    UsageError ``usage/replay-ended``; with ``loop`` it begins anew. The position is the one
    thing that a replay remembers from call to call: :attr:`remaining`, :meth:`rewind`.

    The deltas carry the ``runId`` of the request, see :class:`.Model`, else the recorded one, the
    caller's ids of message and turn, and the times of ``clock``; tool call ids that the
    conversation has used already are renamed. A recorded stream that has no end gets an ``error``
    delta, so that every stream has one. ``timing`` says whether to wait between deltas; a
    provider's own stream has no times. ``sleep`` waits, given seconds: by default under asyncio, or
    any loop that anyio knows (extra ``async``).

    Requests are checked by the contract, and no further: what is asked does not change the
    answer. Raises UsageError ``usage/unreadable-input``, ``usage/unknown-dialect`` or
    ``usage/invalid-argument``, ReadError or FramingError for files that are broken.
    """

    def __init__(
        self,
        source: Path | Iterable[Path],
        *,
        dialect: str | None = None,
        timing: Timing = "none",
        loop: bool = False,
        config: Json | None = None,
        clock: Callable[[], str] = now,
        sleep: Sleep | None = None,
    ) -> None:
        check_callables(clock=clock, sleep=sleep or _sleeper)
        self._factor = _factor(timing)
        self._plays = load_plays(source, dialect)
        named = next((play.model_id for play in self._plays if play.model_id), _PROVIDER)
        self._config = read_config({} if config is None else config, {"modelId": named})
        self._loop = loop
        self._clock = clock
        self._sleep = sleep
        self._next = 0
        self._lock = threading.Lock()

    # --- configuration ---------------------------------------------------------------------------

    def update_config(self, **model_config: Unpack[ConfigParams]) -> None:
        """Change members of the configuration; None takes one out. See :class:`.Model`."""
        self._config = merged(self._config, changes_of(model_config, ConfigParams))

    def get_config(self) -> dict[str, Any]:
        """Return a copy of the configuration: ``modelId`` is the recorded one."""
        return read_config(self._config)

    def model_info(self) -> ModelInfo:
        """Return the model of the configuration; the provider is ``replay``."""
        return ModelInfo(model_id=self._config["modelId"], provider=_PROVIDER)

    # --- position --------------------------------------------------------------------------------

    @property
    def remaining(self) -> int | None:
        """How many streams are still to be played; None with ``loop``."""
        return None if self._loop else len(self._plays) - self._next

    @property
    def requests(self) -> list[dict[str, Any] | None]:
        """What was asked for each recorded stream; None where the source does not say.

        Members: ``messages``, ``toolSpecs``, ``config``, and where they were given
        ``systemPrompt``, ``systemPromptContent``, ``toolChoice``, ``requestMetadata``.
        """
        return [play.request for play in self._plays]

    def rewind(self) -> None:
        """Let the next call play the first stream."""
        with self._lock:
            self._next = 0

    # --- streams ---------------------------------------------------------------------------------

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
        """Return the next recorded stream; see :class:`.Model`. A refused call plays nothing."""
        changes = changes_of(params, StreamParams)
        config = merged(self._config, changes) if changes else self._config
        read_request(
            messages,
            tool_specs,
            system_prompt,
            Notes(),
            system_prompt_content=system_prompt_content,
            tool_choice=tool_choice,
            config=config,
        )
        run_id = run_id_of(request_metadata, messages)
        ids, words = given_ids(message_id, turn_id), given_words(author, format)
        used = used_call_ids(messages)
        with self._lock:
            if self._next >= len(self._plays):
                if not self._loop:
                    raise _ended(len(self._plays))
                self._next = 0
            play = self._plays[self._next]
            self._next += 1
        performance = play.begin(run_id or play.run_id, self._clock, used, ids, words)
        return ModelStream(self._played(performance), performance.findings)

    async def _played(self, performance: Performance) -> AsyncGenerator[MessageDelta, None]:
        sleep = self._sleep or _sleeper()
        for wait_ms, delta in performance.deltas:
            # Without a pause too: a model's stream gives others their turn, and can be cancelled.
            await sleep(wait_ms * self._factor / 1000)
            yield delta


def _factor(timing: object) -> float:
    if timing == "none":
        return 0.0
    if timing == "real":
        return 1.0
    if isinstance(timing, (int, float)) and not isinstance(timing, bool):
        factor = float(timing) if abs(timing) < 1e9 else math.inf
        if math.isfinite(factor) and factor >= 0:
            return factor
    raise bad_argument(
        "No such timing", '"none", "real", or a factor from 0 for the pauses', timing
    )


def _sleeper() -> Sleep:
    """Return what waits under the running event loop."""
    try:
        from anyio import sleep as anyio_sleep  # noqa: PLC0415 - an extra
    except ImportError:
        return _asyncio_sleep
    return anyio_sleep


async def _asyncio_sleep(seconds: float) -> None:
    import asyncio  # noqa: PLC0415 - slow to import, and whoever waits has it already

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise UsageError(
            Finding(
                "usage/missing-extra",
                "A replay under another event loop than asyncio's needs anyio; "
                'pip install "partwire[async]" brings it',
                expected="the package anyio",
                actual="not installed",
            )
        ) from None
    await asyncio.sleep(seconds)


def _ended(count: int) -> UsageError:
    return UsageError(
        Finding(
            "usage/replay-ended",
            "All recorded streams have been played; loop=True begins anew",
            expected=f"at most {counted(count, 'call')} of stream",
            actual=f"call {count + 1}",
        )
    )
