"""What is looked for by words first is found where the forms alone find it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwire.model.credential_clues import possible_kinds
from partwire.model.credential_forms import FORM_WORDS, KINDS
from partwire.model.credentials import keys_in
from partwire.tables import credentials as tables

FORMS = re.compile("|".join(KINDS.values()), re.MULTILINE)
VALUES = ("abcdefgh1234567890XYZabcdefgh12", "A" * 20, "hunter22", "0123456789abcdef" * 3, "x=1; y")
SIGNS = (
    *(":", " = ", "=", "|", " | ", '"', "'", ">", " ", "\n", "://", "@", ":\\/\\/", "%3A%2F%2F"),
    *("%3D", "%40", "?", "&", "#", ", ", "\\n", ".", "-", "_", " is ", "value", "--", "**", "/"),
)
BEFORE = (
    *("curl -u ", "user:", "setenv ", "ENV ", "set -x ", "login bob password ", "host=x; "),
    *("authorization: ", "Bearer ", "basic ", "Cookie: ", "-----BEGIN PRIVATE KEY-----"),
    *("api key", "API_TOKEN_ID", "secret access key", "session-token", "SECRET_KEY_BASE", "x_auth"),
    *("HF_TOKEN", "db_secret", "\u017fecret", "to\u212aen", "DB_PWD=", "ASK_PASS="),
)
WORDS = (
    *FORM_WORDS, *tables.PASSWORDS, *tables.PLACES, *tables.MEMBERS, *tables.QUERY,
    *(f"?{name}=" for name in (*tables.QUERY, *tables.LONG_QUERY)),
)  # fmt: skip
pieces = st.one_of(*map(st.sampled_from, (VALUES, VALUES, SIGNS, BEFORE, WORDS)))


def found_by_forms(text: str) -> list[tuple[int, int, str]]:
    return [
        (*match.span(match.lastgroup or 0), match.lastgroup or "key")
        for match in FORMS.finditer(text)
    ]


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces, max_size=8).map("".join), st.booleans())
def test_the_same_is_found(text: str, swapped: bool) -> None:
    text = text.swapcase() if swapped else text
    assert keys_in(text) == found_by_forms(text)


TEXTS = {
    "key": "sk-proj-abcdefgh1234567890XYZabc",
    "pem": "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
    "value": "api key: abcdefgh1234567890XYZ",
    "constant": "APP_KEY=abcdefgh1234567890XYZ",
    "cell": "| API key | abcdefgh1234567890XYZ |",
    "set": "setenv MY_TOKEN abcdefgh1234567890XYZ",
    "place": "https://hooks.slack.com/services/T01/B02/abcdefgh1234",
    "token": "Bearer abcdefgh1234567890XYZ",
    "basic": "Authorization: Basic YWxhZGRpbjpvcGVu",
    "digest": "Authorization: Digest username=ada, response=1",
    "bare": "Authorization: abcdefgh1234567890XYZ",
    "cookie": "Cookie: session=abcdef",
    "shell": "PGPASSWORD=swordfish",
    "password": "password: hunter22",
    "password_cell": "| password | hunter22 |",
    "password_set": "setenv DB_PASS hunter22",
    "login": "curl -u ada:swordfish https://a.example",
    "setting": "host=a; password=swordfish;",
    "query": "https://a.example/b?sig=swordfish",
    "long": "https://a.example/b?code=abcdefgh1234567890XYZ",
    "user": "https://ada:swordfish@a.example",
    "coded": "u=https%3A%2F%2Fada%3Aswordfish%40a.example",
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found(kind: str) -> None:
    text = f"See {TEXTS[kind]} here."
    assert kind in {each for _, _, each in keys_in(text)}
    assert kind in possible_kinds(text)


@pytest.mark.parametrize("word", FORM_WORDS)
def test_a_key_is_found_by_each_word_that_it_begins_with(word: str) -> None:
    for chars in ("0aB1cD2eF3", "0123456789abcdef", "ABCDEF0123"):
        text = f"See {word}{chars * 6}.{chars} here."
        assert keys_in(text) == found_by_forms(text)


@pytest.mark.parametrize(
    "text", ["", "Hi", "The weather in Oslo is fine: 12 °C, and no wind.\n" * 20]
)
def test_no_form_is_tried_where_no_word_is(text: str) -> None:
    assert possible_kinds(text) == ()
