"""A model by its name, as programs take it on their command line or in their configuration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..errors import bad_argument
from ..tables.event_dialects import ALIASES

if TYPE_CHECKING:
    from .protocol import Model

__all__ = ["KINDS", "open_model"]

_CLASSES: Final = {
    "anthropic-messages": "AnthropicModel",
    "openai-chat": "OpenAIChatModel",
    "openai-responses": "OpenAIResponsesModel",
    "gemini": "GeminiModel",
    "bedrock-converse": "BedrockModel",
    "cohere-v2": "CohereModel",
}
_REPLAY: Final = "replay"

KINDS: Final = (_REPLAY, *_CLASSES)
"""What a name may begin with, beside the aliases of the dialects."""


def open_model(name: str, **options: Any) -> Model:
    """Return the model of a name: ``anthropic:MODEL``, or ``replay:FILE[,FILE…]``.

    Before the colon is the dialect that the provider speaks, or an alias of it; keys are taken from
    the environment, as its official client does. ``options`` are those of the class: of
    :class:`.ReplayModel` for a replay. Raises UsageError ``usage/invalid-argument`` for a name that
    is none of these, else as the class does (``usage/missing-extra`` without the client).
    """
    from .. import model  # noqa: PLC0415 - its classes, as late as they can be

    kind, _, rest = str(name).partition(":")
    if rest and kind == _REPLAY:
        return model.ReplayModel(_files(rest), **options)
    class_name = _CLASSES.get(ALIASES.get(kind, kind))
    if not rest or class_name is None:
        expected = f"replay:FILE[,FILE…], or one of {', '.join(_CLASSES)} with :MODEL"
        raise bad_argument("No such model", expected, name)
    opened: Model = getattr(model, class_name)(config={"modelId": rest}, **options)
    return opened


def _files(names: str) -> list[Path]:
    if os.path.exists(names):  # noqa: PTH110 - pathlib raises for a name that is too long
        return [Path(names)]
    return [Path(name) for name in names.split(",") if name]
