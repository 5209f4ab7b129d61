"""The contract as data: its versions and types, resources, identifiers, times."""
