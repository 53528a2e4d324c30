"""Where entries come from: rows with gaps, and arrays and frames that bring their labels."""
