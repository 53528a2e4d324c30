"""What every other room needs; it knows nothing of tensors."""
