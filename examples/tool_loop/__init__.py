"""A tool loop over any model: see README.md."""
