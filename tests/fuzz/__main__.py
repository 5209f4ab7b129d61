"""Run every target of this folder, one after the other."""

from __future__ import annotations

import importlib
import pkgutil
import sys

from tests import fuzz
from tests.fuzz.runner import Target, main

_NO_TARGETS = {"__main__", "runner"}


def targets() -> list[Target]:
    """Return the ``TARGET`` of every module beside this one, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(fuzz.__path__))
    modules = [importlib.import_module(f"tests.fuzz.{n}") for n in names if n not in _NO_TARGETS]
    return [module.TARGET for module in modules]


if __name__ == "__main__":
    sys.exit(main(targets()))
