"""Any amount of messages: files and objects in, tables out, in tasks that can be killed."""

from .readers import Table, read_table, tables

__all__ = ["Table", "read_table", "tables"]
