"""The page of deliberate differences says what the tests apply."""

from __future__ import annotations

from tests.house.difference_table import PAGE, page


def test_the_page_is_the_table() -> None:
    assert PAGE.read_text("utf-8") == page()
