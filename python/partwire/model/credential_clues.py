"""Which credentials a text may hold at all: by words that are found fast, before any form is tried.

A form that tries each character takes a microsecond for each; a word is found a thousand times
faster. What is not among the possible kinds is not in the text; what is among them may be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from ..tables import credentials as tables
from .credential_forms import FORM_WORDS, KINDS, TO

__all__ = ["possible_kinds"]

_FEWEST_CHARS: Final = 7
"""No credential is in a text that is shorter: ``x://u@``."""
_ALL: Final = tuple(KINDS)
# Without case, a form takes these for letters of ASCII, and lower() does not.
_ODD: Final = re.compile("[\u017f\u0131\u0130\u212a]").search


def _fewest(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words without those in which another one is."""
    each = sorted({word.lower() for word in words})
    return tuple(word for word in each if not any(other in word for other in each if other != word))


def _asked(words: Iterable[str]) -> tuple[str, ...]:
    return _fewest(f"{word}{sign}" for word in words for sign in ("=", "%3d"))


# --- keys of a form -------------------------------------------------------------------------------

# Most begin with a word up to a sign that is rare in texts, behind which it is looked for.
_heads: Final = {found[0] for word in FORM_WORDS if (found := re.match(r"\w*?[\-_.]", word))}
_bare: Final = [word for word in FORM_WORDS if not re.search(r"[\-_.]", word)]
_behind: Final = "|".join(
    f"(?<={'|'.join(map(re.escape, sorted(each for each in _heads if len(each) == length)))})"
    for length in sorted({len(each) for each in _heads})
)
_head: Final = re.compile(rf"[\-_.](?:{_behind})").search


def _may_have_form(text: str) -> bool:
    return _head(text) is not None or any(word in text for word in _bare)


# --- what something before it names ---------------------------------------------------------------

_NAMES: Final = ("key", "token", "secret", "_auth")
"""How names of keys end, but for an id."""
_SETS: Final = ("setenv", "setx", "ENV", "set -")
_ASKS: Final = ("?", "&", ";", "#", "%3f", "%26")
_PASSWORDS: Final = _fewest(tables.PASSWORDS)
_SHELL: Final = ("PASSWORD=", "PASSWD=", "PASSPHRASE=", "_PWD=", "_PASS=")
_SETTINGS: Final = _fewest(f"{word}=" for word in tables.PASSWORDS)
_PLACES: Final = _fewest(tables.PLACES)
_QUERY: Final = _asked(tables.QUERY)
_LONG: Final = _asked(tables.LONG_QUERY)

_after_name: Final = re.compile(
    rf"(?:[ _\-]?[iI][dD])?(?:_(?:[A-Z]{{1,8}}_)?(?:KEY|BASE|VALUE))?{TO}"
).match


def _is_named(text: str, low: str) -> bool:
    """Return whether a value is behind the end of a name."""
    for name in _NAMES:
        at = low.find(name)
        while at >= 0:
            end = at + len(name)
            if _after_name(text, end):
                return True
            at = low.find(name, end)
    return False


_Clue = Callable[[str, str], bool]
"""Takes a text, as it is and in lower case."""


def _low(*words: str) -> _Clue:
    return lambda _, low: any(word in low for word in words)


def _same(*words: str) -> _Clue:
    return lambda text, _: any(word in text for word in words)


def _all(*clues: _Clue) -> _Clue:
    return lambda text, low: all(clue(text, low) for clue in clues)


def _any(*clues: _Clue) -> _Clue:
    return lambda text, low: any(clue(text, low) for clue in clues)


_has_value: Final = _low("=", "%3d")
_has_password: Final = _low(*_PASSWORDS)
_CLUES: Final[Mapping[str, _Clue]] = {
    "key": lambda text, _: _may_have_form(text),
    "pem": _same("-----BEGIN"),
    "value": _is_named,
    "constant": _is_named,
    "cell": _all(_same("|"), _low(*_NAMES)),
    "set": _all(_same(*_SETS), _low(*_NAMES)),
    "place": _low(*_PLACES),
    "token": _low("bearer"),
    "basic": _low("authorization"),
    "digest": _low("authorization"),
    "bare": _low("authorization"),
    "cookie": _low("cookie"),
    "shell": _same(*_SHELL),
    "password": _has_password,
    "password_cell": _all(_same("|"), _has_password),
    "password_set": _all(_same(*_SETS), _low("_pass", *_PASSWORDS)),
    "login": _same("curl"),
    "setting": _any(_low(*_SETTINGS), _all(_low("login "), _low(" password "))),
    "query": _all(_has_value, _low(*_ASKS), _low(*_QUERY)),
    "long": _all(_has_value, _low(*_ASKS), _low(*_LONG)),
    "user": _all(_same("@"), _same(":/", ":\\")),
    "coded": _low("%3a%2f%2f"),
}


def possible_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of credentials that ``text`` may hold, in the order of KINDS."""
    if len(text) < _FEWEST_CHARS:
        return ()
    if not text.isascii() and _ODD(text):
        return _ALL
    low = text.lower()
    return tuple(kind for kind, may_have in _CLUES.items() if may_have(text, low))
