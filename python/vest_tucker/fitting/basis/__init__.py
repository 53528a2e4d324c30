"""Changes of basis: the factor turns, the core turns back, predictions stay."""
