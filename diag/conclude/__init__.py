"""Run and findings to a Report."""
