"""What all pictures share: axes and inks, texts of any script, orders and budgets, bars."""
