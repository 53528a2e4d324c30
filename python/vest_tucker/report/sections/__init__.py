"""The sections of a page about a model: each is a function from tables to static HTML."""
