"""What a long call has done so far, kept in a file from which it goes on to the same bits."""
