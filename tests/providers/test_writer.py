"""The writer of every adapter: what it writes of v0.3 keeps the contract, whatever it is asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire import MessageAssembler, to_wire, validate
from partwire.contract.current.message import TextFormat
from partwire.providers.core.citations import citation_of
from partwire.providers.core.findings import FindingLog
from partwire.providers.core.kept_state import KeptState
from partwire.providers.core.stream_words import StreamWords
from partwire.providers.core.writer import DeltaWriter, StreamInit
from partwire.providers.core.writing.media import whole_base64
from tests.providers.provider_streams import RUN, fixed_clock

URL = {"source": {"kind": "url", "url": "https://example.com"}}


def unnamed(**words: Any) -> DeltaWriter:
    log = words.pop("log", FindingLog())
    stream = StreamInit(RUN, fixed_clock, frozenset(), log, KeptState("test"), {}, **words)
    return DeltaWriter(stream)


def writer(**words: Any) -> DeltaWriter:
    made = unnamed(**words)
    made.identify("m", "r")
    return made


def payloads(made: DeltaWriter) -> list[tuple[str, Any]]:
    wires = [to_wire(delta) for delta in made.out]
    assert all(validate(wire, "message.MessageDelta") == [] for wire in wires)
    return [(wire["kind"], wire["payload"]) for wire in wires[1:]]


def message(made: DeltaWriter) -> Any:
    """Return the message that the assembler makes: it refuses nothing."""
    made.done("stop")
    assembler = MessageAssembler()
    for delta in made.out:
        assembler.consume(delta)
    return to_wire(assembler.build_final_message())


# --- citations -----------------------------------------------------------------------------------


def test_a_citation_is_of_the_last_text_or_says_which() -> None:
    made = writer()
    assert not made.cite(URL)
    made.write("thinking", "Hm")
    assert not made.cite(URL)
    made.write("text", "One")
    assert made.cite({**URL, "start": 0, "end": 3})
    made.write("thinking", "So")
    assert made.cite(URL)
    made.write("text", "Two")
    assert made.cite(URL, part=1)
    assert made.cite(URL, part=3)
    assert not made.cite(URL, part=2)
    assert [p.get("partIndex") for k, p in payloads(made) if k == "text_citation"] == [
        *(None, None, 1, None)
    ]
    parts = message(made)["parts"]
    assert [len(part["payload"].get("citations", ())) for part in parts] == [0, 3, 0, 1]


def test_half_a_character_is_written_before_what_counts_it() -> None:
    made = writer()
    made.write("text", "a\ud83d")
    made.cite({**URL, "start": 0, "end": 2})
    assert [payload.get("textDelta") for _, payload in payloads(made)] == ["a", "\ufffd", None]
    made.flush_half()
    assert len(payloads(made)) == 3


def test_a_citation_carries_what_its_provider_wants_back() -> None:
    made = writer()
    made.write("text", "a")
    made.cite(URL, [("citation", {"n": "\ud800"})])
    (_, payload) = payloads(made)[-1]
    data = {"items": [{"kind": "citation", "data": {"n": "\ufffd"}}]}
    assert payload["citation"]["opaque"] == {"provider": "test", "data": data}
    assert [item.kind for item in made.state.items] == ["citation"]
    assert "opaque" not in message(made)["parts"][0]["payload"]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({}, None),
        ({"source": "x"}, None),
        ({"source": {"kind": ""}}, None),
        ({"source": {"kind": "x", "url": "", "title": 7, "id": None}}, {"source": {"kind": "x"}}),
        ({**URL, "start": 3, "end": 1}, URL),
        ({**URL, "start": 3}, URL),
        ({**URL, "start": True, "end": 1}, URL),
        ({**URL, "start": -1, "end": 1}, URL),
        ({**URL, "start": 2.0, "end": 2}, {**URL, "start": 2, "end": 2}),
        ({**URL, "quotedText": "\ud83d\ude00\ud83d"}, {**URL, "quotedText": "\U0001f600\ufffd"}),
        (
            {"source": {"kind": "x", "locator": {"unit": "page", "start": 1, "end": None}}},
            {"source": {"kind": "x", "locator": {"unit": "page", "start": 1}}},
        ),
        ({"source": {"kind": "x", "locator": {"unit": "page"}}}, {"source": {"kind": "x"}}),
    ],
)
def test_a_citation_is_what_the_contract_knows_of_it(given: Any, made: Any) -> None:
    found = citation_of(given)
    assert (None if found is None else to_wire(found)) == made


# --- server tools and approvals ------------------------------------------------------------------


def test_server_calls_have_ids_of_their_own() -> None:
    made = writer()
    made.open_call(None, "a")
    made.open_server_call(None, "b")
    made.open_server_call("own", "c")
    made.open_server_call("own", "d")
    ids = [payload["toolCallId"] for _, payload in payloads(made)]
    assert ids == ["call_r_0", "srv_r_0", "own", "srv_r_2"]
    assert made.state.provider_ids == {"call_r_0": None}


def test_a_result_answers_its_call_once() -> None:
    made = writer()
    first = made.open_server_call(None, "a")
    made.open_server_call("x", "b")
    made.open_server_call("x", "c")  # minted: its provider uses an id twice
    own = made.open_call("mine", "d")

    def answered(call_id: str | None) -> bool:
        return made.server_result(call_id, is_error=False, content="")

    assert answered(None)  # the first that waits, which ends now
    assert not made.is_open(first)
    assert not answered(first.tool_call_id)
    assert answered("x")
    assert answered("x")
    assert not answered("x")
    assert not answered(own.tool_call_id)
    assert answered("of an earlier message")
    assert not answered("of an earlier message")
    assert not answered(None)
    kinds = [kind for kind, _ in payloads(made)]
    assert kinds.count("server_tool_result") == 4
    message(made)


def test_a_result_is_text_and_data() -> None:
    made = writer()
    made.keep("before", 1)
    made.server_result(
        "s",
        is_error=True,
        content="\ud800",
        outcome="timeout",
        structured={"a": [float("nan"), 5]},
        opaque=[("block", {"x": 1})],
    )
    (_, payload) = payloads(made)[-1]
    assert payload == {
        "toolCallId": "s",
        "isError": True,
        "content": "\ufffd",
        "outcome": "timeout",
        "structured": {"a": [None, 5]},
        "opaque": {
            "provider": "test",
            "data": {
                "items": [
                    {"kind": "before", "data": 1, "start": 0, "end": 0},
                    {"kind": "block", "data": {"x": 1}},
                ]
            },
        },
    }


@pytest.mark.parametrize("value", [None, float("inf")])
def test_what_is_no_data_is_left_out(value: Any) -> None:
    made = writer()
    made.server_result("s", is_error=False, content="", structured=value)
    assert "structured" not in payloads(made)[-1][1]


def test_approval_is_asked_for_a_call_that_is_there() -> None:
    made = writer()
    call = made.open_server_call("x", "a")

    def asked(approval_id: str, call_id: str) -> bool:
        return made.approval_request(approval_id=approval_id, call_id=call_id, reason="\ud800")

    assert not asked("1", "y")
    assert asked("1", call.tool_call_id)
    assert not asked("1", call.tool_call_id)
    assert not asked("", call.tool_call_id)
    assert asked("2", call.tool_call_id)
    assert [part["kind"] for part in message(made)["parts"]] == [
        *("server_tool_call", "approval_request", "approval_request")
    ]


# --- media ---------------------------------------------------------------------------------------


def test_media_begins_with_its_first_bytes() -> None:
    made = writer()
    media = made.open_media("a", "audio/wav")
    assert made.media_data(media, transcript="He\ud83d")
    made.write("text", "Hi")
    assert made.media_data(media, data_delta="AAA=", transcript="\ude00")
    assert made.media_data(media, data_delta="")
    assert not made.media_data(media, data_delta="AAA", transcript="llo")
    assert made.end_media(media, mime_type="audio/mp3", opaque=[("audio", {"id": 1})])
    assert not made.media_data(media, data_delta="AAAA")
    assert made.end_media(media)
    text, part = message(made)["parts"]
    assert text["payload"] == {"text": "Hi"}
    assert part["payload"] == {
        "mimeType": "audio/mp3",
        "source": {"kind": "inline", "data": "AAA="},
        "transcript": "He\U0001f600llo",
        "opaque": {"provider": "test", "data": {"items": [{"kind": "audio", "data": {"id": 1}}]}},
    }


def test_media_without_bytes_is_no_part() -> None:
    made = writer()
    media = made.open_media(None, None)
    made.media_data(media, transcript="Hello")
    made.keep_with(media, "audio", {"id": 1})
    assert not made.end_media(media)
    left = made.open_media(None, "image/png")
    made.keep_with(left, "image", {"id": 2})
    made.done("stop")
    *_, (kind, payload), _ = payloads(made)
    assert (kind, payload["opaque"]["data"]["items"][0]["kind"]) == ("thinking", "image")
    assert len(payloads(made)) == 2


def test_media_that_is_elsewhere_has_its_address() -> None:
    made = writer()
    assert made.end_media(made.open_media(None, "image/png", "a.png"), url="https://example.com")
    assert message(made)["parts"][0]["payload"] == {
        "mimeType": "image/png",
        "name": "a.png",
        "source": {"kind": "url", "url": "https://example.com"},
    }


def test_open_media_is_ended_by_done_and_left_out_by_an_error() -> None:
    made = writer()
    made.media_data(made.open_media("a", "image/png"), data="AAAA")
    assert len(message(made)["parts"]) == 1
    made = writer()
    made.media_data(made.open_media("a", "image/png"), data="AAAA")
    made.open_media("a", "image/png")
    made.write("text", "Hi")
    made.keep("k", 1)
    made.fail("unknown", None)
    assert [kind for kind, _ in payloads(made)] == [
        *("media_start", "media_data", "text", "text", "error")
    ]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        *(("", ""), ("AAAA", "AAAA"), ("AAB=", "AAA="), ("AB==", "AA==")),
        *((text, None) for text in ("A", "AA", "AAA", "AA=", "A===", "AAAA=", "AAA==", "====")),
        *((text, None) for text in ("AA\n==", " AAAA", "AA-_", "AAAA\n", "AA==AAAA", "é===")),
        *((value, None) for value in (None, 7, b"AAAA", ["AAAA"])),
    ],
)
def test_base64_is_whole_or_none(given: object, made: str | None) -> None:
    assert whole_base64(given) == made


# --- warnings, the start, and what is not said ---------------------------------------------------


def test_a_warning_is_written_once_and_behind_the_start() -> None:
    log = FindingLog()
    made = unnamed(log=log)
    made.warn("a", "b")
    made.warn("a", "b")
    assert made.out == []
    made.start()
    made.warn("a", "b")
    made.warn("a", "b", "c")
    made.warn(7, None, "")
    made.warn(None)
    assert payloads(made) == [
        ("warning", {"code": "a", "message": "b"}),
        ("warning", {"code": "a", "message": "b", "place": "c"}),
        ("warning", {"code": "other"}),
    ]


def test_a_warning_parts_no_text() -> None:
    made = writer()
    for text in ("a", "b"):
        made.write("text", text)
        made.warn(text)
    assert [part["payload"] for part in message(made)["parts"]] == [{"text": "ab"}]


def test_what_the_caller_says_of_the_form_wins() -> None:
    plain, given_form = writer(), writer(words=StreamWords(format=TextFormat(name="x")))
    assert "format" not in to_wire(plain.out[0])["payload"]
    late = unnamed()
    late.say_format("recipe")
    late.start()
    assert to_wire(late.out[0])["payload"]["format"] == {"name": "recipe"}
    given_form.say_format("y")
    assert to_wire(given_form.out[0])["payload"]["format"] == {"name": "x"}


# --- whatever it is asked ------------------------------------------------------------------------

_TEXTS = st.text(alphabet=st.sampled_from("aé\ud83d\ude00\U0001f600"), max_size=3)
_NUMBERS = st.integers(0, 3)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("text"), _TEXTS),
        st.tuples(st.just("thinking"), _TEXTS),
        st.tuples(st.just("cite"), st.none() | _NUMBERS),
        st.tuples(st.just("call"), st.sampled_from([None, "c", "x"])),
        st.tuples(st.just("server"), st.sampled_from([None, "c", "x"])),
        st.tuples(st.just("args"), _TEXTS),
        st.tuples(st.just("end"), _NUMBERS),
        st.tuples(st.just("result"), st.sampled_from([None, "c", "x", "srv_r_0"])),
        st.tuples(st.just("ask"), st.sampled_from(["c", "x", "srv_r_0"])),
        st.tuples(st.just("media"), st.sampled_from([None, "c"])),
        st.tuples(st.just("data"), st.sampled_from(["AAAA", "A", ""])),
        st.tuples(st.just("words"), _TEXTS),
        st.tuples(st.just("stop"), _NUMBERS),
        st.tuples(st.just("warn"), _NUMBERS),
        st.tuples(st.just("keep"), _NUMBERS),
    ),
    max_size=20,
)


class _Asker:
    """Asks a writer for anything, as an adapter of a hostile stream would."""

    def __init__(self, made: DeltaWriter) -> None:
        self._made = made
        self._calls: list[Any] = []
        self._media: list[Any] = []

    def text(self, value: str) -> None:
        self._made.write("text", value)

    def thinking(self, value: str) -> None:
        self._made.write("thinking", value)

    def cite(self, value: int | None) -> None:
        self._made.cite({**URL, "start": 0, "end": 9}, part=value)

    def call(self, value: str | None) -> None:
        self._calls.append(self._made.open_call(value, "t"))

    def server(self, value: str | None) -> None:
        self._calls.append(self._made.open_server_call(value, "t"))

    def args(self, value: str) -> None:
        for call in self._open()[-1:]:
            self._made.args(call, value)

    def end(self, value: int) -> None:
        for call in self._open()[value : value + 1]:
            self._made.end_call(call)

    def _open(self) -> list[Any]:
        return [call for call in self._calls if self._made.is_open(call)]

    def result(self, value: str | None) -> None:
        self._made.server_result(value, is_error=False, content="x", opaque=[("block", 1)])

    def ask(self, value: str) -> None:
        self._made.approval_request(approval_id=value, call_id=value)

    def media(self, value: str | None) -> None:
        self._media.append(self._made.open_media(value, "audio/wav"))

    def data(self, value: str) -> None:
        for media in self._media[-1:]:
            self._made.media_data(media, data_delta=value)

    def words(self, value: str) -> None:
        for media in self._media[-1:]:
            self._made.media_data(media, transcript=value)

    def stop(self, value: int) -> None:
        for media in self._media[value : value + 1]:
            self._made.end_media(media, opaque=[("audio", 1)])

    def warn(self, value: int) -> None:
        self._made.warn(str(value))

    def keep(self, value: int) -> None:
        self._made.keep("k", value)


@settings(max_examples=200)
@given(_STEPS)
def test_the_assembler_takes_whatever_is_written(steps: list[tuple[str, Any]]) -> None:
    made = writer()
    asker = _Asker(made)
    for what, value in steps:
        getattr(asker, what)(value)
    payloads(made)
    message(made)
