"""Conversions between families, through messages; what they lose is said as data."""
