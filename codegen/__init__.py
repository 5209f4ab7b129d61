"""The bindings, from the schemas: ``python -m codegen`` writes them, ``--check`` compares."""

GENERATOR_VERSION = "1"
