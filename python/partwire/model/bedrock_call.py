"""One call of boto3's ``converse_stream``: the request as it is, the response's own bytes.

The client writes and reads only what its version knows. Its event system, made for extensions,
lets a handler see request and response of a call: that is how the rest goes through.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final

__all__ = ["Call", "watch"]

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
            # The client stumbles over an error that is none of its own form: the status is left.
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
