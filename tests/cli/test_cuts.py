"""How validate cuts files: into blocks and spans of any size, and the verdicts are the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partwire.cli.files.validation import Outcome, Task, outcomes, placed
from partwire.errors import Finding, FramingError, ReadError
from partwire.files import documents, inputs
from partwire.files.compressed import compression_of
from partwire.files.inputs import Source, Span
from partwire.reading.pipeline import validate
from tests.reading.test_verdict import DELTAS, HOSTILE, VALID

DELTA = "message.MessageDelta"
VERSION = "v0.2"
BOM = b"\xef\xbb\xbf"

Told = tuple[int, int, list[Finding], tuple[Finding, ...]]


def told(made: Iterator[Outcome]) -> Told:
    """Return documents, lines, findings and the problem of a task."""
    every = list(made)
    found = [finding for each in every for finding in each.findings]
    problem = every[-1].problem if every else ()
    assert not any(each.problem for each in every[:-1])
    return sum(each.documents for each in every), sum(each.lines for each in every), found, problem


def without_hints(found: list[Finding]) -> list[Finding]:
    """Return findings without how text is not JSON, which depends on the blanks around it."""
    return [
        each._replace(expected=None, message="", actual=None)
        if each.rule == "document/invalid-json"
        else each
        for each in found
    ]


def slowly(name: str) -> tuple[int, list[Finding], tuple[Finding, ...]]:
    """Validate a file document by document."""
    found: list[Finding] = []
    count = 0
    try:
        for document in Source(name).documents():
            count += 1
            seen = validate(document.data, DELTA, VERSION)
            found += [placed(each, document, is_kept=True) for each in seen]
    except FramingError as error:
        return count, found, error.findings
    except ReadError as error:
        found += error.findings
    return count, found, ()


PIECES = [
    *(b"\n", b"\n", b"\n", b"\n\n", b"\r\n", b" ", b"\t\n", b"\r", BOM, b"\x00", b"{", b"[1,\n2]"),
    *(DELTAS[0], DELTAS[2], DELTAS[2] + b"\n", HOSTILE["a line end behind a time"]),
    *(HOSTILE["no UTF-8"], HOSTILE["a tag twice"] + b"\n", HOSTILE["an integral float"]),
    *(RAW := VALID["a long integer"], RAW + b"\n", b"7\n" * 3),
]
FILES = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=20).map(b"".join)


@given(
    FILES,
    st.integers(1, 300),
    st.sampled_from(["x.jsonl", "x.json", "x"]),
    st.sampled_from([1 << 26, 1 << 26, 200, 3]),
)
@settings(deadline=None)
def test_blocks_of_any_size_tell_what_single_documents_tell(
    data: bytes, chunk: int, name: str, limit: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        with (
            patch.object(inputs, "CHUNK_BYTES", chunk),
            patch.object(inputs, "document_bytes", lambda: limit),
            patch.object(documents, "document_bytes", lambda: limit),
        ):
            expected = slowly(str(path))
            count, _, found, problem = told(outcomes(Task(str(path), DELTA, VERSION, is_file=True)))
    assert (count, without_hints(found), problem) == (
        expected[0],
        without_hints(expected[1]),
        expected[2],
    )


@given(FILES, st.integers(1, 400), st.sampled_from([1, 7, 64, 1 << 16]))
@settings(deadline=None)
def test_spans_of_any_size_are_the_whole_file(data: bytes, size: int, chunk: int) -> None:
    assume(compression_of(data) is None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.jsonl")
        path.write_bytes(data)
        whole = Task(str(path), DELTA, VERSION)
        begins = range(0, len(data) or 1, size)
        spans = [Span(begin, begin + size) for begin in begins[:-1]] + [Span(begins[-1], None)]
        count = before = 0
        found: list[Finding] = []
        with patch.object(inputs, "CHUNK_BYTES", chunk):
            expected = told(outcomes(whole))
            for span in spans:
                part = told(outcomes(whole._replace(span=span)))
                count += part[0]
                found += [each._replace(line=before + (each.line or 0)) for each in part[2]]
                before += part[1]
    assert (count, before, found, ()) == expected


def test_a_span_within_a_long_line_holds_no_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"1" * 1000 + b"\n2\n")
    task = Task(str(path), DELTA, VERSION)
    parts = [told(outcomes(task._replace(span=Span(at, at + 100)))) for at in range(0, 1000, 100)]
    assert [part[1] for part in parts] == [1] + [0] * 9
    assert told(outcomes(task._replace(span=Span(1000, None))))[:2] == (1, 1)


def test_a_byte_order_mark_at_the_start_of_a_span_is_data(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(DELTAS[0] + b"\n" + BOM + DELTAS[0] + b"\n")
    task = Task(str(path), DELTA, VERSION)
    _, _, (finding,), _ = told(outcomes(task._replace(span=Span(len(DELTAS[0]) + 1, None))))
    assert (finding.rule, finding.line) == ("document/invalid-json", 1)
    assert "byte order mark" in finding.message
    assert told(outcomes(task._replace(span=Span(0, 1)))) == (1, 1, [], ())
