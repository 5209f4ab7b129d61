"""Provider state of parts: ``id``, ``signature``, ``provider_details``, and our ``opaque``.

What an adapter of ours would not have written is kept as it is.
"""

from __future__ import annotations

from typing import Any, Final

from ..ai_sdk.state import OWN as NOT_OURS
from ..ai_sdk.state import metadata_of, opaque_of, pieces_of
from ..core.reading import Json, Members, Reading
from .names import STATE

__all__ = ["goes_on", "members_of", "pieces", "take_state"]

_VENDORS: Final = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "openai": "openai",
    "azure": "openai",
    "google": "google",
    "google-cloud": "google",
    "google-gla": "google",
    "google-vertex": "google",
}
_REDACTED: Final = {"anthropic": "redacted_thinking", "bedrock": "redacted_content"}
_ITEMS: Final = {"thinking": "rs_", "text": "msg_", "tool_call": "fc_"}
"""How the ids of OpenAI's items begin."""
_THOUGHT: Final = "thought_signature"


def take_state(
    kind: str, part: Members, text: str, provider: str | None, reading: Reading
) -> tuple[Json | None, Json]:
    """Take the state of a part; return it as ``opaque``, and the members that it does not say.

    ``kind`` is our part's, ``provider`` that of the response.
    """
    if part.lacks(*STATE):
        return None, {}
    given: Json = {}
    for name in STATE:
        value = part.object(name) if name == "provider_details" else part.text(name)
        if value is not None:
            given[name] = value
    vendor, said = _said(kind, given, provider)
    if not said:
        return None, given
    opaque = opaque_of(kind, {vendor: said}, text, part.place, reading)
    if opaque is None or opaque["provider"] == NOT_OURS:
        return None, given
    back = _members(vendor, said)
    kept = {name: value for name, value in given.items() if back.get(name) != value}
    return opaque, kept | {name: None for name in back if name not in given}


def _said(kind: str, given: Json, provider: str | None) -> tuple[str, Json]:
    """Return whose state a part has, and what it says, in the words of the AI SDK."""
    name = given.get("provider_name", provider)
    if name == "anthropic" and provider == "bedrock":  # it names the maker of the model
        name = provider
    vendor = _VENDORS.get(name or "", "")
    own_id, signature = given.get("id"), given.get("signature")
    if vendor in _REDACTED:
        is_redacted = own_id in _REDACTED.values()
        said = {"redactedData" if is_redacted else "signature": signature} if signature else {}
    elif vendor == "google":
        thought = given.get("provider_details", {}).get(_THOUGHT)
        said = {"thoughtSignature": thought} if isinstance(thought, str) and thought else {}
    elif vendor == "openai" and kind in _ITEMS and (own_id or "").startswith(_ITEMS[kind]):
        said = {"itemId": own_id}
        if signature is not None and kind == "thinking":
            said["reasoningEncryptedContent"] = signature
    else:
        said = {}
    return vendor, said


def _members(vendor: str, said: Json) -> Json:
    """Return the members of a part that say it."""
    made: Json = {"provider_name": vendor}
    if vendor in _REDACTED:
        if "redactedData" in said:
            made["id"] = _REDACTED[vendor]
        made["signature"] = said.get("redactedData", said.get("signature"))
    elif vendor == "google":
        made["provider_details"] = {_THOUGHT: said.get("thoughtSignature")}
    else:
        made["id"] = said.get("itemId")
        made["signature"] = said.get("reasoningEncryptedContent")
    return {name: value for name, value in made.items() if value is not None}


def goes_on(before: Json, part: Json) -> bool:
    """Join a summary with those before it of the same reasoning item, as its adapter does."""
    one, other = _reasoning(before), _reasoning(part)
    if one is None or other is None or one["data"]["id"] != other["data"]["id"]:
        return False
    if "encrypted_content" in other["data"] or not before["payload"]["text"]:
        return False
    if not part["payload"]["text"]:
        return False
    before["payload"]["text"] += part["payload"]["text"]
    one["data"]["summary"] += other["data"]["summary"]
    one["end"] = len(before["payload"]["text"])
    return True


def _reasoning(part: Json) -> Any:
    opaque = part["payload"].get("opaque") if part["kind"] == "thinking" else None
    items = opaque["data"].get("items") if opaque else None
    return items[0] if items and items[0]["kind"] == "reasoning" else None


def members_of(kind: str, opaque: Any) -> Json:
    """Return the members of a part that is not text for its state; {} where it has none."""
    return _of(metadata_of(kind, opaque))


def pieces(kind: str, payload: Json) -> list[tuple[str, Json]]:
    """Return text as parts of a response: each with the members for its state."""
    made: list[tuple[str, Json]] = []
    sealed: set[str] = set()
    for piece in pieces_of(kind, payload["text"], payload.get("opaque")):
        members = _of(piece.metadata)
        # It stands at the first part of an item, and texts have no such member.
        if kind != "thinking" or members.get("id") in sealed:
            members.pop("signature", None)
        sealed |= {members["id"]} if "signature" in members and "id" in members else set()
        made.append((piece.text, members))
    return made


def _of(metadata: Json) -> Json:
    for vendor, said in metadata.items():
        if vendor in _VENDORS and isinstance(said, dict):
            known = _known(vendor, said)
            return _members(vendor, known) if known else {}
    return {}


_SAID: Final = (
    "signature",
    "redactedData",
    "thoughtSignature",
    "itemId",
    "reasoningEncryptedContent",
)


def _known(vendor: str, said: Json) -> Json:
    known = {name: said[name] for name in _SAID if isinstance(said.get(name), str)}
    return {} if vendor == "openai" and "itemId" not in known else known
