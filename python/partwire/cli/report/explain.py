"""How a rule and its examples look on paper: lines of text, in English or Chinese."""

from __future__ import annotations

import json
import os
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar, cast, get_args

import click

from ...contract.resources import rule_url
from ...tables.limits import CLIP_CHARS

__all__ = [
    "LANGUAGES",
    "Language",
    "Row",
    "as_typed",
    "example_lines",
    "json_lines",
    "language_of",
    "language_option",
    "loss_lines",
    "rule_lines",
    "rule_row",
    "rule_table",
    "speaker",
    "wrapped",
]


def as_typed(word: str) -> str:
    """Return a word that was typed, as far as a finding repeats it."""
    return word if len(word) <= CLIP_CHARS else f"{word[:CLIP_CHARS]}…"


# --- language -------------------------------------------------------------------------------------

Language = Literal["en", "zh"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

_VARIABLES: Final = ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE")
_CHINESE: Final = re.compile(r"(?:zh(?![a-z])|chinese)", re.IGNORECASE)

F = TypeVar("F", bound=Any)


def language_of(environment: Mapping[str, str]) -> Language:
    """Return the language that the environment asks for.

    The first of LC_ALL, LC_MESSAGES, LANG and LANGUAGE that is not empty decides, as in
    ``zh_CN.UTF-8`` or ``zh:en``. Whatever is not Chinese is English.
    """
    value = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return "zh" if _CHINESE.match(value) else "en"


def _chosen(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Language:
    return language_of(os.environ) if value is None else cast("Language", value)


def language_option(command: F) -> F:
    """Add ``--lang`` to a command."""
    option = click.option(
        "--lang",
        "language",
        type=click.Choice(LANGUAGES),
        callback=_chosen,
        help="Language of the texts; if left out, that of LC_ALL, LC_MESSAGES, LANG or LANGUAGE.",
    )
    return option(command)


# --- rules ----------------------------------------------------------------------------------------

Row = dict[str, Any]

_LEAST_WIDTH: Final = 30
_MOST_WIDTH: Final = 96
"""Columns of texts: longer lines are not read with ease, however wide the terminal is."""
# What is one line of a stream stays one, as long as people can still read it.
_LINE_WIDTH: Final = 200
_JSON_WIDTH: Final = 120
_INDENT: Final = "  "
_COLOURS: Final = {"error": "red", "warning": "yellow", "info": "blue"}
_CLOSING: Final = "，。；：、）！？”」"
_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "why": "Why",
        "bad": "Bad example",
        "good": "Good example",
        "none": "No example",
        "page": "Its page: {}",
        "severity": "({})",
        "removed": "(removed)",
        "empty": "(empty)",
        "repository": "in a repository whose v0.1 is released, whose v0.2 is a draft; changed:",
        "golden": "golden cases of an older version, run by today's code",
        "limits": "limits of the service",
        "registry": "the registry answers {}: {} {}",
    },
    "zh": {
        "why": "原因",
        "bad": "错误示例",
        "good": "正确示例",
        "none": "没有示例",
        "page": "网页：{}",
        "severity": "（{}）",
        "removed": "（已删除）",
        "empty": "（空）",
        "repository": "在 v0.1 已发布、v0.2 为草稿的仓库中，作如下改动：",
        "golden": "旧版本的基准用例，由当前代码运行",
        "limits": "服务的上限",
        "registry": "注册中心对 {} 的应答：{} {}",
        "error": "错误",
        "warning": "警告",
        "info": "提示",
        "lossy": "有损",
        "invented": "补造",
        "documents": "文档",
        "chunks to deltas": "分块转为增量",
        "deltas to chunks": "增量转为分块",
        "versions": "版本",
        "formats of others to messages": "其他格式到消息",
    },
}


