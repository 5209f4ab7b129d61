"""Polars: read all members as columns, put texts together there, and the rest in Python."""
