# Generated from schemas/v0.3 (digest 7b441ddb72e176ed) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Checks of the contract, one module per family."""
