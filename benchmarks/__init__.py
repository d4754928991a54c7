"""Generated logs and the measurement of the tool on them."""