def rule_row(name: str, rule: Mapping[str, Any], language: Language) -> Row:
    """Return a rule for people: its texts in one language, and the address of its page."""
    row = {"rule": name, "lang": language, **rule, "url": rule_url(name)}
    del row["requirements"]
    chinese, examples = row.pop("zh"), dict(row["examples"])
    chinese_none = examples.pop("zh", None)
    if language == "zh":
        row |= chinese
        if chinese_none is not None:
            examples["none"] = chinese_none
    row["examples"] = examples
    return row


def rule_lines(row: Row, language: Language, *, colour: bool, width: int) -> Iterator[str]:
    """Yield the lines that describe a rule: its texts, its examples and the address of its page.

    Texts are wrapped within ``width`` columns; examples are as they are in a file.
    """
    say = speaker(language)
    room = max(min(width, _MOST_WIDTH), _LEAST_WIDTH) - 2 * len(_INDENT)
    severity = say("severity").format(say(row["severity"]))
    head = _styled(row["rule"], colour, fg=_COLOURS[row["severity"]], bold=True)
    yield f"{head}  {severity}"
    yield from _indented(wrapped(row["summary"], language, room), 1)
    yield ""
    yield _INDENT + _styled(say("why"), colour, bold=True)
    yield from _indented(wrapped(row["reason"], language, room), 2)
    for kind in ("bad", "good", "none"):
        if kind in row["examples"]:
            yield ""
            fg = {"bad": "red", "good": "green"}.get(kind)
            yield _INDENT + _styled(say(kind), colour, bold=True, fg=fg)
            example = row["examples"][kind]
            told = (
                wrapped(example, language, room) if kind == "none" else example_lines(example, say)
            )
            yield from _indented(told, 2)
    yield ""
    yield _INDENT + say("page").format(row["url"])


def rule_table(rows: Sequence[Row], language: Language, *, colour: bool, width: int) -> list[str]:
    """Return a line for each rule: its id, its severity and its summary, cut at ``width``."""
    say = speaker(language)
    ids = max((len(row["rule"]) for row in rows), default=0)
    severities = max((_columns(say(row["severity"])) for row in rows), default=0)
    lines = []
    for row in rows:
        severity = say(row["severity"])
        head = f"{row['rule']:<{ids}}  "
        gap = " " * (severities - _columns(severity) + 2)
        room = width - ids - severities - 4
        summary = row["summary"] if room < _LEAST_WIDTH else _cut(row["summary"], room)
        shown = _styled(severity, colour, fg=_COLOURS[row["severity"]])
        lines.append(f"{head}{shown}{gap}{summary}")
    return lines


def _cut(text: str, room: int) -> str:
    """Return as much of a text as fits into so many columns."""
    if _columns(text) <= room:
        return text
    while _columns(text) > room - 1:
        text = text[:-1]
    return f"{text}…"


def loss_lines(row: Row, language: Language, *, colour: bool, width: int) -> Iterator[str]:
    """Yield the lines that describe a loss: what it says, by what converts."""
    say = speaker(language)
    room = max(min(width, _MOST_WIDTH), _LEAST_WIDTH) - len(_INDENT)
    yield _styled(row["loss"], colour, bold=True)
    for each in row["meanings"]:
        severity = say("severity").format(say(each["severity"]))
        if language == "zh":
            told = f"{say(each['conversion'])}：{each['detail']}{severity}"
        else:
            told = f"{each['conversion']}: {each['detail']} {severity}"
        yield from _indented(wrapped(told, language, room), 1)


def speaker(language: Language) -> Callable[[str], str]:
    """Return what gives the words around rules and examples, by their key, in one language."""
    words = _WORDS[language]
    return lambda word: words.get(word, word)


def _styled(text: str, colour: bool, **style: Any) -> str:
    return click.style(text, **style) if colour else text


def _indented(lines: Iterable[str], levels: int) -> Iterator[str]:
    for line in lines:
        yield _INDENT * levels + line if line else ""


