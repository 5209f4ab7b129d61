"""What the commands show to people on a terminal, and how it is drawn there."""
