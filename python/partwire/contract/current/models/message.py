# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The types of messages in the current version, as pydantic models."""

from ....v0_3.models.message import *
