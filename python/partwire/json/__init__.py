"""JSON: text and values, canonical form, positions of pointers."""
