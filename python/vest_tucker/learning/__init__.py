"""A model that takes in new entries without a new fit."""
