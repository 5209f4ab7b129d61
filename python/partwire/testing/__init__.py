"""What tests of a service use: fixture cases, assertions, golden files, replays, strategies.

The pytest plugin gives the same names as fixtures; nothing of it is imported before it is used.
:mod:`partwire.testing.strategies` wants hypothesis. Install all of it with the extra ``testing``.
"""

from .assertions import assert_compatible, assert_conforms
from .cases import Expectation, FixtureCase, partwire_cases
from .golden import Golden, GoldenFactory
from .replaying import ReplayFactory

__all__ = [
    "Expectation",
    "FixtureCase",
    "Golden",
    "GoldenFactory",
    "ReplayFactory",
    "assert_compatible",
    "assert_conforms",
    "partwire_cases",
]
