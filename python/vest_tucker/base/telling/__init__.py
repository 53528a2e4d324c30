"""What the library tells: how far long things are, while they run, and warnings at their end."""
