"""Usage of OpenAI's dialects, whose vendors count cached and reasoning tokens in or apart."""

from __future__ import annotations

import math
from typing import Any, Final

from msgspec.structs import replace

from partwire.contract.current.message import UsageSummary
from partwire.tables import usage_figures

from ..core.findings import FindingLog
from ..core.usage import Figures, usage_summary

__all__ = ["ChatUsage"]

_BESIDE_NAMES: Final = (
    *usage_figures.OPENAI_CACHE_READ,
    *usage_figures.OPENAI_CACHE_WRITE,
    *usage_figures.OPENAI_REASONING,
)
_BESIDE: Final = frozenset(_BESIDE_NAMES)


class ChatUsage:
    """The figures of one stream.

    Whether cached tokens are part of the prompt tokens, and reasoning tokens part of the
    completion tokens, no vendor says in the data; the arithmetic does: a part cannot be larger
    than the whole, and xAI's total is prompt + completion + reasoning.
    """

    def __init__(self) -> None:
        self._figures = Figures()
        self._beside = Figures()
        self._cost: float | None = None

    def take(self, usage: dict[str, Any]) -> list[str]:
        """Take what is given; return the names of what is not a count."""
        bad = [self._figures.take(usage, usage_figures.OPENAI)]
        if not _BESIDE.isdisjoint(usage):
            bad.append(self._beside.take(usage, _BESIDE_NAMES))
        for name, counts in usage_figures.OPENAI_DETAILS.items():
            details = usage.get(name)
            if type(details) is dict:
                if self._figures.take(details, counts):
                    bad.append(name)
            elif details is not None:
                bad.append(name)
        cost = usage.get("cost")
        if type(cost) is dict:  # Perplexity
            cost = cost.get("total_cost")
        price = _price(cost)
        if price is not None:
            self._cost = price
        return [name for name in bad if name is not None]

    def read(
        self, usage: dict[str, Any], log: FindingLog, place: str, expected: str
    ) -> UsageSummary | None:
        """Take what is given, log what is wrong with it, and return the usage so far."""
        for name in self.take(usage):
            log.invalid(f"{place}/{name}", "a count", usage.get(name))
        figures = self.summary()
        if figures is not None and self._is_beyond(figures):
            log.usage("more reasoning than output")
        if figures is None and usage:
            log.note(
                "adapter/incomplete-usage",
                "The usage has too few figures to be reported",
                place,
                expected=expected,
            )
        return figures

    def summary(self) -> UsageSummary | None:
        """Return the usage so far, None if the figures do not give it."""
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
        read, written = prompt, completion
        cached, reasoning = get("cached_tokens"), get("reasoning_tokens")
        if cached is not None and cached > prompt:
            read += cached
        if reasoning and _is_apart(reasoning, prompt, completion, total):
            written += reasoning
        usage = usage_summary(
            read,
            written,
            read + written if total is None else total,
            reasoning=self._thought(prompt, completion, total) if reasoning is None else reasoning,
            cache_read=self._beside.get(*usage_figures.OPENAI_CACHE_READ)
            if cached is None
            else cached,
            cache_write=self._given(*usage_figures.OPENAI_CACHE_WRITE),
        )
        return usage if self._cost is None else replace(usage, cost=self._cost)

    def _is_beyond(self, figures: UsageSummary) -> bool:
        """Return whether more was thought than written, so that it can be no part of it."""
        return (self._figures.get(*usage_figures.OPENAI_REASONING) or 0) > figures.output_tokens

    def _given(self, *names: str) -> int | None:
        """Return the figure of the details, else the one beside."""
        figure = self._figures.get(*names)
        return self._beside.get(*names) if figure is None else figure

    def _thought(self, prompt: int, completion: int, total: int | None) -> int | None:
        """Return the reasoning tokens beside the figures, where they are part of the completion."""
        reasoning = self._beside.get(*usage_figures.OPENAI_REASONING)
        if reasoning and _is_apart(reasoning, prompt, completion, total):
            return None
        return reasoning


def _price(value: object) -> float | None:
    """Return a price, None for what is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        price = float(value)
    except OverflowError:  # an integer beyond a double
        return None
    return price if math.isfinite(price) and price >= 0 else None


def _is_apart(reasoning: int, prompt: int, completion: int, total: int | None) -> bool:
    """Return whether the completion tokens leave the reasoning tokens out."""
    apart = prompt + completion + reasoning
    return total == apart or (reasoning > completion and (total is None or total > apart))
