"""Generated tables: what all languages look up."""
