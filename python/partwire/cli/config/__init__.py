"""The configuration: which paths hold documents of which type, and what is ignored."""
