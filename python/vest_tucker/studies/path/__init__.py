"""The function vt.path: models of every sparsity from one run."""
