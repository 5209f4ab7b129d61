"""Credentials in texts, in members, and in streams of deltas: hidden, and nothing else is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from partwire.model.credentials import HIDDEN, redacted, redacted_state, without_keys
from partwire.model.delta_redaction import DeltaRedactor
from tests.model.secret_spellings import HARMLESS, SPELLINGS

ALNUM = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2dF4hJ6kL8n"
KEYS = {
    "anthropic": f"sk-ant-api03-{ALNUM}-{ALNUM}AA",
    "anthropic-admin": f"sk-ant-admin01-{ALNUM}",
    "openai": f"sk-{ALNUM}",
    "openai-project": f"sk-proj-{ALNUM}_{ALNUM}",
    "openai-service": f"sk-svcacct-{ALNUM}",
    "openrouter": "sk-or-v1-0123456789abcdef0123456789abcdef",
    "google": "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "google-oauth": f"ya29.a0{ALNUM}",
    "google-auth-key": f"AQ.Ab8{ALNUM}",
    "aws-id": "AKIAIOSFODNN7EXAMPLE",
    "aws-session-id": "ASIAIOSFODNN7EXAMPLE",
    "bedrock": f"ABSK{ALNUM}QmVkcm9jaw==",
    "bedrock-short": f"bedrock-api-key-{ALNUM}",
    "xai": f"xai-{ALNUM}",
    "groq": f"gsk_{ALNUM}",
    "huggingface": f"hf_{ALNUM}",
    "github": f"ghp_{ALNUM}",
    "cerebras": f"csk-{ALNUM}",
    "fireworks": f"fw_{ALNUM}",
    "perplexity": f"pplx-{ALNUM}",
    "nvidia": f"nvapi-{ALNUM}",
    "replicate": f"r8_{ALNUM}",
    "masked": "sk-abcd************wxyz",
    "slack": "xoxb-1234567890-abcdefGHIJ12",
    "gitlab": "glpat-ABcd1234EFgh5678IJkl",
    "npm": f"npm_{ALNUM[:36]}",
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{ALNUM}",
}
NAMED = {
    "cohere": (f"CO_API_KEY={ALNUM}", ALNUM),
    "mistral": (f'"mistral_api_key": "{ALNUM}"', ALNUM),
    "aws-secret": (f"AWS_SECRET_ACCESS_KEY = {ALNUM}/+x", f"{ALNUM}/+x"),
    "aws-session": (f"aws_session_token: {ALNUM}", ALNUM),
    "azure": (f"api-key: {ALNUM}", ALNUM),
    "bearer": (f"Authorization: Bearer {ALNUM}", ALNUM),
    "basic": ("Authorization: Basic dXNlcjpzd29yZGZpc2g=", "dXNlcjpzd29yZGZpc2g"),
    "password": ("password=hunter2swordfish", "hunter2swordfish"),
    "shell": ("DB_PASSWORD=swordfish", "swordfish"),
    "url": ("https://me:swordfish@proxy.example:8080/v1", "swordfish"),
    "database": ("postgresql+psycopg://me:sword-fish@db/x", "sword-fish"),
    "amazon": ("https://b.s3.example/a?X-Amz-Signature=0a1b2c3d4e&x=1", "0a1b2c3d4e"),
    "query": ("https://a.example/b?token=swordfish", "swordfish"),
    "azure-sas": ("https://a.example/b?sv=1&sig=sword%2Bfish", "sword%2Bfish"),
    "pem": (
        f"-----BEGIN RSA PRIVATE KEY-----\n{ALNUM}\n{ALNUM}==\n-----END RSA PRIVATE KEY-----",
        ALNUM,
    ),
}
SECRETS = {name: (key, key) for name, key in KEYS.items()} | NAMED
EVERY = SECRETS | SPELLINGS


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_in_a_text_is_hidden(name: str) -> None:
    said, secret = SECRETS[name]
    for text_ in (said, f"My key: {said}, thanks.", f"({said})", f'{{"a":"\\n{said}"}}'):
        shown = without_keys(text_)
        assert secret not in shown
        assert HIDDEN in shown
    assert without_keys(f"before {said} behind").startswith("before ")
    assert without_keys(f"before {said} behind").endswith(" behind")


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_credential_of_another_spelling_is_hidden(name: str) -> None:
    said, secret = SPELLINGS[name]
    shown = without_keys(said)
    assert secret not in shown
    assert HIDDEN in shown
    assert secret not in str(redacted({"arguments": f'{{"note": "{said}"}}', "texts": [said]}))


@pytest.mark.parametrize(
    "words",
    [
        *HARMLESS,
        "co-responsibility",
        "hf_hub_download",
        "sk-learn and scikit-learn",
        "pk_constraint_name",
        "risk-assessment-2026-first-draft",
        "The bearer of good news",
        "api_key=os.environ",
        "ASIAN",
        "a secret key: see below for the first paragraph",
        "0123456789abcdef0123456789abcdef",
        "msg_01XFDUDYJgAACzvnptvVoYEL",
        "chatcmpl-123456789012345678",
        "toolu_01A09q90qw90lq917835lq9",
        "password=getpass.getpass()",
        "The password: at least eight characters",
        "connect(user=name, password=settings.password, port=5432)",
        "postgresql://{user}:{password}@{host}/{name}",
        "ssh://git@example.org/a.git and https://example.org:8080/a@b",
        "-----BEGIN CERTIFICATE-----",
        "basic understanding of authorization: basic",
        "PASSWORD=$SECRET or PASSWORD=${X}",
        "npm_config_registry_of_2026",
        "eyJpZCI6MX0=",
    ],
)
def test_what_is_no_key_stays(words: str) -> None:
    assert without_keys(words) == words


@pytest.mark.parametrize("name", EVERY)
def test_a_key_that_is_parted_by_deltas_is_hidden(name: str) -> None:
    said, secret = EVERY[name]
    text_ = f"Use {said} now, co-workers. Or api_key."
    chance = random.Random(name)
    for size in (1, 2, 3, 5, 11, 0):
        pieces, at = [], 0
        while at < len(text_):
            step = size or chance.randint(1, 20)
            pieces.append(text_[at : at + step])
            at += step
        shown = "".join(redact(pieces))
        assert shown == without_keys(text_)
        assert secret not in shown


def redact(pieces: Sequence[str], kind: str = "text") -> list[str]:
    redactor = DeltaRedactor()
    out = []
    for seq, piece in enumerate(pieces):
        out += redactor.feed({"seq": seq, "delta": delta(kind, piece)})
    out += redactor.close()
    assert [row["seq"] for row in out] == list(range(len(pieces)))
    member = "argsTextDelta" if kind == "tool_call_args" else "textDelta"
    return [row["delta"]["payload"][member] for row in out]


def delta(kind: str, piece: str, call: str = "c1") -> dict[str, Any]:
    if kind == "tool_call_args":
        return {"kind": kind, "payload": {"toolCallId": call, "argsTextDelta": piece}}
    if kind in ("text", "thinking"):
        return {"kind": kind, "payload": {"textDelta": piece}}
    return {"kind": kind, "payload": {"toolCallId": call}}


def test_lines_wait_only_for_what_may_become_a_key() -> None:
    redactor = DeltaRedactor()

    def fed(kind: str, piece: str = "", call: str = "c1") -> int:
        return len(redactor.feed({"delta": delta(kind, piece, call)}))

    assert fed("text", "Hello, you") == 1
    assert fed("text", " s") == 0  # sk-…
    assert fed("text", "o it is") == 2
    assert fed("text", " sk-abc") == 0
    assert fed("tool_call_start") == 2  # the text is over
    assert fed("tool_call_args", '{"k":"sk-abcdef01') == 0
    assert fed("tool_call_start", call="c2") == 0
    assert fed("tool_call_args", '{"k":1}', "c2") == 0
    assert fed("tool_call_args", '23456789"}') == 4
    assert redactor.close() == []


@pytest.mark.parametrize("kind", ["text", "thinking", "tool_call_start", "tool_call_end"])
def test_provider_state_of_a_delta_loses_its_keys_and_keeps_its_signatures(kind: str) -> None:
    signature = f"{'x' * 300}-{KEYS['openai']}"
    items = [
        {"kind": "signature", "data": signature},
        {"kind": "call", "data": {"api_key": "swordfish", "note": f"see {KEYS['groq']}"}},
    ]
    given = delta(kind, "")
    given["payload"]["opaque"] = {"provider": "d", "data": {"items": items, "toolCallId": None}}
    [row] = DeltaRedactor().feed({"delta": given})
    assert row["delta"]["payload"]["opaque"] == {
        "provider": "d",
        "data": {
            "items": [
                {"kind": "signature", "data": signature},
                {"kind": "call", "data": {"api_key": HIDDEN, "note": f"see {HIDDEN}"}},
            ],
            "toolCallId": None,
        },
    }


def test_calls_that_alternate_are_told_apart() -> None:
    redactor = DeltaRedactor()
    key = KEYS["openai"]
    out = []
    for at in range(0, len(key), 4):
        for call in ("c1", "c2"):
            out += redactor.feed({"delta": delta("tool_call_args", key[at : at + 4], call)})
    out += redactor.close()
    for call in ("c1", "c2"):
        payloads = [row["delta"]["payload"] for row in out]
        said = "".join(p["argsTextDelta"] for p in payloads if p["toolCallId"] == call)
        assert said == HIDDEN


def test_a_key_without_end_does_not_hold_lines_for_ever() -> None:
    redactor = DeltaRedactor()
    waiting = 0
    for _ in range(5000):
        waiting += 1 - len(redactor.feed({"delta": delta("text", "sk-a1")}))
        assert waiting <= 1000


@pytest.mark.parametrize(
    "words",
    [
        *("sk-" * 30_000, "api_key=" * 12_000, "bearer " * 14_000),
        *("| password " * 9_000, "|" * 90_000, "api_key" + " " * 90_000, "`" * 90_000),
        *("curl -u " * 11_000, "setenv A_KEY " * 7_000, '"api_key", "value" ' * 5_000),
        *("api_key: |\n" * 8_000, "**api_key**" * 8_000, "api_key<b>" * 9_000, "aB/" * 30_000),
    ],
    ids=lambda words: repr(words[:12]),
)
def test_hostile_texts_take_no_time(words: str) -> None:
    # Quadratic, each of these would take minutes.
    assert len(without_keys(words)) <= len(words)
    redact([words, words])


def test_members_are_hidden_by_their_names() -> None:
    config = {
        "modelId": "m",
        "api_key": "short",
        "aws_secret_access_key": "s",
        "awsSessionToken": "s",
        "x-amz-security-token": "s",
        "extra_headers": {"X-Custom": "anything", "Retry": 3},
        "defaultHeaders": [["A", "b"]],
        "extra_query": {"k": "v"},
        "credentials": ["a", "b"],
        "password": "p",
        "max_tokens": 5,
        "stream": True,
        "nested": {"Authorization": "Basic eDp5"},
        "pairs": [{"name": "X-Api-Key", "value": "s"}, {"name": "Accept", "value": "s"}],
        "base_url": "https://host/v1?key=abc&x=1",
        "schema": {"properties": {"db_password": {"type": "string"}}},
    }
    assert redacted(config) == {
        "modelId": "m",
        "api_key": HIDDEN,
        "aws_secret_access_key": HIDDEN,
        "awsSessionToken": HIDDEN,
        "x-amz-security-token": HIDDEN,
        "extra_headers": {"X-Custom": HIDDEN, "Retry": HIDDEN},
        "defaultHeaders": [[HIDDEN, HIDDEN]],
        "extra_query": {"k": HIDDEN},
        "credentials": [HIDDEN, HIDDEN],
        "password": HIDDEN,
        "max_tokens": 5,
        "stream": True,
        "nested": {"Authorization": HIDDEN},
        "pairs": [{"name": "X-Api-Key", "value": HIDDEN}, {"name": "Accept", "value": "s"}],
        "base_url": f"https://host/v1?key={HIDDEN}&x=1",
        "schema": {"properties": {"db_password": {"type": "string"}}},
    }


@pytest.mark.parametrize(
    "name",
    [
        *("db_password", "userPassword", "new_password", "DB_PASS", "dbPass", "old-passwd"),
        *("HF_TOKEN", "GITHUB_TOKEN", "githubToken", "CO_API_KEY", "apiKeys", "x-functions-key"),
        *("stripe_client_secret", "session_cookie", "user.credentials", "tls_private_key"),
    ],
)
def test_a_name_that_ends_like_a_credentials_hides_strings(name: str) -> None:
    hidden = {name: HIDDEN, "list": {name: [HIDDEN, HIDDEN]}}
    assert redacted({name: "x", "list": {name: ["x", "y"]}}) == hidden
    assert redacted([{"name": name, "value": "x"}]) == [{"name": name, "value": HIDDEN}]
    others: Any = [{name: each} for each in (5, 0.5, True, None, [1, 2], {"a": "b"})]
    assert redacted(others) == others


@pytest.mark.parametrize(
    "name",
    [
        *("max_tokens", "input_tokens", "token_count", "tokens", "eos_token", "stopTokens"),
        *("next_page_token", "nextPageToken", "bypass", "compass", "first_pass", "monkey"),
        *("password_hint", "tokenizer", "secretary", "cookie_policy", "", "値"),
    ],
)
def test_a_name_that_only_sounds_like_a_credentials_hides_nothing(name: str) -> None:
    for value in ("x", ["x", "y"], 5):
        assert redacted({name: value}) == {name: value}


def test_the_state_that_a_provider_wants_back_stays() -> None:
    blob = f"{'Qm9n' * 100}-sk-{ALNUM}-{ALNUM}"
    assert without_keys(blob) != blob
    state = {"signature": blob, "token_count": 3, "text": f"see {KEYS['openai']} there"}
    assert redacted_state(state) == {**state, "text": f"see {HIDDEN} there"}
