"""Thunder Road: Vendetta (2023): a race of dice on hexes, with crews of different vehicles, two to six seats."""
