"""Everything that is read about races, for one viewer each."""
