"""What is written about notices; every function is one transaction, but for sending, which is between two."""
