"""The pure kernel: contract, driver, chance, record. Standard library and msgspec only."""
