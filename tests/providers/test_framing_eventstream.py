"""AWS event streams: frames in any cut, headers of every type, and what is refused."""

from __future__ import annotations

import random
import struct
import zlib
from typing import Any, Self

import pytest
from botocore.eventstream import EventStreamBuffer

from partwire.errors import FramingError, UsageError
from partwire.providers.framing import EventStreamDecoder, EventStreamMessage
from partwire_testing.conformance.drawn.aws_frames import (
    converse_frames,
    event_frame,
    exception_frame,
    frame,
    sealed,
    text_header,
)
from tests.reference.framing_reference import (
    Frames,
    by_bytes,
    cut_at,
    eventstream_reference,
    frames,
)

TYPES = frame(
    [
        ("yes", 0, b""),
        ("no", 1, b""),
        ("byte", 2, struct.pack(">b", -5)),
        ("short", 3, struct.pack(">h", -300)),
        ("int", 4, struct.pack(">i", 70_000)),
        ("long", 5, struct.pack(">q", -(2**40))),
        ("bytes", 6, b"\x00\x03\x00\xff\x01"),
        ("text", 7, b"\x00\x03\xe2\x82\xac"),
        ("time", 8, struct.pack(">q", 1_767_323_045_000)),
        ("uuid", 9, bytes(range(16))),
        ("ключ", 7, b"\x00\x00"),
    ],
    b"\x00payload\xff",
)
GOOD: dict[str, bytes] = {
    "nothing": b"",
    "no headers, no payload": frame([]),
    "payload alone": frame([], b"abc"),
    "headers alone": frame([text_header("a", "b")]),
    "every type": TYPES,
    "a value that takes no byte, at the end": frame([text_header("a", "b"), ("yes", 0, b"")]),
    "a name of 255 bytes": frame([text_header("n" * 255, "v")]),
    "an empty name": frame([text_header("", "v")]),
    "a value of 65,535 bytes": frame([text_header("n", "v" * 65_535)]),
    "128 KiB of headers": frame(
        [text_header("a", "v" * 65_531), text_header("b", "v" * 65_531)], b"x"
    ),
    "names that differ in case": frame([text_header("a", "1"), text_header("A", "2")]),
    "three events": converse_frames(
        [{"messageStart": {"role": "assistant"}}, {"messageStop": {}}, {"metadata": {}}]
    ),
    "an exception": exception_frame("throttlingException", {"message": "Slow down."}),
    "a large payload": event_frame("chunk", b"x" * 200_000),
    "a cut prelude": frame([]) + b"\x00\x00",
    "a cut frame": frame([]) + TYPES[:-1],
    "a cut frame whose headers are noise": frame([]) + sealed(5, b"noise")[:-4],
}


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


_ONE = event_frame("messageStop", {"stopReason": "end_turn"})
_LONG = b"\x01a\x07\xff\xff"  # a header that says it has 65,535 bytes
BAD: dict[str, tuple[bytes, str]] = {
    "length flipped": (_flipped(_ONE, 3), "framing/checksum-mismatch"),
    "header length flipped": (_flipped(_ONE, 7), "framing/checksum-mismatch"),
    "prelude checksum flipped": (_flipped(_ONE, 8), "framing/checksum-mismatch"),
    "header flipped": (_flipped(_ONE, 20), "framing/checksum-mismatch"),
    "payload flipped": (_flipped(_ONE, len(_ONE) - 8), "framing/checksum-mismatch"),
    "message checksum flipped": (_flipped(_ONE, len(_ONE) - 1), "framing/checksum-mismatch"),
    "a byte lost": (_ONE[:30] + _ONE[31:] + _ONE, "framing/checksum-mismatch"),
    "a byte more": (b"\x00" + _ONE, "framing/checksum-mismatch"),
    "text": (b"event: message_start\ndata: {}\n\n", "framing/checksum-mismatch"),
    "shorter than a frame": (sealed(0, b"", 15), "framing/invalid-frame"),
    "length of nothing": (sealed(0, b"", 0), "framing/invalid-frame"),
    "headers beyond the frame": (sealed(4, b"abc"), "framing/invalid-frame"),
    "headers beyond 128 KiB": (sealed(131_073, b"", 200_000), "framing/invalid-frame"),
    "headers of 4 GiB": (sealed(2**32 - 1, b"", 2**32 - 1), "framing/invalid-frame"),
    "a name that its end cuts off": (sealed(3, b"\x05ab"), "framing/invalid-frame"),
    "no type": (sealed(2, b"\x01a"), "framing/invalid-frame"),
    "no length": (sealed(4, b"\x01a\x07\x00"), "framing/invalid-frame"),
    "a value that its end cuts off": (sealed(5, _LONG), "framing/invalid-frame"),
    "a number that its end cuts off": (sealed(4, b"\x01a\x04\x00"), "framing/invalid-frame"),
    "type 10": (sealed(3, b"\x01a\x0a"), "framing/invalid-frame"),
    "type 255": (sealed(3, b"\x01a\xff"), "framing/invalid-frame"),
    "a header twice": (
        frame([text_header("a", "1"), text_header("a", "1")]),
        "framing/invalid-frame",
    ),
    "a name that is not UTF-8": (sealed(3, b"\x01\xff\x00"), "framing/invalid-utf8"),
    "a value that is not UTF-8": (frame([("a", 7, b"\x00\x01\x80")]), "framing/invalid-utf8"),
}


