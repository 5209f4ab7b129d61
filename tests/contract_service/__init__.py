"""The contract service under schemathesis: configuration, hooks, and services that are wrong."""
