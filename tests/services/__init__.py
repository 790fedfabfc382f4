"""Tests of the flows over a real PostgreSQL, a real Redis and a real SMTP listener."""
