"""The command line: ``partwire``. One file per command; everything is rendered in render.py."""

from .main import main

__all__ = ["main"]
