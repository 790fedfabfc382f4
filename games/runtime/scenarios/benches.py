"""The rulesets that scenarios can be written for."""

from games.engine.scenarios import Bench
from games.rulesets.roadkill.scenario.bench import BENCH as ROADKILL

BENCHES: dict[str, Bench] = {"roadkill": ROADKILL}
