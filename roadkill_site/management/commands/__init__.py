"""Commands of the site as a whole."""
