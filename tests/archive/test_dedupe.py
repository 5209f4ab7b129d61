"""Each document once, by what it says."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partwire.archive.documents.digests import Digester
from partwire.archive.documents.options import Dedupe
from partwire.errors import ReadError, UsageError
from partwire.json.canonical import canonical

from .archives import over

digest = Digester()
_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8"), max_size=3),
    st.sampled_from(["\U0001f600", "\ue000", "\u2028", "\x7f"]),
)
_names = st.text(st.characters(codec="utf-8"), max_size=2)
values = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
    max_leaves=6,
)
small = st.sampled_from([0, 1, 1.5, "", "a", None, [], [1], {"a": 1}, {"a": 1, "b": [2]}])


def other_way(value: Any) -> bytes:
    """Write a value in another way: members the other way round, escapes, spaces, exponents."""
    if isinstance(value, dict):
        pairs = [json.dumps(n).encode() + b" : " + other_way(value[n]) for n in reversed(value)]
        return b"{ " + b", ".join(pairs) + b"}"
    if isinstance(value, list):
        return b"[" + b" ,".join(map(other_way, value)) + b" ]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(float(value)).encode()
    return json.dumps(value).encode()


@given(values)
def test_a_digest_is_that_of_the_value(value: Any) -> None:
    assert digest(other_way(value)) == digest(json.dumps(value, ensure_ascii=False).encode())


@given(values | small, values | small)
def test_digests_are_equal_where_canonical_forms_are(one: Any, other: Any) -> None:
    are_equal = digest(json.dumps(one).encode()) == digest(json.dumps(other).encode())
    assert are_equal == (canonical(one) == canonical(other))


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        (b"1", b"1.0", True),
        (b"-0", b"0.0", True),
        (b"1e20", b"100000000000000000000", True),
        (b'"\\u00e9"', '"é"'.encode(), True),
        (b"9007199254740993", b"9007199254740992", False),
        (b"1", b'"1"', False),
        (b"true", b"1", False),
        (b"null", b"{}", False),
        (b'{"a":null}', b"{}", False),
    ],
)
def test_two_texts(one: bytes, other: bytes, are_equal: bool) -> None:
    assert (digest(one) == digest(other)) == are_equal


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"nul", b"1e999", b"9" * 400, b'"\\ud800"', b'"\xff"', b"[" * 600 + b"]" * 600],
)
def test_what_is_not_a_document_has_none(text: bytes) -> None:
    with pytest.raises(ReadError):
        digest(text)


lines = st.lists(
    st.one_of(
        small.map(lambda value: json.dumps(value).encode()),
        small.map(other_way),
        st.sampled_from([b"", b" \r", b"{", b'"\xff"', b"x" * 90, b"x" * 90]),
    ),
    max_size=15,
)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(lines, min_size=1, max_size=2),
    st.sampled_from([15, 60, 1 << 20]),
    st.sampled_from([400, 1000, 100_000]),
    st.sampled_from([1, 4096]),
)
@example([[b"1", b"2"], [b"1", b"{", b"x" * 90, b"{"]], 1 << 20, 400, 1)
def test_the_first_of_equal_documents_is_kept(
    files: list[list[bytes]], task_bytes: int, held_bytes: int, read_records: int
) -> None:
    seen: set[bytes] = set()
    kept, repeats, bad = [], 0, []
    everything = [
        ((at, n), line) for at, each in enumerate(files) for n, line in enumerate(each, 1)
    ]
    for place, line in everything:
        if not line.strip():
            continue
        try:
            found = canonical(json.loads(line)) if len(line) <= 80 else None
        except ValueError:
            found = None
        if found is None:
            bad.append(place)
        elif found in seen:
            repeats += 1
        else:
            seen.add(found)
            kept.append(line)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("partwire.archive.documents.dedupe._READ_RECORDS", read_records)
        made = over(
            Dedupe(max_line_bytes=80),
            files,
            Path(folder),
            task_bytes=task_bytes,
            held_bytes=held_bytes,
        )
    assert made.tables.get("documents", []) == kept
    assert made.totals.repeats == repeats
    assert [(int(row["source"][-7:-6]), row["line"]) for row in made.rows("quarantine")] == bad


@pytest.mark.parametrize(
    ("ignore", "kept"),
    [
        ((), 4),
        (("/at",), 3),
        (("/at", "/parts/*/id"), 2),
        (("/parts", "/at"), 1),
        (("/*",), 1),
        (("/parts/0", "/at"), 1),
        (("/parts/9/id", "/at/x", "/no"), 4),
    ],
)
def test_members_may_differ(ignore: tuple[str, ...], kept: int, tmp_path: Path) -> None:
    documents = [
        {"at": 1, "parts": [{"id": "a", "t": "x"}]},
        {"at": 2, "parts": [{"id": "a", "t": "x"}]},
        {"at": 3, "parts": [{"id": "b", "t": "x"}]},
        {"at": 4, "parts": [{"id": "b", "t": "y"}]},
    ]
    made = over(
        Dedupe(ignore=ignore), [[json.dumps(each).encode() for each in documents]], tmp_path
    )
    assert (made.totals.used, made.totals.repeats) == (kept, 4 - kept)


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [(b"[1,2]", b"[3,2]", True), (b"[1,2]", b"[1,3]", False), (b"[1]", b"[]", False)],
)
def test_an_item_that_may_differ_is_there(one: bytes, other: bytes, are_equal: bool) -> None:
    of = Digester(["/0"])
    assert (of(one) == of(other)) == are_equal


def test_what_is_ignored_is_a_pointer() -> None:
    with pytest.raises(UsageError):
        Digester(["timestamp"])
