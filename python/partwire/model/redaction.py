"""Credentials, taken out of what is shown or written: by the name of a member, and by form.

Keys as the providers issue them are known by form. What has no form of its own (Cohere's and
Mistral's keys, AWS's secret keys) is known by the name that stands before it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from ..providers.opaque import without_secrets

__all__ = [
    "HIDDEN",
    "KEY",
    "KEY_BEGUN",
    "key_spans",
    "redacted",
    "redacted_state",
    "redacted_texts",
    "without_keys",
]

HIDDEN: Final = "[redacted]"

# A key begins a word, or stands behind an escape in JSON text, as in "\nsk-...".
_BEGIN: Final = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
# Which prefixes and forms: credentials.json. A prefix has a digit or the asterisks of a masked key
# behind it, so that words such as hf_hub_download are none.
_TABLES: Final = json.loads(Path(__file__).with_name("credentials.json").read_text("utf-8"))
_PREFIXES: Final = tuple(_TABLES["prefixes"])
_WORDS: Final = "|".join(re.escape(prefix) for prefix in _PREFIXES)
_CHARS: Final = r"[A-Za-z0-9_\-*.]"
_OTHERS: Final = tuple((word, chars, least) for word, chars, least in _TABLES["forms"])
_NAMED: Final = (
    r"(?i:(?:api|access|secret|private|subscription)[ _-]?(?:access[ _-]?)?"
    r"(?:key|token)(?:[ _-]?id)?|(?:session|auth|refresh|security)[ _-]?token|client[ _-]?secret)"
    r"\\?[\"']?\s*[:=]\s*\\?[\"']?"
)
_VALUE: Final = r"[A-Za-z0-9/+_\-.=*~]"
_BEARER: Final = r"(?i:\bbearer\s+)"
_TOKEN: Final = r"[A-Za-z0-9._~+/\-=]"  # noqa: S105 - a form, no token

# Behind a name: Authorization: Basic, password=, a parameter of a URL, user and password of one.
_BASIC: Final = rf"{_BEGIN}(?i:authorization)\\?[\"']?\s*[:=]\s*\\?[\"']?(?i:basic|bearer)\s+"
_BASIC_VALUE: Final = r"[A-Za-z0-9._~+/=\-]"
_PHRASE: Final = r"(?i:password|passwd|passphrase|pwd|passcode)\\?[\"']?\s*[:=]\s*\\?[\"']?"
_PHRASE_VALUE: Final = r"[^\s\"'\\,;&<>(){}\[\]`]"
_SHELL: Final = r"(?:PASSWORD|PASSWD|PASSPHRASE)=[\"']?"
_SHELL_VALUE: Final = r"[^\s\"'$\\,;&<>(){}\[\]`]"
_QUERY: Final = rf"[?&;](?i:{'|'.join(map(re.escape, _TABLES['query']))})="
_QUERY_VALUE: Final = r"[^\s&;\"'<>#\\{}()`]"
_URL: Final = r"(?i:\b[a-z][a-z0-9+.\-]{0,20})://"
_USER: Final = r"[^\s/?#@:\"'<>\\{}`]"
_USER_VALUE: Final = r"[^\s/?#@\"'<>\\{}`]"
_PART: Final = r"[A-Za-z0-9_\-]"
_PEM: Final = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----"
_PEM_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----"

KEY: Final = re.compile(
    rf"{_BEGIN}(?:(?:{_WORDS})(?={_CHARS}{{0,128}}[0-9*]){_CHARS}{{12,}}"
    + "".join(rf"|{re.escape(word)}{chars}{{{least},}}" for word, chars, least in _OTHERS)
    + rf"|eyJ{_PART}{{6,}}\.{_PART}{{6,}}(?:\.{_PART}*){{1,4}}"
    + rf")|{_NAMED}(?P<value>(?={_VALUE}{{0,128}}[0-9]){_VALUE}{{16,}})"
    rf"|{_BEARER}(?P<token>(?={_TOKEN}{{0,128}}[0-9]){_TOKEN}{{8,}})"
    rf"|{_BASIC}(?P<basic>{_BASIC_VALUE}{{4,}})"
    rf"|{_SHELL}(?P<shell>{_SHELL_VALUE}{{4,}})"
    rf"|{_PHRASE}(?P<password>(?={_PHRASE_VALUE}{{0,128}}[0-9]){_PHRASE_VALUE}{{6,}})"
    rf"|{_QUERY}(?P<query>{_QUERY_VALUE}{{6,}})"
    rf"|{_URL}(?P<user>{_USER}{{0,128}}:{_USER_VALUE}{{1,256}})(?=@)"
    rf"|(?P<pem>{_PEM}[\s\S]*?(?:{_PEM_END}|\Z))"
)
"""A credential in a text; the group is it where a name stands before."""


def _begun(words: tuple[str, ...]) -> str:
    heads = {word[:length] for word in words for length in range(1, len(word) + 1)}
    return "|".join(re.escape(head) for head in sorted(heads, key=len, reverse=True))


KEY_BEGUN: Final = re.compile(
    rf"{_BEGIN}(?P<form>(?:{_begun((*_PREFIXES, 'eyJ', *(word for word, _, _ in _OTHERS)))})"
    rf"|(?:{_WORDS}){_CHARS}+"
    + "".join(rf"|{re.escape(word)}{chars}+" for word, chars, _ in _OTHERS)
    + r"|eyJ[A-Za-z0-9_\-.]+"
    + rf")\Z|{_NAMED}(?P<value>{_VALUE}+)\Z|{_BEARER}(?P<token>{_TOKEN}+)\Z"
    rf"|{_BASIC}(?P<basic>{_BASIC_VALUE}+)\Z|{_SHELL}(?P<shell>{_SHELL_VALUE}+)\Z"
    rf"|{_PHRASE}(?P<password>{_PHRASE_VALUE}+)\Z|{_QUERY}(?P<query>{_QUERY_VALUE}+)\Z"
    rf"|{_URL}(?P<user>{_USER_VALUE}+)\Z"
    rf"|(?P<pem>(?:{_begun(('-----BEGIN ',))}|-----BEGIN [A-Z0-9 ]{{0,54}}-{{0,4}}"
    rf"|{_PEM}(?:(?!{_PEM_END})[\s\S])*))\Z"
)
"""What may become a credential, or is one that may go on, at the end of a text."""


def key_spans(text: str) -> list[tuple[int, int]]:
    """Return where in ``text`` credentials stand, in order, 0-based and half open."""
    return [match.span(match.lastgroup or 0) for match in KEY.finditer(text)]


def without_keys(text: str) -> str:
    """Return ``text`` with what looks like a provider's key replaced."""
    spans = key_spans(text)
    for begin, end in reversed(spans):
        text = text[:begin] + HIDDEN + text[end:]
    return text


