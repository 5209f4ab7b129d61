"""What tests of a service use: fixture cases, assertions, golden files, replays, strategies.

The pytest plugin gives the same names as fixtures; nothing of it is imported before it is used.
:mod:`partwire_testing.strategies` wants hypothesis. :mod:`partwire_testing.conformance` has the
cases of the contract for any implementation. All of it comes with ``partwire[testing]``.
"""

from typing import TYPE_CHECKING

from partwire.lazy import attach

if TYPE_CHECKING:
    from .assertions import assert_compatible as assert_compatible
    from .assertions import assert_conforms as assert_conforms
    from .cases import Expectation as Expectation
    from .cases import FixtureCase as FixtureCase
    from .cases import partwire_cases as partwire_cases
    from .golden import Golden as Golden
    from .golden import GoldenFactory as GoldenFactory
    from .replaying import ReplayFactory as ReplayFactory

_HOMES = {
    "assertions": ("assert_compatible", "assert_conforms"),
    "cases": ("Expectation", "FixtureCase", "partwire_cases"),
    "golden": ("Golden", "GoldenFactory"),
    "replaying": ("ReplayFactory",),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
