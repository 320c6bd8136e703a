"""Compiled functions on arrays; they validate nothing and know nothing of the layers above."""
