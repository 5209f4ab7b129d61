"""Messages as requests and responses of pydantic-ai 2.

What the format does not say is not guessed: each request and response is read back, and what
differs is reported, or kept in ``metadata.partwire``.
"""

from __future__ import annotations

from typing import Any, Final

from partwire.losses import in_order

from ..core.compared import Losses, compare
from ..core.extension import PARTWIRE, changes
from ..core.kept import kept_by
from ..core.reading import Json
from ..core.writing import Written
from .groups import Group, grouped
from .names import FINISH_REASONS, OWN, REQUEST, RESPONSE, STATES
from .parts import Parts
from .read import ReadBack
from .requests import INSTRUCTIONS, SAME

__all__ = ["write"]

_REASONS: Final = {ours: theirs for theirs, ours in FINISH_REASONS.items()}
_STATES: Final = {ours: theirs for theirs, ours in STATES.items()}
_FIGURES: Final = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "reasoningTokens": "output_reasoning_tokens",
    "cacheReadTokens": "cache_read_tokens",
    "cacheWriteTokens": "cache_write_tokens",
}


def write(messages: list[Json], _version: str, *, extensions: bool = False) -> Written:
    """Return the requests and responses of a history, and what they do not say of it."""
    writer = _Writer(extensions=extensions)
    for group in grouped(messages):
        writer.add(group)
    return Written(writer.document, in_order(writer.losses.found))


class _Writer:
    def __init__(self, *, extensions: bool) -> None:
        self.document: list[Json] = []
        self.losses = Losses()
        self._extensions = extensions
        self._names: dict[str, tuple[str, str]] = {}
        self._instructions: str | None = None
        self._back = ReadBack()

    def add(self, group: Group) -> None:
        """Add a group as one message of the document, where that says anything."""
        parts = Parts(self._names)
        written = [parts.add(number, message) for number, message in enumerate(group.messages)]
        if not any(written) and not self._extensions:
            for number in group.numbers:
                self.losses.note("message-form", f"/{number}")
            return
        made = self._request(group, parts) if group.kind == "request" else _response(group, parts)
        back = self._back.read(made)
        if self._extensions:
            made["metadata"] = made.get("metadata", {}) | {PARTWIRE: changes(group.messages, back)}
            self.document.append(made)
            return
        for at, number in enumerate(group.numbers):
            if not written[at]:
                self.losses.note("message-form", f"/{number}")
        kept = [at for at, is_written in enumerate(written) if is_written]
        places = {at: place for place, at in enumerate(kept)}
        for at, number in parts.nameless:
            self.losses.note("tool-name", f"/{group.numbers[at]}/parts/{number}")
        self.document.append(made)
        compare(
            {group.numbers[at]: group.messages[at] for at in kept},
            back,
            self.losses,
            own=OWN,
            left_out={(places[at], part) for at, part in parts.left_out if at in places},
            cut={(places[at], part): n for (at, part), n in parts.cut.items() if at in places},
            heads=True,
        )

    def _request(self, group: Group, parts: Parts) -> Json:
        first = group.messages[0]
        own = kept_by(first, OWN)
        made: Json = {"parts": parts.parts}
        time = own.get("timestamp", first["timestamp"])
        if isinstance(time, str):
            made["timestamp"] = time
        if parts.instructions is not None:
            made[INSTRUCTIONS] = self._instructions = parts.instructions
        elif own.get(SAME) is True and self._instructions is not None:
            made[INSTRUCTIONS] = self._instructions
        made |= {"kind": "request", "run_id": first["runId"]}
        return made | _kept(own, REQUEST)


def _response(group: Group, parts: Parts) -> Json:
    (message,) = group.messages
    meta: Any = message.get("meta", {})
    own = kept_by(message, OWN)
    made: Json = {"parts": parts.parts, "timestamp": message["timestamp"], "kind": "response"}
    usage = _usage(meta.get("usage", {}), own.get("usage"))
    if usage:
        made["usage"] = usage
    for ours, theirs in (("modelId", "model_name"), ("requestId", "provider_response_id")):
        if ours in meta:
            made[theirs] = meta[ours]
    details = own.get("provider_details")
    details = dict(details) if isinstance(details, dict) else {}
    if isinstance(meta.get("providerFinishReason"), str):
        details["finish_reason"] = meta["providerFinishReason"]
    if details:
        made["provider_details"] = details
    if meta.get("finishReason") in _REASONS:
        made["finish_reason"] = _REASONS[meta["finishReason"]]
    ending = meta.get("incomplete", {}).get("ending")
    if ending in _STATES:
        made["state"] = _STATES[ending]
    elif own.get("state") == "suspended":
        made["state"] = "suspended"
    return made | {"run_id": message["runId"]} | _kept(own, RESPONSE)


def _kept(own: Json, names: tuple[str, ...]) -> Json:
    """Return what a message keeps of the one that it was read of."""
    made = {name: own[name] for name in names if name in own}
    metadata = own.get("metadata")
    if isinstance(metadata, dict) and metadata:
        made["metadata"] = {n: value for n, value in metadata.items() if n != PARTWIRE}
    return made


def _usage(usage: Json, beside: Any) -> Json:
    made = {theirs: usage[ours] for ours, theirs in _FIGURES.items() if ours in usage}
    if "cost" in usage:
        made["cost"] = str(usage["cost"])
    if isinstance(beside, dict):
        # What is said twice is ours, but for the price, which has its own spelling.
        same = {"cost"} if beside.get("cost") and _is_price(beside["cost"], made) else set()
        made |= {n: value for n, value in beside.items() if n not in made or n in same}
    return made


def _is_price(cost: Any, made: Json) -> bool:
    try:
        return "cost" in made and float(cost) == float(made["cost"])
    except (TypeError, ValueError, OverflowError):
        return False
