"""The command line."""

from clustraint.cli._app import app, main

__all__ = ["app", "main"]
