"""Files in and out: one file per format, each of them written whole or not at all."""
