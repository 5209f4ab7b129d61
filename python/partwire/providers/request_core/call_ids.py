"""Ids and names that the provider takes: tool call ids are unique in a request, and well-formed.

A call and its result are renamed together, and always in the same way as long as the messages
before them stay the same: a conversation that grows keeps the prompt cache.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

from .notes import Notes

__all__ = ["CallIds", "Form", "Sent"]

_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9_-]+")


class Form(NamedTuple):
    """What the provider takes as a name: a pattern for the whole, and the most characters."""

    pattern: re.Pattern[str]
    chars: int

    def fits(self, name: str) -> bool:
        """Return whether the provider takes ``name``."""
        return len(name) <= self.chars and self.pattern.fullmatch(name) is not None

    def fitted(self, name: str, salt: str = "") -> str:
        """Return a name that fits, always the same for the same name and salt."""
        digest = hashlib.sha256(f"{salt}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        plain = _NOT_PLAIN.sub("_", name).strip("_") or "x"
        return f"{plain[: self.chars - 9]}_{digest}"


class Sent(NamedTuple):
    """A call as the provider is told about it; ``number`` counts the calls of the request."""

    call_id: str
    name: str
    turn: int
    number: int


class CallIds:
    """The tool calls of one request, met in order."""

    def __init__(self, form: Form, notes: Notes) -> None:
        self._form = form
        self._notes = notes
        self._calls = 0
        self._used: set[str] = set()
        self._of_run: dict[tuple[str, str], Sent] = {}
        self._of_any: dict[str, Sent] = {}
        self._counts: dict[tuple[str, str], int] = {}  # all below are taken

    def add(
        self, run_id: str, call_id: str, own: str | None, name: str, turn: int, pointer: str
    ) -> str:
        """Return the id under which a call is sent.

        ``own`` is the provider's own id of a call whose id was minted: it is sent back, unless
        another call has it. ``turn`` is for whoever asks :meth:`find`.
        """
        sent_id = next(
            (each for each in (own, call_id) if each and self._may_stand(each)),
            None,
        )
        if sent_id is None:
            sent_id = self._renamed(run_id, call_id, pointer)
        self._used.add(sent_id)
        self._calls += 1
        sent = Sent(sent_id, name, turn, self._calls)
        self._of_run[run_id, call_id] = self._of_any[call_id] = sent
        return sent_id

    def find(self, run_id: str, call_id: str) -> Sent | None:
        """Return the call that a result answers: the run's last one of the id, or any run's."""
        return self._of_run.get((run_id, call_id)) or self._of_any.get(call_id)

    def orphan(self, call_id: str) -> str:
        """Return the id of a result whose call is not in the request."""
        return call_id if self._form.fits(call_id) else self._form.fitted(call_id)

    def _may_stand(self, call_id: str) -> bool:
        return call_id not in self._used and self._form.fits(call_id)

    def _renamed(self, run_id: str, call_id: str, pointer: str) -> str:
        count = self._counts.get((run_id, call_id), 0)
        while (made := self._form.fitted(call_id, f"{run_id}\0{count or ''}")) in self._used:
            count += 1
        self._counts[run_id, call_id] = count + 1
        self._notes.add(
            "encode/renamed-tool-call",
            "The provider does not take this tool call id; call and result are sent with another",
            pointer,
            expected=f"an unused id of at most {self._form.chars} characters that it takes",
            actual=made,
        )
        return made
