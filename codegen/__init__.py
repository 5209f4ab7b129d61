"""Generate partwire's bindings from the schemas: ``python -m codegen`` writes, ``--check`` compares."""

GENERATOR_VERSION = "1"
