"""What must hold whatever happens, tried many times: ``make test-all``, and one file per case."""
