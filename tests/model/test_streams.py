"""The official clients, unchanged, against a local server: answers, whole and cut.

Where a whole answer arrives, the deltas are those that adapter and framing make of the same
bytes; where it does not, the last delta is ``truncated_stream``.
"""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any, Final

import pytest

from partwire import to_wire
from partwire.contract.current.message import MessageDelta
from partwire.providers import ByteAdapter, open_adapter
from tests.fixture_cases import provider_cases
from tests.model.answers import TEXT, answer, last, reply
from tests.model.clients import (
    NAMES,
    NOT_THROUGH_GOOGLES_CLIENT,
    PROVIDERS,
    Provider,
    adapted,
    asking,
    deltas_of,
    differences,
    opened,
    play,
    provider,
    ran,
    wire,
)
from tests.model.http_replay import ReplayServer, Reply, sliced, until
from tests.providers import recordings as recorded
from tests.providers.provider_streams import RUN, Ran, assembled, fixed_clock

__all__ = ["provider"]

DROPPED = frozenset({"citationMetadata", "finishMessage"})
# Google's client warns of every value that it does not know.
pytestmark = pytest.mark.filterwarnings("ignore:.* is not a valid .*:UserWarning")


# --- answers -------------------------------------------------------------------------------------


def _as_sent(dialect: str) -> dict[str, bytes]:
    """Return the fixtures of a dialect as bytes of a response."""
    found = {}
    for case in provider_cases("v0.1", dialect):
        name = case.name.removeprefix(f"{dialect}/")
        if dialect != "gemini" or name not in NOT_THROUGH_GOOGLES_CLIENT:
            found[name] = case.data("input")
    return found


def _compared(dialect: str, seen: Ran, due: Ran) -> list[Any]:
    """Return where two streams differ, an empty list where they say the same."""
    if dialect != "gemini":
        return differences(seen.deltas, due.deltas)
    given, wanted = _known_to_google(seen.deltas), _known_to_google(due.deltas)
    if due.kinds[-1] == "error":
        # The message is the client's own.
        codes = [seen.end.get("errorCode"), due.end["errorCode"]]
        return differences(given[:-1], wanted[:-1]) or codes * (len(set(codes)) - 1)
    return differences(given, wanted)


def _as_named_to_google(dialect: str, data: bytes) -> bytes:
    """Return a response without the names that Google's client does not know.

    It reads ``citationSources``, Google AI's name, and drops ``citations``, that of Vertex AI.
    """
    return data.replace(b'"citations"', b'"unknown"') if dialect == "gemini" else data


def _known_to_google(deltas: list[MessageDelta]) -> list[Any]:
    """Return the deltas without provider state that Google's client drops from the events.

    The arguments of a server's call are values here, not text: the client has the members of code
    that ran (``code``, ``language``) in an order of its own.
    """
    known: list[Any] = []
    for delta in deltas:
        wire = to_wire(delta)
        if wire["kind"] == "server_tool_call_args":
            wire["payload"]["argsTextDelta"] = json.loads(wire["payload"]["argsTextDelta"])
        state = wire["payload"].get("opaque", {"data": {}})["data"]
        if items := state.get("items"):
            state["items"] = [i for i in items if i["kind"] not in DROPPED and not _is_odd(i)]
        if wire["payload"].get("textDelta") != "" or state["items"]:
            known.append({**wire, "seq": len(known)})
    return known


def _is_odd(item: dict[str, Any]) -> bool:
    return item["kind"] == "part" and "hologram" in item["data"]


def _differing(provider: Provider, inputs: dict[str, bytes]) -> dict[str, list[Any]]:
    """Return by name where the client's stream is not what adapter and framing say."""
    found: dict[str, list[Any]] = {}

    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for name, data in inputs.items():
                due = adapted(provider.dialect, _as_named_to_google(provider.dialect, data))
                burst = random.Random(name).randrange(17, 2000)
                for chunks in ([data], sliced(data, burst)):
                    server.replies["it"] = Reply(chunks, content_type=provider.content_type)
                    if where := _compared(provider.dialect, await ran(model, "it"), due):
                        found[name] = where

    play(main)
    return found


def test_recordings_through_the_client_are_what_the_adapter_says(
    provider: Provider, recordings: Path
) -> None:
    mine = {name: wire(recorded.load()[name]) for name in recorded.ids(provider.dialect)}
    inputs = {name: data for name, data in mine.items() if data is not None}
    # One recording of Bedrock is of another call, whose events are not Converse events.
    assert len(mine) - len(inputs) <= (provider.dialect == "bedrock-converse")
    assert len(inputs) >= 9
    assert _differing(provider, inputs) == {}


def test_fixtures_through_the_client_are_what_the_adapter_says(provider: Provider) -> None:
    inputs = _as_sent(provider.dialect)
    assert len(inputs) >= 14
    assert _differing(provider, inputs) == {}


