"""Tests of what the native core does run on both ways: with it, where it is installed, and without.

A file of tests takes part by importing ``way``.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partwire import native_core
from tests.tracing import without_tracing

__all__ = ["WAYS", "way"]

WAYS = ("native", "plain") if native_core.native else ("plain",)


@pytest.fixture(scope="module", autouse=True, params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Which way the tests of a file go, in this process and in those that it starts.

    Of the two the plain one is measured for coverage: it runs all that the other one does in Python
    but for the calls of the core, which the tests that go one way alone make.
    """
    chosen: str = request.param
    with pytest.MonkeyPatch.context() as patch:
        if chosen == "plain":
            patch.setattr(native_core, "_core", None)
            patch.setenv("PARTWIRE_NATIVE", "0")
            yield chosen
        else:
            with without_tracing():
                yield chosen
