"""Credentials, taken out of JSON values: by the name of a member, and by form in texts."""

from __future__ import annotations

import re
from typing import Any, Final

from ..providers.opaque import without_secrets
from .credential_forms import HIDDEN, TABLES, without_keys

__all__ = ["redacted", "redacted_state", "redacted_texts"]

_MEMBERS: Final = frozenset(TABLES["members"])
_VENDORS: Final = tuple(TABLES["vendors"])
# Headers and query members of a client's call: anything may be a credential in there.
_HOLDERS: Final = frozenset(TABLES["holders"])
_STATE_CHARS: Final = 256


def redacted(value: Any) -> Any:
    """Return a copy of a JSON value without credentials: by member name, and by form in texts."""
    return _walked(without_secrets(value), hide=False, texts=without_keys)


def redacted_texts(value: Any) -> Any:
    """Return a copy of a JSON value without credentials by form: its names are not looked at.

    For what describes data and holds none, such as the schema of a tool's arguments.
    """
    if isinstance(value, str):
        return without_keys(value)
    if isinstance(value, list):
        return [redacted_texts(item) for item in value]
    if isinstance(value, dict):
        return {without_keys(name): redacted_texts(member) for name, member in value.items()}
    return value


def redacted_state(value: Any) -> Any:
    """Return a copy of provider state without credentials; see :func:`redacted`.

    Long strings without white space stay: they are signatures and encrypted reasoning, which
    must come back byte for byte, and whose random characters may look like a key.
    """
    return _walked(without_secrets(value), hide=False, texts=_state_text)


def _state_text(text: str) -> str:
    if len(text) >= _STATE_CHARS and not re.search(r"\s", text):
        return text
    return without_keys(text)


def _walked(value: Any, *, hide: bool, texts: Any) -> Any:
    if isinstance(value, str):
        return HIDDEN if hide else texts(value)
    if isinstance(value, list):
        return [_walked(item, hide=hide, texts=texts) for item in value]
    if isinstance(value, dict):
        named = value.get("name")  # a header as a pair: {"name": "X-Api-Key", "value": "…"}
        pair = isinstance(named, str) and _is_secret(named, value.get("value"))
        return {
            without_keys(name): _walked(
                member,
                hide=hide or _is_secret(name, member) or (pair and name == "value"),
                texts=texts,
            )
            for name, member in value.items()
        }
    return HIDDEN if hide and value is not None and not isinstance(value, bool) else value


def _is_secret(name: str, member: Any) -> bool:
    """Return whether all that a member holds is hidden.

    A member named like a credential whose value is an object describes one, as the properties
    of a schema do: it is looked into.
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _HOLDERS:
        return True
    if isinstance(member, dict):
        return False
    for mark in _VENDORS:
        plain = plain.removeprefix(mark)
    return plain in _MEMBERS
