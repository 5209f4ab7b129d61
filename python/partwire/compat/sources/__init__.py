"""What is compared: where schemas come from, and what is in them."""
