"""Competitors of the VeST paper that have no package, written from their own papers."""
