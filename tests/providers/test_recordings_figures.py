"""Recorded streams: the provider's own finish reason and finer figures, read once more from JSON.

What is compared with is taken out of the raw events by the few lines below, which know nothing of
the adapters, and by the index.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.providers import recordings as recorded
from tests.providers.provider_streams import run_events
from tests.providers.recordings import Recording

FIELDS: Final = ("reasoningTokens", "cacheReadTokens", "cacheWriteTokens")
# Dialect → the place of each figure below a usage object; of several the first that has one.
PLACES: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "anthropic-messages": (
        ("output_tokens_details/thinking_tokens",),
        ("cache_read_input_tokens",),
        ("cache_creation_input_tokens",),
    ),
    "bedrock-converse": (
        (),
        ("cacheReadInputTokens", "cacheReadInputTokenCount"),
        ("cacheWriteInputTokens", "cacheWriteInputTokenCount"),
    ),
    "cohere-v2": ((), ("cached_tokens",), ()),
    "gemini": (("thoughtsTokenCount",), ("cachedContentTokenCount",), ()),
    "openai-chat": (
        ("completion_tokens_details/reasoning_tokens", "reasoning_tokens"),
        ("prompt_tokens_details/cached_tokens", "cached_tokens", "prompt_cache_hit_tokens"),
        ("prompt_tokens_details/cache_write_tokens",),
    ),
    "openai-responses": (
        ("output_tokens_details/reasoning_tokens",),
        ("input_tokens_details/cached_tokens",),
        ("input_tokens_details/cache_write_tokens",),
    ),
}
SHOWN: Final = {
    "anthropic-messages": {*FIELDS},
    "bedrock-converse": {"cacheReadTokens", "cacheWriteTokens"},
    "cohere-v2": {"cacheReadTokens"},
    "gemini": {"reasoningTokens"},
    "openai-chat": {*FIELDS},
    "openai-responses": {*FIELDS},
}
"""Figures that at least one recording of the dialect has."""


def _usages(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the usage objects of an event: not those inside of one."""
    if isinstance(value, list):
        for item in value:
            yield from _usages(item)
    if not isinstance(value, dict):
        return
    for name, member in value.items():
        if name in ("usage", "usageMetadata") and isinstance(member, dict):
            yield member
        elif name != "trace":  # of a guardrail, which counts something else
            yield from _usages(member)


def _at(usage: Any, place: str) -> Any:
    for name in place.split("/"):
        usage = usage.get(name) if isinstance(usage, dict) else None
    return usage


def due_figures(recording: Recording) -> dict[str, int]:
    """Return the last figures of the raw events; Gemini's last usage counts as a whole."""
    events = [json.loads(text) for text in recording.texts if text != "[DONE]"]
    usages = [usage for event in events for usage in _usages(event)]
    if recording.dialect == "gemini":
        usages = [u for u in usages if "promptTokenCount" in u or "candidatesTokenCount" in u][-1:]
    found: dict[str, int] = {}
    for field, places in zip(FIELDS, PLACES[recording.dialect], strict=True):
        for place in reversed(places):
            figures = [_at(usage, place) for usage in usages]
            if figures := [figure for figure in figures if figure is not None]:
                found[field] = figures[-1]
    return found


def _reasons(value: Any, names: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _reasons(item, names)
    if isinstance(value, dict):
        for name, member in value.items():
            if name in names and isinstance(member, str) and member:
                yield member
            elif name not in ("content", "output", "usage"):
                yield from _reasons(member, names)


def _last_of(*names: str) -> Callable[[list[Any]], str | None]:
    return lambda events: next(iter([*_reasons(events, names)][::-1]), None)


def _first_choice(events: list[Any]) -> str | None:
    choices = [choice for event in events for choice in event.get("choices") or ()]
    reasons = [choice.get("finish_reason") for choice in choices if choice.get("index", 0) == 0]
    return next((reason for reason in reversed(reasons) if reason), None)


def _response(events: list[Any]) -> str | None:
    [*_, last] = [event["response"] for event in events if "response" in event]
    reason: str | None = (last.get("incomplete_details") or {}).get("reason") or last.get("status")
    return reason


WORDS: Final[dict[str, Callable[[list[Any]], str | None]]] = {
    "anthropic-messages": _last_of("stop_reason"),
    "bedrock-converse": _last_of("stopReason"),
    "cohere-v2": _last_of("finish_reason"),
    "gemini": _last_of("finishReason", "blockReason"),
    "openai-chat": _first_choice,
    "openai-responses": _response,
}


@pytest.mark.parametrize("name", recorded.ids(*PLACES))
def test_the_finer_figures_are_the_providers_last(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    ran = run_events(recording.dialect, recording.texts)
    seen = {field: value for field, value in (ran.counted or {}).items() if field in FIELDS}
    due = due_figures(recording) if ran.counted else {}
    assert seen == due
    whole = ran.counted or {"inputTokens": 0, "outputTokens": 0}
    assert seen.get("reasoningTokens", 0) <= whole["outputTokens"]
    assert seen.get("cacheReadTokens", 0) + seen.get("cacheWriteTokens", 0) <= whole["inputTokens"]
    for field in set(FIELDS) & recording.expected.get("usageDetail", {}).keys():
        assert seen.get(field, 0) == recording.expected["usageDetail"][field]


@pytest.mark.parametrize("dialect", PLACES)
def test_every_finer_figure_is_in_some_recording(dialect: str, recordings: Path) -> None:
    mine = [recorded.load()[name] for name in recorded.ids(dialect)]
    assert {field for each in mine for field in due_figures(each)} == SHOWN[dialect]


@pytest.mark.parametrize("name", recorded.ids(*PLACES))
def test_the_providers_own_word_for_the_end_is_told(name: str, recordings: Path) -> None:
    recording = recorded.load()[name]
    ran = run_events(recording.dialect, recording.texts)
    if ran.kinds[-1] == "error":
        assert ran.said is None
        return
    events = [json.loads(text) for text in recording.texts if text != "[DONE]"]
    assert ran.said == WORDS[recording.dialect](events)
    expected = recording.expected
    told = expected.get("incompleteReason") or expected.get("blockReason")
    assert ran.said == (told or expected["finishReason"])
