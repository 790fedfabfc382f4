"""Web push: a line on the player's own screens, sealed for the browser alone."""
