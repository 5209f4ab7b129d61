"""What the formats share: reading a source, noting losses, making messages."""
