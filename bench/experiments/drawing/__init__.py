"""Pictures of the evaluation, made of its document alone."""
