"""Problem documents (RFC 9457): how the service says no.

Every problem has a rule, and the findings that led to it. What a client sent is quoted in findings
only, clipped, and never logged. Source: RFC 9457.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ..errors import Finding, PartwireError, printable
from ..json.text import json_text

__all__ = ["PROBLEM_TYPE", "Problem", "problem_of", "refuse", "status_of", "too_deep_here"]

PROBLEM_TYPE: Final = "application/problem+json"
_MAX_FINDINGS: Final = 100
_BASE: Final = "https://partwire.dev/problems/"


class _Kind(NamedTuple):
    name: str
    title: str


_KINDS: Final[Mapping[int, _Kind]] = {
    400: _Kind("bad-request", "The request is wrong"),
    404: _Kind("not-found", "There is no such thing"),
    405: _Kind("method-not-allowed", "The path does not know the method"),
    406: _Kind("not-acceptable", "The answer comes in none of the accepted types"),
    408: _Kind("timeout", "It took too long"),
    413: _Kind("too-large", "It is too large"),
    415: _Kind("unsupported-media-type", "The body comes in a form that is not taken"),
    422: _Kind("refused", "Well-formed, but refused"),
    429: _Kind("too-many-requests", "Too much at once"),
    500: _Kind("internal", "The service has failed"),
    503: _Kind("unavailable", "The service is going away"),
    505: _Kind("version-not-supported", "The version of HTTP is not spoken here"),
}

# What a rule means for HTTP; else what its room does; else 422: well-formed, and refused.
_STATUS: Final[Mapping[str, int]] = {
    "usage/": 400,
    "document/": 400,
    "framing/": 400,
    "framing/document-too-large": 413,
    "framing/line-too-long": 413,
    "framing/event-too-large": 413,
    "service/bad-parameter": 400,
    "service/bad-request": 400,
    "service/unknown-path": 404,
    "service/method-not-allowed": 405,
    "service/not-acceptable": 406,
    "service/slow-sender": 408,
    "service/time-limit": 408,
    "service/too-large": 413,
    "service/unsupported-type": 415,
    "service/unsupported-encoding": 415,
    "service/busy": 429,
    "service/unknown-host": 400,
    "service/internal-error": 500,
    "service/worker-lost": 500,
    "service/unsupported-version": 505,
    "service/draining": 503,
}
_REFUSED: Final = 422


class Problem(Exception):
    """A refusal on its way to the client; ``headers`` go with it.

    ``instance`` names this one problem, for whoever looks it up in the log.
    """

    def __init__(
        self,
        findings: Iterable[Finding],
        headers: Mapping[str, str] | None = None,
        instance: str | None = None,
    ) -> None:
        self.findings = tuple(findings)
        self.rule = self.findings[0].rule
        self.status = status_of(self.rule)
        self.headers = dict(headers or {})
        self.instance = instance
        super().__init__(self.rule)

    def document(self) -> dict[str, Any]:
        """Return the problem document, with the first 100 findings."""
        kind = _KINDS[self.status]
        told: dict[str, Any] = {
            "type": _BASE + kind.name,
            "title": kind.title,
            "status": self.status,
            "detail": str(self.findings[0]),
        }
        if self.instance is not None:
            told["instance"] = self.instance
        told["findings"] = [each.to_wire() for each in self.findings[:_MAX_FINDINGS]]
        return told

    def body(self) -> bytes:
        """Return the document as JSON text, on one line."""
        text = json_text(self.document())
        return printable(text).encode()


def status_of(rule: str) -> int:
    """Return the HTTP status that says what a rule says."""
    room = rule.partition("/")[0] + "/"
    return _STATUS.get(rule, _STATUS.get(room, _REFUSED))


def problem_of(error: PartwireError, more: Iterable[Finding] = ()) -> Problem:
    """Return an error of the library as problem; ``more`` are findings that came before it.

    A provider's stream whose bytes cannot be read ends with an error delta: why comes first.
    """
    found = [*error.findings, *more]
    return Problem(sorted(found, key=lambda each: not each.rule.startswith("framing/")))


def too_deep_here() -> Finding:
    """Return the finding for a document that is taken, but nested too deep for what is asked."""
    message = "Nested too deep for what is to be done with it"
    return Finding("document/too-deep", message, expected="a document that is nested less deep")


def refuse(
    rule: str,
    message: str,
    *,
    expected: str | None = None,
    actual: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Problem:
    """Return a problem of one finding."""
    return Problem([Finding(rule, message, expected=expected, actual=actual)], headers)
