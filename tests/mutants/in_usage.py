"""Assemblers that are wrong about usage and finish reasons."""

from __future__ import annotations

from tests.mutants.assembler import Assembler, Json
from tests.mutants.mutant import fails

# --- usage and reasons ------------------------------------------------------------------------


@fails("FIN-07")
class UsageIsAddedUp(Assembler):
    """Totals so far are added up as if they were steps."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        before = dict(self.usage)
        super().on_usage(delta, payload)
        self.usage = {n: before.get(n, 0) + m if n in payload else m for n, m in self.usage.items()}


@fails("FIN-08")
class TheFirstUsageCounts(Assembler):
    """The first usage counts, and the rest is not billed."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        super().on_usage(delta, {**payload, **self.usage})


@fails("FIN-09")
class LaterUsageErasesFigures(Assembler):
    """A figure that a later delta leaves out is gone."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        self.usage = {}
        super().on_usage(delta, payload)


@fails("FIN-07")
class TheLargestUsageCounts(Assembler):
    """A figure never falls, so a correction is not taken."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        super().on_usage(delta, {n: max(m, self.usage.get(n, 0)) for n, m in payload.items()})


@fails("FIN-10")
class NoUsageIsZero(Assembler):
    """Usage that nobody told is 0."""

    def message(self) -> Json:
        self.usage = self.usage or {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
        return super().message()


@fails("FIN-07")
class TheTotalIsWorkedOut(Assembler):
    """The provider's total is replaced by input and output together."""

    def on_usage(self, delta: Json, payload: Json) -> None:
        total = payload["inputTokens"] + payload["outputTokens"]
        super().on_usage(delta, {**payload, "totalTokens": total})


@fails("FIN-09")
class FailedStreamsCostNothing(Assembler):
    """The usage of a stream that failed is not kept."""

    def result(self) -> Json:
        if self.end.get("kind") == "error":
            self.usage = {}
        return super().result()


class Reasons(Assembler):
    """Assemblers that write another finish reason."""

    def reason(self, given: str) -> str:
        """Return what is written."""
        return given

    def on_done(self, delta: Json, payload: Json) -> None:
        changed = {**payload, "finishReason": self.reason(payload["finishReason"])}
        super().on_done({**delta, "payload": changed}, changed)


@fails("FIN-14")
class UnknownReasonsAreStop(Reasons):
    """A finish reason that nobody knows is taken for success."""

    def reason(self, given: str) -> str:
        known = ("stop", "length", "tool_calls", "content_filter", "refusal", "pause", "error")
        return given if given in known else "stop"


@fails("FIN-15")
class StopWithCallsIsToolCalls(Reasons):
    """Where the provider says stop, the calls of the message are believed more."""

    def reason(self, given: str) -> str:
        return "tool_calls" if self.calls and given == "stop" else given


@fails("FIN-21")
class FilteredCallsAreRun(Reasons):
    """An answer that was filtered or cut behind its calls ends in tool_calls."""

    def reason(self, given: str) -> str:
        return "tool_calls" if self.calls and given in ("content_filter", "length") else given


@fails("FIN-20")
class ARefusalIsStop(Reasons):
    """A refusal reads as a whole answer."""

    def reason(self, given: str) -> str:
        return "stop" if given in ("refusal", "content_filter") else given


@fails("FIN-19")
class AFinishReasonErrorIsUnknown(Reasons):
    """A provider's own error at the end is said to be nothing known."""

    def reason(self, given: str) -> str:
        return "unknown" if given == "error" else given


@fails("FIN-14")
class TheProvidersOwnReasonIsLost(Assembler):
    """Of the provider's own word for the end nothing is kept."""

    def on_done(self, delta: Json, payload: Json) -> None:
        kept = {"finishReason": payload["finishReason"]}
        super().on_done({**delta, "payload": kept}, kept)


@fails("FIN-14")
class TheProvidersOwnReasonIsTidied(Assembler):
    """The provider's own word is put into small letters and trimmed."""

    def on_done(self, delta: Json, payload: Json) -> None:
        own = "providerFinishReason"
        tidy = {**payload, own: payload[own].strip().lower()} if own in payload else payload
        super().on_done({**delta, "payload": tidy}, tidy)
