"""Many fits, one question."""
