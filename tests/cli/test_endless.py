"""Streams of which there is no end: they are refused at the limit, whatever they are taken for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partwire.cli.files.foreign import read_events
from partwire.files import inputs
from partwire.providers import detect_dialect
from tests.cli.runner import run

pytestmark = pytest.mark.usefixtures("empty_folder")

LIMIT = 10_000
CHUNK = 1000
ZEROS, BLANK, BROKEN, EVENT = b"\0", b"\n", b"{\n", b"data: {\n"


def endless(piece: bytes, most: int) -> Iterator[bytes]:
    """Chunks of a piece that is repeated; whoever reads far beyond the limit fails."""
    for _ in range(most):
        yield piece * (CHUNK // len(piece))
    pytest.fail("it reads on without end")


@pytest.mark.parametrize(
    ("piece", "options", "rule"),
    [
        (ZEROS, [], "framing/line-too-long"),
        (b" ", [], "framing/document-too-large"),
        (BLANK, [], "framing/document-too-large"),
        (ZEROS, ["--from", "deltas"], "framing/line-too-long"),
        (ZEROS, ["--from", "openai-chat"], "framing/checksum-mismatch"),
        (BROKEN, ["--from", "openai-chat"], "framing/event-too-large"),
        (EVENT, ["--from", "openai-chat"], "framing/event-too-large"),
        (ZEROS, ["--from", "ai-sdk"], "framing/event-too-large"),
        (b" ", ["--from", "ai-sdk"], "framing/event-too-large"),
        (EVENT, ["--from", "ai-sdk"], "framing/event-too-large"),
    ],
)
@pytest.mark.parametrize("command", ["inspect --terminal", "assemble"])
def test_a_stream_without_end_is_refused_at_the_limit(
    command: str,
    piece: bytes,
    options: list[str],
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 9 * LIMIT // CHUNK
    monkeypatch.setattr(inputs, "_chunks", lambda _: endless(piece, most))
    result = run("--max-document-bytes", str(LIMIT), *command.split(), *options, "-", stdin=b"")
    assert result.exit_code == 1
    assert f"[{rule}]" in result.output or f'"{rule}"' in result.output
    if rule in ("framing/document-too-large", "framing/line-too-long"):
        assert result.stderr.count("--max-document-bytes N … takes more") == 1
        assert "<stdin>" in result.stderr


def test_a_stream_that_cannot_be_read_on_is_not_searched_for_its_dialect() -> None:
    dialect, chunks = detect_dialect(endless(ZEROS, 3))
    assert dialect is None
    assert next(chunks) == ZEROS * CHUNK


def test_events_are_known_by_their_first_bytes_however_they_are_cut() -> None:
    chunks = [b"\xef\xbb\xbf", b"\n", b"[", b'"a", 1]\n']
    assert list(read_events(iter(chunks))) == [(b'["a", 1]', True)]
