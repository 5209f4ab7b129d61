"""The contract as data: its versions and types, resources, identifiers, times."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .current import FAMILIES as FAMILIES
    from .current import LATEST_VERSION as LATEST_VERSION
    from .resources import read_catalog as read_catalog
    from .schemas import describe_types as describe_types
    from .versions import type_of as type_of

_HOMES = {
    "current": ("FAMILIES", "LATEST_VERSION"),
    "resources": ("read_catalog",),
    "schemas": ("describe_types",),
    "versions": ("type_of",),
}

# Hidden from type checkers: to them, a name that is not above would be any name.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = attach(__name__, _HOMES)
