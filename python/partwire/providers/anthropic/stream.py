"""Anthropic Messages: raw events → deltas.

End marker: ``message_stop``. What the format says and what relays make of it:

- Blocks are told apart by ``index``; a new block on the index of an open one ends that one.
- ``tool_use`` is a tool call of ours. ``server_tool_use`` and ``mcp_tool_use`` are calls that the
  provider runs, ``*_tool_result`` their results: separate parts, with the block in ``opaque``.
  A result that answers no call, or one that has its result, is state of the provider.
- Citations are written when their block ends, for all of its text: they may come before it. In a
  block without text they are state.
- Signatures, redacted thinking, compaction and blocks of unknown types are kept in ``opaque``;
  none of it is text.
- ``warnings``, which gateways add to events and messages, are the contract's.
- For ``version="v0.2"`` server tools and citations are state too, at the place where they stood.
- ``usage`` of ``message_delta`` is cumulative and replaces that of ``message_start`` field by
  field. ``inputTokens`` is input + cache read + cache write, which the provider reports apart.
- A second ``message_start`` with another id, or after content, is a second answer in the first
  one's stream: an error, since what has been emitted cannot be taken back.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from partwire.tables import provider_names, usage_figures

from ...tables import finish_reasons
from ..core.adapter import ProviderAdapter
from ..core.errors import error_body
from ..core.usage import Figures, usage_summary
from .blocks import AnthropicBlocks

__all__ = ["AnthropicMessagesAdapter"]

_EVENTS: Final = frozenset(provider_names.ANTHROPIC_EVENTS)


class AnthropicMessagesAdapter(ProviderAdapter):
    """Adapter of one Anthropic Messages stream; see :class:`~.adapter.ProviderAdapter`."""

    dialect: ClassVar[str] = "anthropic-messages"

    def _open(self) -> None:
        self._blocks = AnthropicBlocks(self._writer, self._log)
        self._message_id: str | None = None
        self._begun = False
        self._figures = Figures()

    # --- events ----------------------------------------------------------------------------------

    def _read(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if "warnings" in event:
            self._writer.read_warnings(event, "")
        if kind == "content_block_delta":
            index, delta = event.get("index"), event.get("delta")
            if type(index) is not int:
                index = self._missing_index(index)
            if type(delta) is dict:
                self._blocks.piece(index, delta)
            else:
                self._log.invalid("/delta", "an object", delta)
        elif kind in ("content_block_start", "content_block_stop"):
            self._read_bound(event, kind == "content_block_start")
        elif kind == "message_delta":
            self._read_message_delta(event)
        elif kind == "message_start":
            self._start_message(event.get("message"), "/message")
        elif kind == "message_stop":
            self._stop_message(event)
        elif kind == "error":
            self._fail_with(event.get("error", event))
        elif kind == "message":
            self._read_body(event)
        elif kind != "ping":
            self._read_unknown(event, kind)

    def _read_bound(self, event: dict[str, Any], starts: bool) -> None:
        """Read the beginning or the end of a block."""
        index = event.get("index")
        if type(index) is not int:
            index = self._missing_index(index) + starts
        if starts:
            self._blocks.start(index, event.get("content_block"))
        else:
            self._blocks.stop(index)

    def _missing_index(self, index: object) -> int:
        """Return the last block's index, where an event has none."""
        self._log.invalid("/index", "the block's number", index)
        return self._blocks.last_index

    def _read_unknown(self, event: dict[str, Any], kind: object) -> None:
        if kind is None and "chunk" in event:
            self._read_chunk(event)
        elif not self._begun and self._is_other_dialect(event):
            return
        elif kind is None and (error := error_body(event)):
            self._fail_with(error)
        else:
            self._unknown_type(kind)

    def _with_hint(self, event: dict[str, Any], name: str) -> dict[str, Any]:
        if "type" in event or name not in _EVENTS:
            return event
        return {"type": name, **event}

    def _may_follow(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "ping"

    # --- the message -----------------------------------------------------------------------------

    def _start_message(self, message: object, place: str) -> None:
        if type(message) is not dict:
            self._log.invalid(place, "the message as an object", message)
            message = {}
        message_id = message.get("id")
        if self._begun:
            self._read_second(message_id)
            return
        self._begun = True
        if place:
            self._writer.read_warnings(message, place)
        self._message_id = message_id if isinstance(message_id, str) else None
        self._writer.identify(message.get("model"), message_id)
        self._writer.start()
        self._read_usage(message.get("usage"), f"{place}/usage")
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if isinstance(content, list):
            for index, block in enumerate(content):
                self._blocks.start(index, block)
                self._blocks.stop(index)
        self._read_stop(message)

    def _read_second(self, message_id: object) -> None:
        """Pass over a message_start that is only repeated; end the stream at any other."""
        if message_id == self._message_id and not self._writer.wrote and not self._blocks:
            self._log.note(
                "adapter/block-order", "message_start came twice, before any content", "/type"
            )
            return
        self._refuse_second("/message/id", self._message_id, message_id)

    def _read_body(self, body: dict[str, Any]) -> None:
        """Read a whole message that came in place of a stream."""
        if self._begun:
            self._read_unknown(body, "message")
            return
        self._log.note("adapter/whole-body", "The message came whole, not as a stream", "/type")
        self._start_message(body, "")
        if self.finish_reason is not None:
            self._end()

    def _read_message_delta(self, event: dict[str, Any]) -> None:
        delta = event.get("delta")
        if type(delta) is dict:
            self._read_stop(delta)
        elif delta is not None:
            self._log.invalid("/delta", "an object", delta)
        self._read_usage(event.get("usage"), "/usage")

    def _read_stop(self, value: dict[str, Any]) -> None:
        reason = value.get("stop_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        elif reason is not None and reason != "":
            self._log.invalid("/delta/stop_reason", "a string", reason)
        for name in ("stop_sequence", "stop_details", "container"):
            if value.get(name) is not None:
                self._writer.keep(name, value[name])

    def _stop_message(self, event: dict[str, Any]) -> None:
        metrics = event.get("amazon-bedrock-invocationMetrics")
        if isinstance(metrics, dict) and self._figures.get("input_tokens") is None:
            counts = {
                "input_tokens": metrics.get("inputTokenCount"),
                "output_tokens": metrics.get("outputTokenCount"),
            }
            self._read_usage(counts, "/amazon-bedrock-invocationMetrics")
        if self._writer.open_calls:
            self._log.note(
                "adapter/block-order", "The message ends while a tool call is open", "/type"
            )
        self._end()

    def _end(self) -> None:
        self._blocks.stop_all()
        key = self.finish_reason or ""
        self._end_with_reason(finish_reasons.ANTHROPIC, key, has_begun=self._begun)

    def _finish(self) -> None:
        self._truncated("message_stop")

    def _done_mark(self) -> None:
        """Pass over ``[DONE]``: relays add it, it ends nothing here."""

    def _read_usage(self, usage: object, place: str) -> None:
        if usage is None:
            return
        if type(usage) is not dict:
            self._log.invalid(place, "an object", usage)
            return
        figures = self._figures
        bad = figures.take(usage, usage_figures.ANTHROPIC)
        if bad is not None:
            self._log.invalid(f"{place}/{bad}", "a count", usage[bad])
        details = usage.get("output_tokens_details")
        if type(details) is dict:
            if figures.take(details, usage_figures.ANTHROPIC_DETAILS):
                self._log.invalid(f"{place}/output_tokens_details", "counts", details)
        elif details is not None:
            self._log.invalid(f"{place}/output_tokens_details", "an object", details)
        if figures.get("input_tokens") is None and figures.get("output_tokens") is None:
            return
        read, written = figures["input_tokens"], figures["output_tokens"]
        thought = figures.get("thinking_tokens")
        if thought is not None and thought > written:
            self._log.usage("more reasoning than output")
        cache_read = figures.get("cache_read_input_tokens")
        cache_write = figures.get("cache_creation_input_tokens")
        read += (cache_read or 0) + (cache_write or 0)
        self._writer.usage(
            usage_summary(
                read,
                written,
                read + written,
                reasoning=thought,
                cache_read=cache_read,
                cache_write=cache_write,
            )
        )
