"""Credentials in texts and in JSON values: where they are, and copies without them."""

from __future__ import annotations

import re
import traceback
from typing import Any, Final

from ..providers.core.opaque import without_secrets
from ..tables import credentials as tables
from .credential_clues import possible_kinds
from .credential_forms import KEY_BEGUN, form_of

__all__ = [
    "HIDDEN",
    "KEY_BEGUN",
    "Shown",
    "is_secret",
    "is_state",
    "key_spans",
    "keys_in",
    "redacted",
    "redacted_state",
    "redacted_texts",
    "without_keys",
]

HIDDEN: Final = "[redacted]"


def keys_in(text: str) -> list[tuple[int, int, str]]:
    """Return where in ``text`` credentials are, in order, 0-based and half open, and their kind."""
    finders = [form_of(kind).search for kind in possible_kinds(text)]
    found: list[tuple[int, int, str]] = []
    coming = [match for find in finders if (match := find(text))]
    while coming:
        # The first of those that begin first, as one pattern of all forms would have it.
        first = min(coming, key=re.Match.start)
        found.append((*first.span(first.lastgroup or 0), first.lastgroup or "key"))
        end = first.end()
        coming = [
            match
            for each in coming
            if (match := each if each.start() >= end else each.re.search(text, end))
        ]
    return found


def key_spans(text: str) -> list[tuple[int, int]]:
    """Return where in ``text`` credentials are, in order, 0-based and half open."""
    return [(begin, end) for begin, end, _ in keys_in(text)]


def without_keys(text: str) -> str:
    """Return ``text`` with what looks like a credential replaced."""
    spans = key_spans(text)
    for begin, end in reversed(spans):
        text = text[:begin] + HIDDEN + text[end:]
    return text


# --- credentials in JSON values -------------------------------------------------------------------

_MEMBERS: Final = frozenset(tables.MEMBERS)
_ENDS: Final = tuple(sorted(_MEMBERS - {"token"}))
_HARMLESS_TOKENS: Final = frozenset(tables.HARMLESS_TOKENS)
# db_password, dbPassword, DB_PASSWORD, DBPassword
_WORDS_OF_NAME: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# Headers and query members of a client's call: anything may be a credential in there.
_HOLDERS: Final = frozenset(tables.HOLDERS)
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


def is_state(text: str) -> bool:
    """Return whether a text of provider state is one that stays: long, and without white space."""
    return len(text) >= _STATE_CHARS and not re.search(r"\s", text)


def _state_text(text: str) -> str:
    return text if is_state(text) else without_keys(text)


def _walked(value: Any, *, hide: bool, texts: Any) -> Any:
    if isinstance(value, str):
        return HIDDEN if hide else texts(value)
    if isinstance(value, list):
        return [_walked(item, hide=hide, texts=texts) for item in value]
    if isinstance(value, dict):
        named = value.get("name")  # a header as a pair: {"name": "X-Api-Key", "value": "…"}
        pair = isinstance(named, str) and is_secret(named, value.get("value"))
        return {
            without_keys(name): _walked(
                member,
                hide=hide or is_secret(name, member) or (pair and name == "value"),
                texts=texts,
            )
            for name, member in value.items()
        }
    return HIDDEN if hide and value is not None and not isinstance(value, bool) else value


def is_secret(name: str, member: Any) -> bool:
    """Return whether all that a member holds is hidden.

    A member named like a credential whose value is an object describes one, as the properties
    of a schema do: it is looked into. A name that only ends like one hides strings alone:
    ``max_tokens`` is a number, ``has_password`` a boolean.
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _HOLDERS:
        return True
    if isinstance(member, dict):
        return False
    for mark in tables.VENDORS:
        plain = plain.removeprefix(mark)
    return plain in _MEMBERS or (_is_text(member) and _ends_as_secret(name))


def _is_text(member: Any) -> bool:
    items = member if isinstance(member, list) else [member]
    return all(isinstance(item, str) for item in items)


def _ends_as_secret(name: str) -> bool:
    """Return whether a name ends like one of a credential: ``db_password``, ``HF_TOKEN``."""
    words = _WORDS_OF_NAME.findall(name)
    if not words:
        return False
    *before, last = (word.lower() for word in words)
    if last in ("token", "pass"):  # a page's and a vocabulary's tokens are none
        return bool(before) and before[-1] not in _HARMLESS_TOKENS
    plain = "".join(words).lower()
    return plain.endswith(_ENDS) or plain.removesuffix("s").endswith(_ENDS)


# --- exceptions in log records --------------------------------------------------------------------


class Shown:
    """An exception with its traceback, as text without credentials; made only where it is asked."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __str__(self) -> str:
        return without_keys("".join(traceback.format_exception(self._error)))
