"""One file for each file format."""
