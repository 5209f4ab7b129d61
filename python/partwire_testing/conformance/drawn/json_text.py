"""JSON text as nobody would write it: odd spellings, hostile names, broken text, deep nesting."""

from __future__ import annotations

import json
import random
from typing import Any, Final

__all__ = ["NAMES", "NUMBERS", "Speller", "wrapped"]

NUMBERS: Final[tuple[str, ...]] = (
    *("0", "-0", "-0.0", "0e0", "-0e400", "0.0e-999", "1.0", "10e-1", "0.1e1", "1E0", "1e+0"),
    *("9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740991"),
    *("-9007199254740992", "-9007199254740993", "9007199254740991.0", "9007199254740991.5"),
    *("9223372036854775807", "9223372036854775808", "18446744073709551615"),
    *("18446744073709551616", "-9223372036854775809", "1e15", "1e16", "1e21", "1e22", "1e-6"),
    *("1e-7", "1e300", "1e308", "1.7976931348623157e308", "1.7976931348623158e308"),
    *("1.7976931348623159e308", "1e309", "1e400", "-1e400", "1e99999", "1e-400", "5e-324"),
    *("2.4703282292062327e-324", "2.4703282292062328e-324", "0.1", "0.30000000000000004"),
    *("123456789012345678901234567890", "1.00000000000000000000000001", "0.5", "1.5", "-1", "2"),
    *("9" * 308, "9" * 309, "9" * 400, "1" + "0" * 308, "1" * 5000, "0." + "0" * 400 + "1"),
)
NAMES: Final = (
    *("__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype", "length"),
    *("__defineGetter__", "toJSON", "then", "get", "", "\0", "a\0b", "é", "e\u0301", "🌍", "~"),
    *("/", "~1", "a/b", "%", "0", "-1", "00", "1e3", "kind", "type", "payload", "ID", "parts "),
    *("\ufeff", "\u2028", "\uffff", "\ue000", "\U00010000", "run_id", "runid", "meta", "opaque"),
)
_WRONG: Final[tuple[str, ...]] = (
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "01",
        "-01",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "--1",
        "-",
        "0x1",
    ),
    *(
        "1_0",
        "tru",
        "True",
        "nul",
        "undefined",
        "'a'",
        "[,]",
        "[1,]",
        '{"a":1,}',
        "{a:1}",
        "{'a':1}",
    ),
    *('{"a"}', '{"a":}', "{1:1}", "[1 2]", '"a', "a", "//x\n1", "/**/1", '"\t"', '"\n"', '"\x00"'),
    *(
        '"\x1f"',
        '"\\x41"',
        '"\\u12"',
        '"\\u12g4"',
        '"\\U0041"',
        '"\\',
        '"\\a"',
        "1,",
        "]",
        "}",
        ":",
    ),
    *('"\\u+123"', '"\\u 123"', "٣", "１", "[1,,2]", '{"a" 1}', "{,}", '"\\0"', "1 .0", "- 1"),
)
_STRINGS: Final[tuple[str, ...]] = (
    *('"\\ud83d"', '"\\udc00\\ud83d"', '"\\ud83d\\ude00"', '"\\uD83D\\uDE00"', '"\\ud83dx"'),
    *(
        '"\\ud83d\\ud83d\\ude00"',
        '"\\udfff"',
        '"\\u0000"',
        '"\\u000a"',
        '"\\/"',
        '"\\b\\f\\n\\r\\t"',
    ),
    *('"\x7f"', '"\u2028\u2029"', '"\ufeff"', '"\ufffe"', '"\U0010ffff"', '"\\uFFFF"', '"\ud83d"'),
    *('"\\u005f\\u005fproto__"', '"\u0130"', '"ß"', '"\\u00e9"', '"e\u0301"', '"𝒳"'),
)
_PLAIN: Final = ("null", "true", "false", "{}", "[]", '""', "[[]]", "[{}]", '{"":{}}', "[null]")
_NAME_TEXTS: Final = ('"\\u006bind"', '"\\ud800"', '"__pr\\u006fto__"', '"\\u0000"', '"\ud83d"')
_SPACES: Final = ("", "", "", " ", "\n", "\t", "\r\n", "  ")
_NO_SPACES: Final = ("\x0b", "\x0c", "\u00a0", "\u2028", "\ufeff", "\0", "\x1e")
_AROUND: Final = ("x", "{}", "null", ",", "]", "}", "\0", "\x1a", "//", "\ufeff", " 1", "\n\n")
_DEPTHS: Final = (100, 126, 127, 128, 129, *range(500, 518), 600, 5000)


