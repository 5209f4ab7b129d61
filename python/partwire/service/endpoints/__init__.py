"""The endpoints of the service, one module each."""
