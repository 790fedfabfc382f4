"""What is true at every moment of a race, whatever a scenario expects: no card is lost, every car stands somewhere."""

from __future__ import annotations

from collections import Counter

from games.rulesets.roadkill import components
from games.rulesets.roadkill.rules.r04_cards import hand_limit
from games.rulesets.roadkill.rules.r12_teams import hands
from games.rulesets.roadkill.scenario.notation import seat_name
from games.rulesets.roadkill.state import (
    Acts,
    Asked,
    AutoPasses,
    ExitOffer,
    Keeping,
    Looting,
    Phase,
    Removing,
    Sharing,
    State,
    drivers_of,
    hand_of,
    seat_of,
)

_HOLDING_NO_CARD = (Acts, Asked, AutoPasses, ExitOffer, Keeping, Looting, Phase, Removing, Sharing)
"""Frames during which every card lies in a hand, a pile, on the course or on the table."""


def unsound(begun: State, state: State) -> str:
    """What is wrong with a state that came of ``begun``, in a sentence; "" if nothing is."""
    return _cars(state) or _hands(state) or _cards(begun, state)


def _cards(begun: State, state: State) -> str:
    """Between two acts the same cards are there as at the beginning."""
    if state.winner or not all(isinstance(frame, _HOLDING_NO_CARD) for frame in state.stack):
        return ""
    before, now = Counter(cards_in(begun)), Counter(cards_in(state))
    if before == now:
        return ""
    keys = components.named(state.components).card_keys
    lost = ", ".join(keys[card] for card in before - now)
    found = ", ".join(keys[card] for card in now - before)
    return f"cards have gone astray: {lost or 'none'} lost, {found or 'none'} doubled"


def cards_in(state: State) -> list[int]:
    """Every card that lies in a hand, a pile, on the course or on the table."""
    cards = [*state.pile, *state.discards, *state.turn.landmarks, *state.turn.red_lines]
    cards += [move.card for move in state.turn.moves]
    cards += [card for hand in hands(state) for card in hand]
    cards += [car.side for car in state.cars if car.side >= 0]
    cards += [section.card for section in state.course if section.card >= 0]
    return cards


def _hands(state: State) -> str:
    """4.5: nobody holds more than the limit; only a thief does, until he has thrown away the excess."""
    looting = any(isinstance(frame, Looting) for frame in state.stack)
    for car in state.cars:
        for who in drivers_of(state, car.seat):
            held = len(hand_of(state, who))
            if car.present and held > hand_limit(car) and not looting:
                name = seat_name(seat_of(state, who), len(state.cars), teams=True) if state.teams else f"car {who}"
                return f"{name} holds {held} cards, more than its limit of {hand_limit(car)} (4.5)"
    return ""


def _cars(state: State) -> str:
    """Every car on the course stands in just one place, every other in none."""
    standing = Counter(seat for section in state.course for seat in section.line)
    standing.update(car.seat for car in state.cars if car.side >= 0)
    for car in state.cars:
        if standing[car.seat] != int(car.present):
            return f"car {car.seat} stands in {standing[car.seat]} places of the course"
        if car.present and car.side < 0 and car.seat not in state.course[car.section].line:
            return f"car {car.seat} is on Section {car.section}, but not in its line"
    return ""
