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


@settings(max_examples=500, deadline=None)
@given(st.lists(pieces, max_size=8).map("".join), st.booleans())
def test_the_same_is_found(text: str, swapped: bool) -> None:
    text = text.swapcase() if swapped else text
    expected = [
        (*match.span(match.lastgroup or 0), match.lastgroup or "key")
        for match in FORMS.finditer(text)
    ]
    assert keys_in(text) == expected


@pytest.mark.parametrize(
    "text", ["", "Hi", "The weather in Oslo is fine: 12 °C, and no wind.\n" * 20]
)
def test_no_form_is_tried_where_no_word_is(text: str) -> None:
    assert possible_kinds(text) == ()
