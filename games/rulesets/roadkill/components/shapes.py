"""The shapes of a component set and the words its files may use."""

from __future__ import annotations

import msgspec

from games.engine import boxes

COLUMNS = ("check", "2", "3", "R", "attack", "wrench", "7", "8", "9", "0", "event")
"""The eleven columns of a number line in their printed order (4.4)."""

COLUMN_OF_SIZE = {2: "2", 3: "3", 4: "R", 5: "attack", 6: "wrench", 7: "7", 8: "8", 9: "9", 10: "0"}
"""How many sides a draw has -> the column it is read from (4.4)."""
SIZE_OF_COLUMN = {column: size for size, column in COLUMN_OF_SIZE.items()}

EVENT_KEYS = (
    "abandoned_car",
    "blond_hitchhiker",
    "spinout",
    "drawbridge_up",
    "flooded_road",
    "fog",
    "loose_gravel",
    "heat_wave",
    "blizzard",
    "hiding_place",
    "cattle_crossing",
    "lost",
    "breakdown",
    "narrow_road",
    "oil_slick",
    "pothole",
    "quiet_road",
    "repair_truck",
    "shortcut",
    "rock_slide",
    "snipers",
    "clear_skies",
    "wide_road",
    "level_crossing",
    "rain",
    "second_wind",
)
"""The Events the rules know; a set says which letter stands for which."""

UPGRADE_KEYS = (
    "computer_guidance_system",
    "homing_beacon",
    "auto_pilot_radar",
    "burglar_alarm",
    "power_ram",
    "cruise_control",
    "reserve_tank",
    "supercharger",
    "rotor",
    "quick_stop_brakes",
    "nuclear_fuel_cell",
)
PROBLEM_KEYS = (
    "flat_tire",
    "coolant_leak",
    "fuel_leak",
    "broken_shocks",
    "brakes_worn",
    "engine_wear",
    "headlights_out",
)
DAMAGE_RESULT_KEYS = ("crash", "flat_tire", "mechanical_problem", "ditched", "spinout", "no_effect")
EFFECTS = (
    "none",
    "target_check",
    "target_damage",
    "target_flat_tire",
    "target_loses_card",
    "both_check",
    "own_damage",
)
"""What a line of an attack table may do (6.5)."""

APPLIES = (
    "position",
    "position_behind",
    "lead_car",
    "foremost_2",
    "foremost_3",
    "leader_section",
    "lead_section_moving",
    "everybody",
    "nobody",
)
TOGGLES = ("no", "weather", "road")
SYMBOLS = ("driving", "fate", "attack", "supply")
SUITS = ("black", "red", "black+red")
MOTIONS = ("moving", "stopped", "any")

PASSING_KINDS = ("hubcap_blades", "machine_gun", "ram", "sideswipe")
ATTACK_KINDS = ("assault_rifle", "tire_spikes", "hand_grenade", *PASSING_KINDS)
ROAD_VALUES = {
    "move_1": 1,
    "move_2": 2,
    "move_3": 3,
    "move_4": 4,
    "rest_move_1": 1,
    "rest_move_2": 2,
    "rest_move_3": 3,
    "red_move_1": 1,
}
"""The Move/Road cards and the value that their key promises."""
REST_STOP_KINDS = ("rest_move_1", "rest_move_2", "rest_move_3")
OTHER_KINDS = (
    "landmark",
    "red_line",
    "shortcut",
    "swerve",
    "firm_shoulders",
    "great_reflexes",
    "smoke_screen",
    "fate",
    "box_canyon",
    "changed_road_sign",
    "theft",
    "sabotage",
    "camouflage",
    "siphon_gas",
    "spare_parts",
    "spare_tire",
    "tool_kit",
    "no_doze_pills",
    "road_map",
)
KNOWN_KINDS = (*ROAD_VALUES, *OTHER_KINDS, *ATTACK_KINDS)
"""The card types the rules know. A set has a row for each, with count 0 for one that its box lacks."""

MOST_SEATS = 10
FIRST_HAND = 7
FEWEST_CARDS = MOST_SEATS * FIRST_HAND + 1
"""Ten hands of seven, and one card to draw a number from."""
BEGINNERS = "beginners"
"""The key of the Beginner's map among a set's tracks (BT1)."""
PUT_ASIDE = ("box_canyon", "siphon_gas")
"""Kinds that are not played with on it (BT3)."""
MOST_CARDS = 256
"""Card ids and kind indices are kept in single bytes."""
MOST_BYTES = boxes.MOST_BYTES
"""No file of a set may be longer: a box typed in takes some tens of thousands."""


