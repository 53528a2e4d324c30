"""Pruning row by row: which elements of a row are worth keeping is decided for all of them."""
