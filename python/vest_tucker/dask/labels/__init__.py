"""Labels of many partitions: united, and numbered for the whole tensor."""
