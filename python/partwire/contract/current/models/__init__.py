# Generated from schemas/catalog.json.
# Do not edit: change the catalog, then run `python -m codegen`.

"""The types of the current version as pydantic models, one module per family."""
