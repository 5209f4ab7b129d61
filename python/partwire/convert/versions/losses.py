"""Every loss that a migration between versions reports, by its code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from partwire.losses import LossSeverity

__all__ = ["MEMBER_CODES", "MIGRATION_LOSSES"]

MIGRATION_LOSSES: Final[Mapping[str, tuple[LossSeverity, str]]] = {
    # Any step.
    "unknown-member": ("lossy", "A member that its version does not name is left out"),
    # v0.2 to v0.1.
    "message-id": ("lossy", "The id of the message is left out"),
    "turn-id": ("lossy", "The id of the turn is left out"),
    "opaque": ("lossy", "Provider state has no place here, and is left out"),
    "opaque-provider": ("lossy", "meta.opaque holds the state of one provider: the first one's"),
    "opaque-form": ("lossy", "Provider state that no adapter wrote has no place in meta.opaque"),
    "opaque-in-meta": ("lossy", "meta.opaque gives way to the state of the parts"),
    "opaque-lifted": ("info", "Read again, the state in meta.opaque stands on the parts"),
    "opaque-moved": ("info", "Provider state stands at another part than in v0.2"),
    "parts-joined": ("info", "Parts that only provider state kept apart are one"),
    "empty-meta": ("info", "An empty meta holds the provider state, and is not told from none"),
    "usage-detail": ("lossy", "This count of tokens is left out"),
    "provider-finish-reason": ("lossy", "The provider's own finish reason is left out"),
    "media-as-image": ("info", "The media is an image part"),
    "media-as-file": ("info", "The media is a file_ref part; what it holds is a data: URL"),
    "media-detail": ("lossy", "The part has no place for this member of the media"),
    "assistant-part": ("lossy", "An assistant's message holds no images and files: it is left out"),
    "message-type": ("info", "The type of the message is not said; its queue tells it"),
    "message-type-lost": ("lossy", "The type of the message is left out"),
}
"""Severity and words of every code; the fixtures of the suite ``migrations`` show each of them."""

MEMBER_CODES: Final[Mapping[str, str]] = {
    "messageId": "message-id",
    "turnId": "turn-id",
    "opaque": "opaque",
    "providerFinishReason": "provider-finish-reason",
    "reasoningTokens": "usage-detail",
    "cacheReadTokens": "usage-detail",
    "cacheWriteTokens": "usage-detail",
    "total": "usage-detail",
    "message_type": "message-type",
}
"""What is said of a member that the older version does not name."""
