"""What every adapter is: raw events of one provider's stream in, deltas of the contract out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Set
from typing import Any, ClassVar

from msgspec.structs import replace

from partwire.contract.current import LATEST_VERSION
from partwire.contract.current.message import MessageDelta
from partwire.errors import Finding, bad_argument, clip

from ...tables.limits import MAX_BARE_CHARS
from .errors import RETRYABLE, ProviderError, error_body, error_code, read_error
from .findings import FindingLog
from .kept_state import KeptState
from .opaque import OpaqueItem, without_secrets
from .raw_events import NOTHING, chunk_event, decode_event, decode_strict, values_on_lines
from .sniff import dialect_of
from .stream_ids import check_id, given_ids
from .stream_words import AuthorLike, FormatLike, given_words, says_new
from .writer import DeltaWriter, StreamInit

__all__ = ["ProviderAdapter"]


class ProviderAdapter(ABC):
    """Turn the raw events of one response into deltas; sans-IO, for one stream.

    ``clock`` gives the timestamp of each delta (RFC 3339). ``used_tool_call_ids`` are the ids
    that the run has used already: a call that repeats one gets a new id. With ``keep_raw`` each
    raw event is carried once, as ``providerRaw: {"events": […]}`` of the first delta that comes
    with or after it, without credentials. Nothing that a provider sends raises: what does not
    fit becomes a finding, or the stream ends as an ``error`` delta. ``message_id`` and
    ``turn_id`` are the caller's, and every delta says them; without them none does. The start
    says ``author``, a name or an Author, and, where the request asked for JSON, ``format``. With
    ``version`` "v0.2" the deltas are those of that version: what is new in v0.3 is state of the
    provider then, as it was, and author and format are refused.

    ``findings`` are in order of arrival; pointers begin with the number of the raw event.
    ``provider_ids`` maps each minted tool call id to the provider's own, None where it sent none.
    ``opaque`` holds what the provider wants back unchanged (signatures, encrypted reasoning,
    server-side tool blocks, citations); the deltas carry all of it, each item with the part that
    it belongs to. ``finish_reason`` and ``error`` are the provider's own.
    Source: semantics, model and adapters.
    """

    dialect: ClassVar[str]

    def __init__(  # noqa: PLR0913 - what a caller may say of a stream
        self,
        run_id: str,
        *,
        clock: Callable[[], str],
        used_tool_call_ids: Set[str] = frozenset(),
        keep_raw: bool = False,
        message_id: str | None = None,
        turn_id: str | None = None,
        author: AuthorLike | None = None,
        format: FormatLike | None = None,  # noqa: A002 - its name in the contract
        version: str = LATEST_VERSION,
    ) -> None:
        check_id("run", run_id)
        ids = given_ids(message_id, turn_id)
        self._log = FindingLog()
        state = KeptState(self.dialect)
        words, is_new = given_words(author, format, version), says_new(version)
        stream = StreamInit(run_id, clock, used_tool_call_ids, self._log, state, ids, is_new, words)
        self._writer = DeltaWriter(stream)
        self._raw: list[Any] | None = [] if keep_raw else None
        self.finish_reason: str | None = None
        self.error: ProviderError | None = None
        self._open()

    # --- what the caller reads -------------------------------------------------------------------

    @property
    def findings(self) -> list[Finding]:
        """What did not fit, in order; at most 200, repeats kept once."""
        return self._log.findings

    @property
    def opaque(self) -> list[OpaqueItem]:
        """What the provider wants back unchanged, in order of arrival."""
        return self._writer.state.items

    @property
    def provider_ids(self) -> dict[str, str | None]:
        """Minted tool call id → the provider's own id, None where it sent none."""
        return self._writer.state.provider_ids

    @property
    def model_id(self) -> str:
        """The model that the provider names, ``""`` until it does."""
        return self._writer.model_id

    @property
    def request_id(self) -> str:
        """The provider's id of the response, ``""`` until it comes."""
        return self._writer.request_id

    @property
    def ended(self) -> bool:
        """Whether ``done`` or ``error`` has been emitted."""
        return self._writer.ended

    # --- what the caller calls -------------------------------------------------------------------

    def feed(self, event: object) -> list[MessageDelta]:
        """Return the deltas of one raw event: a JSON object as the provider sent it."""
        log, writer = self._log, self._writer
        log.event += 1
        if self._raw is not None:
            self._raw.append(without_secrets(event))
        if writer.ended:
            self._after_end(event)
        elif type(event) is dict:
            self._read(event)
        else:
            log.note(
                "adapter/invalid-event",
                "The event is not an object",
                expected="a JSON object",
                actual=clip(event),
            )
        out = writer.out
        if not out:
            return []
        if self._raw:
            return self._take()
        writer.out = []
        return out

    def feed_text(self, data: str, event: str = "") -> list[MessageDelta]:
        """Return the deltas of one event as it stood on the wire, not decoded.

        ``event`` is the name that the framing gave it, a hint only: what the JSON says counts.
        Reads ``[DONE]``, several events in an array or on a line each, and what is not JSON.
        """
        try:
            value = decode_strict(data)
        except (ValueError, RecursionError):
            value = decode_event(data)
        if type(value) is dict and event != "error":
            if event and value.get("type") != event:
                value = self._with_hint(value, event)
            return self.feed(value)
        return self._read_text(data, value, event)

    def feed_error(self, value: object) -> list[MessageDelta]:
        """Return the deltas of an error that the framing names, not the event itself.

        ``value`` is what it says: an object with ``code`` or ``type`` and ``message``, or a text.
        """
        return self._read_error(value, value)

    def feed_bare(self, text: str) -> list[MessageDelta]:
        """Return the deltas of JSON that stands bare among server-sent events.

        Google's servers, and some proxies, write their errors so: one of those counts. Anything
        else is a finding; what is not JSON is lost, as an event that is cut.
        """
        values = list(values_on_lines(text[:MAX_BARE_CHARS]))
        bodies = (item for value in values for item in (value if type(value) is list else [value]))
        for body in bodies:
            if type(body) is dict and (error := error_body(body)):
                return self._read_error(body, error)
        self._log.event += 1
        if self._raw is not None:
            self._raw.append(without_secrets(text))
        self._log.note(
            "adapter/invalid-event",
            "JSON stands bare among the events, and is not an error; it is passed over",
            expected="an event, or an error",
            actual=clip(text),
        )
        if NOTHING in values:
            self._lose()
        return self._take()

    def feed_torn(self) -> list[MessageDelta]:
        """Return the deltas of an event that is cut, so that nothing of it can be read."""
        self._log.event += 1
        self._log.note("adapter/invalid-event", "The event is cut", expected="a whole event")
        self._lose()
        return self._take()

    def identify(self, model_id: str = "", request_id: str = "") -> list[MessageDelta]:
        """Say what the stream itself may not: the model, and the provider's id of the response.

        Names that the stream has given already stay. Some providers have them in the HTTP
        response or in the request alone (Bedrock).
        """
        if not self._writer.ended:
            self._writer.identify(model_id, request_id)
        return self._take()

    def close(self) -> list[MessageDelta]:
        """Say that the input has ended; return the last deltas: done, or ``truncated_stream``."""
        if not self._writer.ended:
            self._finish()
        return self._take()

    def fail(self, finding: Finding) -> list[MessageDelta]:
        """End the stream because its bytes cannot be read on; ``finding`` says why."""
        self._log.add(finding)
        if not self._writer.ended:
            # Damage happens on the way; the other refusals would come again.
            code = "connection" if finding.rule == "framing/checksum-mismatch" else "unknown"
            self._end_with(code, f"{finding.message} [{finding.rule}]")
        return self._take()

    def abort(
        self, error_code: str, message: str, *, retryable: bool | None = None
    ) -> list[MessageDelta]:
        """End the stream for a reason of its own: the connection failed, the call was refused.

        ``error_code`` is one of the contract's; ``retryable`` is the code's own without a value.
        Nothing comes of it where the stream has ended. Raises UsageError for an unknown code.
        """
        if error_code not in RETRYABLE:
            raise bad_argument("No such error code", ", ".join(RETRYABLE), error_code)
        if not self._writer.ended:
            self._flush()
            self._writer.fail(error_code, message, retryable)
        return self._take()

    # --- what an adapter fills in ----------------------------------------------------------------

    @abstractmethod
    def _read(self, event: dict[str, Any]) -> None:
        """Write the deltas of one event; nothing has ended the stream yet."""

    @abstractmethod
    def _finish(self) -> None:
        """Write the last delta: the input has ended."""

    @abstractmethod
    def _done_mark(self) -> None:
        """Read ``[DONE]``."""

    def _open(self) -> None:  # noqa: B027 - what only looks at a stream has nothing to set up
        """Set up what the dialect needs to read a stream."""

    def _flush(self) -> None:  # noqa: B027 - most formats hold nothing back
        """Write what is held back, before the last delta."""

    def _is_whole(self) -> bool:
        """Return whether the content is known to be whole, so that a torn event costs nothing."""
        return False

    def _may_follow(self, event: dict[str, Any]) -> bool:
        """Return whether the provider sends this after the end of its own accord."""
        return False

    def _with_hint(self, event: dict[str, Any], name: str) -> dict[str, Any]:
        """Return the event, completed by the framing's name for it where the dialect has one."""
        return event

    # --- errors ----------------------------------------------------------------------------------

    def _fail_with(self, value: object) -> None:
        """End the stream with the provider's error."""
        error = self.error = read_error(value)
        self._end_with(error_code(error), error.message or error.code or error.type)

    def _end_with(self, code: str, message: str | None) -> None:
        self._flush()
        self._writer.fail(code, message)

    def _refuse_second(self, place: str, first: object, other: object) -> None:
        """End the stream at a second message: what the first one said cannot be taken back."""
        self._log.note(
            "adapter/spliced-message",
            "A second message begins inside the first one's stream",
            place,
            expected=clip(first),
            actual=clip(other),
        )
        self._end_with("provider_internal", "A second message began inside the first one")

    def _is_empty(self) -> bool:
        """Return whether nothing has come that a message or the next request would hold."""
        return not self._writer.wrote and not self._writer.state.items

    def _end_with_reason(
        self, table: Mapping[str, str], key: str, place: str = "", *, has_begun: bool
    ) -> None:
        """End the stream as complete, by its finish reason, which is ``key`` in the table.

        An end marker that has no message before it, and no reason with it, is what a torn stream
        has left.
        """
        said = self.finish_reason
        if said is None and not has_begun and self._is_empty():
            self._end_of_nothing()
        else:
            self._writer.done(self._known_reason(table, key, said, place), said)

    def _end_of_nothing(self) -> None:
        self._truncated("any message")

    def _truncated(self, expected: str) -> None:
        self._end_with("truncated_stream", f"The stream stopped before {expected}")

    def _is_other_dialect(self, event: dict[str, Any]) -> bool:
        """Return whether a first event is another dialect's; if so, end the stream."""
        found = dialect_of(event)
        if found is None or found[0] == self.dialect:
            return False
        self._wrong_dialect(*found)
        return True

    def _unknown_type(self, kind: object) -> None:
        self._log.note(
            "adapter/unknown-event",
            "The event's type is not known; it is passed over",
            "/type",
            expected="an event of the dialect",
            actual=clip(kind),
        )

    def _known_reason(
        self, table: Mapping[str, str], key: str, said: object, place: str = ""
    ) -> str:
        """Return the contract's finish reason; where the table has none, unknown, and say so."""
        known = table.get(key)
        if said is None:
            self._log.note(
                "adapter/unknown-finish-reason",
                "No finish reason came; it counts as unknown",
                place,
                expected="a finish reason",
            )
        elif known is None:
            self._log.note(
                "adapter/unknown-finish-reason",
                "The finish reason is not known; it counts as unknown",
                place,
                expected=", ".join(table),
                actual=clip(said),
            )
        return known or "unknown"

    def _wrong_dialect(self, other: str, place: str) -> None:
        self._log.note(
            "adapter/wrong-dialect",
            f"The stream speaks {other}, not {self.dialect}",
            place,
            expected=self.dialect,
            actual=other,
        )
        self._end_with("unknown", f"The stream speaks {other}, not {self.dialect}")

    # --- inside ----------------------------------------------------------------------------------

    def _read_error(self, event: object, error: object) -> list[MessageDelta]:
        """Read an event that is an error, or holds one."""
        self._log.event += 1
        if self._raw is not None:
            self._raw.append(without_secrets(event))
        if self._writer.ended:
            self._after_end(event)
        else:
            self._fail_with(error)
        return self._take()

    def _read_text(self, data: str, value: object, event: str) -> list[MessageDelta]:
        text = data.strip()
        lines = text.split("\n") if value is NOTHING else []
        if len(lines) > 1 and all(_is_event(line) for line in lines[:-1]):
            # Some servers end events with one line end: to the framing they are one event, and
            # the last one's name is that of all.
            name = "" if lines[-1].strip() == "[DONE]" else event
            deltas = [delta for line in lines[:-1] for delta in self.feed_text(line)]
            return deltas + self.feed_text(lines[-1], name)
        if event == "error" and text and not self._writer.ended:
            return self.feed_error(value if value is not NOTHING else text)
        if type(value) is dict:
            return self.feed(value)
        if type(value) is list and value and all(type(item) is dict for item in value):
            return [delta for item in value for delta in self.feed(item)]
        if value is not NOTHING:
            return self.feed(value)
        self._log.event += 1
        if self._raw is not None and text:
            self._raw.append(without_secrets(data))
        if text == "[DONE]":
            if not self._writer.ended:
                self._done_mark()
        elif text:
            self._no_json(text)
        return self._take()

    def _no_json(self, text: str) -> None:
        """Note an event that is not JSON; a broken object may have carried content."""
        self._log.note(
            "adapter/invalid-event",
            "The event is not JSON",
            expected="a JSON object",
            actual=clip(text),
        )
        if text[0] in "{[":
            self._lose()

    def _lose(self) -> None:
        """Take an event for lost, which may have carried content."""
        if not self._writer.ended and not self._is_whole():
            self._end_with("truncated_stream", "An event is cut or broken: its content is lost")

    def _read_chunk(self, event: dict[str, Any]) -> None:
        """Read the event that a Bedrock ``chunk`` carries, as its Python client gives it."""
        value = chunk_event(event)
        if type(value) is dict:
            self._read(value)
        else:
            self._log.invalid("/chunk/bytes", "an event as JSON in Base64", event["chunk"])

    def _after_end(self, event: object) -> None:
        if isinstance(event, dict) and self._may_follow(event):
            return
        self._log.note(
            "adapter/after-end",
            "The stream goes on after its end; what follows is passed over",
            expected="the end of the input",
        )

    def _take(self) -> list[MessageDelta]:
        writer = self._writer
        out = writer.out
        if not out:
            return []  # not the writer's own list: it grows
        writer.out = []
        if self._raw:
            out[0] = replace(out[0], provider_raw={"events": self._raw})
            self._raw = []
        return out


def _is_event(line: str) -> bool:
    """Return whether a line is an event of its own, or ``[DONE]``."""
    return line.strip() == "[DONE]" or type(decode_event(line)) is dict
