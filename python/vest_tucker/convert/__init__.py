"""The ways into a tensor and out of it, one file per kind of data."""