def _cuts(data: bytes, name: str) -> list[list[bytes]]:
    rng = random.Random(name)
    places = [[rng.randrange(len(data) + 1) for _ in range(n)] for n in (1, 1, 2, 3, 9)]
    near = [[at] for at in range(max(0, len(data) - 40), len(data))]
    cuts = [[data], *(cut_at(data, at) for at in [*places, *near, [4, 8, 11, 12, 13]])]
    return [*cuts, list(by_bytes(data))] if len(data) < 20_000 else cuts


@pytest.mark.parametrize("name", GOOD)
def test_frames_in_every_cut(name: str) -> None:
    data = GOOD[name]
    due = eventstream_reference(data)
    assert due.error is None
    for chunks in _cuts(data, name):
        assert frames(EventStreamDecoder(), chunks) == due


@pytest.mark.parametrize("name", BAD)
def test_damage_is_refused_where_it_stands(name: str) -> None:
    data, rule = BAD[name]
    for before in (b"", _ONE):
        whole = before + data
        seen = frames(EventStreamDecoder(), [whole])
        assert seen.error is not None
        assert seen.error[0] == rule
        assert seen == eventstream_reference(whole)
        assert seen.error[1] == len(before)
        assert len(seen.messages) == bool(before)
        for chunks in _cuts(whole, name):
            assert frames(EventStreamDecoder(), chunks) == seen


@pytest.mark.parametrize("name", [name for name in GOOD if "cut" not in name])
def test_aws_own_decoder_reads_the_same(name: str) -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(GOOD[name])
    theirs: list[Any] = [(message.headers, message.payload) for message in buffer]
    ours = [(dict(message.headers), message.payload) for message in _decoded(GOOD[name])]
    assert ours == theirs


def _decoded(data: bytes) -> list[EventStreamMessage]:
    decoder = EventStreamDecoder()
    return decoder.feed(data) + decoder.close()


def test_headers_of_every_type() -> None:
    (message,) = _decoded(TYPES)
    assert dict(message.headers) == {
        "yes": True,
        "no": False,
        "byte": -5,
        "short": -300,
        "int": 70_000,
        "long": -(2**40),
        "bytes": b"\x00\xff\x01",
        "text": "€",
        "time": 1_767_323_045_000,
        "uuid": bytes(range(16)),
        "ключ": "",
    }
    assert type(message.headers["yes"]) is bool
    assert message.payload == b"\x00payload\xff"


def test_headers_cannot_be_changed() -> None:
    """The same ones are given out for every frame that has them."""
    first, second = _decoded(_ONE + _ONE)
    with pytest.raises(TypeError):
        first.headers[":event-type"] = "x"  # type: ignore[index]
    assert second.headers[":event-type"] == "messageStop"
    assert (first.offset, second.offset) == (0, len(_ONE))


def test_headers_that_never_come_again_are_not_kept() -> None:
    decoder = EventStreamDecoder()
    for number in range(200):
        decoder.feed(frame([text_header("n", f"{number}")]))
        decoder.feed(frame([text_header("n", f"{number}" * 2000)]))
    assert len(decoder._known) == 64
    assert max(map(len, decoder._known)) < 1024