class Kind(msgspec.Struct, frozen=True):
    """One card type of a set."""

    index: int
    key: str
    name: str
    short: str
    symbol: str
    """driving, fate, attack or supply: the symbol in the corner (2.1)."""
    black: bool
    """Playable in one's own Action Phase (4.1)."""
    red: bool
    """Playable in an opponent's Action Phase against the Active car (4.1)."""
    motion: str
    """moving, stopped or any: which cars may play it (4.3)."""
    value: int
    """The printed value of a Move/Road card; 0 for every other card."""
    road: bool
    """Can be laid as a Section or Side Road."""
    rest_stop: bool
    """The Section it is laid as has a Rest Stop."""
    passing: bool
    """An Attack card that can pass its target (6.42, 6.43). Move cards pass by value and are not marked."""
    attack: bool
    """Has an attack table."""
    count: int
    provenance: str
    """Where the count comes from."""
    provenance_of: dict[str, str]
    """Where symbol, suit, motion, value and passing come from."""
    text: str


class EventKind(msgspec.Struct, frozen=True):
    """One letter of the Event column."""

    letter: str
    key: str
    name: str
    count: int
    provenance: str
    """Where the effect comes from."""
    provenance_of: dict[str, str]
    """Where name, letter, effect and number of cards come from."""
    applies: str
    toggle: str
    rule: str
    effect: str


class Upgrade(msgspec.Struct, frozen=True):
    """One car upgrade (10.3)."""

    letter: str
    key: str
    name: str
    price: int
    effect: str
    provenance_of: dict[str, str]


class TrackSection(msgspec.Struct, frozen=True):
    """One printed Section of a track."""

    value: int
    rest_stop: bool
    provenance: str


class Track(msgspec.Struct, frozen=True):
    """A course laid before the race."""

    key: str
    name: str
    finish: str
    """entering: won by entering the last Section (6.2); crossing: won by leaving it (BT6.2)."""
    sections: tuple[TrackSection, ...]
    provenance: str


class Problem(msgspec.Struct, frozen=True):
    """One Mechanical Problem of the Control Panel (7.1)."""

    key: str
    number: int
    """The draw in the Mechanical Problem column; 0 for the Flat Tire, which is never drawn."""
    name: str
    effect: str
    provenance: str


class DamageResult(msgspec.Struct, frozen=True):
    """One row of the Damage Table (7.3)."""

    number: int
    key: str
    name: str
    moving_only: bool
    effect: str
    provenance: str


class Panel(msgspec.Struct, frozen=True):
    """The Control Panel and the Damage Table."""

    tank: int
    """Boxes of fuel in a full tank."""
    fuel_names: tuple[str, ...]
    """The mark of each box, from Empty to Full."""
    hand_limits: tuple[int, ...]
    """The hand limit at each number of Damage points (4.5)."""
    wreck_damage: int
    """The Damage point that eliminates the car (7.5)."""
    road_log: tuple[int, ...]
    """The numbered boxes, from left to right."""
    road_log_start: int
    exit_counts: int
    """What the Exit box counts in an Exit draw (R6.23)."""
    repair_succeeds_from: int
    repair_most_modifier: int
    repair_flat_tire_bonus: int
    problems: tuple[Problem, ...]
    """By their number in the Mechanical Problem column; the Flat Tire is at 0."""
    damage_table: tuple[DamageResult, ...]
    """In rising order; a number below the first row means the first, one above the last means the last."""
    provenance_of: dict[str, str]

    def damage_result(self, number: int) -> DamageResult:
        """Return the row of the Damage Table for a number, modifiers already applied (7.3)."""
        first = self.damage_table[0].number
        place = min(max(number - first, 0), len(self.damage_table) - 1)
        return self.damage_table[place]


class ComponentSet(msgspec.Struct, frozen=True):
    """One box, checked and ready to play with."""

    name: str
    title: str
    version: int
    source: str
    hash: str
    """SHA-256 of every figure that play depends on; wording, provenance and layout do not change it."""
    kinds: tuple[Kind, ...]
    kind_index: dict[str, int]
    card_kind: bytes
    """Card id -> kind index."""
    card_keys: tuple[str, ...]
    """Card id -> kind key."""
    numbers: dict[str, bytes]
    """Column (all but the Event column) -> its value on each card id."""
    letters: str
    """The Event letter on each card id."""
    line_provenance: dict[str, str]
    """Where the Check column, the other columns and the Event column of the number lines come from."""
    attacks: dict[str, tuple[tuple[str, ...], ...]]
    """Kind key -> effect tokens for the draws 1, 2, … in the Attack column."""
    attack_provenance: dict[str, str]
    events: dict[str, EventKind]
    """By letter."""
    upgrades: dict[str, Upgrade]
    """By letter."""
    tracks: dict[str, Track]
    """By key."""
    panel: Panel

    def cards_of(self, key: str) -> tuple[int, ...]:
        """Return the ids of the cards of a kind."""
        index = self.kind_index[key]
        return tuple(card for card, kind in enumerate(self.card_kind) if kind == index)
