"""Recipes of features, and the object that computes them together."""
