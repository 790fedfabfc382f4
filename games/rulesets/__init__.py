"""The rulesets, one folder each. They import games.engine and nothing else."""
