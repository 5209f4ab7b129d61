"""Schemas as logic: whether a value exists that one side takes and the other does not."""
