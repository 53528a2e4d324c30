"""Where a fit starts: one file for each kind of start."""
