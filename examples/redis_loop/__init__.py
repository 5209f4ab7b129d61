"""An evaluation loop on Redis Streams: see README.md beside this file."""
