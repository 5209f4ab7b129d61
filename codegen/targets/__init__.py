"""One module per output; each returns file name → content, below the version's package."""
