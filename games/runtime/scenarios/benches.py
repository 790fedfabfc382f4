"""The rulesets that scenarios can be written for."""

from games.engine.scenarios import Bench
from games.rulesets.roadkill.scenario.bench import BENCH as ROADKILL
from games.rulesets.thunder_road.scenario.bench import BENCH as THUNDER_ROAD

BENCHES: dict[str, Bench] = {"roadkill": ROADKILL, "thunder_road": THUNDER_ROAD}