def wrapped(text: str, language: Language, width: int) -> list[str]:
    """Return a text in lines of at most ``width`` columns; Chinese breaks between characters."""
    if language == "en":
        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    lines, line, used = [], "", 0
    for piece in _pieces(text):
        columns = _columns(piece)
        if line and used + columns > width:
            lines.append(line.rstrip())
            line, used = "", 0
            if piece == " ":
                continue
        line += piece
        used += columns
    return [*lines, line]


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def _pieces(text: str) -> Iterator[str]:
    """Yield what is not to be parted: a word, or a character with what closes behind it."""
    piece = ""
    for each in text:
        joined = (each in _CLOSING) or (each.isascii() and piece.isascii() and " " not in each)
        if piece and (not joined or piece == " "):
            yield piece
            piece = ""
        piece += each
    yield piece


# --- examples -----------------------------------------------------------------------------------


def example_lines(example: Mapping[str, Any], say: Callable[[str], str]) -> Iterator[str]:
    """Yield an example as people read it; schemas/rules.schema.json has its forms."""
    if "operation" in example:
        yield example["operation"]
        for name, value in example["input"].items():
            yield from _indented(_member(name, value, say), 1)
    elif "command" in example:
        yield f"$ {example['command']}"
        files = example.get("files", {})
        if files and not example["command"].startswith("partwire "):
            yield say("repository")
        yield from _files(files, say)
        for asked, (status, body) in example.get("registry", {}).items():
            yield say("registry").format(asked, status, _text(body))
    elif "golden" in example:
        yield say("golden")
        yield from _files(example["golden"], say)
    elif "request" in example:
        yield from _request(example, say)
    else:
        yield from example["python"]


def _member(name: str, value: Any, say: Callable[[str], str]) -> Iterator[str]:
    """Yield a member of an input: behind its name, or below it where it takes several lines."""
    lines = list(_value(value, say))
    if len(lines) == 1 and not isinstance(value, list):
        yield f"{name}: {lines[0]}"
    else:
        yield f"{name}:"
        yield from _indented(lines, 1)


def _value(value: Any, say: Callable[[str], str]) -> Iterator[str]:
    """Yield a value: a text line by line as it is, an array item by item, else JSON."""
    if isinstance(value, str):
        yield from value.splitlines() or [say("empty")]
    elif isinstance(value, list):
        for item in value:
            yield from [item] if isinstance(item, str) else json_lines(item, _LINE_WIDTH)
    else:
        yield from json_lines(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _files(files: Mapping[str, Any], say: Callable[[str], str]) -> Iterator[str]:
    for name, content in files.items():
        if content is None:
            yield f"{name}: {say('removed')}"
            continue
        yield f"{name}:"
        # The items of an array are the lines of a .jsonl file, and of no other.
        by_line = isinstance(content, str) or name.endswith(".jsonl")
        yield from _indented(_value(content, say) if by_line else json_lines(content), 1)


def _request(example: Mapping[str, Any], say: Callable[[str], str]) -> Iterator[str]:
    yield example["request"]
    for name, value in example.get("headers", {}).items():
        yield f"{name}: {value}"
    if "body" in example:
        yield ""
        yield from _value(example["body"], say)
    if "limits" in example:
        yield ""
        yield f"{say('limits')}: {json.dumps(example['limits'])}"


def json_lines(value: Any, width: int = _JSON_WIDTH, item_width: int = _LINE_WIDTH) -> list[str]:
    """Return JSON text with every object and array on one line that fits into ``width``.

    What is an item of an array may be ``item_width`` long: it is a message, a part or a step.
    """
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) <= width or not isinstance(value, dict | list) or not value:
        return [whole]
    lines = []
    if isinstance(value, dict):
        for name, each in value.items():
            first, *rest = json_lines(each, width - len(_INDENT), item_width)
            lines += [f"{json.dumps(name, ensure_ascii=False)}: {first}", *rest]
            lines[-1] += ","
    else:
        for each in value:
            lines += json_lines(each, item_width, item_width)
            lines[-1] += ","
    lines[-1] = lines[-1][:-1]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return [opening, *_indented(lines, 1), closing]
