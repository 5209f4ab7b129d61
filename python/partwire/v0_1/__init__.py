# Generated from schemas/v0.1 (digest 540fac35399fab05) by codegen 1 with datamodel-code-generator 0.89.0.
# Do not edit: change the schemas, then run `python -m codegen`.

"""Contract v0.1: everything in this package is generated."""
