"""What a person reads of a model: relations, sentences, explanations, as plain tables and text."""
