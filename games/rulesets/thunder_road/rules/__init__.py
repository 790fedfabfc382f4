"""The rules, one module for a run of rows, one function for a row or a step of the procedures."""
