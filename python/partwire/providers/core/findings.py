"""What an adapter found: bounded, and without a payload.

A stream of a million events may be odd in the same way at every one of them: the same finding is
kept once, and the number of different ones is bounded.
"""

from __future__ import annotations

from partwire.errors import Finding, clip
from partwire.severities import SEVERITIES

from ...tables.limits import MAX_FINDINGS

__all__ = ["MAX_FINDINGS", "FindingLog", "note_unknown_type"]


class FindingLog:
    """The findings of one stream.

    A pointer is ``/<event>/<member>…``: the 0-based number of the raw event, then the place in
    it. Repeats are told by rule, place in the event and actual value; a repeat is not kept.
    """

    __slots__ = ("_seen", "event", "findings", "left_out")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.left_out = 0
        self.event = -1  # number of the raw event that is being read
        self._seen: set[tuple[str, str, str | None]] = set()

    def note(
        self,
        rule: str,
        message: str,
        place: str = "",
        *,
        expected: str | None = None,
        actual: str | None = None,
    ) -> None:
        """Keep a finding about the raw event that is being read."""
        key = (rule, place, actual)
        if key in self._seen:
            return
        pointer = f"/{max(self.event, 0)}{place}"
        self.add(Finding(rule, message, pointer, SEVERITIES[rule], expected, actual))
        if len(self._seen) < MAX_FINDINGS:
            self._seen.add(key)

    def invalid(self, place: str, expected: str, actual: object) -> None:
        """Keep a finding about a member of another type than the provider publishes."""
        self.note(
            "adapter/invalid-event",
            "The event does not have the form that the provider publishes",
            place,
            expected=expected,
            actual=clip(actual),
        )

    def usage(self, what: str) -> None:
        """Keep a finding about figures that do not fit together; one for each ``what``."""
        self.note(
            "adapter/contradictory-usage",
            "Figures of the usage contradict each other",
            expected="figures that fit together",
            actual=what,
        )

    def string(self, value: object, place: str) -> str:
        """Return a string member, ``""`` where it is null, absent or, with a finding, none."""
        if isinstance(value, str):
            return value
        if value is not None:
            self.invalid(place, "a string", value)
        return ""

    def add(self, finding: Finding) -> None:
        """Keep a finding that another room made."""
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)
        else:
            self.left_out += 1


def note_unknown_type(log: FindingLog, place: str) -> None:
    """Keep a finding about media whose type the provider does not say."""
    log.note(
        "adapter/unknown-media-type",
        "The stream does not say the type of this media; it counts as bytes",
        place,
        expected="a media type",
    )
