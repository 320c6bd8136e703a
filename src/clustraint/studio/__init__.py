"""The studio: cluster a table with a person, in the browser."""

from clustraint.studio._open import serve
from clustraint.studio._widget import widget

__all__ = ["serve", "widget"]
