"""Bedrock Converse: raw events → deltas.

An event is an object whose member names it: ``{"contentBlockDelta": {…}}``; Nova's own format,
which InvokeModel streams carry, has the vendor's members beside it. End marker: ``messageStop``.
Metadata with the usage comes behind it, or, from relays, before; ``done`` comes once both are
there, or at the end of the input. What else is to be known:

- Text and reasoning begin without ``contentBlockStart``; Nova gives every piece of text a block
  of its own. A mock or relay may leave out ``messageStart`` and ``contentBlockStop``.
- ``toolUse`` of type ``server_tool_use`` is a call that the provider runs, ``toolResult`` its
  result, whole when its block ends: separate parts, with the block in ``opaque``. A result
  that answers no call is state of the provider.
- ``image`` blocks are media; one without bytes is state. Signatures and redacted reasoning are
  kept in ``opaque``.
- Citations are written when their block ends, for all of its text: they may come before it.
- For ``version="v0.2"`` server tools, images and citations are state, where they stood.
- ``p`` is padding. The guardrail's trace is not kept: it may hold what was masked.
- ``inputTokens`` is without cached tokens, which are reported apart; a total that leaves no room
  for them says otherwise.
- The stream names neither model nor request: see :meth:`~.adapter.ProviderAdapter.identify`.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from partwire.errors import clip
from partwire.tables import provider_names, usage_figures

from ...tables import finish_reasons
from ..core.adapter import ProviderAdapter
from ..core.errors import error_body, exception_body
from ..core.usage import Figures, usage_summary
from .blocks import BedrockBlocks, as_base64

__all__ = ["BedrockConverseAdapter"]

_EVENTS: Final = frozenset(provider_names.BEDROCK_EVENTS)
_METRICS: Final = "amazon-bedrock-invocationMetrics"
_PASSED_OVER: Final = frozenset(provider_names.BEDROCK_IGNORED)


class BedrockConverseAdapter(ProviderAdapter):
    """Adapter of one Converse stream; see :class:`~.adapter.ProviderAdapter`.

    Takes events as JSON and as AWS's Python client gives them, with ``bytes`` in place of Base64;
    what it keeps is JSON.
    """

    dialect: ClassVar[str] = "bedrock-converse"

    def _open(self) -> None:
        self._blocks = BedrockBlocks(self._writer, self._log)
        self._begun = False  # messageStart has come
        self._seen = False  # an event of this dialect has come
        self._stopped = False
        self._figures = Figures()

    # --- events ----------------------------------------------------------------------------------

    def _read(self, event: dict[str, Any]) -> None:
        body = event.get("contentBlockDelta")
        if type(body) is dict and len(event) == 1 and not self._stopped:
            self._seen = True
            self._read_delta(body)
            return
        unknown = [name for name, body in event.items() if not self._read_member(name, body)]
        if self._writer.ended:
            return
        if len(unknown) == len(event):
            self._read_other(event)
        elif unknown:
            self._note_unknown(unknown[0])
        self._end_if_whole()

    def _read_member(self, name: str, body: Any) -> bool:
        """Read one member of an event; return whether it is known."""
        if self._writer.ended or name in _PASSED_OVER:
            return True
        if name == _METRICS:
            self._read_metrics(body)
        elif name in _EVENTS:
            self._seen = True
            if type(body) is not dict:
                self._log.invalid(f"/{name}", "an object", body)
            elif name == "metadata":
                self._read_metadata(body)
            elif self._stopped:
                self._log.note(
                    "adapter/after-end",
                    "The message goes on after messageStop; what follows is passed over",
                    f"/{name}",
                    expected="metadata, or the end of the input",
                )
            else:
                self._read_message_event(name, body)
        elif name.endswith("Exception"):
            self._fail_with(exception_body(name, body))
        else:
            return False
        return True

    def _read_message_event(self, name: str, body: dict[str, Any]) -> None:
        if name == "contentBlockDelta":
            self._read_delta(body)
        elif name == "messageStart":
            self._start_message()
        elif name == "messageStop":
            self._stop_message(body)
        else:
            starts = name == "contentBlockStart"
            index = body.get("contentBlockIndex")
            if type(index) is not int:
                index = self._missing_index(index, name) + starts
            if starts:
                self._blocks.start(index, body.get("start"))
            else:
                self._blocks.stop(index)

    def _read_delta(self, body: dict[str, Any]) -> None:
        index, delta = body.get("contentBlockIndex"), body.get("delta")
        if type(index) is not int:
            index = self._missing_index(index, "contentBlockDelta")
        if type(delta) is dict:
            self._blocks.piece(index, delta)
        else:
            self._log.invalid("/contentBlockDelta/delta", "an object", delta)

    def _missing_index(self, index: object, name: str) -> int:
        """Return the last block's index, where an event has none."""
        self._log.invalid(f"/{name}/contentBlockIndex", "the block's number", index)
        return self._blocks.last_index

    def _read_other(self, event: dict[str, Any]) -> None:
        """Read an event of which no member is one of the stream's."""
        output = event.get("output")
        if "chunk" in event:
            self._read_chunk(event)
        elif type(output) is dict and type(output.get("message")) is dict:
            self._read_body(event, output["message"])
        elif (error := _error(event)) is not None:
            self._fail_with(error)
        elif event and (self._seen or not self._is_other_dialect(event)):
            self._note_unknown(next(iter(event)))

    def _note_unknown(self, name: str) -> None:
        self._log.note(
            "adapter/unknown-event",
            "The event's name is not known; it is passed over",
            expected="an event of the dialect",
            actual=clip(name),
        )

    def _with_hint(self, event: dict[str, Any], name: str) -> dict[str, Any]:
        if name in _EVENTS and not (_EVENTS & event.keys()):
            return {name: event}
        return event

    def _may_follow(self, event: dict[str, Any]) -> bool:
        return "metadata" in event or _METRICS in event

    # --- the message -----------------------------------------------------------------------------

    def _start_message(self) -> None:
        """Read ``messageStart``; pass over one that is only repeated, end the stream at others."""
        if self._begun and (self._writer.wrote or self._blocks.open):
            self._log.note(
                "adapter/spliced-message",
                "A second message begins inside the first one's stream",
                "/messageStart",
            )
            self._end_with("provider_internal", "A second message began inside the first one")
        elif self._begun or self._writer.wrote:
            self._log.note(
                "adapter/block-order",
                "messageStart came late or twice; it is passed over",
                "/messageStart",
            )
        self._begun = True
        self._writer.start()

    def _stop_message(self, body: dict[str, Any]) -> None:
        self._stopped = True
        self._read_reason(body.get("stopReason"), "/messageStop/stopReason")
        if self._writer.open_calls:
            self._log.note(
                "adapter/block-order",
                "The message ends while a tool call is open",
                "/messageStop",
            )
        self._blocks.stop_all()
        self._keep_fields(body)

    def _read_reason(self, reason: object, place: str) -> None:
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        elif reason is not None and reason != "":
            self._log.invalid(place, "a string", reason)

    def _keep_fields(self, body: dict[str, Any]) -> None:
        fields = body.get("additionalModelResponseFields")
        if fields is not None:
            self._writer.keep("additionalModelResponseFields", as_base64(fields))

    def _read_body(self, body: dict[str, Any], message: dict[str, Any]) -> None:
        """Read the response of Converse, or Nova's, that came in place of a stream."""
        if self._seen:
            self._note_unknown("output")
            return
        self._seen = True
        self._log.note("adapter/whole-body", "The message came whole, not as a stream", "/output")
        self._writer.start()
        content = message.get("content")
        if type(content) is list:
            self._blocks.read_whole(content)
        elif content is not None:
            self._log.invalid("/output/message/content", "an array", content)
        self._read_reason(body.get("stopReason"), "/stopReason")
        self._stopped = self.finish_reason is not None
        self._keep_fields(body)
        self._read_usage(body.get("usage"), "/usage")
        if self._stopped:
            self._end()

    # --- usage -----------------------------------------------------------------------------------

    def _read_metadata(self, body: dict[str, Any]) -> None:
        self._read_usage(body.get("usage"), "/metadata/usage")

    def _read_metrics(self, metrics: object) -> None:
        """Take the figures of InvokeModel where the model's own event has none."""
        if type(metrics) is dict and self._figures.get("inputTokens", "outputTokens") is None:
            counts = {
                "inputTokens": metrics.get("inputTokenCount"),
                "outputTokens": metrics.get("outputTokenCount"),
                "cacheReadInputTokens": metrics.get("cacheReadInputTokenCount"),
                "cacheWriteInputTokens": metrics.get("cacheWriteInputTokenCount"),
            }
            self._read_usage(counts, f"/{_METRICS}")

    def _read_usage(self, usage: object, place: str) -> None:
        if usage is None:
            return
        if type(usage) is not dict:
            self._log.invalid(place, "an object", usage)
            return
        figures = self._figures
        bad = figures.take(usage, usage_figures.BEDROCK)
        if bad is not None:
            self._log.invalid(f"{place}/{bad}", "a count", usage[bad])
        read, written = figures.get("inputTokens"), figures.get("outputTokens")
        if read is None and written is None:
            if usage:
                self._log.note(
                    "adapter/incomplete-usage",
                    "The usage has too few figures to be reported",
                    place,
                    expected="input or output tokens",
                )
            return
        self._report(read or 0, written or 0)

    def _report(self, read: int, written: int) -> None:
        get = self._figures.get
        cache_read = get("cacheReadInputTokens", "cacheReadInputTokenCount")
        cache_write = get("cacheWriteInputTokens", "cacheWriteInputTokenCount")
        cached = (cache_read or 0) + (cache_write or 0)
        total = get("totalTokens")
        if total is None or cached > read or total >= read + written + cached:
            read += cached
        total = read + written if total is None else total
        self._writer.usage(
            usage_summary(read, written, total, cache_read=cache_read, cache_write=cache_write)
        )

    # --- the end ---------------------------------------------------------------------------------

    def _is_whole(self) -> bool:
        return self._stopped

    def _end_if_whole(self) -> None:
        has_usage = self._figures.get("inputTokens", "outputTokens") is not None
        if self._stopped and has_usage and not self._writer.ended:
            self._end()

    def _end(self) -> None:
        key, at = self.finish_reason or "", "/messageStop/stopReason"
        self._end_with_reason(finish_reasons.BEDROCK, key, at, has_begun=self._begun)

    def _finish(self) -> None:
        if self._stopped:
            self._end()
        else:
            self._truncated("messageStop")

    def _done_mark(self) -> None:
        """Pass over ``[DONE]``: relays add it, it ends nothing here."""


def _error(event: dict[str, Any]) -> object:
    """Return the error that a body without a message is, None if it is none.

    AWS's own are ``{"message": …}``, with ``__type`` in some services; ``{"Error": {"Code": …,
    "Message": …}}`` is what its Python client keeps of one.
    """
    if error := error_body(event):
        return error
    words = event.get("message", event.get("Message"))
    error = event.get("Error")
    if isinstance(error, dict):
        return {"code": error.get("Code"), "message": error.get("Message")}
    name = event.get("__type")
    if isinstance(name, str) and name:
        return {"code": name.rpartition("#")[2], "message": words}
    return {"message": words} if isinstance(words, str) and len(event) == 1 else None
