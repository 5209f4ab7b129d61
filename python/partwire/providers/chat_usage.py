"""Usage of OpenAI's dialects, whose vendors count cached and reasoning tokens in or apart."""

from __future__ import annotations

import math
from typing import Any, Final

from .usage import Figures

__all__ = ["ChatUsage"]

_FIGURES: Final = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "input_tokens",
    "output_tokens",
)


class ChatUsage:
    """The figures of one stream.

    Whether cached tokens are part of the prompt tokens, and reasoning tokens part of the
    completion tokens, no vendor says in the data; the arithmetic does: a part cannot be larger
    than the whole, and xAI's total is prompt + completion + reasoning.
    """

    def __init__(self) -> None:
        self._figures = Figures()
        self._cost: float | None = None

    def take(self, usage: dict[str, Any]) -> list[str]:
        """Take what is given; return the names of what is no count."""
        bad = [self._figures.take(usage, _FIGURES)]
        for name, counts in (
            ("prompt_tokens_details", ("cached_tokens",)),
            ("input_tokens_details", ("cached_tokens",)),
            ("completion_tokens_details", ("reasoning_tokens",)),
            ("output_tokens_details", ("reasoning_tokens",)),
        ):
            details = usage.get(name)
            if type(details) is dict:
                if self._figures.take(details, counts):
                    bad.append(name)
            elif details is not None:
                bad.append(name)
        cost = usage.get("cost")
        if type(cost) is dict:  # Perplexity
            cost = cost.get("total_cost")
        if (
            not isinstance(cost, bool)
            and isinstance(cost, (int, float))
            and math.isfinite(cost)
            and cost >= 0
        ):
            self._cost = cost
        return [name for name in bad if name is not None]

    def summary(self) -> tuple[int, int, int, float | None] | None:
        """Return input, output and total tokens and cost, None if the figures do not give them."""
        get = self._figures.get
        prompt = get("prompt_tokens", "input_tokens")
        completion = get("completion_tokens", "output_tokens")
        total = get("total_tokens")
        if total is not None:
            if prompt is None and completion is not None and completion <= total:
                prompt = total - completion
            elif completion is None and prompt is not None and prompt <= total:
                completion = total - prompt
        if prompt is None or completion is None:
            return None
        cached, reasoning = self._figures["cached_tokens"], self._figures["reasoning_tokens"]
        read, written = prompt, completion
        if cached > prompt:
            read += cached
        if reasoning > completion or (reasoning and total == prompt + completion + reasoning):
            written += reasoning
        return read, written, read + written if total is None else total, self._cost
