"""Diagnosis of llama-server logs."""

__version__ = "0.1.0"
