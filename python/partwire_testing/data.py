"""Where the cases of the contract are, and the recorded names of the bindings.

An installed package has both in it; in a checkout they are beside ``python/``.
"""

from __future__ import annotations

from pathlib import Path

from partwire.errors import Finding, UsageError

__all__ = ["bindings_dir", "fixtures_dir"]

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def fixtures_dir() -> Path:
    """Return the folder that holds ``case.schema.json`` and a folder or archive per version.

    Raises UsageError ``usage/missing-resource`` where it is not there.
    """
    return _first(_PACKAGE / "fixtures", _CHECKOUT / "fixtures", marker="case.schema.json")


def bindings_dir() -> Path:
    """Return the folder of public names by version: ``v0.1/python/partwire.txt`` is a room's.

    Raises UsageError ``usage/missing-resource`` where it is not there.
    """
    return _first(_PACKAGE / "bindings", _CHECKOUT / "schemas" / "bindings", marker="v0.1")


def _first(installed: Path, checkout: Path, marker: str) -> Path:
    for folder in (installed, checkout):
        # The marker, because a stranger's folder of that name may be two levels up.
        if (folder / marker).exists():
            return folder
    raise UsageError(
        Finding(
            rule="usage/missing-resource",
            message=f"The {installed.name} are not there; install partwire-testing again",
            expected=str(installed / marker),
            source=installed.name,
        )
    )
