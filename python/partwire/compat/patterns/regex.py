"""Regular expressions of ECMA 262, read into a tree, and written for Python's ``re``.

Trees are tuples: ``("chars", intervals)``, ``("cat", parts)``, ``("alt", parts)``,
``("rep", part, least, most)``, ``("group", number, part)``, ``("bol",)``, ``("eol",)``; and what
no finite automaton of ours knows: ``("look", ahead, negative, part)``, ``("back", number)``,
``("edge", negative)`` and ``("property", text)``, of which
Python has no table. Intervals are sorted, inclusive, of code points.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from .unicode_classes import property_intervals

__all__ = [
    "ANY",
    "WORD",
    "Intervals",
    "RegexError",
    "Tree",
    "certain_groups",
    "is_regular",
    "parse_regex",
    "to_python",
]

Intervals = tuple[tuple[int, int], ...]
Tree = tuple[Any, ...]

LAST: Final = 0x10FFFF
ANY: Final[Intervals] = ((0, LAST),)
_MAX_DEPTH = 100

_DIGIT: Final[Intervals] = ((48, 57),)
WORD: Final[Intervals] = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Final[Intervals] = (
    (9, 13),
    (32, 32),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
_ENDS: Final[Intervals] = ((10, 10), (13, 13), (0x2028, 0x2029))
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_COUNT = re.compile(r"\{([0-9]+)(,([0-9]*))?\}")


class RegexError(ValueError):
    """Why a text is not a regular expression."""


def joined(intervals: list[tuple[int, int]]) -> Intervals:
    """Return the intervals sorted, those that touch as one."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def complement(intervals: Intervals) -> Intervals:
    """Return every other code point."""
    result = []
    at = 0
    for low, high in intervals:
        if low > at:
            result.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        result.append((at, LAST))
    return tuple(result)


@lru_cache(maxsize=4096)
def parse_regex(pattern: str) -> Tree:
    """Return the tree of a pattern. Raises RegexError."""
    parser = _Parser(pattern)
    tree = parser.alternatives(0)
    if parser.at < len(pattern):
        raise RegexError(f"unexpected {pattern[parser.at]!r} at offset {parser.at}")
    return tree


