"""Bedrock's Converse over the official client, boto3's ``bedrock-runtime``.

boto3 knows no asynchronous calls: they run in worker threads, one for each stream that waits.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import math
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar, Final

from .provider_model import ProviderModel, has_call
from .pump import Identity

__all__ = ["BedrockModel", "Call", "watch"]


# --- one call of converse_stream ------------------------------------------------------------------

_OPERATION: Final = "bedrock-runtime.ConverseStream"
_CURRENT: Final[ContextVar[Call | None]] = ContextVar("partwire_bedrock_call", default=None)


def watch(client: Any) -> None:
    """Register the handlers with a client, once; they touch only what :class:`Call` sends."""
    events = client.meta.events
    events.register(f"before-call.{_OPERATION}", _before, unique_id="partwire-before-call")
    events.register(f"request-created.{_OPERATION}", _created, unique_id="partwire-created")
    events.register(f"before-parse.{_OPERATION}", _received, unique_id="partwire-before-parse")
    events.register(f"after-call.{_OPERATION}", _after, unique_id="partwire-after-call")


def _before(params: dict[str, Any], **_: Any) -> None:
    call = _CURRENT.get()
    if call is not None and not call.is_known:
        params["body"] = call.body
        params["headers"]["Content-Type"] = "application/json"


def _created(**_: Any) -> None:
    """Let a call whose reader has gone be tried no more: each attempt may be billed."""
    call = _CURRENT.get()
    if call is not None and call.is_closed:
        raise _GoneError


def _received(response_dict: dict[str, Any], **_: Any) -> None:
    call = _CURRENT.get()
    if call is not None:
        call.status = response_dict.get("status_code")


def _after(http_response: Any, **_: Any) -> None:
    call = _CURRENT.get()
    if call is not None:
        call.raw = getattr(http_response, "raw", None)


class _GoneError(Exception):
    """Nobody waits for the answer; nobody hears of this."""


class Call:
    """One call; ``send``, ``next`` and ``close`` block, and are for worker threads.

    ``is_known`` says whether the client knows every member of the request, ``is_closed`` whether
    nobody reads the answer any more.
    """

    def __init__(self, client: Any, request: dict[str, Any]) -> None:
        self._client = client
        self._lock = threading.Lock()
        self.is_closed = False
        self._read = False
        self._stream: Any = None
        self._items: Iterator[Any] | None = None
        self.raw: Any = None
        self.status: int | None = None
        shape = client.meta.service_model.operation_model("ConverseStream").input_shape
        self._known, self.is_known = _fitted(request, shape)
        members = {name: value for name, value in request.items() if name != "modelId"}
        self.body = json.dumps(members, ensure_ascii=False, allow_nan=False).encode()

    def send(self) -> dict[str, Any]:
        """Send the request and return the client's answer. Raises what the client raises."""
        token = _CURRENT.set(self)
        try:
            answer: dict[str, Any] = self._client.converse_stream(**self._known)
        except Exception as error:
            # The client stumbles over an error that does not have its own form: the status is left.
            if self.status is not None and not hasattr(error, "response"):
                error.http_status = self.status  # type: ignore[attr-defined]
            raise
        finally:
            _CURRENT.reset(token)
        with self._lock:
            self._stream = answer["stream"]
            gone = self.is_closed
        if gone:
            self._stream.close()
        return answer

    def next(self) -> Any:
        """Return the next bytes, or where there are none to be had, the client's next event.

        None at the end. Raises what the client raises.
        """
        items = self._items
        if items is None:
            read = getattr(self.raw, "stream", None)
            items = self._items = iter(self._stream if read is None else read())
        item = next(items, None)
        self._read = item is None
        return item

    def wake(self) -> None:
        """Make a thread that waits for the response go on; what it waited for never comes."""
        if not self._read:
            with suppress(Exception):  # the connection may be gone already
                self.raw.shutdown()

    def close(self) -> None:
        """Close the response, now or as soon as it comes."""
        with self._lock:
            self.is_closed = True
            stream, self._stream, self._items, self.raw = self._stream, None, None, None
        if stream is not None:
            stream.close()


def _fitted(value: Any, shape: Any) -> tuple[Any, bool]:
    """Return what the client takes of a JSON value, and whether that is all of it.

    The client wants bytes where JSON has Base64.
    """
    kind = shape.type_name
    if kind == "structure" and not getattr(shape, "is_document_type", False):
        return _fitted_members(value, shape)
    if kind == "list" and isinstance(value, list):
        fitted = [_fitted(item, shape.member) for item in value]
        return [item for item, _ in fitted], all(whole for _, whole in fitted)
    if kind == "blob" and isinstance(value, str):
        with suppress(binascii.Error, ValueError):
            return base64.b64decode(value, validate=True), True
        return value.encode("utf-8", "replace"), False
    return value, True


def _fitted_members(value: Any, shape: Any) -> tuple[Any, bool]:
    if not isinstance(value, dict):
        return value, True
    out: dict[str, Any] = {}
    whole = True
    for name, member in value.items():
        if name in shape.members:
            out[name], fits = _fitted(member, shape.members[name])
            whole = whole and fits
        else:
            whole = False
    return out, whole


# --- the model ------------------------------------------------------------------------------------

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
