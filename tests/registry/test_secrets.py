"""What a registry's address or answers hold is never shown, however it is spelt."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest

from partwire import UsageError
from partwire.registry import Credentials, Registry

SECRET = "sword/fish+7"


@pytest.mark.parametrize(
    "url",
    [
        "http://me:sword-fish7@h",
        "me:sword-fish7@h",
        "http://h/?token=sword-fish7",
        "http://h/#sword-fish7",
        "http://h/a;sig=sword-fish7",
        "http://sword-fish7@h,http://b",
        "sword-fish7 h",
    ],
)
def test_an_address_with_more_than_a_place_is_not_shown(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Registry(url)
    assert "sword-fish7" not in repr(caught.value.findings)


@pytest.mark.parametrize(
    "echo",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        b64encode(f"me:{SECRET}".encode()).decode(),
        "Authorization: Basic bWU6c3dvcmRmaXNo",
        "https://me:sword@h/",
        "?access_token=swordfish",
    ],
)
def test_what_a_registry_echoes_is_not_shown(echo: str) -> None:
    with Registry("mock://secrets", Credentials("me", SECRET)) as registry:
        said = registry._safe(f"401: {echo} is wrong")
    assert "sword" not in said
    assert echo not in said
    assert said.startswith("401: ")


PAIR = "bob:?>~?>~ 7"
BASIC = b64encode(PAIR.encode()).decode()
URL_SAFE = urlsafe_b64encode(PAIR.encode()).decode()


@pytest.mark.parametrize(
    "echo",
    [
        BASIC,
        BASIC.rstrip("="),
        URL_SAFE,
        URL_SAFE.rstrip("="),
        *(quote(each, safe="") for each in (BASIC, URL_SAFE, PAIR)),
        quote(BASIC, safe="").replace("%3D", "%3d").replace("%2F", "%2f").replace("%2B", "%2b"),
        quote_plus(PAIR),
    ],
)
def test_a_pair_is_not_shown_in_any_code(echo: str) -> None:
    with Registry("mock://secrets", Credentials(*PAIR.split(":", 1))) as registry:
        assert registry._safe(f"401: Basic%20{echo} is wrong") == "401: Basic%20*** is wrong"
