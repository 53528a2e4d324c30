"""The page docs/evaluation.md, made of the document alone: no number in it is typed."""
