"""What commands print, and in which form."""
