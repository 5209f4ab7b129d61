"""Configuration of a model: read at once, merged, never shared."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from partwire import PartwireError, ReadError, UsageError, read
from partwire.errors import UnknownArgumentError
from partwire.model import RecordingModel, ReplayModel
from partwire.model.config import merged, read_config
from partwire.model.provider_model import ProviderModel, used_call_ids
from tests.fixture_cases import case_file
from tests.model.clients import MODEL_ID, PROVIDERS, Provider, asking, provider, user

__all__ = ["provider"]

HERE = "http://127.0.0.1:9"  # nobody listens: nothing of this file sends anything


def made(config: Any = None, **options: Any) -> ProviderModel:
    """Return a model over a client that is never called."""
    provider = PROVIDERS["BedrockModel"]
    client, _ = provider.open(HERE, 1.0)
    return provider.model(client, {"modelId": MODEL_ID} if config is None else config, **options)


GOOD: list[dict[str, Any]] = [
    {"modelId": "m"},
    {"modelId": "m", "temperature": 0.5, "maxTokens": 1, "topP": 1.0, "stopSequences": ["x"]},
    {"modelId": "m", "toolChoice": "auto", "cacheConfig": {"strategy": "auto"}},
    {"modelId": "m", "toolChoice": {"toolName": "search"}},
    {"modelId": "m", "thinking": {"type": "enabled", "budget_tokens": 9}, "x-odd": [None]},
]


@pytest.mark.parametrize("config", GOOD, ids=lambda config: str(sorted(config)))
def test_a_configuration_is_kept_as_it_is(config: dict[str, Any]) -> None:
    given = copy.deepcopy(config)
    model = made(config)
    assert model.get_config() == given
    assert model.config == given
    assert config == given


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"modelId": ""},
        {"modelId": 7},
        {"modelId": None},
        {"model_id": "m"},
        {"modelId": "m", "temperature": "hot"},
        {"modelId": "m", "maxTokens": -1},
        {"modelId": "m", "maxTokens": 1.5},
        {"modelId": "m", "stopSequences": "x"},
        {"modelId": "m", "toolChoice": "sometimes"},
        {"modelId": "m", "cacheConfig": {"strategy": "never"}},
        [],
        "m",
        7,
    ],
    ids=repr,
)
def test_what_is_no_configuration_is_refused_at_construction(config: Any) -> None:
    with pytest.raises((ReadError, UsageError)):
        made(config)


def test_a_model_needs_a_configuration(provider: Provider) -> None:
    with pytest.raises(UsageError) as caught:
        provider.model()
    assert caught.value.rule == "usage/invalid-argument"


def test_nothing_that_is_given_or_returned_is_shared() -> None:
    config: dict[str, Any] = {"modelId": "m", "stopSequences": ["a"], "x": {"y": [1]}}
    model = made(config)
    config["stopSequences"].append("b")
    config["x"]["y"].append(2)
    got = model.get_config()
    assert got == {"modelId": "m", "stopSequences": ["a"], "x": {"y": [1]}}
    got["x"]["y"].append(3)
    got["modelId"] = "other"
    assert model.get_config() == {"modelId": "m", "stopSequences": ["a"], "x": {"y": [1]}}
    assert model.model_info().model_id == "m"


def test_update_takes_both_kinds_of_names_and_takes_members_out() -> None:
    model = made({"modelId": "m", "topP": 0.5})
    model.update_config(
        max_tokens=5, temperature=0.1, stop_sequences=["x"], extra={"my_option": {"a": 1}}
    )
    model.update_config(topP=None, maxTokens=6)
    assert model.get_config() == {
        "modelId": "m",
        "maxTokens": 6,
        "temperature": 0.1,
        "stopSequences": ["x"],
        "my_option": {"a": 1},
    }
    model.update_config(model_id="n")
    assert model.model_info().model_id == "n"


@pytest.mark.parametrize(
    "changes",
    [
        {"modelId": None},
        {"modelId": ""},
        {"temperature": "hot"},
        {"max_tokens": 1, "maxTokens": 2},
        {"temperature": 0.5, "toolChoice": "never"},
        {"cacheConfig": {}},
    ],
    ids=repr,
)
def test_an_update_that_is_refused_changes_nothing(changes: dict[str, Any]) -> None:
    model = made({"modelId": "m", "maxTokens": 9})
    with pytest.raises(PartwireError):
        model.update_config(**changes)
    assert model.get_config() == {"modelId": "m", "maxTokens": 9}


def test_cache_config_is_the_configs_where_it_has_none() -> None:
    auto = {"strategy": "auto"}
    assert made(cache_config=auto).get_config()["cacheConfig"] == auto
    assert made(cache_config=auto).cache_config == auto
    assert made().cache_config is None
    with pytest.raises(ReadError):
        made(cache_config={"strategy": "never"})


def test_model_info_names_model_and_provider(provider: Provider) -> None:
    client, _ = provider.open(HERE, 1.0)
    info = provider.model(client, {"modelId": "m"}).model_info()
    assert info.model_id == "m"
    assert info.provider == provider.model.provider


def test_merged_returns_a_configuration_of_its_own() -> None:
    config = {"modelId": "m", "x": [1]}
    changes = {"y": [2]}
    out = merged(config, changes)
    out["x"].append(9)
    out["y"].append(9)
    assert (config, changes) == ({"modelId": "m", "x": [1]}, {"y": [2]})
    assert read_config(out) is not out


NESTED: dict[str, Any] = {"modelId": "m", "x": {"a": {"own": None}, "list": [1]}}
DEFAULTS: dict[str, Any] = {
    "modelId": "default",
    "maxTokens": 9,
    "stopSequences": ["END"],
    "x": {"a": {"own": 1, "other": {"deep": [2]}}, "list": [2, 3], "b": None},
}


def test_what_the_configuration_does_not_say_comes_from_the_defaults() -> None:
    """S001-20: merged at construction, and get_config returns what has been merged."""
    given = copy.deepcopy((NESTED, DEFAULTS))
    due = {
        "modelId": "m",
        "maxTokens": 9,
        "stopSequences": ["END"],
        "x": {"a": {"own": None, "other": {"deep": [2]}}, "list": [1], "b": None},
    }
    model = made(NESTED, defaults=DEFAULTS)
    assert model.get_config() == due
    model.get_config()["x"]["a"]["other"]["deep"].append(3)
    assert model.get_config() == due
    assert given == (NESTED, DEFAULTS)
    assert made({}, defaults=DEFAULTS).get_config() == DEFAULTS
    model.update_config(max_tokens=None)
    assert "maxTokens" not in model.get_config()


def test_cache_config_is_the_first_of_the_defaults() -> None:
    first, second = ({"cacheConfig": {"strategy": "auto", "ttl": ttl}} for ttl in ("5m", "1h"))
    config = {"modelId": "m"}
    assert made(config, defaults=second).get_config() == {**config, **second}
    assert made(config, defaults=second, cache_config=first["cacheConfig"]).get_config() == {
        **config,
        **first,
    }


def test_the_defaults_of_a_replay_are_the_recorded_model() -> None:
    source = case_file("v0.1/streams/tool-call", "deltas")
    recorded = ReplayModel(source).get_config()["modelId"]
    model = ReplayModel(source, config={"temperature": 0.5})
    assert model.get_config() == {"modelId": recorded, "temperature": 0.5}


@pytest.mark.parametrize(
    "defaults",
    [
        *(7, "x", [], {1: 2}, {"temperature": "hot"}, {"maxTokens": -1}),
        {"toolChoice": {"toolName": ""}},
    ],
    ids=repr,
)
def test_defaults_that_the_contract_refuses_are_refused_at_construction(defaults: Any) -> None:
    for config in ({"modelId": "m"}, {"modelId": "m", "temperature": 1, "maxTokens": 2}):
        with pytest.raises((ReadError, UsageError)):
            made(config, defaults=defaults)
    with pytest.raises(ReadError, match="modelId"):
        made({}, defaults={"temperature": 1})


def test_a_configuration_may_be_as_deep_as_a_document() -> None:
    deep: dict[str, Any] = {}
    for _ in range(509):
        deep = {"a": deep}
    config = {"modelId": "m", "x": deep}
    assert merged(made(config, defaults=config).get_config(), {}) == config


def test_a_member_that_is_null_stays_when_others_change() -> None:
    model = made({"modelId": "m", "x": None})
    model.update_config(temperature=0.5)
    assert model.get_config() == {"modelId": "m", "x": None, "temperature": 0.5}


# --- arguments of a call --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"temperature": "hot"},
        {"modelId": None},
        {"tool_choice": "sometimes"},
        {"tool_choice": 7},
        {"request_metadata": {"runId": "run_1"}},
        {"request_metadata": {"sessionId": "s", "runId": "", "traceId": "t"}},
        {"request_metadata": 7},
        {"tool_specs": [{"name": ""}]},
        {"tool_specs": {"name": "f"}},
        {"system_prompt": 7},
        {"system_prompt_content": [{"kind": "odd"}]},
    ],
    ids=repr,
)
def test_an_argument_that_the_contract_refuses_is_refused_at_once(
    arguments: dict[str, Any],
) -> None:
    with pytest.raises((ReadError, UsageError)):
        made().stream(asking("it"), **arguments)


@pytest.mark.parametrize("messages", ["x", {}, None, 7, [7], [{}], [{"role": "user"}]], ids=repr)
def test_messages_that_are_none_are_refused_at_once(messages: Any) -> None:
    with pytest.raises((ReadError, UsageError)):
        made().stream(messages)


NEWER: list[Any] = [
    read(user("Hi"), "message.Message"),
    {
        **user(""),
        "role": "assistant",
        "parts": [
            {"kind": "hologram", "payload": {"toolCallId": "c9"}},
            {
                "kind": "tool_call",
                "payload": {"toolCallId": "c1", "toolName": "f", "arguments": {}},
            },
        ],
    },
]


@pytest.mark.parametrize("as_struct", [True, False])
def test_a_part_that_this_version_does_not_know_is_no_call(as_struct: bool) -> None:
    messages = [*NEWER]
    if as_struct:
        messages[1] = read(messages[1], "message.Message", mode="tolerant")
    assert used_call_ids(messages) == {"c1"}
    found = [(f.rule, f.pointer) for f in made().stream(messages).findings]
    assert ("encode/unsupported-part", "/messages/1/parts/0") in found


def test_a_clock_that_cannot_be_called_is_refused_at_construction() -> None:
    for clock in (None, "now", 7):
        with pytest.raises(UsageError):
            made(clock=clock)


ASKED: dict[str, dict[str, Any]] = {
    "toolspecs": {"toolspecs": []},
    "systemprompt": {"systemprompt": "x"},
    "toolSpecs": {"toolSpecs": []},
    "max_token": {"max_token": 1},
    "maxtokens": {"maxtokens": 1},
    "temprature": {"temprature": 1},
    "service_tier": {"service_tier": "flex"},
}
NEAREST = {
    "toolspecs": "tool_specs",
    "toolSpecs": "tool_specs",
    "systemprompt": "system_prompt",
    "max_token": "max_tokens",
    "maxtokens": "max_tokens",
    "temprature": "temperature",
}


@pytest.mark.parametrize("name", ASKED)
def test_a_keyword_that_does_not_exist_is_refused(name: str, tmp_path: Path) -> None:
    """S001-38: what is misspelt goes to nobody; what is nearest is named."""
    played = ReplayModel(case_file("v0.1/providers/anthropic-messages/text", "input"))
    with RecordingModel(made(), tmp_path / "r.jsonl") as recording:
        for model in (made(), played, recording):
            before = model.get_config()
            with pytest.raises(UnknownArgumentError):
                model.update_config(**ASKED[name])
            with pytest.raises(UnknownArgumentError) as caught:
                model.stream([], **ASKED[name])
            assert isinstance(caught.value, TypeError)
            assert caught.value.rule == "usage/invalid-argument"
            expected = str(caught.value.findings[0].expected)
            assert f"extra={{{name!r}: …}}" in expected
            if name in NEAREST:
                assert expected.startswith(f"{NEAREST[name]}, or ")
            assert model.get_config() == before


def test_the_door_for_the_providers_own_members() -> None:
    model = made({"modelId": "m", "x": 1})
    model.update_config(extra={"service_tier": "flex", "x": None})
    assert model.get_config() == {"modelId": "m", "service_tier": "flex"}
    bad: list[Any] = [{"maxTokens": 1}, {"max_tokens": 1}, {"toolChoice": "auto"}, [], {1: 2}, "x"]
    for extra in bad:
        with pytest.raises(UsageError) as caught:
            model.stream([], extra=extra)
        assert caught.value.rule == "usage/invalid-argument"
        with pytest.raises(UsageError):
            model.update_config(extra=extra)
    model.update_config(extra=None)
    assert model.get_config() == {"modelId": "m", "service_tier": "flex"}


@pytest.mark.slow
def test_type_checkers_refuse_it_too(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(
        "from partwire.model import Model, ReplayModel\n"
        "def ask(model: Model, played: ReplayModel) -> None:\n"
        "    model.stream([], [], 'x', max_tokens=1, extra={'service_tier': 'flex'})\n"
        "    played.update_config(maxTokens=1, tool_choice='auto')\n"
        "    model.stream([], toolspecs=[])\n"
        "    played.stream([], systemprompt='x')\n"
        "    played.update_config(service_tier='flex')\n"
        "    model.stream([], max_tokens='many')\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(snippet)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.split(":")[1] for line in found.stdout.splitlines() if ": error:" in line]
    assert lines == ["5", "6", "7", "8"], found.stdout
