"""What the official parser of AsyncAPI reads in our document.

The parser is a package of Node's, pinned in ``tests/asyncapi`` and installed into ``.cache`` when
it is first needed. Without Node its tests are skipped, and say so; with CI set nothing is.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Final

import pytest

from partwire.contract.resources import interface
from tests.envelope.queue_directions import (
    DIRECTIONS,
    NAMES,
    REPLIES,
    Json,
    directions_of,
    document,
    sorted_receivers,
)
from tests.node_packages import installed, need_node

__all__ = ["document"]

pytestmark = pytest.mark.slow  # the parser is installed anew on each fresh machine

ROOT = Path(__file__).resolve().parents[2]
PARSER = ROOT / "tests" / "asyncapi"
WHAT = "AsyncAPI's own parser is"
FILE = ROOT / "python" / "partwire" / "interfaces" / "asyncapi.json"


def misspelt_type(document: Json) -> None:
    document["components"]["schemas"]["envelope.TaskEvent"]["type"] = "objekt"


def message_of_another_channel(document: Json) -> None:
    operation = document["operations"]["agentReceivesTaskEvent"]
    operation["messages"] = [{"$ref": "#/channels/retries/messages/RetryEvent"}]


def no_action(document: Json) -> None:
    del document["operations"]["agentReceivesTaskEvent"]["action"]


def channel_that_is_not_there(document: Json) -> None:
    document["operations"]["agentReceivesTaskEvent"]["channel"]["$ref"] = "#/channels/nothing"


def correlation_without_place(document: Json) -> None:
    del document["components"]["correlationIds"]["task"]["location"]


def unknown_member(document: Json) -> None:
    document["components"]["messages"]["TaskEvent"]["direction"] = "agent"


SPOILT: Final[tuple[Callable[[Json], None], ...]] = (
    misspelt_type,
    message_of_another_channel,
    no_action,
    channel_that_is_not_there,
    correlation_without_place,
    unknown_member,
)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """What the parser says of our document, and of each spoilt one, in one run of it."""
    need_node(WHAT)
    folder = installed(PARSER, "parse.mjs")
    files = [FILE]
    for spoil in SPOILT:
        document = deepcopy(interface("asyncapi"))
        spoil(document)
        files.append(tmp_path_factory.mktemp("spoilt") / f"{spoil.__name__}.json")
        files[-1].write_text(json.dumps(document), "utf-8")
    done = subprocess.run(
        ["node", "parse.mjs", *map(str, files)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    results: list[Json] = json.loads(done.stdout)
    assert len(results) == len(files)
    return results


def test_the_parser_takes_the_document(parsed: list[Json]) -> None:
    """Beside a hint that 3.1.0 is out: every tool for AsyncAPI 3 reads 3.0.0."""
    assert [each["code"] for each in parsed[0]["diagnostics"]] == ["asyncapi-latest-version"]
    assert parsed[0]["operations"]


def test_the_parser_reads_what_the_document_means(parsed: list[Json], document: Json) -> None:
    operations = parsed[0]["operations"]
    assert sorted_receivers(directions_of(operations)) == sorted_receivers(DIRECTIONS)
    addresses = {
        name: channel["address"]
        for channel in document["channels"].values()
        for name in channel["messages"]
    }
    for each in operations:
        (message,) = each["messages"]
        assert each["addresses"] == [addresses[message]], each["id"]
        replies = [REPLIES[message]] if message in REPLIES else []
        assert each["replies"] == replies, each["id"]
        assert each["replyAddresses"] == [addresses[name] for name in replies], each["id"]
    messages = {each["id"]: each for each in parsed[0]["messages"]}
    assert sorted(messages) == sorted(NAMES)
    for name, each in messages.items():
        assert each["messageType"] == name
        assert each["correlation"].removeprefix("$message.payload#/") in each["members"]
        assert len(each["examples"]) >= 2


@pytest.mark.parametrize("number", range(len(SPOILT)), ids=[each.__name__ for each in SPOILT])
def test_the_parser_sees_what_is_wrong(parsed: list[Json], number: int) -> None:
    """Also within payloads: a parser that would not look there would take the first of these."""
    wrong = [each for each in parsed[1 + number]["diagnostics"] if each["severity"] == 0]
    assert wrong


def test_a_missing_node_is_said_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no node, no npm"):
        need_node(WHAT)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no node, no npm"):
        need_node(WHAT)


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((PARSER / "package-lock.json").read_bytes())
    assert lock["packages"][""]["dependencies"] == {"@asyncapi/parser": "3.6.3"}
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
