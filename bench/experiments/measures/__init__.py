"""What is measured: a file for each figure, each with the jobs that its rows come from."""
