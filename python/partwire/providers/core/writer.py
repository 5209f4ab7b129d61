"""The writing half of every adapter: deltas that keep the contract, whatever the provider sent.

What holds for every stream that comes out of here:

- The first delta is ``start``, exactly one ``done`` or ``error`` is the last, ``seq`` counts from
  0 without a gap.
- No text, thinking or argument delta is empty, but for one that ends its part and carries what
  the provider wants back with it; none holds half a character: the two halves of a surrogate pair
  are joined, also across deltas; a half whose other half never comes becomes U+FFFD, with a
  finding.
- A tool call has a name, an id that the run has not used, one start and one end; ``done`` comes
  with no call and no media open.
- A citation has a text part, a result of a server tool is the first of its call, an approval
  request has a call that has ended, media has bytes. What cannot be written is not, and who asked
  for it is told so by False.

Source: semantics, model and adapters.
"""

from __future__ import annotations

from msgspec import UNSET

from partwire.contract.current.message import (
    DoneDelta,
    DoneDeltaPayload,
    ErrorDelta,
    ErrorDeltaPayload,
)

from .call_ids import OpenCall
from .errors import RETRYABLE
from .opaque import well_formed
from .writing.media import MediaWriter, OpenMedia
from .writing.stream import UNKNOWN, Items, StreamInit, TextKind, as_name

__all__ = ["UNKNOWN", "DeltaWriter", "Items", "OpenCall", "OpenMedia", "StreamInit", "TextKind"]


class DeltaWriter(MediaWriter):
    """Append deltas to ``out``, from the start to the last one."""

    def done(self, finish_reason: str, said: str | None = None) -> None:
        """Close what is open and end the stream as complete; ``said`` is the provider's reason."""
        self.start()
        for media in list(self._media):
            if not self.end_media(media):
                for kind, data in media.kept:
                    self.keep(kind, data)
        calls = list(self._open.values())
        for call in calls:
            # Text that is still open is ended behind the calls, and carries the rest.
            self.end_call(call, last=call is calls[-1] and self.kind is None)
        self._end_parts()
        payload = DoneDeltaPayload(
            finish_reason=finish_reason,
            provider_finish_reason=as_name(said) or UNSET,
        )
        self._add(DoneDelta, payload)
        self.ended = True

    def fail(self, error_code: str, message: str | None, retryable: bool | None = None) -> None:
        """End the stream as failed. Open calls and media stay open: nothing may take them for
        complete.
        """
        self.start()
        self._end_parts()
        payload = ErrorDeltaPayload(
            error_code=error_code,
            message=UNSET if message is None else well_formed(message),
            retryable=RETRYABLE[error_code] if retryable is None else retryable,
        )
        self._add(ErrorDelta, payload)
        self.ended = True

    def _end_parts(self) -> None:
        """End the last part; whatever the provider wants back has its place in a delta now."""
        if self._half:
            self._drop_half()
        if self.collect is not None:
            self.collect()
        state = self.state
        if self.kind is None and state:
            # The last part is a tool call, or there is none: an empty part carries the rest.
            self.kind = "thinking"
            self.part += 1
            self.chars = 0
        if self.kind is not None:
            left_out = {call.part for call in self._open.values()}
            left_out |= {media.part for media in self._media if media.part >= 0}
            self._seal(state.rest(self.part, left_out=left_out) if state else UNSET)
        self._report_usage()
