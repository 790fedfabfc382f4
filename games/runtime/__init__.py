"""The one door between rows and rules: reads rows, writes none, gives plain JSON for one viewer."""