# --- JSON values ----------------------------------------------------------------------------------

_SECRET_MEMBERS: Final = frozenset(
    {
        "accesskey",
        "accesskeyid",
        "accesstoken",
        "apikey",
        "apitoken",
        "authorization",
        "authtoken",
        "bearertoken",
        "clientsecret",
        "cookie",
        "credential",
        "credentials",
        "idtoken",
        "ocpapimsubscriptionkey",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "proxyauthorization",
        "pwd",
        "refreshtoken",
        "secret",
        "secretaccesskey",
        "secretkey",
        "securitytoken",
        "sessiontoken",
        "setcookie",
        "subscriptionkey",
        "token",
        "xapikey",
        "xgoogapikey",
    }
)
_VENDOR_MARKS: Final = ("xamz", "aws", "azure", "openai", "anthropic", "google", "gemini", "cohere")
# Headers and query members of a client's call: anything may be a credential in there.
_ALL_SECRET: Final = frozenset(
    {
        "headers",
        "extraheaders",
        "defaultheaders",
        "httpheaders",
        "extraquery",
        "defaultquery",
        "cookies",
    }
)
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
        return {
            without_keys(name): _walked(member, hide=hide or _is_secret(name, member), texts=texts)
            for name, member in value.items()
        }
    return HIDDEN if hide and value is not None and not isinstance(value, bool) else value


def _is_secret(name: str, member: Any) -> bool:
    """Return whether all that a member holds is hidden.

    A member named like a credential whose value is an object describes one, as the properties
    of a schema do: it is looked into.
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _ALL_SECRET:
        return True
    if isinstance(member, dict):
        return False
    for mark in _VENDOR_MARKS:
        plain = plain.removeprefix(mark)
    return plain in _SECRET_MEMBERS
