"""Random programs: a model, its meaning in NumPy, and its text."""
