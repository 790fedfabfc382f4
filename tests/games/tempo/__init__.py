"""Tests of the clocks: pure, without a database."""
