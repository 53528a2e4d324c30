"""What every experiment is run by: jobs become rows, rows are kept, and a run can go on later."""
