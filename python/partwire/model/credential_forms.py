"""How credentials look in texts: the table of credentials as regular expressions.

Keys as the providers issue them are known by form. What has no recognisable form (Cohere's and
Mistral's keys, AWS's secret keys) is known by what is before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from ..tables import credentials as tables

__all__ = ["FORM_WORDS", "KEY_BEGUN", "KINDS", "TO", "form_of"]


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


FORM_WORDS: Final = [*tables.PREFIXES, "eyJ", *(word for word, _, _ in tables.FORMS)]
_FIRST: Final = "".join(sorted({word[0] for word in FORM_WORDS}))


def _begun(words: Iterable[str]) -> str:
    heads = {word[:length] for word in words for length in range(1, len(word) + 1)}
    return _any(sorted(heads, key=len, reverse=True))


_FORM_BEGUN: Final = "|".join(
    [
        _begun(FORM_WORDS),
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
TO: Final = (
    rf"(?:{_QUOTE}[ ]?,[ ]?(?=b?[\"'])"
    rf"|{_NAME_END}\s{{0,99}}[:=：＝]>?{_MARK}\s{{0,99}}{_NEXT_LINE}?|>"
    rf"|{_QUOTE}?\s{{0,40}},?\s{{0,40}}{_QUOTE}?(?i:value){_QUOTE}?\s{{0,9}}[:=]\s{{0,99}}"
    rf"|%3[AaDd](?:%20|\+)?|{_NAME_END}\s(?:provided|is|was):?\s){_VALUE_BEGIN}"
)
_NAMES: Final = rf"(?=[AEMPRSTaemprst_])(?i:{'|'.join(tables.NAMES)})"
_NAME: Final = rf"{_NAMES}{TO}"
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
_AUTHORIZATION: Final = rf"(?i:authorization){TO}"
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
    _key("constant", rf"{_CONSTANT}{TO}"),
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
        rf"(?i:cookie){TO}",
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
    _Named("password", rf"(?:{_PASSWORD}{TO}|--{_PASSWORD}[ ])", _SECRET, 6, _NOT + _DIGIT),
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

KINDS: Final[Mapping[str, str]] = {
    "key": rf"(?=[{_FIRST}]){_BEGIN}(?:{_FORM})",
    "pem": rf"(?P<pem>{_PEM}[\s\S]*?(?:{_PEM_END}|\Z))",
    **{each.group: each.whole() for each in _NAMED},
}
"""Kind → the form of such a credential, in the order in which they are tried at each place. A group
is the credential where something is before it; it has the name of its kind.
"""


@cache
def form_of(kind: str) -> re.Pattern[str]:
    """Return what finds the credentials of a kind."""
    return re.compile(KINDS[kind], re.MULTILINE)


KEY_BEGUN: Final = re.compile(
    rf"(?=[{_FIRST}]){_BEGIN}(?P<form>{_FORM_BEGUN})\Z|(?P<pem>{_PEM_BEGUN})\Z"
    + "".join(f"|{each.begun()}" for each in _NAMED),
    re.MULTILINE,
)
"""What may become a credential, or is one that may go on, at the end of a text."""
