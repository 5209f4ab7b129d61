"""Models: a conversation in, a stream of deltas out.

    model = ReplayModel("conversation.jsonl")        # or AnthropicModel(config={"modelId": …})
    async with model.stream(messages) as stream:
        async for delta in stream:
            ...

:class:`Model` is the interface; the classes of the providers stand over their official clients,
which are optional extras. Names are imported when they are first used, and a client when the
first model of its class is made.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .anthropic import AnthropicModel
    from .bedrock import BedrockModel
    from .blocks_adapter import BlocksAdapter, BlocksReport
    from .cohere import CohereModel
    from .errors import ErrorMapper, MappedError
    from .gemini import GeminiModel
    from .openai import OpenAIChatModel, OpenAIResponsesModel
    from .protocol import Model
    from .recording import RecordingModel
    from .replay import ReplayModel
    from .stream import ModelStream

__all__ = [
    "AnthropicModel",
    "BedrockModel",
    "BlocksAdapter",
    "BlocksReport",
    "CohereModel",
    "ErrorMapper",
    "GeminiModel",
    "MappedError",
    "Model",
    "ModelStream",
    "OpenAIChatModel",
    "OpenAIResponsesModel",
    "RecordingModel",
    "ReplayModel",
]

_MODULES: Final = {
    "AnthropicModel": "anthropic",
    "BedrockModel": "bedrock",
    "BlocksAdapter": "blocks_adapter",
    "BlocksReport": "blocks_adapter",
    "CohereModel": "cohere",
    "ErrorMapper": "errors",
    "GeminiModel": "gemini",
    "MappedError": "errors",
    "Model": "protocol",
    "ModelStream": "stream",
    "OpenAIChatModel": "openai",
    "OpenAIResponsesModel": "openai",
    "RecordingModel": "recording",
    "ReplayModel": "replay",
}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f".{module}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
