"""Questions to a model: which labels of one mode are best for what is given in others."""
