"""The command line, ``vest-tucker``: thin, and made of the signatures of the Python functions."""
