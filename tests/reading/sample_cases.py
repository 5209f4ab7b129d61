"""Documents of ``tests/data/codegen/sample.schema.json``, and what has to be found in them."""

from __future__ import annotations

from typing import Any

LINE = {"kind": "line", "code": "aa-1"}
RED = {"team": "red", "mail": "a"}
VALID: list[tuple[str, Any]] = [
    ("Tree", {"name": "root", "children": [{"name": "leaf", "children": []}], "more": None}),
    ("Value", 5),
    ("Value", -0.5),
    ("Value", False),
    ("Value", "abc"),
    ("Value", [0, 9.0]),
    ("Value", {"kind": "dot"}),
    ("Value", LINE),
    ("Code", "zz-9"),
    ("OtherName", "zz-9"),
    ("Line", LINE),
    ("Dot", {"kind": "dot"}),
    ("Open", {"code": "aa-1", "more": [None]}),
    ("Anything", {"a": None}),
    ("Person", {"team": "", "phone": ""}),
    ("Span", {"since": -1e300, "to": 99.0}),
    ("Book", {}),
    ("Book", {"codes": {"": "aa-1", "a/b~c": "bb-2"}, "grid": [[], ["a", "b"]], "words": [""]}),
    ("Book", {"shapes": [LINE, {"kind": "dot"}], "lines": [LINE], "mode": "free"}),
    ("Book", {"mode": "bound", "owner": RED, "people": [RED, {**RED, "nick": "x"}, RED]}),
    ("Book", {"dots": [{"kind": "dot"}]}),
    ("Book", {"span": {"since": 1, "to": 1}, "extra": {"x": 1}, "value": [1, 2], "kebab-name": ""}),
]
# type, document, rules and pointers of its findings
INVALID: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("Tree", {"name": "r"}, [("shape/min-length", "/name")]),
    ("Tree", {"name": "roots"}, [("shape/max-length", "/name")]),
    ("Tree", {"children": None}, [("shape/required", ""), ("shape/null", "/children")]),
    (
        "Tree",
        {"name": "root", "children": [{"name": "leaf"}, {"name": 1, "children": [3, {}]}]},
        [
            ("shape/type", "/children/1/name"),
            ("shape/type", "/children/1/children/0"),
            ("shape/required", "/children/1/children/1"),
        ],
    ),
    ("Value", 6, [("shape/maximum", "")]),
    ("Value", -5.5, [("shape/minimum", "")]),
    ("Value", float("nan"), [("document/not-finite", "")]),
    ("Value", 10**400, [("document/not-finite", "")]),
    ("Value", "ab\n", [("shape/pattern", "")]),
    ("Value", "", [("shape/pattern", "")]),
    ("Value", [1], [("shape/min-items", "")]),
    ("Value", [True], [("shape/min-items", ""), ("shape/type", "/0")]),
    (
        "Value",
        [1, 10, 1.5, -1],
        [("shape/maximum", "/1"), ("shape/integer", "/2"), ("shape/minimum", "/3")],
    ),
    ("Value", None, [("shape/null", "")]),
    ("Value", (1, 2), [("shape/union-type", "")]),
    ("Value", {}, [("shape/required", "")]),
    ("Value", {"kind": "circle"}, [("shape/unknown-variant", "/kind")]),
    ("Value", {"kind": ["dot"]}, [("shape/type", "/kind")]),
    ("Value", {"kind": None}, [("shape/null", "/kind")]),
    ("Line", {**LINE, "kind": "dot"}, [("shape/const", "/kind")]),
    ("Line", {"code": "aa-1"}, [("shape/required", "")]),
    ("Mode", "other", [("shape/enum", "")]),
    ("Mode", ["free"], [("shape/type", "")]),
    ("Flag", 1, [("shape/type", "")]),
    ("Anything", [], [("shape/type", "")]),
    ("Span", {"since": True, "to": "1"}, [("shape/type", "/since"), ("shape/type", "/to")]),
    (
        "Span",
        {"since": float("inf"), "to": 1e400},
        [("document/not-finite", "/since"), ("document/not-finite", "/to")],
    ),
    ("Person", {"team": "red"}, [("shape/exactly-one-of", "")]),
    ("Person", {**RED, "phone": "1"}, [("shape/exactly-one-of", "")]),
    ("Open", {"code": "x"}, [("shape/pattern", "/code")]),
    ("Book", {"codes": {"a/b~c": "x", "ok": "aa-1"}}, [("shape/pattern", "/codes/a~1b~0c")]),
    ("Book", {"codes": []}, [("shape/type", "/codes")]),
    ("Book", {"grid": [[], ["a", 1]]}, [("shape/type", "/grid/1/1")]),
    ("Book", {"shapes": []}, [("shape/min-items", "/shapes")]),
    ("Book", {"lines": [{"code": "aa-1"}]}, [("shape/required", "/lines/0")]),
    ("Book", {"dots": [{}]}, [("shape/required", "/dots/0")]),
    ("Book", {"extra": {"code": 1}}, [("shape/type", "/extra/code")]),
]
MEANING: list[tuple[Any, list[tuple[str, str, str]]]] = [
    ({"span": {"since": 2.5, "to": 2}}, [("sample/order", "/span/to", "warning")]),
    (
        {"mode": "bound", "owner": RED, "shapes": [{"kind": "dot"}, LINE, {"kind": "dot"}]},
        [("sample/table", "/shapes/0/kind", "error"), ("sample/table", "/shapes/2/kind", "error")],
    ),
    (
        {"shapes": [LINE, {"kind": "dot"}, LINE, LINE]},
        [
            ("sample/unique", "/shapes/2/code", "error"),
            ("sample/unique", "/shapes/3/code", "error"),
        ],
    ),
    (
        {"people": [{**RED, "nick": "a"}, RED, {**RED, "nick": "a"}]},
        [("sample/nick", "/people/2/nick", "error")],
    ),
    (
        {"owner": {**RED, "team": "none"}, "people": [RED]},
        [("sample/same-team", "/people/0/team", "error")],
    ),
    ({"people": [RED, {**RED, "team": "none"}]}, [("sample/one-team", "/people/1/team", "error")]),
    ({"mode": "bound"}, [("sample/owner", "", "error")]),
]
