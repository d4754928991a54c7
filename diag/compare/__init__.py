"""Reports against each other: acceptance summed over several, differences between two."""
