"""What a model's adapter has to have, and the one error that it raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..errors import Finding, PartwireError
from ..v0_2.structs.blocks import Message, ModelResponse

if TYPE_CHECKING:
    from .streaming_response import StreamingResponse

__all__ = ["ModelAdapter", "ModelAdapterError"]


class ModelAdapterError(PartwireError):
    """What an adapter raises where there is no response: the error half of a result.

    ``error_code`` is one of the contract's error codes (``rate_limited``, ``timeout``, …; an open
    string), ``retryable`` whether the same request may succeed later. What the adapter caught
    belongs into ``__cause__`` (``raise … from``). Source: requirements S003-10, S003-11.
    """

    def __init__(self, error_code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(
            Finding("blocks/adapter-failed", message, expected="a response", actual=error_code)
        )
        self.error_code = error_code
        self.message = message
        self.retryable = retryable

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.error_code, self.message), {"retryable": self.retryable}


class ModelAdapter(Protocol):
    """A model behind one interface; any class that has these methods is one.

    ``messages`` are the conversation in order, ``system_prompt`` is None where there is none,
    ``max_tokens`` bounds the answer. Both ways of sending raise ModelAdapterError where the model
    gives no response. Source: requirements S003-10 to S003-13.
    """

    async def send_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> ModelResponse:
        """Return the whole response."""
        ...

    async def stream_message(
        self, messages: Sequence[Message], system_prompt: str | None, max_tokens: int
    ) -> StreamingResponse:
        """Return the response as a stream; errors after its beginning come through the stream."""
        ...

    def model_name(self) -> str:
        """Return the model's name."""
        ...

    def supports_streaming(self) -> bool:
        """Return whether ``stream_message`` may be called."""
        ...
