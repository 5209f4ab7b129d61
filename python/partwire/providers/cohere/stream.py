"""Cohere Chat v2: raw events → deltas.

End marker: ``message-end``; ``[DONE]``, which some servers add, ends nothing. What the format says
and what servers of it make of it:

- ``tool-plan-delta`` is what the model says before it calls tools: neither its answer nor its
  thinking, yet the next request has to repeat it. It is kept in ``opaque``, and so are citations
  of it and of thinking.
- A citation of the answer's text is one for each of its sources. Its places count from the
  block's beginning, and hold where ``text`` stands there; the first one keeps it as it came.
- Content, tool calls and citations count their indexes apart. A call that takes no arguments has
  no ``tool-call-delta``.
- ``ERROR``, ``ERROR_TOXIC``, ``TIMEOUT`` and ``USER_CANCEL`` are finish reasons by name only: the
  stream ends as an error, as it does with an ``error`` beside any reason. ``ERROR_LIMIT`` is a cut
  answer, as ``MAX_TOKENS`` is.
- ``usage.tokens`` is what the model read and wrote, cached tokens included. ``billed_units``
  leaves out the provider's own prompt: they are not usage.
- The stream names no model. ``debug`` events and log probabilities are passed over.

Source: https://docs.cohere.com/v2/reference/chat-stream.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, ClassVar, Final

from partwire.json.equality import same_json
from partwire.tables import provider_names, usage_figures

from ...tables import finish_reasons
from ..core.adapter import ProviderAdapter
from ..core.errors import error_body, error_code, read_error
from ..core.usage import Figures, usage_summary
from .content import CohereContent

__all__ = ["CohereAdapter"]

_FAILED: Final = frozenset(provider_names.COHERE_FAILED)


class CohereAdapter(ProviderAdapter):
    """Adapter of one Cohere Chat v2 stream; see :class:`~.adapter.ProviderAdapter`."""

    dialect: ClassVar[str] = "cohere-v2"

    def _open(self) -> None:
        self._content = CohereContent(self._writer, self._log)
        self._message_id: object = None
        self._begun = False
        self._figures = Figures()

    # --- events ----------------------------------------------------------------------------------

    def _read(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "content-delta":
            self._content.piece(event.get("index"), self._member(event, "content"))
        elif isinstance(kind, str) and kind in _EVENTS:
            _EVENTS[kind](self, event)
        else:
            self._read_other(event, kind)

    def _member(self, event: dict[str, Any], name: str) -> Any:
        """Return a member of the event's ``delta.message``, None where there is none."""
        delta = event.get("delta")
        if type(delta) is not dict:
            self._log.invalid("/delta", "an object", delta)
            return None
        message = delta.get("message")
        if type(message) is not dict:
            self._log.invalid("/delta/message", "an object", message)
            return None
        return message.get(name)

    def _content_start(self, event: dict[str, Any]) -> None:
        self._content.start(event.get("index"), self._member(event, "content"))

    def _content_end(self, event: dict[str, Any]) -> None:
        self._content.end(event.get("index"))

    def _plan_delta(self, event: dict[str, Any]) -> None:
        self._content.plan(self._member(event, "tool_plan"), "/delta/message/tool_plan")

    def _call_start(self, event: dict[str, Any]) -> None:
        self._content.calls.start(event.get("index"), self._member(event, "tool_calls"))

    def _call_delta(self, event: dict[str, Any]) -> None:
        self._content.calls.piece(event.get("index"), self._member(event, "tool_calls"))

    def _call_end(self, event: dict[str, Any]) -> None:
        self._content.calls.end(event.get("index"))

    def _citation_start(self, event: dict[str, Any]) -> None:
        self._content.cite(self._member(event, "citations"), "/delta/message/citations")

    def _pass_over(self, event: dict[str, Any]) -> None:
        """Pass over an event that says nothing which a message, or the next request, needs."""

    def _read_other(self, event: dict[str, Any], kind: object) -> None:
        """Read what is not an event of a stream: a whole answer, an error, another dialect."""
        message = event.get("message")
        if kind is None and type(message) is dict and not self._begun:
            self._read_body(event, message)
            return
        error = event.get("error") or None
        if kind is None or kind == "error":
            error = error_body(event)
            if error is None and isinstance(message, str):
                error = event  # the body of a refused request: {"message": …}
        if error is not None:
            self._fail_with(error)
            return
        if not self._begun and self._is_other_dialect(event):
            return
        self._unknown_type(kind)

    def _with_hint(self, event: dict[str, Any], name: str) -> dict[str, Any]:
        if "type" in event or (name not in _EVENTS and name != "content-delta"):
            return event
        return {"type": name, **event}

    def _may_follow(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "debug"

    # --- the message -----------------------------------------------------------------------------

    def _start_message(self, event: dict[str, Any]) -> None:
        if self._begun:
            self._read_second(event)
            return
        self._begin(event)
        delta = event.get("delta")
        message = delta.get("message") if type(delta) is dict else None
        if type(message) is dict:
            self._content.read_message(message, "/delta/message")
        elif delta is not None:
            self._log.invalid("/delta/message", "an object", message)

    def _begin(self, event: dict[str, Any]) -> None:
        self._begun = True
        self._message_id = event.get("id")
        self._writer.identify(event.get("model"), self._message_id)
        self._writer.start()

    def _read_second(self, event: dict[str, Any]) -> None:
        """Pass over a message-start that is only repeated; end the stream at any other."""
        message_id = event.get("id")
        if same_json(message_id, self._message_id) and not self._content and not self._writer.wrote:
            self._log.note(
                "adapter/block-order", "message-start came twice, before any content", "/type"
            )
            return
        self._refuse_second("/id", self._message_id, message_id)

    def _read_body(self, body: dict[str, Any], message: dict[str, Any]) -> None:
        """Read a whole answer that came in place of a stream."""
        self._log.note("adapter/whole-body", "The message came whole, not as a stream", "/message")
        self._begin(body)
        self._content.read_message(message, "/message")
        self._read_usage(body.get("usage"), "/usage")
        if self._read_reason(body.get("finish_reason"), "/finish_reason"):
            self._end(body, "")

    # --- the end ---------------------------------------------------------------------------------

    def _end_message(self, event: dict[str, Any]) -> None:
        self._writer.identify(event.get("model"), event.get("id"))
        delta = event.get("delta")
        if type(delta) is not dict:
            self._log.invalid("/delta", "an object", delta)
            delta = {}
        self._read_usage(delta.get("usage"), "/delta/usage")
        self._read_reason(delta.get("finish_reason"), "/delta/finish_reason")
        self._end(delta, "/delta")

    def _read_reason(self, reason: object, place: str) -> bool:
        """Take the finish reason; return whether there is one."""
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        elif reason is not None and reason != "":
            self._log.invalid(place, "a string", reason)
        return self.finish_reason is not None

    def _end(self, said: dict[str, Any], place: str) -> None:
        """End as done or failed; ``said`` is what stands beside the finish reason."""
        reason = (self.finish_reason or "").upper()
        error = said.get("error")
        if error is not None and not isinstance(error, (str, dict)):
            self._log.invalid(f"{place}/error", "the error's message", error)
            error = None
        if error or reason in _FAILED:
            self._fail_generation(reason, error, said.get("error_type"))
            return
        if self._content.calls:
            self._log.note(
                "adapter/block-order", "The message ends while a tool call is open", "/type"
            )
        self._flush()
        at = f"{place}/finish_reason"
        self._end_with_reason(finish_reasons.COHERE, reason, at, has_begun=self._begun)

    def _fail_generation(self, reason: str, said: object, kind: object) -> None:
        error = read_error(said)
        code = kind if isinstance(kind, str) and kind else error.code
        error = self.error = error._replace(code=code, type=error.type or reason or None)
        found = error_code(error)
        if found == "unknown" and reason == "ERROR":
            found = "provider_internal"  # what the reference says of this reason
        self._end_with(found, error.message or error.code or error.type)

    def _flush(self) -> None:
        self._content.finish()

    def _finish(self) -> None:
        self._truncated("message-end")

    def _done_mark(self) -> None:
        """Pass over ``[DONE]``: it follows the end, it is none."""

    # --- beside the content ----------------------------------------------------------------------

    def _read_usage(self, usage: object, place: str) -> None:
        if usage is None:
            return
        if type(usage) is not dict:
            self._log.invalid(place, "an object", usage)
            return
        figures, tokens = self._figures, usage.get("tokens")
        if type(tokens) is dict:
            bad = figures.take(tokens, usage_figures.COHERE)
            if bad is not None:
                self._log.invalid(f"{place}/tokens/{bad}", "a count", tokens[bad])
        elif tokens is not None:
            self._log.invalid(f"{place}/tokens", "an object", tokens)
        if figures.take(usage, usage_figures.COHERE_CACHED):
            self._log.invalid(f"{place}/cached_tokens", "a count", usage["cached_tokens"])
        read, written = figures.get("input_tokens"), figures.get("output_tokens")
        if read is not None and written is not None:
            cached = figures.get("cached_tokens")
            self._writer.usage(usage_summary(read, written, read + written, cache_read=cached))
        elif usage:
            self._log.note(
                "adapter/incomplete-usage",
                "The usage has too few figures to be reported",
                place,
                expected="tokens with input_tokens and output_tokens",
            )


_EVENTS: Final = MappingProxyType[str, Callable[[CohereAdapter, dict[str, Any]], None]](
    {
        "message-start": CohereAdapter._start_message,
        "content-start": CohereAdapter._content_start,
        "content-end": CohereAdapter._content_end,
        "tool-plan-delta": CohereAdapter._plan_delta,
        "tool-call-start": CohereAdapter._call_start,
        "tool-call-delta": CohereAdapter._call_delta,
        "tool-call-end": CohereAdapter._call_end,
        "citation-start": CohereAdapter._citation_start,
        "citation-end": CohereAdapter._pass_over,
        "message-end": CohereAdapter._end_message,
        "debug": CohereAdapter._pass_over,
    }
)
"""Type of event → what reads it; ``content-delta``, by far the most frequent, is read before."""
