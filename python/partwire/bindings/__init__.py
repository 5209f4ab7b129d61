"""Base classes and helpers that the generated code stands on."""
