"""Models: a conversation in, a stream of deltas out.

    model = ReplayModel("conversation.jsonl")        # or AnthropicModel(config={"modelId": …})
    async with model.stream(messages) as stream:
        async for delta in stream:
            ...

:class:`Model` is the interface; the classes of the providers use their official clients,
which are optional extras. Names are imported when they are first used, and a client when the
first model of its class is made.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .anthropic import AnthropicModel as AnthropicModel
    from .bedrock import BedrockModel as BedrockModel
    from .blocks_adapter import BlocksAdapter as BlocksAdapter
    from .blocks_adapter import BlocksReport as BlocksReport
    from .cohere import CohereModel as CohereModel
    from .errors import ErrorMapper as ErrorMapper
    from .errors import MappedError as MappedError
    from .gemini import GeminiModel as GeminiModel
    from .openai import OpenAIChatModel as OpenAIChatModel
    from .openai import OpenAIResponsesModel as OpenAIResponsesModel
    from .opening import open_model as open_model
    from .protocol import Model as Model
    from .recording import RecordingModel as RecordingModel
    from .replay import ReplayModel as ReplayModel
    from .stream import ModelStream as ModelStream

_HOMES = {
    "anthropic": ("AnthropicModel",),
    "bedrock": ("BedrockModel",),
    "blocks_adapter": (
        "BlocksAdapter",
        "BlocksReport",
    ),
    "cohere": ("CohereModel",),
    "errors": (
        "ErrorMapper",
        "MappedError",
    ),
    "gemini": ("GeminiModel",),
    "openai": (
        "OpenAIChatModel",
        "OpenAIResponsesModel",
    ),
    "opening": ("open_model",),
    "protocol": ("Model",),
    "recording": ("RecordingModel",),
    "replay": ("ReplayModel",),
    "stream": ("ModelStream",),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
