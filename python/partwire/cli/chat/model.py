"""``--model KIND:…``: the model that a conversation is held with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import bad_argument

if TYPE_CHECKING:
    from ...model import Model

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
"""What a model may be."""


def open_model(spec: str, dialect: str | None, timing: str | None) -> Model:
    """Return the model that ``spec`` names: ``replay:FILE[,FILE…]`` or ``<provider>:MODEL``.

    ``dialect`` and ``timing`` are for replays; by default one on a terminal takes its time.
    Raises UsageError, ``usage/missing-extra`` where the provider's client is not installed.
    """
    from ... import model  # noqa: PLC0415 - it, and its classes, as late as they can be

    kind, _, rest = spec.partition(":")
    if kind not in KINDS or not rest:
        expected = f"replay:FILE[,FILE…], or one of {', '.join(_CLASSES)} with :MODEL"
        raise bad_argument("No such model", expected, spec)
    if kind == _REPLAY:
        if timing is None:
            timing = "real" if sys.stdout.isatty() else "none"
        return model.ReplayModel(_files(rest), dialect=dialect, timing=_timing(timing))
    if dialect is not None or timing is not None:
        raise bad_argument("--from and --timing are for replays", "replay:FILE", spec)
    made: Any = getattr(model, _CLASSES[kind])
    opened: Model = made(config={"modelId": rest})
    return opened


def _files(names: str) -> list[Path]:
    if os.path.exists(names):  # noqa: PTH110 - pathlib raises for a name that is too long
        return [Path(names)]
    return [Path(name) for name in names.split(",") if name]


def _timing(text: str) -> Any:
    """Return the timing as ReplayModel takes it, which refuses what is none."""
    if text in ("none", "real"):
        return text
    try:
        return float(text)
    except ValueError:
        raise bad_argument("No such timing", "real, none, or a factor from 0", text) from None
