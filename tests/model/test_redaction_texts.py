"""Credentials in 200 spellings, and 10,000 harmless texts: prose of word lists, and code."""

from __future__ import annotations

import random

import pytest

from partwire.model.credentials import HIDDEN, without_keys
from tests.model.secret_spellings import HARMLESS
from tests.model.test_redaction import ALNUM, SECRETS, redact

AROUND = (
    "{}",
    "see {} there",
    "({})",
    '{{"note": "{}"}}',
    "first line\n{}\nlast line",
    "curl -H '{}' x",
    "`{}`",
)
SPELLINGS = [(each.format(said), secret) for said, secret in SECRETS.values() for each in AROUND]

WORDS = [
    "the",
    "a",
    "of",
    "and",
    "password",
    "token",
    "secret",
    "key",
    "keys",
    "bearer",
    "basic",
    "authorization",
    "signature",
    "sign",
    "in",
    "your",
    "account",
    "reset",
    "please",
    "enter",
    "url",
    "proxy",
    "host",
    "user",
    "name",
    "risk",
    "task",
    "ask",
    "desk",
    "disk-space",
    "sk",
    "co-author",
    "pk-fields",
    "rk",
    "hf-model",
    "glpath",
    "xoxo",
    "private",
    "public",
    "begin",
    "end",
    "certificate",
    "eyes",
    "session",
    "cookie",
    "2026",
    "12",
    "v1.2",
    "id-17",
    "see",
    "RFC",
    "7519",
    "section",
    "3:",
    "JSON",
    "web",
    "tokens",
    "are",
    "signed",
]
CODE = (
    "password = getpass.getpass()",
    "def login(user: str, password: str, token: str | None = None) -> Session:",
    "client = Client(api_key=os.environ['API_KEY'], password=settings.password)",
    "if token is None and not password: raise ValueError('no credentials')",
    "export API_KEY=$(cat key.txt) PASSWORD=$SECRET",
    'url = f"https://{user}:{password}@{host}:{port}/{path}?page={page}&limit=10"',
    "GET https://example.org:8443/v1/items?key=name&sort=asc&after=abc HTTP/1.1",
    "git clone ssh://git@example.org:22/team/project.git",
    "SELECT password_hash, token_id FROM users WHERE sk_id = 12 AND pk_name = 'x';",
    "headers = {'Authorization': f'Bearer {token}', 'Accept': 'application/json'}",
    "const { token, signature } = await sign(key, payload);",
    '<input type="password" name="password" required minlength="8">',
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id = '0197c6f0-5a00-7000-8000-000000000003'",
    "from sklearn import svm  # sk-learn 1.4",
    "-----BEGIN PUBLIC KEY-----",
    "tokens: 128, max_tokens=4096, token_count = 17",
    "mailto:someone@example.org, someone@example.org:22",
)

TEXTS = (*CODE, *HARMLESS)


@pytest.mark.parametrize(("said", "secret"), SPELLINGS)
def test_a_credential_is_hidden(said: str, secret: str) -> None:
    shown = without_keys(said)
    assert secret not in shown
    assert HIDDEN in shown


def test_there_are_enough_spellings() -> None:
    assert len(SPELLINGS) >= 200


def test_harmless_texts_stay() -> None:
    chance = random.Random("harmless")
    wrong = []
    for _ in range(10_000):
        words = " ".join(chance.choices(WORDS, k=chance.randint(3, 40)))
        text = chance.choice((words, chance.choice(TEXTS), f"{words}\n{chance.choice(TEXTS)}\n"))
        text = chance.choice((text, text.capitalize(), text.upper() if text is words else text))
        if without_keys(text) != text:
            wrong.append((text, without_keys(text)))
    assert wrong == []


def test_the_key_of_a_certificate_in_tokens() -> None:
    body = "\n".join([ALNUM] * 60)
    text = f"Use\n-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\nnow."
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    assert "".join(redact(pieces)) == without_keys(text) == f"Use\n{HIDDEN}\nnow."
