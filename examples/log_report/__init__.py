"""A report, tables and answers of a folder of logs: see README.md."""
