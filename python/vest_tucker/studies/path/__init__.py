"""The call vt.path: every sparsity in one run."""
