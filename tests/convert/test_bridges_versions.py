"""Bridges between peers of two versions: records that v0.1 wrote, and losses that it knows."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from partwire import UsageError, to_wire
from partwire.contract.current import LATEST_VERSION
from partwire.convert import (
    LOSSES,
    convert,
    downgrade,
    losses_for,
    messages_to_blocks,
    messages_to_session,
    session_to_messages,
)
from partwire.losses import Loss
from partwire.reading.pipeline import read
from partwire.reading.plain import plain_value
from partwire.tables.losses import SINCE
from tests.convert.bridge_histories import is_valid, with_state
from tests.convert.bridge_law import differences
from tests.fixture_cases import cases
from tests.strategies import Documents

# What v0.1 has no place for, as the messages of a session may be when v0.1 has written them.
COUNTS = ("reasoningTokens", "cacheReadTokens", "cacheWriteTokens")


def sessions(start: int) -> list[Any]:
    """Return valid sessions' messages, some parts of which keep provider's state.

    None has an approval: v0.1 knew none.
    """
    found = []
    for number in range(start, start + 250):
        maker = Documents(f"session of v0.1 {number}")
        document = with_state(maker.valid("session.WithParts"), random.Random(number))
        if any("approval" in part.get("state", {}) for part in document["parts"]):
            continue
        if is_valid(document, "session.WithParts"):
            found.append(plain_value(read(document, "session.WithParts"))[0])
    return found


def as_v0_1_wrote(session: Any) -> list[Any]:
    """Return the messages that the bridge of v0.1 made: an independent way, by what they lack."""
    messages = [plain_value(each)[0] for each in session_to_messages(session).value]
    own = next(each for each in messages if "meta" in each)
    del own["messageId"]
    for name in COUNTS:
        own["meta"].get("usage", {}).pop(name, None)
    for part in (part for each in messages for part in each["parts"]):
        part["payload"].pop("opaque", None)
        part["payload"].pop("outcome", None)
    rows = own["meta"]["session"]["parts"]
    for row, part in zip(rows, session["parts"], strict=True):
        if "metadata" in part:
            row["metadata"] = part["metadata"]
        if session["info"]["role"] == "assistant" and part["type"] == "file":
            row.update(mime=part["mime"], url=part["url"])
    if session["info"]["role"] == "assistant":
        own["parts"] = [each for each in own["parts"] if each["kind"] not in ("image", "file_ref")]
    return messages


@pytest.mark.parametrize("start", range(0, 1000, 250))
def test_what_v0_1_wrote_gives_the_session_back(start: int) -> None:
    told = 0
    for session in sessions(start):
        messages = as_v0_1_wrote(session)
        result = messages_to_session(copy.deepcopy(messages))
        assert [plain_value(each)[0] for each in result.value] == [session]
        codes = [loss.code for loss in result.losses]
        assert "from-record" in codes
        assert not {"record-misfit", "ids-made", "counts-invented"} & set(codes)
        # And the law holds: what comes back differs in no more than what was reported.
        again = [plain_value(each)[0] for each in session_to_messages(result.value).value]
        assert differences(messages, again, result.losses) == []
        told += codes.count("from-record")
    assert told > 500


@pytest.mark.parametrize("place", ["info", "row", "record"])
def test_a_record_that_no_version_wrote_is_left_out(place: str) -> None:
    (session,) = [each for each in sessions(0) if each["info"]["role"] == "user"][:1]
    (message,) = [each for each in as_v0_1_wrote(session) if "meta" in each]
    record = message["meta"]["session"]
    record["parts"] = record["parts"] or [{"type": "text"}]
    {"info": record["info"], "row": record["parts"][0], "record": record}[place]["more"] = 1
    codes = [loss.code for loss in messages_to_session(message).losses]
    assert "record-misfit" in codes
    assert "from-record" not in codes


@pytest.mark.parametrize("start", range(0, 500, 250))
def test_what_is_downgraded_fits_its_record_still(start: int) -> None:
    """Messages that went through a store of v0.1 are those of the session, but for files."""
    seen = 0
    for session in sessions(start):
        files = any(part["type"] == "file" for part in session["parts"])
        state = any("opaque" in part.get("metadata", {}) for part in session["parts"])
        if files or state:
            continue
        stored = [
            to_wire(downgrade(each, "v0.1").value) for each in session_to_messages(session).value
        ]
        assert [plain_value(each)[0] for each in messages_to_session(stored).value] == [session]
        seen += 1
    assert seen > 50


@pytest.mark.parametrize("case", cases("bridges"), ids=lambda c: f"{c.spec['version']}/{c.id}")
def test_only_newer_versions_know_what_is_new(case: Any) -> None:
    for loss in case.spec.get("losses", ()):
        assert SINCE.get(loss["code"], "v0.1") <= case.spec["version"]
    assert set(SINCE) <= set(LOSSES)


def test_losses_for_an_older_reader_are_those_that_it_knows() -> None:
    message = {
        "runId": "run_1",
        "role": "user",
        "timestamp": "2026-01-02T03:04:05Z",
        "messageId": "msg_1",
        "turnId": "turn_1",
        "parts": [],
    }
    losses = messages_to_blocks(message).losses
    assert losses_for(losses, "v0.2") == losses
    assert losses_for(losses, "v0.3") == losses
    assert [each.code for each in losses_for(losses, "v0.1")] == ["run-id", "timestamp"]
    unknown = Loss("", "of-a-later-version", "lossy", "")
    assert losses_for(iter([unknown]), "v0.1") == [unknown]


@pytest.mark.parametrize("version", ["v0.0", "v9.9", "", None, 7, ["v0.1"]])
def test_a_version_that_is_not_known_has_no_losses(version: Any) -> None:
    with pytest.raises(UsageError) as caught:
        losses_for([], version)
    assert caught.value.rule == "usage/unknown-version"


def test_structs_of_older_versions_convert_as_ours() -> None:
    document = {
        "runId": "run_1",
        "role": "user",
        "timestamp": "2026-01-02T03:04:05Z",
        "parts": [{"kind": "text", "payload": {"text": "Hi"}}],
    }
    older, ours = (
        read(document, "message.Message", version=each) for each in ("v0.1", LATEST_VERSION)
    )
    for to in ("blocks", "session"):
        assert convert(older, to) == convert(ours, to)
