"""What a model is: anything that answers a conversation with a stream of deltas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Unpack, runtime_checkable

from ..contract.current.message import Message, ModelInfo, RequestMetadata, ToolChoice, ToolSpec
from ..providers.core.stream_words import AuthorLike, FormatLike
from .config import ConfigParams, StreamParams
from .stream import ModelStream

__all__ = ["Json", "Model"]

Json = Mapping[str, Any]


@runtime_checkable
class Model(Protocol):
    """A model behind one interface; any class that has these methods is one.

    Re-entrant: any number of streams may run at once, and a change of the configuration
    concerns the streams that are opened after it. A model keeps no history, trims nothing, runs
    no tool and decides no retry.
    """

    def update_config(self, **model_config: Unpack[ConfigParams]) -> None:
        """Change members of the configuration. Raises UsageError or ReadError; then none is."""
        ...

    def get_config(self) -> dict[str, Any]:
        """Return a copy of the configuration, a ModelConfig as JSON."""
        ...

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
        """Return the answer as a stream of deltas; errors of the provider are its last delta.

        ``params`` are members of the configuration for this call; they win over the model's. What
        the provider has beside them goes in ``extra``, and into the request as it is.
        ``invocation_state`` belongs to the caller and is passed on to nobody. The answer is of the
        run that ``request_metadata`` names, else of the last message's: so a tool loop stays in one
        run. ``message_id`` and ``turn_id`` are the caller's, and every delta says them; the start
        says ``author``, and ``format`` where the request asks for JSON. Raises UsageError or
        ReadError at once for arguments that the contract refuses, UnknownArgumentError (a
        TypeError, too) for a keyword that does not exist.
        """
        ...

    def model_info(self) -> ModelInfo:
        """Return what is known of the model, without asking the provider."""
        ...
