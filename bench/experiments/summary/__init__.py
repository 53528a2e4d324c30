"""From rows to what is said of them: means, spreads, factors. Pictures and page use the same."""
