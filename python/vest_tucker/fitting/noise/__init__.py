"""Fits in which every element carries a variance beside its value, so that nothing is chosen."""
