"""From a tensor to a model: the call vt.fit, and Algorithm 1."""
