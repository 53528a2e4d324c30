"""Studies that make many fits to answer one question."""
