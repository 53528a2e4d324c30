"""Whole fits beside each other on the workers of a cluster, and studies made of them."""
