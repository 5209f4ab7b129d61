"""The types of the current version as pydantic models, one module per family."""
