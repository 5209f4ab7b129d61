"""Gemini's ``streamGenerateContent``, of Google AI and of Vertex AI: raw events → deltas.

End marker: a ``finishReason`` on candidate 0, or a ``blockReason`` of the prompt. Both may come
again, and more behind them: ``done`` comes at the end of the input. What the format says:

- Each event is a whole response with what is new; one event alone is a response that did not
  stream. Protocol buffers leave out what is 0: a candidate without ``index`` is the first.
- ``thought`` parts are thinking. ``thoughtSignature`` is wanted back in the part that it came in:
  it is kept with its text or call, or with the part where that is nothing else (or empty text).
- A ``functionCall`` comes whole, or its arguments by path in ``partialArgs`` until one comes
  without ``willContinue``. Most have no id: one is minted.
- ``executableCode``, ``toolCall`` and their results are calls and results of server tools, and keep
  their parts whole. ``inlineData`` and ``fileData`` are media. Any other part is kept whole, in
  place.
- Grounding and citations are kept as they came, and are citations of the text too (``citations``).
- ``usageMetadata`` counts all so far. The last one that has counts is taken as a whole: what it
  leaves out is 0. Thoughts are counted apart from the candidates; ours count both as output.
- An event behind the end marker that has another id and any content belongs to a second answer: an
  error, since what has been emitted cannot be taken back.
- A blocked prompt is an answer that was filtered (``content_filter``), without content.
- Python's client and some relays write names with underscores.

Source: https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from partwire.errors import clip
from partwire.json.equality import same_json
from partwire.tables import provider_names, usage_figures

from ...tables import finish_reasons
from ..core.adapter import ProviderAdapter
from ..core.answer_ids import AnswerIds
from ..core.errors import error_body
from ..core.usage import Figures, usage_summary
from .citations import GeminiCitations
from .parts import GeminiParts

__all__ = ["GeminiAdapter"]

_KNOWN: Final = frozenset(provider_names.GEMINI_EVENTS)
_SNAKE: Final = frozenset(provider_names.GEMINI_SNAKE_CASE)
_NAMES: Final = _KNOWN | _SNAKE
_UNDERSCORE: Final = re.compile(r"_([a-z])")
_VERBATIM: Final = frozenset({"args", "response", "part_metadata"})  # the user's own JSON
_NOT_SAID: Final = frozenset(provider_names.GEMINI_UNSPECIFIED)


class GeminiAdapter(ProviderAdapter):
    """Adapter of one Gemini response; see :class:`~.adapter.ProviderAdapter`."""

    dialect: ClassVar[str] = "gemini"

    def _open(self) -> None:
        self._citations = GeminiCitations(self._writer)
        self._parts = GeminiParts(self._writer, self._log, self._citations.text)
        self._ids = AnswerIds()
        self._named = False  # model and request id are known
        self._begun = False
        self._in_snake_case = False
        self._blocked: str | None = None
        self._kept: dict[str, Any] = {}  # the last of each of GEMINI_STATE
        self._had_thoughts = self._was_cached = False  # some event has counted them

    # --- events ----------------------------------------------------------------------------------

    def _read(self, event: dict[str, Any]) -> None:
        if self._in_snake_case or not _SNAKE.isdisjoint(event):
            self._in_snake_case = True
            event = _camel(event)
        if not self._named:
            self._named = self._writer.identify(event.get("modelVersion"), event.get("responseId"))
        candidates = event.get("candidates")
        event_id = event.get("responseId")
        if self._ids.is_other(event_id, self._is_whole()) and _say_anything(candidates):
            self._refuse_second("/responseId", self._ids.first, event_id)
            return
        if type(candidates) is list:
            self._begun = True
            self._read_candidates(candidates)
            if self._writer.ended:
                return
        elif candidates is not None:
            self._log.invalid("/candidates", "an array", candidates)
        elif not self._read_bare(event):
            return
        if event.get("usageMetadata") is not None:
            self._read_usage(event["usageMetadata"])
        if event.get("promptFeedback") is not None:
            self._read_feedback(event["promptFeedback"])
        if event.get("error"):
            self._fail_with(event["error"])

    def _read_bare(self, event: dict[str, Any]) -> bool:
        """Read an event without candidates; return whether the rest of it is to be read."""
        if not _KNOWN.isdisjoint(event):
            return True
        if error := error_body(event):
            self._fail_with(error)
        elif type(inner := event.get("response")) is dict and not _NAMES.isdisjoint(inner):
            self._read(inner)  # Code Assist wraps each event
        elif self._begun or not self._is_other_dialect(event):
            self._log.note(
                "adapter/unknown-event",
                "The event is not a piece of a response; it is passed over",
                expected="candidates, promptFeedback or usageMetadata",
                actual=clip(", ".join(sorted(map(str, event))[:8])),
            )
        return False

    def _read_candidates(self, candidates: list[Any]) -> None:
        first_came = False
        for position, candidate in enumerate(candidates):
            if self._writer.ended:
                return
            if type(candidate) is not dict:
                self._log.invalid(f"/candidates/{position}", "an object", candidate)
                continue
            index = candidate.get("index")
            if type(index) is not int:
                if index is not None:
                    self._log.invalid(f"/candidates/{position}/index", "a number", index)
                index = position if first_came else 0
            if index == 0:
                first_came = True
                self._read_candidate(candidate)
            else:
                self._log.note(
                    "adapter/other-choice",
                    "Only candidate 0 becomes the message; this one is passed over",
                    f"/candidates/{position}/index",
                    expected="0",
                    actual=clip(index),
                )

    def _read_candidate(self, candidate: dict[str, Any]) -> None:
        content = candidate.get("content")
        if type(content) is dict:
            parts = content.get("parts")
            if type(parts) is list:
                self._parts.read(parts)
                if self._parts.clashes:
                    words = "A tool call came twice, with different arguments"
                    self._end_with("provider_internal", words)
                    return
            elif parts is not None:
                self._log.invalid("/candidates/0/content/parts", "an array", parts)
        elif content is not None:
            self._log.invalid("/candidates/0/content", "an object", content)
        if len(candidate) > 1 or content is None:
            reason = candidate.get("finishReason")
            if reason is not None:
                self._read_reason(reason)
            for name in provider_names.GEMINI_STATE:
                if candidate.get(name):
                    self._keep(name, candidate[name])

    def _keep(self, name: str, value: Any) -> None:
        if not same_json(self._kept.get(name), value):  # some repeat it in every event
            self._kept[name] = value
            self._writer.keep(name, value)
            self._citations.take(name, value)

    def _read_reason(self, reason: object) -> None:
        if not isinstance(reason, str):
            self._log.invalid("/candidates/0/finishReason", "a string", reason)
        elif reason not in _NOT_SAID:
            self.finish_reason = reason

    def _read_feedback(self, feedback: object) -> None:
        if type(feedback) is not dict:
            self._log.invalid("/promptFeedback", "an object", feedback)
            return
        reason = feedback.get("blockReason")
        if isinstance(reason, str) and reason not in _NOT_SAID:
            self._blocked = reason
            self._keep("promptFeedback", feedback)
        elif reason is not None and not isinstance(reason, str):
            self._log.invalid("/promptFeedback/blockReason", "a string", reason)

    # --- usage -----------------------------------------------------------------------------------

    def _read_usage(self, usage: object) -> None:
        if type(usage) is not dict:
            self._log.invalid("/usageMetadata", "an object", usage)
            return
        figures = Figures()
        bad = figures.take(usage, usage_figures.GEMINI)
        if bad is not None:
            self._log.invalid(f"/usageMetadata/{bad}", "a count", usage[bad])
        total = figures.get("totalTokenCount")
        read, written = figures["promptTokenCount"], figures["candidatesTokenCount"]
        if not read and not written:
            if total:
                self._log.note(
                    "adapter/incomplete-usage",
                    "The usage has too few figures to be reported",
                    "/usageMetadata",
                    expected="tokens of the prompt and of the candidates",
                )
            return  # Vertex AI names the kind of traffic in every event, the counts in the last
        thoughts = figures.get("thoughtsTokenCount")
        tools = figures["toolUsePromptTokenCount"]
        if thoughts and total != read + written + tools:  # else they are part of the candidates'
            written += thoughts
        total = read + written + tools if total is None else total
        cached = figures.get("cachedContentTokenCount")
        # What the last usage leaves out is 0, also where an earlier one had it.
        if cached is not None:
            self._was_cached = True
        elif self._was_cached:
            cached = 0
        if thoughts is not None:
            self._had_thoughts = True
        elif self._had_thoughts:
            thoughts = 0
        self._writer.usage(
            usage_summary(read, written, total, reasoning=thoughts, cache_read=cached)
        )

    # --- the end ---------------------------------------------------------------------------------

    def _is_whole(self) -> bool:
        return self.finish_reason is not None or self._blocked is not None

    def _done_mark(self) -> None:
        """Pass over ``[DONE]``: relays add it, it ends nothing here."""

    def _finish(self) -> None:
        reason = self.finish_reason
        if reason is None:
            if self._blocked is None:
                self._truncated("a finishReason or a blockReason")
            else:
                self._end("content_filter", self._blocked)
            return
        at = "/candidates/0/finishReason"
        self._end(self._known_reason(finish_reasons.GEMINI, reason.upper(), reason, at), reason)

    def _end(self, reason: str, said: str) -> None:
        self._parts.finish(stopped=reason == "stop")
        self._citations.write()
        self._writer.done(reason, said)

    def _flush(self) -> None:
        self._citations.write()


def _say_anything(candidates: object) -> bool:
    """Return whether candidates have any content."""
    for candidate in candidates if type(candidates) is list else ():
        content = candidate.get("content") if type(candidate) is dict else None
        parts = content.get("parts") if type(content) is dict else None
        for part in parts if type(parts) is list else ():
            if type(part) is dict and any(part.values()):
                return True
    return False


def _camel(value: Any, depth: int = 0) -> Any:
    """Return a copy of a JSON value with names as the REST API writes them."""
    if isinstance(value, list) and depth < 64:
        return [_camel(item, depth + 1) for item in value]
    if isinstance(value, dict) and depth < 64:
        return {
            _UNDERSCORE.sub(lambda m: m[1].upper(), name): member
            if name in _VERBATIM
            else _camel(member, depth + 1)
            for name, member in value.items()
        }
    return value
