"""The state of threads and releases from the GitHub API: the only package that speaks to a network."""
