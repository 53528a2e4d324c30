"""The function vt.stability: which components come back in fits from other seeds."""
