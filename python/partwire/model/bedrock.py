"""Bedrock's Converse over the official client, boto3's ``bedrock-runtime``.

boto3 knows no asynchronous calls: they run in worker threads, one for each stream that waits.
"""

from __future__ import annotations

import logging
import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Final

from .bedrock_call import Call, watch
from .provider_model import ProviderModel, has_call
from .pump import Identity

__all__ = ["BedrockModel"]

_log: Final = logging.getLogger("partwire.model")
_CLOSE_S: Final = 5.0
_Run = Callable[[Callable[[], Any]], Awaitable[Any]]


class BedrockModel(ProviderModel):
    """A model behind Bedrock's Converse; see :class:`.ProviderModel`.

    Reads the response's own bytes, and sends what the client's version does not know: for both
    it registers handlers with the client's event system, which touch no call but its own. Where
    the client gives no bytes (a stub, for one), its events are read. ``modelId`` may be an
    inference profile. A call that is cancelled before the provider has answered leaves its
    thread to the client's ``read_timeout``; the answer is closed as it comes, and the client tries
    no more.
    """

    provider: ClassVar[str] = "bedrock"
    dialect: ClassVar[str] = "bedrock-converse"
    extra: ClassVar[str] = "bedrock"
    takes: ClassVar[str] = 'a client such as boto3.client("bedrock-runtime")'

    def _takes(self, client: Any) -> bool:
        return has_call(client, "converse_stream") and has_call(client, "meta.events.register")

    def _default_client(self) -> Any:
        return self._made(partial(self._import("boto3").client, "bedrock-runtime"))

    async def _events(self, body: dict[str, Any], model_id: str) -> AsyncGenerator[Any, None]:
        client = self.client
        watch(client)
        call = Call(client, {"modelId": model_id, **body})
        run = _runner()
        try:
            answer = await run(call.send)
            metadata = answer.get("ResponseMetadata") or {}
            yield Identity(model_id, metadata.get("RequestId") or "")
            while (item := await run(call.next)) is not None:
                yield item
        finally:
            await _close(run, call)


def _runner() -> _Run:
    """Return what runs a function in a thread; a cancelled wait leaves it running."""
    import anyio  # noqa: PLC0415 - the extra brings it
    import anyio.to_thread  # noqa: PLC0415

    # No limit: a stream that waits for the provider must not hold up others.
    limiter = anyio.CapacityLimiter(math.inf)
    return partial(anyio.to_thread.run_sync, abandon_on_cancel=True, limiter=limiter)


async def _close(run: _Run, call: Call) -> None:
    """Close the response, also while a thread reads it."""
    import anyio  # noqa: PLC0415 - the extra brings it

    call.wake()
    with anyio.CancelScope(shield=True), anyio.move_on_after(_CLOSE_S), suppress(Exception):
        await run(call.close)
