"""A model by its name, as programs take it on their command line or in their configuration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import bad_argument

if TYPE_CHECKING:
    from .protocol import Model

__all__ = ["KINDS", "open_model"]

_CLASSES: Final = {
    "anthropic": "AnthropicModel",
    "openai": "OpenAIChatModel",
    "openai-responses": "OpenAIResponsesModel",
    "gemini": "GeminiModel",
    "bedrock": "BedrockModel",
    "cohere": "CohereModel",
}
_REPLAY: Final = "replay"

KINDS: Final = (_REPLAY, *_CLASSES)
"""What a name may begin with."""


def open_model(name: str, **options: Any) -> Model:
    """Return the model of a name: ``anthropic:MODEL``, or ``replay:FILE[,FILE…]``.

    Before the colon is the dialect that the provider speaks, or an alias of it; keys are taken from
    the environment, as its official client does. ``options`` are those of the class: of
    :class:`.ReplayModel` for a replay. Raises UsageError ``usage/invalid-argument`` for a name that
    is none of these, else as the class does (``usage/missing-extra`` without the client).
    """
    from .. import model  # noqa: PLC0415 - its classes, as late as they can be

    kind, _, rest = str(name).partition(":")
    if kind not in KINDS or not rest:
        expected = f"replay:FILE[,FILE…], or one of {', '.join(_CLASSES)} with :MODEL"
        raise bad_argument("No such model", expected, name)
    if kind == _REPLAY:
        return model.ReplayModel(_files(rest), **options)
    made: Any = getattr(model, _CLASSES[kind])
    opened: Model = made(config={"modelId": rest}, **options)
    return opened


def _files(names: str) -> list[Path]:
    if os.path.exists(names):  # noqa: PTH110 - pathlib raises for a name that is too long
        return [Path(names)]
    return [Path(name) for name in names.split(",") if name]
