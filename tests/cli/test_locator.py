"""Lines of a file that are read again for what is shown: any line, in any order, in any cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from partwire.cli.report import locator
from partwire.errors import Finding

CHUNK = 128 * 1024


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("size", [0, 1, 7, 500, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_lines_are_found_in_any_order(tmp_path: Path, size: int, end: bytes) -> None:
    drawn = random.Random(size)
    lines = [b'{"n": %d, "x": "%s"}' % (n, b"y" * drawn.choice([0, size])) for n in range(40)]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(lines) + end)
    one = locator.Locator()
    numbers = [drawn.randint(1, 42) for _ in range(30)]
    spots = [one.locate(Finding("shape/type", "", "/n", source=str(path), line=n)) for n in numbers]
    for number, spot in zip(numbers, spots, strict=True):
        assert spot.line == number
        assert spot.text == (lines[number - 1].decode() if number <= 40 else None)


def test_a_line_that_is_too_long_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locator, "_MOST_BYTES", 2 * CHUNK)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"n": "%s"}\n{"n": 1}\n' % (b"y" * 3 * CHUNK))
    one = locator.Locator()
    texts = [
        one.locate(Finding("shape/type", "", "/n", source=str(path), line=number)).text
        for number in (1, 2)
    ]
    assert texts == [None, '{"n": 1}']


BOM = b"\xef\xbb\xbf"
MESSAGE = (
    b'{"runId": "r", "role": "user", "parts": [{"kind": "text", "payload":\n'
    b'\t{"text": "\xe6\x97\xa5"}}]}'
)


@pytest.mark.parametrize(
    ("name", "data", "line", "spot"),
    [
        ("a.json", BOM + MESSAGE, None, (2, 3, '\t{"text": "日"}}]}')),
        ("a.json", BOM + MESSAGE.replace(b"\n", b"\r\n"), None, (2, 3, '\t{"text": "日"}}]}')),
        ("a.json", BOM + b'{"parts": 5}', None, (1, 2, '{"parts": 5}')),
        ("a.jsonl", BOM + b'{"parts": 5}\r\n{"parts": 6}', 1, (1, 2, '{"parts": 5}')),
        ("a.jsonl", BOM + b'{"parts": 5}\r\n{"parts": 6}', 2, (2, 2, '{"parts": 6}')),
    ],
    ids=["bom", "crlf", "one line", "first of lines", "second of lines"],
)
def test_a_byte_order_mark_is_not_counted(
    tmp_path: Path, name: str, data: bytes, line: int | None, spot: tuple[int, int, str]
) -> None:
    (tmp_path / name).write_bytes(data)
    finding = Finding(
        "shape/type", "", "/parts/0/payload/text", source=str(tmp_path / name), line=line
    )
    assert locator.Locator().locate(finding)[:3] == spot


@pytest.mark.parametrize("joint", [b",\n", b", "], ids=["lines", "one line"])
def test_items_of_an_array_that_is_too_large_to_keep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, joint: bytes
) -> None:
    data = b" [" + joint.join(b'{"n": %d,\n "x": ["\xc3\xbc", 5]}' % n for n in range(50)) + b"]"
    path = tmp_path / "a.json"
    path.write_bytes(data)
    findings = [
        Finding("shape/type", "", f"/{n}/{where}", source=str(path))
        for n in (0, 3, 3, 49, 1, 50)
        for where in ("n", "x/1")
    ]
    small = [locator.Locator().locate(each) for each in findings]
    monkeypatch.setattr(locator, "_MOST_BYTES", 100)
    one = locator.Locator()
    large = [one.locate(each) for each in findings]
    assert [each[:2] for each in large[:-2]] == [each[:2] for each in small[:-2]]
    assert [each[:2] for each in large[-2:]] == [(None, None)] * 2  # there is no such item
    for kept, read in zip(small[:-2], large[:-2], strict=True):
        assert kept.text is not None
        assert read.text is not None
        assert kept.text[read.missing :].startswith(read.text)
