"""Scenarios of RoadKill: positions from their notation, fixed number draws, and what is compared afterwards."""
