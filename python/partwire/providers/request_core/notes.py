"""What an encoder found: as data, with pointers into the request as a document.

That document is ``{messages, toolSpecs, systemPrompt, systemPromptContent, toolChoice, config}``,
which are the arguments of ``encode_request`` under the names of the contract.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import UNSET

from partwire.errors import Finding, clip
from partwire.severities import SEVERITIES

__all__ = ["Notes"]


class Notes:
    """The findings of one request, in the order in which they were made."""

    __slots__ = ("findings",)

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(
        self,
        rule: str,
        message: str,
        pointer: str,
        *,
        expected: str | None = None,
        actual: str | None = None,
    ) -> None:
        """Note a finding of a rule ``encode/…``."""
        self.findings.append(Finding(rule, message, pointer, SEVERITIES[rule], expected, actual))

    def malformed(self, pointer: str, expected: str, actual: object) -> None:
        """Note provider state that is not what an adapter writes; it is left out."""
        self.add(
            "encode/malformed-state",
            "The provider's state does not have the form in which it was kept; it is left out",
            pointer,
            expected=expected,
            actual=clip(actual),
        )

    def response_only(self, pointer: str, kind: str) -> None:
        """Note provider state that is for readers, and goes back in no request."""
        self.add(
            "encode/response-only-state",
            f"State of the kind {kind} goes back in no request",
            pointer,
        )

    def unsupported_part(self, pointer: str, expected: str, actual: str) -> None:
        """Note a part, or a part of a tool result, that the provider takes in no form."""
        self.add(
            "encode/unsupported-part",
            "The provider's format cannot say this part; it is left out",
            pointer,
            expected=expected,
            actual=clip(actual),
        )

    def approval_left_out(
        self, pointer: str, why: str = "The provider's format has no place for this approval"
    ) -> None:
        """Note a request for approval, or an answer, that is not sent."""
        self.add("encode/approval-left-out", f"{why}; it is left out", pointer)

    def approval_members(self, pointer: str, members: Mapping[str, object]) -> None:
        """Note which of these an approval has that is sent without them."""
        given = [name for name, value in members.items() if value is not UNSET]
        if given:
            self.add(
                "encode/approval-left-out",
                "The provider's format has no place for members of this approval",
                f"{pointer}/payload",
                actual=", ".join(given),
            )

    def empty_message(self, pointer: str) -> None:
        """Note a message of which nothing is left."""
        message = "Nothing of this message can be sent; it is left out"
        self.add("encode/empty-message", message, pointer)

    def moved_system(self, pointer: str) -> None:
        """Note a system message that changes its place."""
        message = "A system message behind others is sent before them all"
        self.add("encode/moved-system", message, pointer)

    def unsupported_config(self, pointer: str, expected: str, actual: object) -> None:
        """Note a value of the configuration that the provider does not take."""
        self.add(
            "encode/unsupported-config",
            "The provider's format cannot say this value; it is left out",
            pointer,
            expected=expected,
            actual=clip(actual),
        )
