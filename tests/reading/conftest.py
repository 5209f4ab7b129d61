"""What is tested here goes both ways."""

from tests.ways import way

__all__ = ["way"]
