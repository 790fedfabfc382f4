"""The ways by which mail comes in: each keeps the bytes and does nothing else with them."""
