"""The version of the package, which its other distributions share."""

__version__ = "0.2.0"
