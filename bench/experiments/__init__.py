"""The evaluation: measures every figure, and makes pictures and a page of what was measured."""
