"""A name that is twice in one object of a schema: readers differ, so there is no verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from partwire.compat import CompatError
from partwire.compat.changes.places import plain
from partwire.compat.comparison import check
from partwire.compat.sources.inputs import load_source, name_twice

ONCE = ["{}", "[]", "1", '"a"', '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 1}]}', "true"]


@pytest.mark.parametrize("text", ONCE)
def test_a_name_may_stand_in_every_object(text: str) -> None:
    assert name_twice(text.encode()) is None


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"a": 1, "a": 1}', "/a"),
        ('{"a": 1, "\\u0061": 2}', "/a"),
        ('{"a": {"b/c": 1, "b/c": {}}}', "/a/b~1c"),
        ('[1, [{}, {"x": [], "y": 0, "x": []}]]', "/1/1/x"),
        ('{"p": {"q": {"r": 1, "r": 1}}, "p": 1}', "/p/q/r"),
        ('{"": 1, "": 1}', "/"),
    ],
)
def test_the_first_that_stands_twice_is_named(text: str, pointer: str) -> None:
    assert name_twice(text.encode()) == pointer


def test_as_deep_as_documents_may_be_it_is_found() -> None:
    text = '{"a": [' * 250 + '{"b": 1, "b": 2}' + "]}" * 250
    assert name_twice(text.encode()) == "/a/0" * 250 + "/b"


@pytest.mark.parametrize("side", [0, 1])
def test_it_gets_no_verdict_but_a_line(tmp_path: Path, side: int) -> None:
    texts = ['{\n  "type": "object"\n}', '{\n  "type": "object",\n  "type": "string"\n}']
    paths = [tmp_path / "old.json", tmp_path / "new.json"]
    for path, text in zip(paths, texts if side else texts[::-1], strict=True):
        path.write_text(text, encoding="utf-8")
    with pytest.raises(CompatError) as caught:
        check(*(load_source(str(path)) for path in paths))
    (finding,) = caught.value.findings
    assert (finding.rule, finding.pointer) == ("compat/invalid-schema", "/type")
    assert (finding.source, finding.line) == (str(paths[side]), 3)
    assert (finding.expected, finding.actual) == ("each name once", "type")


def test_equal_values_have_one_text() -> None:
    """By it the values of an enum are sorted, texts by the short way."""
    values = ["a", "é", '"', 1, 1.0, [1.0], {"b": 1, "a": 2.0}, None, True, 1e3, "😀"]
    for value in values:
        assert json.loads(plain(value)) == value
    assert plain(1) == plain(1.0)
    assert plain([1.0]) == plain([1])
    assert plain({"b": 1, "a": 2}) == plain({"a": 2.0, "b": 1})
    assert plain("1") != plain(1)
