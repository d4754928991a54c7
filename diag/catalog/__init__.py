"""The signatures folder to a Catalog."""
