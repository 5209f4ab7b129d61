# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The current version: the one place that names it.

What is not about versions takes structs, models and vocabulary from here, a module per family.
"""

from collections.abc import Mapping
from typing import Final

__all__ = ["FAMILIES", "LATEST_VERSION"]

LATEST_VERSION = "v0.3"
"""The contract version that is meant where none is named, and that the rooms speak."""

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "v0.1": ("message", "session", "blocks", "envelope",),
    "v0.2": ("message", "session", "blocks", "envelope",),
    "v0.3": ("message", "session", "blocks", "envelope",),
}
"""The families of every version, the oldest version first."""
