"""Reading and writing files: one module per format; files are written whole or not at all."""