def test_a_difference_would_be_seen() -> None:
    provider = PROVIDERS["CohereModel"]
    data = b"".join(answer(provider.dialect))
    ours, other = (
        adapted(provider.dialect, each) for each in (data, data.replace(b"Rain", b"Sun"))
    )
    assert _compared(provider.dialect, ours, ours) == []
    assert _compared(provider.dialect, ours, other) != []
    cut = adapted(provider.dialect, data[:-200])
    assert _compared("gemini", ours, cut) != []


def test_byte_by_byte_and_slowly(provider: Provider) -> None:
    data = b"".join(answer(provider.dialect))
    due = adapted(provider.dialect, data)
    assert due.end["finishReason"] == "stop"

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = Reply(
            sliced(data, 1), content_type=provider.content_type, pause_s=0.0002
        )
        async with opened(provider, server.url) as model:
            seen = await ran(model, "it")
            assert differences(seen.deltas, due.deltas) == []
            assert TEXT in to_wire(assembled(seen.deltas))["parts"][0]["payload"]["text"]

    play(main)


def test_the_first_delta_does_not_wait_for_the_last(provider: Provider) -> None:
    head, _ = answer(provider.dialect)

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, head, hold=True)
        async with opened(provider, server.url) as model:
            stream = model.stream(asking("it"))
            kinds = []
            while "text" not in kinds:
                kinds.append((await asyncio.wait_for(anext(stream), 60)).kind)
            await stream.aclose()
            await until(lambda: server.playing == 0)

    play(main)


def test_the_content_type_does_not_matter(provider: Provider) -> None:
    data = b"".join(answer(provider.dialect))

    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for content_type in ("application/json", "text/plain; charset=latin-1", "x"):
                server.replies["it"] = Reply([data], content_type=content_type)
                assert last(await deltas_of(model, "it"))["finishReason"] == "stop"

    play(main)


# --- answers that stop ---------------------------------------------------------------------------


def test_a_cut_anywhere_before_the_end_is_a_truncated_stream(provider: Provider) -> None:
    head, _ = answer(provider.dialect)
    rng = random.Random(provider.name)
    lengths = [len(head) - 1, *sorted(rng.sample(range(1, len(head)), 6))]

    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for length in lengths:
                due = adapted(provider.dialect, head[:length])
                for cut in (True, False):
                    server.replies["it"] = reply(provider, head[:length], cut=cut)
                    seen = await ran(model, "it")
                    # Google's client does not give out an event that it has not read to its end.
                    if provider.dialect != "gemini" or not cut:
                        assert differences(seen.deltas[:-1], due.deltas[:-1]) == []
                        assert seen.end["errorCode"] == "truncated_stream"
                    assert seen.end["errorCode"] in ("truncated_stream", "connection")
                    assert seen.end["retryable"] is True

    play(main)


def test_a_cut_after_the_end_costs_nothing(provider: Provider) -> None:
    data = b"".join(answer(provider.dialect))
    due = adapted(provider.dialect, data)

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, data, cut=True)
        async with opened(provider, server.url) as model:
            seen = await ran(model, "it")
            assert differences(seen.deltas, due.deltas) == []
            assert seen.end == {"finishReason": "stop"}

    play(main)


# Behind the end of Gemini's more may come: only the end of the input is one.
ENDS_EARLY: Final = [name for name in NAMES if name != "GeminiModel"]


def test_some_adapters_know_the_end_before_the_input_ends() -> None:
    early = [n for n, p in PROVIDERS.items() if ends_early(p.dialect, b"".join(answer(p.dialect)))]
    assert early == ENDS_EARLY


@pytest.mark.parametrize("name", ENDS_EARLY)
def test_a_server_that_does_not_hang_up_holds_nobody(name: str) -> None:
    provider = PROVIDERS[name]
    data = b"".join(answer(provider.dialect))

    async def main(server: ReplayServer) -> None:
        server.replies["it"] = reply(provider, data, hold=True)
        async with opened(provider, server.url) as model:
            seen = await asyncio.wait_for(ran(model, "it"), 60)
            assert seen.end == {"finishReason": "stop"}
            await asyncio.sleep(0)
            assert server.open <= 1

    play(main)


def ends_early(dialect: str, data: bytes) -> bool:
    """Return whether the adapter knows the end before the input ends."""
    adapter = open_adapter(dialect, RUN, clock=fixed_clock)
    ByteAdapter(adapter).feed(data)
    return adapter.ended


def test_no_answer_at_all_is_a_truncated_stream(provider: Provider) -> None:
    async def main(server: ReplayServer) -> None:
        async with opened(provider, server.url) as model:
            for data in (b"", b"\n\n", b"<!doctype html><html><body>Hello</body></html>"):
                server.replies["it"] = Reply([data], content_type="text/html")
                seen = await ran(model, "it")
                assert seen.kinds == ["start", "error"]
                assert seen.end["errorCode"] == adapted(provider.dialect, data).end["errorCode"]

    play(main)
