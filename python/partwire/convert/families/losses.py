"""Every loss that a bridge between documents reports, by its code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from partwire.contract.resources import read_catalog
from partwire.errors import bad_argument
from partwire.losses import Loss, LossSeverity

__all__ = ["LOSSES", "SINCE", "losses_for"]

LOSSES: Final[Mapping[str, tuple[LossSeverity, str]]] = {
    # Any pair.
    "unknown-variant": ("lossy", "A variant that this version does not know is left out"),
    "unknown-member": ("lossy", "A member that its version does not name is left out"),
    "run-id": ("lossy", "The result has no place for the run"),
    "message-id": ("lossy", "The result has no place for the message's id"),
    "turn-id": ("lossy", "The result has no place for the turn"),
    "opaque": ("lossy", "What a provider wants back with the part is left out"),
    "timestamp": ("lossy", "The result has no place for the time"),
    "timestamp-precision": ("lossy", "Times finer than a millisecond are cut"),
    "timestamp-range": ("lossy", "The time is outside of what the result can say"),
    "timestamp-form": ("info", "The same instant is written in UTC"),
    "meta": ("lossy", "The result has no place for this member of meta"),
    "raw-args-text": ("lossy", "The argument text is left out"),
    "run-id-invented": ("invented", "The run is not known, and made up"),
    "timestamp-invented": ("invented", "The time is not known, and taken as the epoch"),
    "given": ("info", "What the source does not say was given by the caller"),
    # Messages as a session.
    "ids-made": ("invented", "Ids of the message and its parts are made"),
    "message-id-made": ("invented", "The message has no id; that of the session's is made"),
    "session-id-invented": ("invented", "The session is not known, and made up"),
    "agent-invented": ("invented", "The agent is not known"),
    "model-invented": ("invented", "The model is not known"),
    "path-invented": ("invented", "The folders are not known"),
    "usage-invented": ("invented", "Tokens and cost are not known, and taken as 0"),
    "counts-invented": ("invented", "The tokens of this kind are not known, and taken as 0"),
    "cost-invented": ("invented", "The cost is not known, and taken as 0"),
    "mime-invented": ("invented", "The media type is not known"),
    "usage-total": ("lossy", "The total is no longer apart from input and output"),
    "file-size": ("lossy", "The size of the file is left out"),
    "file-hash": ("lossy", "The hash of the file is left out"),
    "file-kind": ("lossy", "A session tells images from files by media type and URL alone"),
    "system-message": ("lossy", "No user's message follows that could carry the system prompt"),
    "system-parts": ("lossy", "The system prompt becomes one text"),
    "system-time": ("lossy", "The system prompt takes the time of the user's message"),
    "result-without-call": ("lossy", "The result answers no call of the message before it"),
    "result-order": ("lossy", "Results are joined in the order of their calls"),
    "result-layout": ("lossy", "The result becomes one text with files"),
    "result-files": ("lossy", "A failed call has no place for files"),
    "result-empty": ("lossy", "An empty result becomes (no output), as one that says so"),
    "record-misfit": ("lossy", "meta.session does not fit the message, and is left out"),
    "usage-parts": ("lossy", "The count is smaller than the counts that are part of it"),
    "from-record": ("info", "The message does not say this; it is taken from meta.session"),
    # A session as messages.
    "kept-in-meta": ("info", "No part of a message says this; it is kept in meta.session"),
    "ignored-text": ("info", "Text that is not for the model is kept in meta.session alone"),
    "reasoning-apart": ("invented", "Tokens of reasoning are taken as apart from the output"),
    # Messages as blocks, and back.
    "thinking": ("lossy", "Blocks have no place for reasoning"),
    "file-ref": ("lossy", "Blocks have no place for references to files"),
    "media": ("lossy", "Blocks have no place for media but images"),
    "media-kind": ("lossy", "Media that is an image becomes an image"),
    "result-object": ("lossy", "A result that is an object becomes JSON text"),
    "tool-role": ("lossy", "A message without results cannot be told from a user's"),
    "content-form": ("info", "The same content is written in another form"),
    "image-type": ("lossy", "A message holds images as base64 or as URL alone"),
    "block-role": ("lossy", "A message of this role cannot hold this block"),
    "duplicate-id": ("lossy", "A message cannot hold two calls or results of one id"),
    # Tool results in envelopes, and back.
    "call-id": ("lossy", "The call's id is no UUID; one is made from it"),
    "result-content": ("lossy", "The content cannot be told from another form of it"),
    "result-type": ("lossy", "The type of the result is left out"),
    "tool-id": ("lossy", "The tool's id is left out"),
    "tool-id-invented": ("invented", "The tool's id is not known, and nil"),
    "envelope": ("lossy", "The fields of the envelope are left out"),
    "message-type": ("info", "The response does not say which message it is; one made again does"),
    "envelope-invented": ("invented", "The fields of the envelope are not known, and made up"),
    "error-code-invented": ("invented", "The error's code is not known"),
    "error-beside-data": ("lossy", "The data is taken, and the error beside it is left out"),
}
"""Severity and words of every code; the fixtures of the suite ``bridges`` show each of them."""

SINCE: Final[Mapping[str, str]] = dict.fromkeys(
    (
        *("message-id", "turn-id", "opaque", "message-id-made", "counts-invented", "file-hash"),
        *("from-record", "media", "media-kind", "message-type"),
    ),
    "v0.2",
)
"""The version that brought a code, where that is not the first one."""


def losses_for(losses: Iterable[Loss], version: str) -> list[Loss]:
    """Return the losses that ``version`` of the contract knows, in order.

    Who serves a reader of an older version the result as that version has it (see
    :func:`partwire.convert.downgrade`) serves the losses that belong to it: what is new since is
    about members that the older result does not have. Raises UsageError
    ``usage/unknown-version``.
    """
    versions = list(read_catalog())
    if version not in versions:
        raise bad_argument(
            "No such contract version", ", ".join(versions), version, "usage/unknown-version"
        )
    known = versions[: versions.index(version) + 1]
    return [each for each in losses if SINCE.get(each.code, known[0]) in known]
