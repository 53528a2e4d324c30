"""What every other room needs. Nothing here knows of tensors or models."""
