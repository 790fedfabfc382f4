"""Small games that are not RoadKill: each needs of the contract what RoadKill does not."""
