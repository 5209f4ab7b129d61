"""Spark's daemon of workers with what they import: each of them is a fork of it.

Tests end many workers by errors, and every new one would import the same modules again.
"""

from __future__ import annotations

from importlib import import_module

from pyspark.daemon import manager

if __name__ == "__main__":
    for name in ("pandas", "pyarrow", "partwire.archive.spark.run", "partwire.archive.spark.live"):
        import_module(name)
    manager()
