"""Models of mean, effects of one mode, and interactions of two modes or three."""