def test_every_flipped_bit_is_found() -> None:
    data = _ONE + event_frame("metadata", {"usage": {}})
    for at in range(len(data)):
        for bit in range(8):
            broken = data[:at] + bytes([data[at] ^ (1 << bit)]) + data[at + 1 :]
            assert frames(EventStreamDecoder(), [broken]) != eventstream_reference(data)
            assert frames(EventStreamDecoder(), [broken]) == eventstream_reference(broken)


def test_every_cut_leaves_whole_frames_only() -> None:
    data = _ONE + TYPES
    for length in range(len(data)):
        seen = frames(EventStreamDecoder(), [data[:length]])
        assert seen == eventstream_reference(data[:length])
        whole = [message for message in seen.messages if message[3]]
        assert len(whole) == (length >= len(_ONE))


def test_a_frame_at_the_limit_passes_and_one_byte_more_is_refused() -> None:
    data = frame([], b"x" * 84)
    assert len(data) == 100
    assert frames(EventStreamDecoder(100), by_bytes(data)).error is None
    due = Frames([], ("framing/event-too-large", 0))
    for chunks in ([data], list(by_bytes(data)), [data[:12]]):
        assert frames(EventStreamDecoder(99), chunks) == due


def test_a_frame_beyond_the_limit_is_refused_before_it_is_kept() -> None:
    decoder = EventStreamDecoder()
    with pytest.raises(FramingError) as caught:
        decoder.feed(sealed(0, b"", 64 * 1024 * 1024 + 1)[:12])
    (finding,) = caught.value.findings
    assert finding.rule == "framing/event-too-large"
    assert (finding.expected, finding.actual) == ("at most 67108864 bytes", "67108865 bytes")
    assert len(decoder._buffer) == 0


def test_the_checksums_are_named() -> None:
    with pytest.raises(FramingError) as caught:
        EventStreamDecoder().feed(_flipped(_ONE, len(_ONE) - 1))
    (finding,) = caught.value.findings
    assert finding.message == "The frame at byte 0 is damaged: the checksum of its message differs"
    assert finding.expected is not None
    assert finding.expected != finding.actual
    assert finding.expected.startswith("CRC-32 ")


def test_what_came_before_damage_is_given_first() -> None:
    decoder = EventStreamDecoder()
    assert len(decoder.feed(_ONE + _flipped(_ONE, 3))) == 1
    assert decoder.error is not None
    with pytest.raises(FramingError):
        decoder.feed(_ONE)
    with pytest.raises(FramingError):
        decoder.close()


def test_PRF_03_every_byte_is_handled_a_fixed_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = {"checked": 0, "kept": 0}

    class Counting(bytearray):
        def __iadd__(self, more: Any) -> Self:  # type: ignore[misc]  # __add__ stays as it is
            work["kept"] += len(more)
            return super().__iadd__(more)

    def count(data: Any) -> int:
        work["checked"] += len(data)
        return zlib.crc32(data)

    monkeypatch.setattr("partwire.providers.framing.eventstream.crc32", count)
    data = event_frame("chunk", b"x" * 100_000) * 3
    for size in (1, 7, 1024, len(data)):
        decoder = EventStreamDecoder()
        decoder._buffer = Counting()
        work.update(checked=0, kept=0)
        chunks = [data[at : at + size] for at in range(0, len(data), size)]
        assert len(frames(decoder, chunks).messages) == 3
        assert work["checked"] <= len(data) + 3 * 8
        assert work["kept"] <= len(data)


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "1", None])
def test_a_limit_is_a_size(limit: Any) -> None:
    with pytest.raises(UsageError):
        EventStreamDecoder(limit)


def test_wrong_calls_are_refused() -> None:
    decoder = EventStreamDecoder()
    with pytest.raises(UsageError):
        decoder.feed("text")  # type: ignore[arg-type]
    assert len(decoder.feed(memoryview(bytearray(_ONE)))) == 1
    assert decoder.close() == []
    assert decoder.close() == []
    with pytest.raises(UsageError):
        decoder.feed(b"")
