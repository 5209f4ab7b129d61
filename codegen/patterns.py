"""The subset of regular expressions that means the same in every engine, and takes linear time.

Allowed: literals, escaped punctuation, character classes, groups, alternation inside groups and
the quantifiers ``* + ? {n} {n,} {n,m}``; the whole is anchored with ``^…$``. Refused: what engines
read differently (``\\d \\w \\s \\b``, ``.``, class set operations) or cannot run without
backtracking (lookaround, backreferences, unbounded quantifiers inside one another).
"""

from __future__ import annotations

import re

_PUNCTUATION = frozenset("^$\\.*+?()[]{}|/")
_CLASS_ONLY = frozenset("-")


class PatternError(ValueError):
    """Why a pattern is outside the subset."""


def check_pattern(pattern: str) -> None:
    """Raise :class:`PatternError` unless ``pattern`` is in the subset."""
    if not (pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$")):
        raise PatternError("it is not anchored: write ^…$")
    parser = _Parser(pattern[1:-1])
    parser.alternatives(top=True)
    if parser.at < len(parser.text):
        raise PatternError(f"unexpected {parser.text[parser.at]!r}")
    try:
        re.compile(pattern)
    except re.error as error:
        raise PatternError(f"it does not compile: {error}") from error


class _Parser:
    """Recursive descent; each method returns whether what it read can repeat without bound."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        char = self.peek()
        if not char:
            raise PatternError("it ends in the middle of an expression")
        self.at += 1
        return char

    def alternatives(self, *, top: bool = False) -> bool:
        unbounded = self.sequence()
        while self.peek() == "|":
            if top:
                raise PatternError("alternatives at the top need a group: ^(?:a|b)$")
            self.take()
            unbounded = self.sequence() or unbounded
        return unbounded

    def sequence(self) -> bool:
        unbounded = False
        while self.peek() not in ("", "|", ")"):
            inner = self.atom()
            repeats = self.quantifier()
            if inner and repeats:
                raise PatternError("an unbounded quantifier stands inside an unbounded quantifier")
            unbounded = unbounded or inner or repeats
        return unbounded

    def atom(self) -> bool:
        char = self.take()
        if char == "(":
            return self.group()
        if char == "[":
            self.character_class()
        elif char == "\\":
            self.escape(_PUNCTUATION)
        elif char == ".":
            raise PatternError("'.' differs between engines: write a class")
        elif char in "^$":
            raise PatternError(f"an anchor {char!r} inside the pattern")
        elif char in "*+?{}]":
            raise PatternError(f"unexpected {char!r}")
        return False

    def group(self) -> bool:
        if self.peek() == "?":
            self.take()
            if self.take() != ":":
                raise PatternError("lookaround, named groups and flags are not portable")
        unbounded = self.alternatives()
        if self.take() != ")":
            raise PatternError("a group is not closed")
        return unbounded

    def escape(self, allowed: frozenset[str]) -> None:
        char = self.take()
        if char.isdigit() or char == "k":
            raise PatternError("backreferences are not allowed")
        if char not in allowed:
            raise PatternError(f"the escape \\{char} is not portable: write a class")

    def character_class(self) -> None:
        if self.peek() == "^":
            self.take()
        if self.peek() == "]":
            raise PatternError("an empty class")
        before = ""
        while (char := self.take()) != "]":
            if char == "[":
                raise PatternError("'[' inside a class needs a backslash")
            if char == before and char in "&-~":
                raise PatternError(f"{char * 2} inside a class is a set operation elsewhere")
            if char == "\\":
                self.escape(_PUNCTUATION | _CLASS_ONLY)
                char = ""
            before = char

    def quantifier(self) -> bool:
        char = self.peek()
        if char not in ("*", "+", "?", "{"):
            return False
        self.take()
        unbounded = char in "*+"
        if char == "{":
            match = re.compile(r"([0-9]+)(,([0-9]*))?\}").match(self.text, self.at)
            if match is None:
                raise PatternError("a malformed {n,m}")
            self.at = match.end()
            unbounded = match[2] == ","
        if self.peek() in ("?", "+", "*", "{") and self.peek():
            raise PatternError("lazy and possessive quantifiers are not portable")
        return unbounded
