# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The types of content blocks in the current version, as structs."""

from ...v0_3.structs.blocks import *
