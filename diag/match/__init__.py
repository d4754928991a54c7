"""Run and Catalog to findings."""
