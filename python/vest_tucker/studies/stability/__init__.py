"""The call vt.stability: which components come back from other seeds."""
