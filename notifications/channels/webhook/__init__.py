"""Webhooks: what is posted, how it is signed, and what an answer means."""
