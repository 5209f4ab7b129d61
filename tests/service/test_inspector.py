"""GET /inspect: the inspector's page with its policy, or why there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspector.stand_in import POLICY, STAND_IN, put_in_place
from tests.service.calls import call


def test_the_page_is_served_with_its_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, tmp_path)
    answer = call("GET", "/inspect", headers={"accept": "text/html,*/*;q=0.8"})
    assert (answer.status, answer.body.decode()) == (200, STAND_IN)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"] == f"{POLICY}; frame-ancestors 'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "public, no-cache"
    again = call("GET", "/inspect", headers={"if-none-match": headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert "content-security-policy" in {name.lower() for name in again.headers}


def test_a_page_that_is_not_built_is_not_found_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, tmp_path, None)
    answer = call("GET", "/inspect")
    assert (answer.status, answer.headers["content-type"]) == (404, "application/problem+json")
    (finding,) = answer.json["findings"]
    assert finding["rule"] == "service/unknown-path"
    assert finding["message"] == "The inspector's page has not been built"
    assert "make inspector" in finding["expected"]
    assert str(tmp_path) not in answer.body.decode()  # where things are is nobody's business


@pytest.mark.parametrize("is_built", [True, False])
def test_who_takes_no_page_is_told_so_first(
    is_built: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place(monkeypatch, tmp_path, STAND_IN if is_built else None)
    assert call("GET", "/inspect", headers={"accept": "image/png"}).status == 406
    assert call("GET", "/inspect?a=1").status == 400
