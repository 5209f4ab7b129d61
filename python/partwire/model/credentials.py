"""How credentials look in texts: the table of credentials as regular expressions.

Keys as the providers issue them are known by form. What has no recognisable form (Cohere's and
Mistral's keys, AWS's secret keys) is known by what is before it.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from ..providers.core.opaque import without_secrets
from ..tables import credentials as tables

__all__ = [
    "HIDDEN",
    "KEY",
    "KEY_BEGUN",
    "Shown",
    "key_spans",
    "redacted",
    "redacted_state",
    "redacted_texts",
    "without_keys",
]

HIDDEN: Final = "[redacted]"


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))


# --- keys of a form -------------------------------------------------------------------------------

# A key begins a word, or is behind an escape: "\nsk-…", "%3Dsk-…", "\u003dsk-…", "\x1b[0msk-…".
_BEGIN: Final = (
    r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\[[0-9]m))"
)
_CHARS: Final = r"[A-Za-z0-9_\-*.]"
_PART: Final = r"[A-Za-z0-9_\-]"


def _random(chars: str, masked: str = "") -> str:
    """Look ahead: nine letters and digits in a row, as random ones are and names seldom are."""
    return rf"(?={chars}{{0,128}}?(?:{masked}(?=[A-Za-z]{{0,8}}[0-9])[A-Za-z0-9]{{9}}))"


# Behind a prefix there are random characters, or the asterisks of a masked key: hf_hub_download
# and sk-toggle-12 are not keys.
_PREFIX: Final = rf"(?:{_any(tables.PREFIXES)})"
_FORMS: Final = [(re.escape(word), chars, least) for word, chars, least in tables.FORMS]
_FORM: Final = "|".join(
    [
        rf"{_PREFIX}{_random(_CHARS, r'[*]{3}|')}{_CHARS}{{12,}}",
        *(rf"{word}{chars}{{{least},}}" for word, chars, least in _FORMS),
        rf"eyJ{_PART}{{6,}}\.{_PART}{{6,}}(?:\.{_PART}*){{1,4}}",
    ]
)


_WORDS: Final = [*tables.PREFIXES, "eyJ", *(word for word, _, _ in tables.FORMS)]
_FIRST: Final = "".join(sorted({word[0] for word in _WORDS}))


def _begun(words: Iterable[str]) -> str:
    heads = {word[:length] for word in words for length in range(1, len(word) + 1)}
    return _any(sorted(heads, key=len, reverse=True))


_FORM_BEGUN: Final = "|".join(
    [
        _begun(_WORDS),
        rf"{_PREFIX}{_CHARS}+",
        *(rf"{word}{chars}+" for word, chars, _ in _FORMS),
        r"eyJ[A-Za-z0-9_\-.]+",
    ]
)

_GAP: Final = r"(?:[ +]|%20)"
_PEM: Final = rf"-----BEGIN[A-Z0-9 +%]{{0,60}}PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?-----"
_PEM_END: Final = rf"-----END[A-Z0-9 +%]{{0,60}}PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?-----"
_PEM_BEGUN: Final = (
    rf"(?:{_begun(['-----BEGIN'])}|-----BEGIN[A-Z0-9 +%]{{0,80}}-{{0,4}}"
    rf"|{_PEM}(?:(?!{_PEM_END})[\s\S])*)"
)

# --- what something before it names ---------------------------------------------------------------


class _Named(NamedTuple):
    """A credential behind what names it: ``least`` or more of ``chars``."""

    group: str
    before: str
    chars: str
    least: int
    if_: str = ""
    """Looks ahead, where the credential begins."""
    then: str = ""
    """What is behind it."""
    most: int | str = ""

    def whole(self) -> str:
        """Return the form of a credential."""
        count = f"{{{self.least},{self.most}}}"
        return rf"{self.before}(?P<{self.group}>{self.if_}{self.chars}{count}){self.then}"

    def begun(self) -> str:
        """Return the form of what may become one, or go on."""
        return rf"{self.before}(?P<{self.group}>{self.chars}+)\Z"


_QUOTE: Final = r"(?:\\{0,7}[\"'`“”„‘’«»])"
_MARK: Final = r"(?:[*_~]{1,3}|</?[a-z]{1,10}>){0,2}"  # emphasis of Markdown and HTML
_NAME_END: Final = rf"{_MARK}{_QUOTE}?{_MARK}"
_VALUE_BEGIN: Final = rf"(?:SecretStr\()?(?:\*{{1,3}}|<[a-z]{{1,10}}>){{0,2}}(?:b?{_QUOTE})?"
# A value that begins in the next line: a block of YAML, and a fence of Markdown.
_NEXT_LINE: Final = r"(?:[|>][+\-]?[ ]{0,9}\n\s{1,99}|(?:`{3}|~{3})[a-z]{0,16}\s{1,9})"
# From a name to its value: in code, JSON, JSON in a string, headers, forms, XML, prose, Markdown,
# and pairs such as {"name": "api_key", "value": "…"}.
_TO: Final = (
    rf"(?:{_QUOTE}[ ]?,[ ]?(?=b?[\"'])"
    rf"|{_NAME_END}\s{{0,99}}[:=：＝]>?{_MARK}\s{{0,99}}{_NEXT_LINE}?|>"
    rf"|{_QUOTE}?\s{{0,40}},?\s{{0,40}}{_QUOTE}?(?i:value){_QUOTE}?\s{{0,9}}[:=]\s{{0,99}}"
    rf"|%3[AaDd](?:%20|\+)?|{_NAME_END}\s(?:provided|is|was):?\s){_VALUE_BEGIN}"
)
_NAMES: Final = rf"(?=[AEMPRSTaemprst_])(?i:{'|'.join(tables.NAMES)})"
_NAME: Final = rf"{_NAMES}{_TO}"
# Names of variables: HF_TOKEN, DJANGO_SECRET_KEY_BASE.
_CONSTANT: Final = (
    r"(?:(?<=[A-Z0-9]_)(?:KEY|TOKEN|SECRET)|(?<![a-z])SECRET_(?:[A-Z]{1,8}_)?(?:KEY|BASE|VALUE))"
)
_VALUE: Final = r"[A-Za-z0-9/+_\-.=*~%]"
_TOKEN: Final = r"[A-Za-z0-9._~+/\-=]"  # noqa: S105 - a form, no token
_SECRET: Final = r"[^\s\"'\\,;&<>(){}\[\]`“”„«»]"  # noqa: S105 - a form, no secret
_PARAMETER: Final = r"[^\s&;\"'<>#\\{}()`]"
_LOGIN: Final = r"[A-Za-z0-9_\-.~%+]"
_USER: Final = r"[^\s/?#@\"'<>\\{}`]"
_SPACE: Final = r"(?:[ \t]{1,9}|%20|\+)"
_AUTHORIZATION: Final = rf"(?i:authorization){_TO}"
_PASSWORD: Final = rf"(?i:{_any(tables.PASSWORDS)})"
_ASK: Final = r"(?:[?&;#]|%3[Ff]|%26)"
# A path with one slash has been a URL: pathlib joins the two.
_URL: Final = r":(?<=[A-Za-z0-9]:)\\{0,2}/(?:\\{0,2}/|(?<=[A-Za-z]{2}:/))"
_CODED: Final = r"(?:(?!%2[Ff])[A-Za-z0-9._~\-%])"  # a part of a URL that is in another one
# What is written where a credential would be, and what code reads one from.
_NOT: Final = (
    rf"(?!(?i:{_any(tables.PLACEHOLDERS)})(?![A-Za-z0-9_\-])"
    r"|[A-Za-z0-9_.]{1,64}\(|\$[A-Za-z_{(]|%[sd(]|/[a-z]+/)"
)
# Random characters need not hold a digit where a name says what they are; words of code have no two
# capitals in 32 characters without a separator.
_MIXED: Final = (
    r"(?=[A-Za-z0-9+/]{32})(?=[A-Za-z0-9+/]{0,128}?[A-Z]{2})(?=[A-Za-z0-9+/]{0,128}?[a-z])"
)
_DIGIT: Final = rf"(?={_SECRET}{{0,128}}[0-9])"
# In a connection string or the line of a configuration; code spaces and indents otherwise.
_SETTING: Final = (
    r"(?i:\b(?:user(?:name|[ _]id)?|uid|login|host|server|dbname|database|port)"
    rf"=[^\s,;()\"']{{1,64}}[ ;]{{1,2}}{_PASSWORD}=)"
    r"|\blogin \S{1,64} password "
    rf"|(?:^|(?<=\\n))(?:(?:export|set|SET) )?[\w.\-]{{0,40}}{_PASSWORD}=[\"']?"
)

# A row of a table in Markdown: | API key | … |
_CELL: Final = rf"\|[ \t]{{0,40}}{_MARK}{_QUOTE}?[\w./ \-]{{0,40}}?"
_CELL_TO: Final = rf"{_NAME_END}[ \t]{{0,40}}\|[ \t]{{0,40}}{_MARK}{_QUOTE}?"
# setenv of csh, set of fish, setx of Windows and ENV of a Dockerfile: no sign but a space.
_SET: Final = r"\b(?:setenv|setx|ENV|set -[a-zA-Z]{1,4})[ \t]{1,9}\w{0,64}?"
_SET_TO: Final = rf"[ \t]{{1,9}}{_QUOTE}?"
_CURL: Final = (
    rf"\bcurl\b[^\n|;]{{0,48}}?[ ](?:-[uU]|--(?:proxy-)?user)[ =]?{_QUOTE}?[^\s:\"'`]{{1,48}}:"
)


def _key(group: str, before: str) -> _Named:
    return _Named(group, before, _VALUE, 16, rf"{_NOT}(?:{_random(_VALUE)}|{_MIXED})")


_NAMED: Final = (
    _key("value", _NAME),
    _key("constant", rf"{_CONSTANT}{_TO}"),
    _key("cell", rf"{_CELL}(?:{_NAMES}|{_CONSTANT}){_CELL_TO}"),
    _key("set", rf"{_SET}(?:{_NAMES}|{_CONSTANT}){_SET_TO}"),
    _Named("place", rf"(?i:{_any(tables.PLACES)})", r"[A-Za-z0-9/_\-:]", 16),
    _Named(
        "token",
        rf"(?i:\bbearer)(?:{_SPACE}|\s?[:=]\s?[\"']?)",
        _TOKEN,
        8,
        rf"(?:(?={_TOKEN}{{0,128}}[0-9])|{_MIXED})",
    ),
    _Named(
        "basic",
        rf"{_AUTHORIZATION}(?i:basic|bearer|token|apikey|negotiate){_SPACE}",
        _TOKEN,
        4,
        _NOT,
    ),
    _Named(
        "digest",
        rf"{_AUTHORIZATION}(?i:digest|aws4-hmac-sha256){_SPACE}",
        r"[^\r\n'{}<>]",
        8,
        r"(?=[A-Za-z]{1,20}=)",
    ),
    _Named("bare", _AUTHORIZATION, _TOKEN, 16, rf"(?:{_random(_TOKEN)}|{_MIXED})"),
    _Named(
        "cookie",
        rf"(?i:cookie){_TO}",
        r"[^\r\n\"'<>{}()]",
        6,
        r"(?=[\w.\-]{1,64}=(?![=\s]))",
    ),
    _Named(
        "shell",
        r"P(?:ASSWORD|ASSWD|ASSPHRASE|(?<=[A-Z0-9]_P)(?:WD|ASS))=[\"']?",
        rf"(?![$]){_SECRET}",
        4,
    ),
    _Named("password", rf"(?:{_PASSWORD}{_TO}|--{_PASSWORD}[ ])", _SECRET, 6, _NOT + _DIGIT),
    _Named("password_cell", rf"{_CELL}{_PASSWORD}{_CELL_TO}", _SECRET, 6, _NOT + _DIGIT),
    _Named("password_set", rf"{_SET}(?:{_PASSWORD}|_PASS){_SET_TO}", _SECRET, 4, _NOT),
    _Named("login", _CURL, _SECRET, 1, _NOT),
    _Named(
        "setting",
        rf"(?:{_SETTING})",
        _SECRET,
        4,
        _NOT,
        then=r"(?=[\s;\"'\\]|\Z)",
    ),
    _Named("query", rf"{_ASK}(?i:{_any(tables.QUERY)})(?:=|%3[Dd])", _PARAMETER, 6),
    _Named(
        "long",
        rf"{_ASK}(?i:{_any(tables.LONG_QUERY)})(?:=|%3[Dd])",
        _PARAMETER,
        16,
        _random(_PARAMETER),
    ),
    # Of user and password either may be empty; a user alone may be a token.
    _Named(
        "user",
        _URL,
        _USER,
        2,
        rf"(?=[^\s/?#@:\"'<>\\{{}}`]{{0,128}}:{_USER}|{_random(_LOGIN)}{_LOGIN}{{16,}}@)",
        then="(?=@)",
        most=385,
    ),
    _Named(
        "coded",
        r"%3[Aa]%2[Ff]%2[Ff]",
        _CODED,
        5,
        rf"(?={_CODED}{{0,128}}?%3[Aa]{_CODED}{{1,128}}?%40)",
        then="(?=%40)",
        most=256,
    ),
)

KEY: Final = re.compile(
    rf"(?=[{_FIRST}]){_BEGIN}(?:{_FORM})"
    rf"|(?P<pem>{_PEM}[\s\S]*?(?:{_PEM_END}|\Z))" + "".join(f"|{each.whole()}" for each in _NAMED),
    re.MULTILINE,
)
"""A credential in a text; the group is it where something is before."""

KEY_BEGUN: Final = re.compile(
    rf"(?=[{_FIRST}]){_BEGIN}(?P<form>{_FORM_BEGUN})\Z|(?P<pem>{_PEM_BEGUN})\Z"
    + "".join(f"|{each.begun()}" for each in _NAMED),
    re.MULTILINE,
)
"""What may become a credential, or is one that may go on, at the end of a text."""


def key_spans(text: str) -> list[tuple[int, int]]:
    """Return where in ``text`` credentials are, in order, 0-based and half open."""
    return [match.span(match.lastgroup or 0) for match in KEY.finditer(text)]


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
