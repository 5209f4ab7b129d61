"""Documents of one contract version as those of another, and which version two peers speak.

Sans-IO. Up a version nothing is lost that the older one knows; down, what the older version
cannot say is reported as losses. See docs/migrate.md.
"""
