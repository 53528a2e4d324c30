"""What a model knows of its own meaning: what each part carries, and names of components."""
