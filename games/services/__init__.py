"""Everything that writes: each function is one transaction."""
