"""RoadKill (1993): a card game of armed cars, two to ten drivers."""
