"""Fits whose entries lie in several places: shards, and a solver made of them."""