def is_regular(tree: Tree, *, looking: bool = False) -> bool:
    """Whether an automaton of ours says exactly what the tree says.

    ``looking``: one that knows of word boundaries and looks ahead.
    """
    kind = tree[0]
    if kind in ("back", "property"):
        return False
    if kind == "edge":
        return looking
    if kind in ("cat", "alt"):
        return all(is_regular(part, looking=looking) for part in tree[1])
    if kind == "look":
        return looking and tree[1] and is_regular(tree[3], looking=True)
    inside = {"rep": 1, "group": 2}.get(kind)
    return inside is None or is_regular(tree[inside], looking=looking)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.groups = 0
        self.names: dict[str, int] = {}

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        char = self.peek()
        if not char:
            raise RegexError("it ends in the middle of an expression")
        self.at += 1
        return char

    def skip(self, text: str) -> bool:
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def alternatives(self, depth: int) -> Tree:
        if depth > _MAX_DEPTH:
            raise RegexError(f"groups are nested deeper than {_MAX_DEPTH} levels")
        branches = [self.sequence(depth)]
        while self.skip("|"):
            branches.append(self.sequence(depth))
        return branches[0] if len(branches) == 1 else ("alt", tuple(branches))

    def sequence(self, depth: int) -> Tree:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.quantified(self.atom(depth)))
        return parts[0] if len(parts) == 1 else ("cat", tuple(parts))

    def quantified(self, part: Tree) -> Tree:
        char = self.peek()
        bounds: tuple[int, int | None] | None = None
        if char in ("*", "+", "?") and char:
            self.at += 1
            bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        elif match := _COUNT.match(self.text, self.at):
            self.at = match.end()
            least = int(match[1])
            most = least if match[2] is None else int(match[3]) if match[3] else None
            bounds = (least, most)
        if bounds is None:
            return part
        if part[0] in ("bol", "eol", "edge") or (part[0] == "look" and not part[1]):
            raise RegexError("nothing to repeat")
        fewest, largest = bounds
        if largest is not None and largest < fewest:
            raise RegexError("the numbers of a quantifier are out of order")
        self.skip("?")
        if self.peek() in ("*", "+", "?") and self.peek():
            raise RegexError("nothing to repeat")
        return ("rep", part, fewest, largest)

    def atom(self, depth: int) -> Tree:
        char = self.take()
        if char == "(":
            return self.group(depth)
        if char == "[":
            return self.character_class()
        if char == "\\":
            return self.escape()
        if char == ".":
            return ("chars", complement(_ENDS))
        if char == "^":
            return ("bol",)
        if char == "$":
            return ("eol",)
        if char in "*+?" or (char == "{" and _COUNT.match(self.text, self.at - 1)):
            raise RegexError("nothing to repeat")
        return ("chars", ((ord(char), ord(char)),))

    def group(self, depth: int) -> Tree:
        number = 0
        look: tuple[bool, bool] | None = None
        if self.skip("?"):
            if self.skip("="):
                look = (True, False)
            elif self.skip("!"):
                look = (True, True)
            elif self.skip("<="):
                look = (False, False)
            elif self.skip("<!"):
                look = (False, True)
            elif self.skip("<"):
                number = self.named()
            elif not self.skip(":"):
                raise RegexError("an unknown kind of group")
        else:
            self.groups = number = self.groups + 1
        inside = self.alternatives(depth + 1)
        if self.peek() != ")":
            raise RegexError("a group is not closed")
        self.at += 1
        if look is not None:
            return ("look", *look, inside)
        # In a group: an assertion in one may be repeated.
        return ("group", number, inside) if number else ("cat", (inside,))

    def named(self) -> int:
        end = self.text.find(">", self.at)
        name = self.text[self.at : end]
        if end < 0 or not name.isidentifier() or name in self.names:
            raise RegexError("a group's name is malformed or given twice")
        self.at = end + 1
        self.groups += 1
        self.names[name] = self.groups
        return self.groups

    def escape(self) -> Tree:
        char = self.peek()
        if char in ("b", "B") and char:
            self.at += 1
            return ("edge", char == "B")
        if char in "123456789" and char:
            match = re.compile("[0-9]+").match(self.text, self.at)
            assert match is not None
            if int(match[0]) <= self.text.count("("):
                self.at = match.end()
                return ("back", int(match[0]))
        if char == "k" and self.text.startswith("<", self.at + 1):
            end = self.text.find(">", self.at)
            name = self.text[self.at + 2 : end]
            if name not in self.names:
                raise RegexError("a reference to a group that is not there")
            self.at = end + 1
            return ("back", self.names[name])
        found = self.class_escape()
        return found if isinstance(found, tuple) else ("chars", ((found, found),))

    def class_escape(self) -> int | Tree:
        """A code point, or a tree of several."""
        char = self.take()
        if char in "dDwWsS":
            base = {"d": _DIGIT, "w": WORD, "s": _SPACE}[char.lower()]
            return ("chars", base if char.islower() else complement(base))
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "0" and not self.peek().isdigit():
            return 0
        if char == "c" and re.match("[A-Za-z]", self.peek()):
            return ord(self.take()) % 32
        if char in "pP" and self.peek() == "{":
            end = self.text.find("}", self.at)
            if end < 0:
                raise RegexError("a property is not closed")
            text = self.text[self.at - 2 : end + 1]
            known = property_intervals(self.text[self.at + 1 : end])
            self.at = end + 1
            if known is None:
                return ("property", text)
            return ("chars", complement(known) if char == "P" else known)
        if char in "xu":
            return self.hexadecimal(char)
        return ord(char)

    def hexadecimal(self, char: str) -> int:
        pattern = r"[0-9a-fA-F]{2}" if char == "x" else r"[0-9a-fA-F]{4}|\{([0-9a-fA-F]+)\}"
        match = re.compile(pattern).match(self.text, self.at)
        if match is None:
            return ord(char)
        self.at = match.end()
        code = int(match[0].strip("{}"), 16)
        if code > LAST:
            raise RegexError("a code point beyond Unicode")
        low = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})").match(self.text, self.at)
        if 0xD800 <= code < 0xDC00 and low:
            self.at = low.end()
            code = 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)
        return code

    def character_class(self) -> Tree:
        negative = self.skip("^")
        found: list[tuple[int, int]] = []
        foreign = ""
        while (char := self.take()) != "]":
            low = self.member(char)
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                high = self.member(self.take())
                if isinstance(low, int) and isinstance(high, int):
                    if high < low:
                        raise RegexError("a range is out of order")
                    found.append((low, high))
                    continue
                found.append((45, 45))
                foreign = foreign or self.collect(high, found)
            foreign = foreign or self.collect(low, found)
        if foreign:
            return ("property", foreign)
        intervals = joined(found)
        return ("chars", complement(intervals) if negative else intervals)

    def member(self, char: str) -> int | Tree:
        if char != "\\":
            return ord(char)
        if self.skip("b"):
            return 8
        return 45 if self.skip("-") else self.class_escape()

    @staticmethod
    def collect(member: int | Tree, found: list[tuple[int, int]]) -> str:
        if isinstance(member, int):
            found.append((member, member))
            return ""
        if member[0] == "property":
            text: str = member[1]
            return text
        found.extend(member[1])
        return ""


def to_python(tree: Tree) -> str:
    """Return it for Python's ``re``. Raises RegexError where that cannot mean the same."""
    return _python(tree, certain_groups(tree))


def certain_groups(tree: Tree) -> frozenset[int]:
    """Return the groups that take part in every match."""
    kind = tree[0]
    if kind == "cat":
        return frozenset[int]().union(*map(certain_groups, tree[1]))
    if kind == "group":
        return certain_groups(tree[2]) | {tree[1]}
    return frozenset()


def _python(tree: Tree, certain: frozenset[int]) -> str:
    kind = tree[0]
    if kind == "chars":
        return _class_text(tree[1])
    if kind == "cat":
        return "".join(_python(part, certain) for part in tree[1])
    if kind == "alt":
        return "(?:" + "|".join(_python(part, certain) for part in tree[1]) + ")"
    if kind == "rep":
        most = "" if tree[3] is None else tree[3]
        return f"(?:{_python(tree[1], certain)}){{{tree[2]},{most}}}"
    if kind == "group":
        return f"({_python(tree[2], certain)})"
    if kind == "look":
        sign = ("" if tree[1] else "<") + ("!" if tree[2] else "=")
        return f"(?{sign}{_python(tree[3], certain)})"
    if kind == "back":
        if tree[1] in certain:
            return f"(?:\\{tree[1]})"
        # A group that did not take part matches nothing in Python, the empty text in ECMA 262.
        raise RegexError("back-references mean other things elsewhere")
    if kind == "edge":
        # Python before 3.14 finds no \\B in the empty text.
        return "(?a:(?!\\b))" if tree[1] else "(?a:\\b)"
    if kind in ("bol", "eol"):
        return "\\A" if kind == "bol" else "\\Z"
    raise RegexError(f"Python knows no {tree[1]}")


def _class_text(intervals: Intervals) -> str:
    if not intervals:
        return "(?!)"
    parts = "".join(
        f"\\U{low:08x}" if low == high else f"\\U{low:08x}-\\U{high:08x}" for low, high in intervals
    )
    return f"[{parts}]"
