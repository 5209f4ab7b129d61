"""Files: what commands read, how they get through it, and how they write."""