class Speller:
    """Writes JSON values as text; each value is written oddly with the chance ``oddity``."""

    def __init__(self, rng: random.Random, oddity: float, *, broken: bool = True) -> None:
        """``broken``: whether the text may be something else than JSON."""
        self._rng = rng
        self._oddity = oddity
        self._broken = broken
        self._spaced = rng.random() < 0.2

    def data(self, value: Any) -> bytes:
        """Return a value as bytes; lone surrogates as the three bytes that UTF-8 has not."""
        return self.text(value).encode("utf-8", "surrogatepass")

    def text(self, value: Any) -> str:
        """Return a value as text."""
        if self._rng.random() < self._oddity:
            return self._odd(value)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return f"[{','.join(self._space() + self.text(item) for item in value)}{self._space()}]"
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._integer(value)
        return json.dumps(value)

    def _space(self) -> str:
        return self._rng.choice(_SPACES) if self._spaced else ""

    def _object(self, value: dict[str, Any]) -> str:
        rows = [(self._string(name), self.text(member)) for name, member in value.items()]
        if self._rng.random() < self._oddity * 2:
            rows = self._with_members(rows)
        body = ",".join(f"{self._space()}{name}{self._space()}:{row}" for name, row in rows)
        return f"{{{body}{self._space()}}}"

    def _with_members(self, rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return members with one more: a hostile name, or one that is there already."""
        rng = self._rng
        kind = rng.randrange(4)
        if kind == 0 and rows:
            name, text = rng.choice(rows)
            new = (name, text if rng.random() < 0.3 else self._odd(None))
        elif kind == 1 and self._broken:
            new = (rng.choice(_NAME_TEXTS), self._odd(None))
        else:
            new = (json.dumps(rng.choice(NAMES), ensure_ascii=False), self._odd(None))
        at = rng.randrange(len(rows) + 1)
        return [*rows[:at], new, *rows[at:]]

    def _string(self, text: str) -> str:
        if self._rng.random() >= 0.1 + self._oddity:
            return json.dumps(text, ensure_ascii=self._rng.random() < 0.3)
        escaped = [
            json.dumps(char) if self._rng.random() < 0.5 else json.dumps(char, ensure_ascii=False)
            for char in text
        ]
        pieces = [f"\\u{ord(each[1]):04X}" if self._plain(each) else each[1:-1] for each in escaped]
        return f'"{"".join(pieces)}"'

    def _plain(self, quoted: str) -> bool:
        """Return whether one character stands for itself, and is to be escaped all the same."""
        return len(quoted) == 3 and ord(quoted[1]) < 0x10000 and self._rng.random() < 0.3

    def _integer(self, value: int) -> str:
        if self._rng.random() >= self._oddity:
            return str(value)
        return self._rng.choice((f"{value}.0", f"{value}e0", f"{value}E+00", f"{value}0e-1"))

    def _odd(self, value: Any) -> str:
        """Return text in place of a value: other values, wrong text, deep nesting."""
        rng = self._rng
        kind = rng.randrange(12)
        texts: tuple[str, ...]
        if kind < 4:
            return rng.choice(NUMBERS)
        if kind < 6:
            return rng.choice(_PLAIN)
        if kind == 6:
            return deep(rng, closed=not self._broken or rng.random() < 0.9)
        if kind < 9:
            texts = _STRINGS if self._broken else _STRINGS[2:3] + _STRINGS[7:13]
            return rng.choice(texts)
        if kind == 9 and self._broken:
            return rng.choice(_WRONG)
        name = json.dumps(rng.choice(NAMES), ensure_ascii=False)
        return f"{{{name}:{json.dumps(value if rng.random() < 0.5 else None)}}}"


def deep(rng: random.Random, *, closed: bool) -> str:
    """Return arrays or objects in one another, about as deep as the limits are."""
    depth: int = rng.choice(_DEPTHS)
    start, end = rng.choice((("[", "]"), ('{"a":', "}"), ('[{"":', "}]")))
    inner = "null" if rng.random() < 0.5 else "[]"
    return start * depth + (inner + end * depth if closed else "")


def wrapped(rng: random.Random, data: bytes) -> bytes:
    """Return a text with something before or behind it, or as other bytes."""
    kind = rng.randrange(8)
    if kind == 0:
        return b"\xef\xbb\xbf" + data
    if kind == 1:
        return data.decode("utf-8", "replace").encode(rng.choice(("utf-16", "utf-16-le", "utf-32")))
    if kind == 2:
        return data + rng.choice(_AROUND).encode()
    if kind == 3:
        return rng.choice(_AROUND).encode() + data
    if kind == 4:
        return rng.choice(_SPACES).encode() + data + rng.choice(_SPACES).encode() * 3
    if kind == 5:
        return data + rng.choice(_NO_SPACES).encode()
    if kind == 6:
        return rng.choice(_NO_SPACES).encode() + data
    return rng.choice((b"", b" ", b"\n", b"\0", data * 2, data[:-1], data[1:], b"\xff" + data))
