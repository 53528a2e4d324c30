"""What keeps files from doing harm: leftovers of dead writers, endless lines, formulas in text."""
