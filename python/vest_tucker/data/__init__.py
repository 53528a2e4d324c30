"""A tensor of observed entries, its labels, and the ways to make one."""
