"""OpenAI Responses and its vendors: raw events → deltas.

End markers: ``response.completed``, ``response.incomplete``, ``response.failed``; nothing comes
after them. What the format says and what vendors make of it:

- Items are told apart by ``output_index``, ids second: some relays make up ids at every event.
  Streams that are resumed begin anywhere; sequence numbers are not read.
- The same text comes up to five times: by deltas, with the part, with the item and with the
  whole response. What a later event says beyond the deltas is written; where it says something
  else, the deltas stand, with a finding.
- ``function_call`` and ``custom_tool_call`` are tool calls of ours; a custom tool's input is text
  and stands as raw arguments. Tools that the provider runs are server tool calls with their
  results, ``mcp_approval_request`` is one that waits for approval, an image is media: each with
  its whole item in ``opaque``. What else there is, such as built-in tools of the caller's, is kept
  whole beside the message, with a finding.
- Reasoning summaries are thinking; raw reasoning is, where an item has no summary.
- A refusal is text of the answer, and turns ``completed`` into ``refusal``.
- Reasoning items are kept whole, encrypted or not; of messages, ids, phases and annotations, which
  are citations as well.
- Sound has no item and no type: one media for the response.

Source: https://platform.openai.com/docs/api-reference/responses-streaming.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from partwire.errors import clip
from partwire.json.equality import same_json

from ...tables import finish_reasons
from ..core.adapter import ProviderAdapter
from ..core.errors import error_body
from ..openai_chat.usage import ChatUsage
from .content import ResponsesContent
from .items import RAW, REFUSAL, SUMMARY, TEXT, Channel

__all__ = ["OpenAIResponsesAdapter"]

_TEXT_DELTA: Final = "response.output_text.delta"
_DELTAS: Final[dict[str, Channel]] = {
    _TEXT_DELTA: TEXT,
    "response.content_part.delta": TEXT,  # OpenRouter
    "response.refusal.delta": REFUSAL,
    "response.reasoning_summary_text.delta": SUMMARY,
    "response.reasoning_summary.delta": SUMMARY,
    "response.reasoning_text.delta": RAW,
    "response.reasoning.delta": RAW,
}
_DONES: Final[dict[str, Channel]] = {
    "response.output_text.done": TEXT,
    "response.refusal.done": REFUSAL,
    "response.reasoning_summary_text.done": SUMMARY,
    "response.reasoning_summary.done": SUMMARY,
    "response.reasoning_text.done": RAW,
    "response.reasoning.done": RAW,
}
# Event → what a part of plain text in it is, and whether the part begins.
_PARTS: Final[dict[str, tuple[Channel, bool]]] = {
    "response.content_part.added": (TEXT, True),
    "response.content_part.done": (TEXT, False),
    "response.reasoning_summary_part.added": (SUMMARY, True),
    "response.reasoning_summary_part.done": (SUMMARY, False),
    "response.reasoning_part.added": (RAW, True),
    "response.reasoning_part.done": (RAW, False),
}
# Event → the kind of call, and whether all arguments come.
_ARGS: Final[dict[str, tuple[str, bool]]] = {
    "response.function_call_arguments.delta": ("function_call", False),
    "response.function_call_arguments.done": ("function_call", True),
    "response.custom_tool_call_input.delta": ("custom_tool_call", False),
    "response.custom_tool_call_input.done": ("custom_tool_call", True),
}
# The same of calls that the provider runs.
_SERVER_ARGS: Final[dict[str, tuple[str, bool]]] = {
    "response.mcp_call_arguments.delta": ("mcp_call", False),
    "response.mcp_call_arguments.done": ("mcp_call", True),
    "response.code_interpreter_call_code.delta": ("code_interpreter_call", False),
    "response.code_interpreter_call_code.done": ("code_interpreter_call", True),
}
_BEGINS: Final = frozenset({"response.queued", "response.in_progress", "response.created"})
# Event → the status that it says; the response's own counts where it is one.
_ENDS: Final = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
    "response.done": "completed",  # OpenRouter, and responses over web sockets
}
_STATUSES: Final = frozenset(_ENDS.values())
_RUNNING: Final = ("queued", "in_progress")  # the statuses of a response that has not ended
_IDLE: Final = frozenset({"ping", "keepalive", "response.keepalive", "response.heartbeat"})
# What the items say as well, when they are whole: the progress of tools.
_PROGRESS: Final = re.compile(
    r"response\.(\w+_call(_\w+)?|mcp_list_tools|output_text\.annotation|compaction|steer)\.\w+"
)


class OpenAIResponsesAdapter(ProviderAdapter):
    """Adapter of one Responses stream; see :class:`~.adapter.ProviderAdapter`.

    ``finish_reason`` is the status of the response.
    """

    dialect: ClassVar[str] = "openai-responses"

    def _open(self) -> None:
        self._content = ResponsesContent(self._writer, self._log)
        self._usage = ChatUsage()
        self._begun = False
        self._opened = False  # an event has said that the response begins
        self._named: object = None  # id of the response that such an event gave

    # --- events ----------------------------------------------------------------------------------

    def _read(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if "warnings" in event:
            self._writer.read_warnings(event, "")
        if kind == _TEXT_DELTA:
            self._content.text(event, TEXT)
        elif not isinstance(kind, str):
            self._read_bare(event)
        elif kind in _DELTAS:
            self._content.text(event, _DELTAS[kind])
        elif kind in _ARGS:
            self._content.piece_of_call(event, *_ARGS[kind])
        elif kind == "response.output_item.added":
            self._content.added(event)
        elif kind == "response.output_item.done":
            self._content.done(event)
        elif kind in _PARTS:
            self._content.part(event, *_PARTS[kind])
        elif kind in _DONES:
            channel = _DONES[kind]
            self._content.text_of(event, channel, event.get(channel.whole))
        elif kind in _BEGINS:
            self._read_begin(event, kind)
        elif kind in _ENDS:
            self._read_end(event.get("response"), _ENDS[kind], "/response")
        else:
            self._read_other(event, kind)
            return
        self._begun = True

    def _read_other(self, event: dict[str, Any], kind: str) -> None:
        """Read an event that carries no content of ours."""
        if kind == "error":
            inner = event.get("error")
            self._fail_with(inner or {k: v for k, v in event.items() if k != "type"})
        elif kind in _SERVER_ARGS:
            if self._writer.says_new:
                self._content.piece_of_call(event, *_SERVER_ARGS[kind])
        elif kind == "response.output_text.annotation.added":
            self._content.annotation(event)
        elif kind == "response.image_generation_call.partial_image":
            self._content.piece_of_image(event)
        elif kind.startswith("response.audio.") and self._writer.says_new:
            self._content.media.sound(event, kind)
        elif kind.startswith("response.audio."):
            self._writer.keep("audio", event)
            self._log.note(
                "adapter/unsupported-content",
                "The contract has no part for sound; it is kept beside the message",
                "/type",
                actual=clip(kind),
            )
        elif kind not in _IDLE and not _PROGRESS.fullmatch(kind):
            self._read_unknown(event, kind)

    def _read_bare(self, event: dict[str, Any]) -> None:
        """Read an event without a type: a whole response, or an error."""
        if event.get("object") == "response" and not self._begun:
            self._begun = True
            self._log.note("adapter/whole-body", "The response came whole, not as a stream")
            status = event.get("status")
            if status in _RUNNING:
                self._read_response(event, "")
            else:
                self._read_end(event, status if isinstance(status, str) else "completed", "")
        elif error := error_body(event):
            self._fail_with(error)
        else:
            self._read_unknown(event, event.get("type"))

    def _read_unknown(self, event: dict[str, Any], kind: object) -> None:
        if not self._begun and self._is_other_dialect(event):
            return
        self._unknown_type(kind)

    def _with_hint(self, event: dict[str, Any], name: str) -> dict[str, Any]:
        if "type" in event or not name.startswith("response."):
            return event
        return {"type": name, **event}

    def _may_follow(self, event: dict[str, Any]) -> bool:
        kind = event.get("type")
        if kind == "response.failed" and self.error is not None:
            self.finish_reason = "failed"  # the error has said why
            return True
        return isinstance(kind, str) and kind in _IDLE

    # --- the response ----------------------------------------------------------------------------

    def _read_begin(self, event: dict[str, Any], kind: str) -> None:
        """Read the beginning of the response; behind content it may only be said once more."""
        response = event.get("response")
        named = response.get("id") if type(response) is dict else None
        known, self._opened = self._named, True
        if self._content.has_items:
            is_other = not (named is None or known is None or same_json(named, known))
            if is_other or kind == "response.created":
                self._log.note(
                    "adapter/spliced-message",
                    "A second response begins inside the first one's stream",
                    "/response/id",
                    expected=clip(known),
                    actual=clip(named),
                )
                self._end_with("provider_internal", "A second response began inside the first one")
                return
        elif named is not None:
            self._named = named
        self._read_response(response, "/response")

    def _read_response(self, response: object, place: str) -> dict[str, Any]:
        """Read what any event says about the response as a whole, but for its usage."""
        if type(response) is not dict:
            self._log.invalid(place, "the response as an object", response)
            return {}
        self._read_format(response.get("text"))
        if place and "warnings" in response:
            self._writer.read_warnings(response, place)
        self._writer.identify(response.get("model"), response.get("id"))
        self._content.calls.declare(response.get("tools"))
        if response.get("store") is True:
            self._content.is_stored = True
        return response

    def _read_format(self, text: object) -> None:
        """Read what form the request asked for; the beginning repeats it."""
        asked = text.get("format") if type(text) is dict else None
        if type(asked) is not dict:
            return
        if asked.get("type") == "json_schema":
            name = asked.get("name")
            self._writer.say_format(name if isinstance(name, str) else None)
        elif asked.get("type") == "json_object":
            self._writer.say_format()

    def _read_usage(self, usage: object, place: str) -> None:
        if type(usage) is not dict:
            if usage is not None:
                self._log.invalid(place, "an object", usage)
            return
        figures = self._usage.read(usage, self._log, place, "two of input, output and total tokens")
        if figures is not None:
            self._writer.usage(figures)

    def _read_end(self, value: object, said: str, place: str) -> None:
        """Read the last event, or a whole response; ``said`` is the status that it implies."""
        response = self._read_response(value, place)
        status = response.get("status")
        if isinstance(status, str) and status in _STATUSES:
            said = status
        elif status is not None:
            self._log.invalid(f"{place}/status", "the status of a response that has ended", status)
        self.finish_reason = said
        self._content.output(response.get("output"), f"{place}/output")
        self._read_usage(response.get("usage"), f"{place}/usage")
        error = response.get("error")
        if error or said == "failed":
            self._fail_with(error or {"type": "server_error", "message": "The response failed"})
        elif said == "cancelled":
            self._end_with("cancelled", "The response was cancelled")
        else:
            self._end(response, said, place)

    def _end(self, response: dict[str, Any], said: str, place: str) -> None:
        """End the stream of a response that did not fail; ``said`` is its status."""
        status, details = response.get("status"), response.get("incomplete_details")
        given = details.get("reason") if type(details) is dict else details
        is_running = said == "completed" and status in _RUNNING
        if is_running and not (self._writer.wrote and self._content.is_whole):
            self._truncated("the response was completed")
            return
        has_begun = self._opened or self._content.has_items or not self._is_empty()
        if not (has_begun or response.get("id") or status or given):
            self._end_of_nothing()
            return
        if self._content.has_open_call:
            self._log.note(
                "adapter/block-order", "The response ends while a tool call is open", "/type"
            )
        self._flush()
        if is_running:  # there is a finding about the status already
            self.finish_reason = status
            self._writer.done("unknown", status)
            return
        reason = said if said == "completed" or given is None else given
        own = reason if isinstance(reason, str) and reason in (status, given) else None
        self._writer.done(self._reason(reason, f"{place}/incomplete_details/reason"), own)

    def _reason(self, reason: object, place: str) -> str:
        """Return the contract's finish reason of a response that did not fail."""
        key = reason if isinstance(reason, str) else ""
        known = self._known_reason(finish_reasons.RESPONSES, key, reason, place)
        if known == "stop" and "tool_call" in self._writer.wrote:
            return "tool_calls"
        if known == "stop" and self._content.calls.asks:
            return "awaiting_approval"
        if known == "stop" and self._content.refused:
            return "refusal"
        return known

    # --- the end ---------------------------------------------------------------------------------

    def _flush(self) -> None:
        self._content.finish()

    def _finish(self) -> None:
        self._truncated("response.completed")

    def _done_mark(self) -> None:
        """Pass over ``[DONE]``: some vendors add it, it ends nothing here."""
