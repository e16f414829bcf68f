"""What commands draw on a terminal, a view a file."""
