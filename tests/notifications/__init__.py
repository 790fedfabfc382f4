"""Tests of notices and mail."""
