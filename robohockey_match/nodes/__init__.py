"""All nodes of a match in one process."""
