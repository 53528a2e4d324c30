"""Estimators for scikit-learn: one row of X is one observed cell, and y has its value."""

from vest_tucker.sklearn.encoder import VestEncoder
from vest_tucker.sklearn.regressor import VestRegressor

__all__ = ["VestEncoder", "VestRegressor"]
