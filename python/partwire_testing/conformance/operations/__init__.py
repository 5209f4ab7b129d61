"""The operations of the protocol, run by partwire itself."""
