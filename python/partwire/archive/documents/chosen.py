"""Choose lines by what they belong to: a sample of them, or all of them in several tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from ...errors import ReadError, bad_argument
from .keys import check_key, key_of, share_of, shares
from .options import Sample, Split
from .rows import Lines

__all__ = ["ChosenLines"]

_TABLE: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_OWN_TABLES: Final = frozenset({"quarantine"})


@dataclass(frozen=True)
class ChosenLines:
    """Write each line, as it is, to the table that its key chooses, or leave it out."""

    by: str
    salt: str
    ends: tuple[tuple[str, int], ...]
    """Tables, and up to where between 0 and 2^64 their keys lie."""
    keeps_text: ClassVar[bool] = True

    @staticmethod
    def of(options: Sample | Split) -> ChosenLines:
        """Return what does it; raises UsageError ``usage/invalid-argument``."""
        check_key(options.by)
        # Operations choose by themselves: a split of a sample has the same shares as one of all.
        salt = f"{options.name}:{options.seed}"
        if isinstance(options, Sample):
            ends = {"documents": shares({"--rate": options.rate})["--rate"]}
        else:
            for name in options.into:
                if not _TABLE.fullmatch(name) or name in _OWN_TABLES:
                    expected = "lower-case letters, digits, - and _, but not quarantine"
                    raise bad_argument("This is not a name of a table", expected, name)
            ends = shares(options.into)
        return ChosenLines(options.by, salt, tuple(ends.items()))

    @cached_property
    def _key(self) -> Callable[[bytes], str]:
        return key_of(self.by)

    def __call__(self, lines: Lines) -> None:
        """Take the lines of a block."""
        key_of_line, salt, ends = self._key, self.salt, self.ends
        for at, text in lines.documents():
            try:
                key = key_of_line(text)
            except ReadError as error:
                lines.quarantine(at, error.findings[0])
                continue
            share = share_of(key, salt)
            table = next((name for name, end in ends if share < end), None)
            if table is None:
                lines.left_out += 1
                continue
            lines.write(table, text)
            lines.used += 1
