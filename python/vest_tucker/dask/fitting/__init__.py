"""Fits of tensors on a cluster: the entries in shards on its workers, the model here."""
