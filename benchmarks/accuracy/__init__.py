"""How close clusters come to classes, with knowledge that may be wrong."""
