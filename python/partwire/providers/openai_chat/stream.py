"""Chat completion chunks of OpenAI and of the many that speak its dialect: raw events → deltas.

End marker: a finish reason on choice 0, or ``[DONE]`` where none came (then ``unknown``). Usage
and whatever else follows the finish reason is still read: ``done`` comes with ``[DONE]`` or at the
end of the input. Behind a ``[DONE]`` without a finish reason an error still counts: ``done`` waits
for the end of the input. What the format says and what vendors make of it:

- Only choice 0 becomes the message; the others are a finding.
- Reasoning comes as ``reasoning_content``, ``reasoning`` or ``reasoning_details``: the same text
  under several names counts once per chunk, the first of them. Mistral sends it, and sometimes
  text, as a list of content parts. ``<think>`` in the text stays text.
- A refusal is text of the answer, and turns a ``stop`` into ``refusal``: the contract has no part
  for it, and a reader must not miss it.
- Annotations, and what chunks say of sources, are citations of the text. Sound, of which no type is
  said, and images are media. Tools that Groq runs are server tool calls with their results.
- ``warnings``, and watsonx's in ``system``, are the contract's.
- ``message`` beside a delta repeats it and is passed over; without any delta it is the answer
  (a body in place of a stream), or the answer so far, of which what is new is taken.
- Usage stands in a chunk of its own, beside choices, in a choice, or in ``x_groq``; the last
  figure per field counts. Cached and reasoning tokens are added where they are reported apart.
- A chunk behind the finish reason that has another id and says something belongs to a second
  answer: an error, since what has been emitted cannot be taken back.
- Errors come as ``error`` in a chunk or a choice, or as a body of the vendor's own.

Source: https://platform.openai.com/docs/api-reference/chat-streaming.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from partwire.errors import clip
from partwire.tables import provider_names

from ...tables import finish_reasons
from ..core.adapter import ProviderAdapter
from ..core.answer_ids import AnswerIds
from ..core.errors import error_body
from ..core.sniff import dialect_of
from .citations import note_odd_sources
from .content import ChatContent
from .usage import ChatUsage

__all__ = ["OpenAIChatAdapter"]

_NO_REASON: Final = frozenset(provider_names.CHAT_UNFINISHED)


class OpenAIChatAdapter(ProviderAdapter):
    """Adapter of one chat completion stream; see :class:`~.adapter.ProviderAdapter`.

    Vendors that send no finish reason are known to be complete by ``[DONE]`` only: give the
    events as text (``feed_text``), or such a stream counts as truncated.
    """

    dialect: ClassVar[str] = "openai-chat"

    def _open(self) -> None:
        self._content = ChatContent(self._writer, self._log)
        self._usage = ChatUsage()
        self._named = False  # model and request id are known
        self._ids = AnswerIds()
        self._begun = False
        self._is_answered = False  # choice 0 has come
        self._is_marked = False  # [DONE] has come without a finish reason
        self._state: dict[str, Any] = {}

    # --- chunks ----------------------------------------------------------------------------------

    def _read(self, event: dict[str, Any]) -> None:
        if self._is_marked:
            self._read_behind_mark(event)
            return
        if not self._named:
            self._named = self._writer.identify(event.get("model"), event.get("id"))
        if "warnings" in event or "system" in event:
            self._read_warnings(event)
        choices = event.get("choices")
        chunk_id = event.get("id")
        if self._ids.is_other(chunk_id, self._is_whole()) and _say_anything(choices):
            self._refuse_second("/id", self._ids.first, chunk_id)
            return
        if type(choices) is list:
            self._begun = True
            for position, choice in enumerate(choices):
                if type(choice) is dict:
                    self._read_choice(choice, position)
                else:
                    self._log.invalid(f"/choices/{position}", "an object", choice)
                if self._writer.ended:
                    return
        elif not self._read_bare(event, choices):
            return
        usage = event.get("usage")
        if usage is not None:
            self._read_usage(usage, "/usage")
        if "x_groq" in event or "citations" in event or "search_results" in event:
            self._read_extras(event)
        if event.get("error") and not self._writer.ended:
            self._fail_with(event["error"])

    def _read_bare(self, event: dict[str, Any], choices: object) -> bool:
        """Read an event without choices; return whether the rest of it is to be read."""
        if error := error_body(event):
            self._fail_with(error)
            return False
        if choices is not None:
            self._log.invalid("/choices", "an array", choices)
        elif not any(name in event for name in (*provider_names.CHAT_CHUNKS, "warnings")):
            return self._read_foreign(event)
        return True

    def _read_foreign(self, event: dict[str, Any]) -> bool:
        """Read what has no member of a chunk; return whether its type says that it is one."""
        told = dialect_of(event)
        if told is not None and told[0] == self.dialect:
            return True
        if told is not None and not self._begun:
            self._wrong_dialect(*told)
            return False
        self._log.note(
            "adapter/unknown-event",
            "The event is not a chat completion chunk; it is passed over",
            "/object",
            expected="chat.completion.chunk",
            actual=clip(event.get("object", event.get("type"))),
        )
        return False

    def _read_extras(self, event: dict[str, Any]) -> None:
        groq = event.get("x_groq")
        if type(groq) is dict:
            if groq.get("usage") is not None:
                self._read_usage(groq["usage"], "/x_groq/usage")
            if groq.get("error") and not self._writer.ended:
                self._fail_with(groq["error"])
        for name in provider_names.CHAT_CHUNK_STATE:
            # Repeated in every chunk: the last one is kept, at the end.
            if event.get(name):
                self._state[name] = event[name]
                if self._writer.says_new:
                    note_odd_sources(event[name], f"/{name}", self._log)

    def _read_choice(self, choice: dict[str, Any], position: int) -> None:
        index = choice.get("index")
        if index != 0 and not self._is_first(index, position):
            return
        self._is_answered = True
        delta = choice.get("delta")
        if type(delta) is dict:
            content = delta.get("content")
            if type(content) is str and len(delta) == 1 and self._content.calls.waiting is None:
                self._writer.write("text", content)
            else:
                self._content.read_delta(delta)
        elif delta is not None:
            self._log.invalid("/choices/0/delta", "an object", delta)
        elif choice.get("message") is not None:
            self._content.read_message(choice["message"])
        elif isinstance(choice.get("text"), str):
            self._read_completion(choice["text"])
        reason = choice.get("finish_reason")
        if reason is not None:
            self._read_reason(reason)
        if choice.get("usage") is not None:  # Moonshot
            self._read_usage(choice["usage"], "/choices/0/usage")
        if choice.get("error") and not self._writer.ended:  # OpenRouter
            self._fail_with(choice["error"])

    def _read_completion(self, text: str) -> None:
        """Read the text of a plain completion, which older servers send in place of a delta."""
        self._log.note(
            "adapter/invalid-event",
            "The event is one of a plain completion",
            "/choices/0/text",
            expected="a delta",
        )
        self._content.calls.settle()
        self._writer.write("text", text)

    def _is_first(self, index: object, position: int) -> bool:
        """Return whether a choice is choice 0, by its place where it has no number."""
        if type(index) is not int:
            if index is not None:
                self._log.invalid(f"/choices/{position}/index", "the choice's number", index)
            index = position
        if index == 0:
            return True
        self._log.note(
            "adapter/other-choice",
            "Only choice 0 becomes the message; this one is passed over",
            f"/choices/{position}/index",
            expected="0",
            actual=clip(index),
        )
        return False

    def _read_reason(self, reason: object) -> None:
        if not isinstance(reason, str):
            self._log.invalid("/choices/0/finish_reason", "a string", reason)
        elif reason not in _NO_REASON:
            self._content.calls.settle()
            self.finish_reason = reason

    # --- beside the content ----------------------------------------------------------------------

    def _read_usage(self, usage: object, place: str) -> None:
        if type(usage) is not dict:
            self._log.invalid(place, "an object", usage)
            return
        figures = self._usage.read(
            usage, self._log, place, "two of prompt, completion and total tokens"
        )
        if figures is not None:
            self._content.calls.settle()
            self._writer.usage(figures)

    def _read_warnings(self, event: dict[str, Any]) -> None:
        self._writer.read_warnings(event, "")
        system = event.get("system")
        if type(system) is dict:  # watsonx
            self._writer.read_warnings(system, "/system", code="id")

    # --- the end ---------------------------------------------------------------------------------

    def _is_whole(self) -> bool:
        return self.finish_reason is not None

    def _done_mark(self) -> None:
        # Without a reason, an error behind it would be all that says how the stream ended.
        if self.finish_reason is None:
            self._is_marked = self._is_answered
        else:
            self._end()

    def _read_behind_mark(self, event: dict[str, Any]) -> None:
        if error := error_body(event):
            self._fail_with(error)
        else:
            self._after_end(event)

    def _finish(self) -> None:
        if self.finish_reason is None and not self._is_marked:
            self._truncated("a finish reason or [DONE]")
        else:
            self._end()

    def _flush(self) -> None:
        self._content.keep_state()
        self._content.calls.finish()
        state = self._state
        if state and self._writer.says_new:
            sources = state.get("citations"), state.get("search_results")
            state = {} if self._content.cite_sources(*sources) else state
        for name, value in state.items():
            self._writer.keep(name, value)

    def _end(self) -> None:
        self._flush()
        said = self.finish_reason
        key = (said or "").lower().replace("-", "_")
        known = self._known_reason(finish_reasons.CHAT, key, said, "/choices/0/finish_reason")
        if known == "stop" and self._content.refused:
            known = "refusal"
        self._writer.done(known, said)


def _say_anything(choices: object) -> bool:
    """Return whether choices have any content: more than whose answer it is, and why it ended."""
    for choice in choices if type(choices) is list else ():
        said = (choice.get("delta") or choice.get("message")) if type(choice) is dict else None
        if type(said) is dict and any(value for name, value in said.items() if name != "role"):
            return True
    return False
