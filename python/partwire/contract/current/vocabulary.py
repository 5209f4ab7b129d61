# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The vocabularies of the current version: known values, safe defaults, transitions."""

from ...v0_3.vocabulary import *
