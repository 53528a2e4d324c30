"""The systems that are ours: this package, in the paper's versions and as a plain call."""
