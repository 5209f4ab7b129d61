"""Texts in queue messages: lists of allowed tools and prompt blocks, from whoever wrote them."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from partwire import PartwireError, ReadError, UsageError, WriteError, to_wire
from partwire.contract.current.envelope import PromptBlocksResponse
from partwire.envelope import (
    decode_prompt_block,
    decode_prompt_blocks,
    encode_prompt_block,
    encode_prompt_blocks,
    may_be_base64,
    parse_allowed_tools,
)
from tests.cost import costs_at_most

RESPONSE = PromptBlocksResponse(
    message_id="6f8414d7-8e69-4d6e-b516-6c2ef3fca8d8",
    sent_at="2025-07-15T02:03:04Z",
    schema_version="v0.1",
    system="You are a careful agent.",
    task="Write the report.\nIn English.",
    allowed_tools='["weather"]',
    context_data="",
    instruction="Begin – now.",
    trace_id="t",
)
TEXT = st.text(st.characters(codec="utf-8"))


def refusal(text: str) -> tuple[str, str, str | None]:
    with pytest.raises(ReadError) as caught:
        parse_allowed_tools(text)
    (finding,) = caught.value.findings
    return finding.message, finding.pointer, finding.actual


WORD = "The item is not words, or not text in every YAML; quote it"
NESTED = "A plain list has no lists or mappings"
UNPORTABLE = "Neither JSON nor plain YAML: a tab, a control character, a directive or '...'"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ("There is no list; one that allows nothing is []", "", '""')),
        ("{}", ("The text is JSON, but no list", "", "object with 0 members")),
        ("[1]", ("The item is not a tool's name", "/0", "1")),
        ("a: b", ("Not a plain list: a YAML mapping", "", '"a: b"')),
        ("- a\n- b: c", ("Not a plain list: a YAML mapping", "/1", '"- b: c\\n"')),
        ("- a\n- *b", ("Not a plain list: a YAML alias", "/1", '"- *b\\n"')),
        ("- &x a", ("A plain list has no anchors", "/0", '"- &x a\\n"')),
        ("- !!str a", ("A plain list has no tags", "/0", '"- !!str a\\n"')),
        ("- a\n--- \n- b", ("Not a plain list: a YAML document", "", '"- a\\n--- \\n- b"')),
        ("- on", (WORD, "/0", '"- on\\n"')),
        ("- 0x1F", (WORD, "/0", '"- 0x1F\\n"')),
        ('- ""', ("The item is empty", "/0", '"- \\"\\"\\n"')),
        ("[ [a", (NESTED, "/0", '"[ [a"')),
        ("- a\n-\tb", (UNPORTABLE, "", '"- a\\n-\\tb"')),
        ("- 'a\n  b'", ("Quotes end on the line on which they begin", "/0", '"- \'a\\n  b\'\\n"')),
        ('- "\\ud83d\\ude00"', ("Escapes of YAML spell whole characters", "/0",
                              '"- \\"\\\\ud83d\\\\ude00\\"\\n"')),
        ("- a\n  b", ("The item ends on the line on which it begins, or is one word", "/0",
                     '"- a\\n  b\\n"')),
        ('- "a"#b', ("Neither JSON nor YAML: a comment has a space before it", "/0",
                     '"- \\"a\\"#b\\n"')),
    ],
)  # fmt: skip
def test_a_refusal_says_where_and_why(text: str, said: tuple[str, str, str | None]) -> None:
    assert refusal(text) == said


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("# c\n---\n  - a\n\n# d\n  - >-\n    b\n  - c, d\n", "/2"),
        ("- a\r\n- 'b\r\n- c", "/1"),
        ("- a\nThese are all.\n- *b", ""),
        ("[a, 1]", ""),
        ("tools:\n- *a", ""),
    ],
)
def test_the_first_item_that_is_refused_alone_is_to_blame(text: str, pointer: str) -> None:
    assert refusal(text)[1] == pointer


@pytest.mark.parametrize(
    "item",
    ["y", "N", "a:b", "http://a/b", "_x", "é", "天气", "a~b", "x(y)-1", "a b", "Bash(git add:*)"],
)
def test_words_are_text(item: str) -> None:
    assert parse_allowed_tools(f"- {item}") == [item]
    assert parse_allowed_tools(f"[{item}, {item} ]") == [item, item]


@pytest.mark.parametrize(
    "item",
    [
        *("no", "TRUE", "Null", "1.0", "1.", "017", "1_000", "12:30", "2025-07-15", "~", "=", "<<"),
        *(".inf", "1e3", "0o17", "1.2.3", "-x", "?x", ":x", "a  b", "a,b", "a?", "a#b"),
        "a\u00a0b",
    ],
)
def test_what_is_not_a_word_wants_quotes(item: str) -> None:
    assert refusal(f"- {item}")[:2] == (WORD, "/0")
    assert parse_allowed_tools(f"- '{item}'") == [item]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('["a", "a"]', ["a", "a"]),
        ("- a\n- a", ["a", "a"]),
        ('[" ", "\\u0000", "\\n"]', [" ", "\0", "\n"]),
        ('- " "\n- "\\0"\n- "\\n"', [" ", "\0", "\n"]),
    ],
)
def test_names_come_as_they_are_written(text: str, names: list[str]) -> None:
    """The contract lets a tool have any name but the empty one, and says nothing of repeats."""
    assert parse_allowed_tools(text) == names


@pytest.mark.parametrize("wrong", [None, b"[]", 7, ["a"], {}], ids=repr)
@pytest.mark.parametrize(
    "call", [parse_allowed_tools, encode_prompt_block, decode_prompt_block, may_be_base64]
)
def test_what_is_no_text_is_refused(call: Callable[[Any], Any], wrong: Any) -> None:
    with pytest.raises(UsageError) as caught:
        call(wrong)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.message) == ("usage/invalid-argument", "text is wrong")
    assert finding.expected == "text (a str)"


def test_broken_yaml_says_what_yaml_says() -> None:
    message, pointer, actual = refusal("[a, b")
    assert message.startswith("Neither JSON nor YAML: while parsing a flow sequence")
    assert "line 1, column 6" in message
    assert (pointer, actual) == ("", '"[a, b"')
    assert len(refusal("[" + "a, " * 9000)[0]) < 300


def test_the_longest_list() -> None:
    names = [f"tool_{index}" for index in range(4000)]
    lines = "".join(f"- {name}\n" for name in names)
    assert parse_allowed_tools(lines) == names
    longest = '["' + "a" * (65_536 - 4) + '"]'
    assert len(longest) == 65_536
    assert len(parse_allowed_tools(longest)[0]) == 65_532
    assert refusal(longest + " ") == ("The list is too long", "", "65537")


HOSTILE = {
    "deep": "[" * 65_536,
    "deep-lines": "- " * 32_768,
    "anchors": "".join(f"- &a{index} x\n" for index in range(5000)),
    "aliases": "- &a x\n" + "- *a\n" * 12_000,
    "bomb": "a: &a [x]\n" + "".join(f"k{n}: &k{n} [*a,*a,*a]\n" for n in range(2500)),
    "keys": "? " * 32_768,
    "colons": "a: " * 21_000,
    "quotes": '- "' + "\\" * 65_000,
    "comment": "#" * 65_536,
    "directives": "%TAG ! x\n" * 7000,
    "plain": "- " + "a" * 65_000,
    "spaces": "- a" + " " * 65_000 + "b",
    "flow": "[" + "a," * 32_000,
    "tags": "- " + "!" * 65_000,
    "block": "- |" + "\n" * 65_000,
    "brackets": "[]" * 32_768,
    "escape": '- "' + "\\x41" * 16_000,
    "nul": "- a\0b",
    "marks": "\ufeff" * 65_536,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_lists_cost_little(text: str) -> None:
    with costs_at_most(5):
        words = outcome(text)
    assert len(words) < 500


def outcome(text: str) -> str:
    try:
        return f"{len(parse_allowed_tools(text))} names"
    except ReadError as error:
        return str(error)


def test_without_pyyaml_json_is_read_and_yaml_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert parse_allowed_tools('["weather"]') == ["weather"]
    with pytest.raises(UsageError) as caught:
        parse_allowed_tools("- weather")
    (finding,) = caught.value.findings
    assert finding.rule == "usage/missing-extra"
    assert "pip install 'partwire[yaml]'" in (finding.expected or "")
    assert refusal("{}")[0] == "The text is JSON, but no list"


@given(st.lists(TEXT.filter(bool), max_size=9))
def test_every_list_in_quotes_that_yaml_writes_is_read(names: list[str]) -> None:
    for flow in (True, False):
        # beyond ASCII as escapes
        text = yaml.safe_dump(names, default_flow_style=flow, default_style='"', width=10**6)
        assert parse_allowed_tools(text) == names


@given(st.lists(st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]*", fullmatch=True), max_size=9))
def test_every_list_of_names_that_yaml_writes_is_read(names: list[str]) -> None:
    for flow in (True, False):
        text = yaml.safe_dump(names, default_flow_style=flow, width=10**6)
        assert parse_allowed_tools(text) == names


@given(st.text(st.sampled_from("-[]{}&*!,:'\" \n\t#|>ab1.?%yesno")) | TEXT)
@example("- a\n- 'b'")
@example("- 1_0")
@example("[a, b]")
@example("[\t]")
def test_what_is_read_is_what_yaml_loads(text: str) -> None:
    """The oracle constructs: it may take more (anchors, tags), but nothing else. A tab between the
    brackets of JSON it does not take.
    """
    try:
        names = parse_allowed_tools(text)
    except PartwireError:
        return
    assert names == yaml.safe_load(text.replace("\t", " ") if text.lstrip()[:1] == "[" else text)
    assert all(type(name) is str and name for name in names)


# --- prompt blocks --------------------------------------------------------------------------------


@given(TEXT)
def test_a_block_comes_back(text: str) -> None:
    block = encode_prompt_block(text)
    assert block == base64.b64encode(text.encode()).decode()
    assert decode_prompt_block(block) == text
    folded = "\r\n".join(block[start : start + 76] for start in range(0, len(block), 76))
    assert decode_prompt_block(f"  {folded}\n") == text
    assert may_be_base64(block) is (text != "")


@given(st.text(st.sampled_from("ABab019+/=-_ \n")) | TEXT)
def test_a_block_is_decoded_or_refused(text: str) -> None:
    compact = "".join(text.split())
    decoded = decoded_or_none(text)
    assert may_be_base64(text) is bool(decoded)
    if decoded is not None:
        assert encode_prompt_block(decoded) == compact
    else:
        with pytest.raises(ValueError):
            strictly(compact)


def decoded_or_none(text: str) -> str | None:
    try:
        return decode_prompt_block(text)
    except ReadError:
        return None


def strictly(compact: str) -> str:
    data = base64.b64decode(compact, validate=True)
    if base64.b64encode(data).decode() != compact:
        raise ValueError("stray bits")
    return data.decode()


def test_words_may_be_base64_and_prose_may_not() -> None:
    words = ("edit", "YWJj", "Y WJj", "weather", "", " ", "You are.", "a\nb", "abc=")
    assert [word for word in words if may_be_base64(word)] == ["edit", "YWJj", "Y WJj"]


def test_half_a_character_is_not_encoded() -> None:
    with pytest.raises(WriteError) as caught:
        encode_prompt_block("a\ud800")
    assert caught.value.rule == "document/lone-surrogate"


def test_all_blocks_of_a_response() -> None:
    encoded = encode_prompt_blocks(RESPONSE)
    assert encoded.system == "WW91IGFyZSBhIGNhcmVmdWwgYWdlbnQu"
    assert encoded.context_data == ""
    assert (encoded.message_id, encoded.trace_id) == (RESPONSE.message_id, "t")
    assert decode_prompt_blocks(encoded) == RESPONSE
    assert parse_allowed_tools(decode_prompt_block(encoded.allowed_tools)) == ["weather"]


@pytest.mark.parametrize("call", [encode_prompt_blocks, decode_prompt_blocks])
def test_what_is_no_response_has_no_blocks(
    call: Callable[[Any], Any],
) -> None:
    for wrong in (None, "WQ==", to_wire(RESPONSE)):
        with pytest.raises(UsageError) as caught:
            call(wrong)
        assert caught.value.findings[0].message == "response is wrong"
    encoded = encode_prompt_blocks(RESPONSE)
    with pytest.raises(UsageError) as caught:
        call(msgspec.structs.replace(encoded, task=None))
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("usage/invalid-argument", "/task")
    ]


def test_the_block_that_is_wrong_is_named() -> None:
    with pytest.raises(ReadError) as caught:
        decode_prompt_blocks(RESPONSE)
    assert [(each.rule, each.pointer) for each in caught.value.findings] == [
        ("envelope/prompt-block", "/system")
    ]
