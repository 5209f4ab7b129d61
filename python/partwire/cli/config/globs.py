"""Globs of the configuration: ``*`` and ``?`` within one name, ``**`` for any number of folders.

fnmatch lets ``*`` cross slashes, and pathlib learns ``**`` in 3.13. All ways through a glob are
followed at once: a regular expression tries them one by one, which takes ages for some.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["fits", "literal_folder"]

_TOKEN = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
_STARS = frozenset({"*", "**", "**/"})


def fits(glob: str, path: str) -> bool:
    """Return whether the whole of ``path``, relative and with forward slashes, fits ``glob``."""
    tokens = _tokens(glob)
    here = _reached(tokens, 0)
    for char in path:
        after: set[int] = set()
        for place in here:
            step = tokens[place] if place < len(tokens) else ""
            if step in _STARS:
                if step != "*" or char != "/":
                    after.add(place)
                    # Whole folders: what comes next begins behind a slash.
                    if step != "**/" or char == "/":
                        after |= _reached(tokens, place)
            elif step == char or (step == "?" and char != "/"):
                after |= _reached(tokens, place + 1)
        here = after
    return len(tokens) in here


def literal_folder(glob: str) -> str:
    """Return the folders that ``glob`` begins with and spells out, such as ``a/b`` of ``a/b/*``."""
    names = glob.split("/")[:-1]
    stars = (index for index, name in enumerate(names) if "*" in name or "?" in name)
    return "/".join(names[: next(stars, len(names))])


@cache
def _tokens(glob: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(glob))


def _reached(tokens: tuple[str, ...], place: int) -> set[int]:
    """Return ``place`` and what follows it, as far as stars may stand for nothing."""
    places = {place}
    while place < len(tokens) and tokens[place] in _STARS:
        place += 1
        places.add(place)
    return places
