"""The shapes of requests and answers, for checking what comes in and for the OpenAPI document."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from games.api.errors import PROBLEMS
from games.engine.standing import MOST_ORDERS

# A declared field does not hide a serializer's own attribute of that name (errors, fields, label, source):
# the metaclass takes it away. Only the type checker sees a clash.
_Shape = serializers.Serializer[Any]

# --- Refusals ---------------------------------------------------------------------------


class FieldError(_Shape):
    """One field at fault."""

    field = serializers.CharField(allow_blank=True)
    detail = serializers.CharField()


class ProblemShape(_Shape):
    """A refusal (RFC 9457)."""

    type = serializers.URLField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.ChoiceField(choices=sorted(PROBLEMS))
    detail = serializers.CharField(help_text="One sentence for a person.")
    rule = serializers.CharField(allow_blank=True, help_text="A rule's number, or empty.")
    errors = FieldError(many=True, required=False)  # type: ignore[assignment]
    position = serializers.IntegerField(required=False, help_text="The race's present position.")
    question = serializers.JSONField(
        required=False,
        allow_null=True,
        help_text="What is asked of you now, as in a presentation; null if nothing is.",
    )


class ProblemKind(_Shape):
    """What a code means."""

    code = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    meaning = serializers.CharField()


# --- Races ------------------------------------------------------------------------------


class RaceFacts(_Shape):
    """What was agreed for a race and how far it is."""

    id = serializers.CharField()
    name = serializers.CharField()
    ruleset = serializers.CharField()
    title = serializers.CharField(help_text="The ruleset's name.")
    status = serializers.ChoiceField(choices=["open", "running", "finished", "abandoned"])
    position = serializers.IntegerField(help_text="Number of the last entry of the record.")
    policy = serializers.ChoiceField(choices=["open", "paced", "strict"])
    policy_text = serializers.CharField()
    turn_hours = serializers.FloatField()
    reaction_hours = serializers.FloatField()
    options = serializers.DictField()
    pause_cap_hours = serializers.FloatField(help_text="By how much pauses may put one deadline off; 0: they count.")
    bank = serializers.BooleanField(help_text="Whether each seat has a bank of time.")
    holidays_allowed = serializers.BooleanField()
    absences = serializers.IntegerField(help_text="After so many absences a seat is offered to others.")
    substitutes = serializers.ChoiceField(choices=["host", "first"], help_text="Who takes an offered seat.")
    bot_takeover = serializers.BooleanField()
    extension_cap_hours = serializers.FloatField(help_text="By how much one question may be put off in all.")
    clock_texts = serializers.ListField(child=serializers.CharField(), help_text="All that in plain sentences.")
    paused_at = serializers.DateTimeField(allow_null=True, help_text="Since when the clocks stand still.")
    seats_wanted = serializers.IntegerField()
    starts_when_full = serializers.BooleanField()
    bots_allowed = serializers.BooleanField()
    is_public = serializers.BooleanField()
    commitment = serializers.CharField(help_text="SHA-256 of the race's secret, in hexadecimal.")
    secret = serializers.CharField(allow_null=True, help_text="The secret, in hexadecimal, once the race is over.")
    host = serializers.CharField()


class SeatShape(_Shape):
    """One place in a race."""

    seat = serializers.IntegerField(
        allow_null=True, help_text="Its number, by which acts and questions name it; null before the start."
    )
    car = serializers.IntegerField(
        allow_null=True, help_text="Its car's number: the same, but where two drive one car."
    )
    part = serializers.CharField(allow_blank=True, help_text="Where two drive one car: which of them this is.")
    car_words = serializers.CharField(allow_blank=True, help_text='"car 3", "car 3, Assistant Driver".')
    sign = serializers.CharField(allow_blank=True, help_text='What stands on its sign: "3", "C"; "" before the start.')
    partner_wish = serializers.IntegerField(
        allow_null=True, help_text="Before the start of a race of teams: the id of the seat that it would drive with."
    )
    place = serializers.IntegerField(help_text="Order of joining.")
    id = serializers.IntegerField(help_text="For the host's operations on seats.")
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["player", "bot", "invited"])
    bank_s = serializers.IntegerField(allow_null=True, help_text="Seconds in the seat's bank; null: it has none.")
    you = serializers.BooleanField()
    is_host = serializers.BooleanField()
    state = serializers.ChoiceField(choices=["invited", "declined", "joined", "left", "resigned", "removed"])
    offered = serializers.BooleanField(help_text="Whether others may take it, its driver having been away.")


class AnswerShape(_Shape):
    """A ready answer."""

    number = serializers.IntegerField()
    words = serializers.CharField()
    rule = serializers.CharField(allow_blank=True)
    action = serializers.DictField(help_text='The answer as JSON: {"do": …}.')
    risks = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="What it may cost, a sentence each."
    )


class FormShape(_Shape):
    """An answer with parts: fill in its fields and send the action with them."""

    number = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]
    action = serializers.DictField()
    fields = serializers.ListField(child=serializers.DictField())  # type: ignore[assignment]


class QuestionShape(_Shape):
    """What is asked of a seat."""

    decision = serializers.IntegerField()
    campaign = serializers.CharField(required=False, help_text="Of a purchase alone: the campaign that asks it.")
    key = serializers.CharField()
    kind = serializers.CharField()
    rule = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    what_now = serializers.CharField(
        allow_blank=True, help_text="In a guided race: what the situation is, and what is worth thinking of."
    )
    position = serializers.IntegerField(help_text="Send it back with the act.")
    due_at = serializers.DateTimeField()
    due_rule = serializers.CharField(
        allow_blank=True, help_text="How the deadline was made; it tells of your hours, so nobody else sees it."
    )
    otherwise = serializers.CharField(help_text="What happens if no answer comes.")
    answers = AnswerShape(many=True)
    forms = FormShape(many=True)
    sealed = serializers.DictField(allow_null=True)
    follow = serializers.ListField(child=serializers.DictField())


class LogLine(_Shape):
    """One sentence of a race's log."""

    entry = serializers.IntegerField()
    at = serializers.DateTimeField()
    turn = serializers.IntegerField()
    kind = serializers.CharField()
    rule = serializers.CharField(allow_blank=True)
    text = serializers.CharField()


class UndoShape(_Shape):
    """Your last act, which you may take back."""

    to = serializers.IntegerField(help_text="The entry to which the race would go back.")
    words = serializers.CharField()


class LeagueNamed(_Shape):
    """The league that made a race or a campaign, for whoever may see that league."""

    id = serializers.CharField()
    name = serializers.CharField()
    season = serializers.IntegerField()
    fixture = serializers.IntegerField()
    division = serializers.IntegerField()
    is_annulled = serializers.BooleanField(help_text="Whether the league's host has annulled it: it does not count.")


class Presentation(_Shape):
    """All that one viewer may know of a race."""

    race = RaceFacts()
    seats = SeatShape(many=True)
    pairs = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Before the start: whose wishes meet so far, by the ids of their seats.",
    )
    you = serializers.IntegerField(allow_null=True, help_text="Your seat's number.")
    car = serializers.IntegerField(allow_null=True, help_text="Your car's number.")
    your_car = serializers.CharField(allow_blank=True, help_text="Your car in words.")
    partner = serializers.CharField(allow_blank=True, help_text="Who drives your car too.")
    view = serializers.DictField(allow_null=True, help_text="The ruleset's view; null before the start.")
    board = serializers.DictField(
        allow_null=True, help_text="The same in words: Sections with their cars, hand and panel; null before the start."
    )
    names = serializers.DictField(child=serializers.CharField(), help_text="By car; both names where two drive it.")
    drivers = serializers.DictField(child=serializers.CharField(), help_text="By seat.")
    question = QuestionShape(allow_null=True)
    waiting = serializers.DictField(allow_null=True)
    log = LogLine(many=True)
    result = serializers.DictField(allow_null=True)
    undo = UndoShape(allow_null=True)
    league = LeagueNamed(allow_null=True, help_text="The league that made it, if you may see that league.")


class RaceSummary(_Shape):
    """What a list shows of a race."""

    race = RaceFacts()
    seats = SeatShape(many=True)
    waiting = serializers.DictField(allow_null=True)
    result = serializers.DictField(allow_null=True)
    you = serializers.IntegerField(allow_null=True)
    you_are_in = serializers.BooleanField()
    your_state = serializers.CharField(allow_blank=True)
    is_host = serializers.BooleanField()
    asked = serializers.BooleanField()
    due_at = serializers.DateTimeField(allow_null=True)


class RaceChange(_Shape):
    """What should be otherwise; the ruleset stays."""

    name = serializers.CharField(max_length=60, required=False)
    seats = serializers.IntegerField(required=False, help_text="RoadKill: 2 to 10; in teams 4, 6 and so on to 20.")
    options = serializers.DictField(
        required=False,
        help_text='RoadKill: {"sections": 3 to 8, "components": "classic", "upgrades": "none"}; "upgrades" may be '
        '"draft", "reverse_draft", or what each car brings along, {"1": ["A", "D"]}; {"track": "beginner"} for the '
        'Beginner\'s Track; {"teams": true} for two drivers a car.',
    )
    tempo = serializers.CharField(required=False, help_text='A named tempo, or "hours".')
    turn_hours = serializers.FloatField(required=False, help_text='With the tempo "hours".')
    reaction_hours = serializers.FloatField(required=False, help_text='With the tempo "hours".')
    policy = serializers.CharField(required=False)
    pause_cap_hours = serializers.FloatField(
        required=False, help_text="0 to 720; by how much pauses may put one deadline off. Left out: as the tempo says."
    )
    bank = serializers.BooleanField(required=False, help_text="Whether to keep the tempo's bank, if it has one.")
    holidays_allowed = serializers.BooleanField(required=False)
    absences = serializers.IntegerField(required=False, help_text="1 to 10; then the seat is offered.")
    substitutes = serializers.CharField(required=False, help_text="host: the host chooses; first: who comes first.")
    bot_takeover = serializers.BooleanField(required=False)
    extension_cap_hours = serializers.FloatField(required=False, help_text="0 to 720; 0: no extensions.")
    bots_allowed = serializers.BooleanField(required=False)
    is_public = serializers.BooleanField(required=False)
    starts_when_full = serializers.BooleanField(required=False)


class RaceWish(RaceChange):
    """What a new race should be; what is left out is as usual."""

    name = serializers.CharField(max_length=60)
    ruleset = serializers.CharField(required=False)
    words = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="What you add to the shuffles."
    )


class CampaignWish(RaceWish):
    """What a new campaign should be: a name of at most 40 letters, and what each of its races is."""

    name = serializers.CharField(max_length=40)


class CampaignLine(_Shape):
    """What a list shows of a campaign."""

    id = serializers.CharField()
    name = serializers.CharField()
    ruleset = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(choices=["lobby", "running", "paused", "finished", "closed"])
    host = serializers.CharField()
    is_public = serializers.BooleanField()
    race = serializers.IntegerField(help_text="The number of its last race.")
    drivers = serializers.IntegerField(help_text="0 before its start.")
    seats_wanted = serializers.IntegerField()
    you = serializers.IntegerField(allow_null=True, help_text="Your car.")
    leader = serializers.DictField(allow_null=True)
    winner = serializers.CharField(allow_blank=True)


class StandingLine(_Shape):
    """How one car stands."""

    car = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["player", "bot"])
    you = serializers.BooleanField()
    points = serializers.IntegerField()
    upgrades = serializers.ListField(child=serializers.CharField())
    scores = serializers.DictField(child=serializers.IntegerField(), help_text="Points by the race's number.")
    wins = serializers.IntegerField()
    stands_in_for = serializers.CharField(allow_blank=True, help_text="Who dropped out, if a bot drives on.")
    may_drive_on = serializers.BooleanField(help_text="Whether you may take this car over.")


class CatalogueLine(_Shape):
    """An upgrade, and the car that has it."""

    letter = serializers.CharField()
    name = serializers.CharField()
    price = serializers.IntegerField()
    effect = serializers.CharField(allow_blank=True)
    owner = serializers.IntegerField(allow_null=True)


class CampaignShape(_Shape):
    """All that one viewer may know of a campaign."""

    id = serializers.CharField()
    name = serializers.CharField()
    ruleset = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(choices=["lobby", "running", "paused", "finished", "closed"])
    host = serializers.CharField()
    is_host = serializers.BooleanField()
    is_public = serializers.BooleanField()
    goal = serializers.IntegerField()
    starting_points = serializers.IntegerField()
    options = serializers.DictField()
    turn_hours = serializers.FloatField(help_text="Time for a purchase, as for a turn.")
    winner = serializers.DictField(allow_null=True)
    paused_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    you = serializers.IntegerField(allow_null=True)
    standings = StandingLine(many=True)
    races = serializers.ListField(child=serializers.DictField())
    purchases = serializers.DictField(allow_null=True, help_text="Who buys in which order, and what was answered.")
    catalogue = CatalogueLine(many=True)
    question = QuestionShape(allow_null=True)
    league = LeagueNamed(allow_null=True, help_text="The league that made it, if you may see that league.")


class LedgerLine(_Shape):
    """One line of a campaign's ledger."""

    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    car = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.CharField()
    words = serializers.CharField()
    points = serializers.IntegerField()
    balance = serializers.IntegerField(help_text="The car's total after this line.")
    upgrade = serializers.CharField(allow_blank=True)
    race = serializers.IntegerField(allow_null=True)
    rule = serializers.CharField()


class PurchaseGiven(_Shape):
    """An answer to your purchase."""

    decision = serializers.IntegerField(help_text="question.decision.")
    position = serializers.IntegerField(min_value=0, help_text="question.position.")
    action = serializers.DictField(required=False, help_text="An answer's action.")
    number = serializers.IntegerField(required=False, help_text="Or an answer's number, as shown at this position.")
    key = serializers.CharField(max_length=100, help_text="New for each; the same key gives the first answer again.")


class UpgradeGiven(_Shape):
    """An upgrade to buy or to return at your purchase."""

    upgrade = serializers.CharField(max_length=4, help_text="Its letter.")
    decision = serializers.IntegerField(help_text="question.decision.")
    position = serializers.IntegerField(min_value=0, help_text="question.position.")
    key = serializers.CharField(max_length=100, help_text="New for each; the same key gives the first answer again.")


class PurchaseReceipt(_Shape):
    """What became of it."""

    words = serializers.CharField()
    step = serializers.IntegerField()
    posting = serializers.IntegerField(allow_null=True, help_text="The number of the ledger's line.")
    is_over = serializers.BooleanField(help_text="Whether your purchase is over; after a return it is not.")


class AskedPurchase(_Shape):
    """A purchase that waits for you."""

    campaign = serializers.DictField()
    car = serializers.IntegerField()
    purchase = serializers.IntegerField()
    text = serializers.CharField()
    rule = serializers.CharField()
    due_at = serializers.DateTimeField()


class DrivingOn(_Shape):
    """How a car is taken over."""

    invitation = serializers.CharField(required=False, allow_blank=True, help_text="From the host's link.")


class Joining(_Shape):
    """How a seat is taken."""

    invitation = serializers.CharField(required=False, allow_blank=True, help_text="From the mailed address.")
    words = serializers.CharField(required=False, allow_blank=True, max_length=200)


class Declining(_Shape):
    """Which invitation is declined; without it the one that was mailed to your address."""

    invitation = serializers.CharField(required=False, allow_blank=True, help_text="From the mailed address.")


class Inviting(_Shape):
    """Whom to invite."""

    email = serializers.EmailField()


class Hosting(_Shape):
    """Who hosts from now on."""

    seat = serializers.IntegerField(
        required=False, help_text="A seat's id: hand hosting over to its driver. Without it you take over."
    )


class AheadShape(_Shape):
    """A deadline to come, in your own time."""

    asked_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    paused_s = serializers.IntegerField(help_text="Seconds between them that do not count.")
    marks = serializers.ListField(
        child=serializers.ChoiceField(choices=["night", "day off", "holiday"]), help_text="What due_at falls into."
    )
    rule = serializers.CharField()


class OfferShape(_Shape):
    """A seat that needs a driver."""

    race = serializers.DictField(help_text="Its id and name.")
    host = serializers.CharField()
    car = serializers.IntegerField()
    part = serializers.CharField(allow_blank=True, help_text="Where two drive the car: which of them.")
    id = serializers.IntegerField(help_text="The seat's.")
    since = serializers.DateTimeField()
    is_first_come = serializers.BooleanField(help_text="Whether you get it at once; else the host chooses.")
    is_asked = serializers.BooleanField(help_text="Whether you have asked for it.")


class ClaimShape(_Shape):
    """Somebody who would drive on."""

    id = serializers.IntegerField()
    car = serializers.IntegerField()
    part = serializers.CharField(allow_blank=True, help_text="Where two drive the car: which of them.")
    seat = serializers.IntegerField(help_text="The seat's id.")
    name = serializers.CharField()
    at = serializers.DateTimeField()


class MoreTime(_Shape):
    """More time for what the race waits for."""

    minutes = serializers.IntegerField(min_value=1, max_value=60 * 24 * 30, help_text="Time that counts.")
    key = serializers.CharField(max_length=100, help_text="New for each new extension; the same key changes nothing.")


class ExtensionAskShape(_Shape):
    """A driver asks the others for more time."""

    id = serializers.IntegerField()
    car = serializers.IntegerField()
    part = serializers.CharField(allow_blank=True, help_text="Where two drive the car: which of them.")
    name = serializers.CharField()
    minutes = serializers.IntegerField()
    missing = serializers.ListField(child=serializers.CharField(), help_text="Who has not agreed yet.")
    may_agree = serializers.BooleanField()


class ClockShape(_Shape):
    """The clocks of a race."""

    paused_at = serializers.DateTimeField(allow_null=True)
    is_asked = serializers.BooleanField(help_text="Whether the race waits for anybody.")
    extended_minutes = serializers.IntegerField(help_text="By how much the open question was put off.")
    left_minutes = serializers.IntegerField(help_text="By how much it still may be.")
    asks = ExtensionAskShape(many=True)


class GuideGiven(_Shape):
    """Whether your questions come with a word on what to do now."""

    guided = serializers.BooleanField()


class PartnerGiven(_Shape):
    """With whom you would share a car."""

    partner = serializers.IntegerField(allow_null=True, help_text="The id of that driver's seat; null: nobody's.")


class WordsGiven(_Shape):
    """What your seat adds to the shuffles."""

    words = serializers.CharField(allow_blank=True, max_length=200)


class BotSeated(_Shape):
    """A bot for a free seat."""

    bot = serializers.CharField(required=False)
    delay_minutes = serializers.IntegerField(required=False, min_value=0, max_value=60 * 24 * 30)


class Replacement(_Shape):
    """Who takes a seat whose driver has gone: a bot, or whoever is invited at an address."""

    bot = serializers.CharField(required=False)
    delay_minutes = serializers.IntegerField(required=False, min_value=0, max_value=60 * 24 * 30)
    email = serializers.EmailField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Exactly one of both."""
        if bool(attrs.get("bot")) == bool(attrs.get("email")):
            raise serializers.ValidationError("Say bot or email, and not both.")
        return attrs


class Nothing(_Shape):
    """A request without a body."""


# --- Acts -------------------------------------------------------------------------------


class ActGiven(_Shape):
    """An answer to the question of a presentation: exactly one of number, words and action."""

    decision = serializers.IntegerField(help_text="question.decision of the presentation that you answer.")
    position = serializers.IntegerField(min_value=0, help_text="question.position of that presentation.")
    number = serializers.IntegerField(required=False, help_text="A ready answer's number.")
    words = serializers.CharField(required=False, max_length=2000, help_text="The words of an answer.")
    action = serializers.DictField(required=False, help_text="An answer as JSON, such as a form filled in.")
    key = serializers.CharField(
        max_length=100, help_text="New for each new act; the same key again gives the first answer again."
    )
    follow = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="Trigger to value, both from question.follow: what to answer if that comes in this turn.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Exactly one way to say it."""
        if sum(name in attrs for name in ("number", "words", "action")) != 1:
            raise serializers.ValidationError("Say exactly one of number, words and action.")
        return attrs


class ReceiptShape(_Shape):
    """What became of an act."""

    status = serializers.ChoiceField(
        choices=["applied", "sealed", "noted"], help_text="sealed: it waits until the window closes."
    )
    words = serializers.CharField()
    position = serializers.IntegerField()
    entry = serializers.IntegerField(allow_null=True)
    closes_by = serializers.DateTimeField(allow_null=True)


class UndoGiven(_Shape):
    """Taking back your last act."""

    position = serializers.IntegerField(min_value=0, help_text="race.position of the presentation that offers it.")
    key = serializers.CharField(max_length=100, help_text="New for each; the same key gives the first answer again.")


class UndoneShape(_Shape):
    """What was taken back."""

    status = serializers.ChoiceField(choices=["undone"])
    words = serializers.CharField()
    position = serializers.IntegerField()
    entry = serializers.IntegerField(help_text="The entry that says so.")
    closes_by = serializers.DateTimeField(allow_null=True)
    note = serializers.CharField(allow_blank=True, help_text="What else was dropped with it.")


class RewindGiven(_Shape):
    """Where the race should go back to."""

    to = serializers.IntegerField(min_value=0, help_text="An entry of the record.")
    reason = serializers.CharField(required=False, allow_blank=True, max_length=200, help_text="For the others.")
    key = serializers.CharField(max_length=100, help_text="New for each; the same key is the same request.")


class RewindShape(_Shape):
    """The host's request to go back."""

    id = serializers.IntegerField()
    to = serializers.IntegerField(help_text="The entry to go back to.")
    drops = serializers.IntegerField(help_text="How many entries it would go back over by now.")
    reason = serializers.CharField(allow_blank=True)
    asked_at = serializers.DateTimeField()
    agreed = serializers.ListField(child=serializers.CharField())
    missing = serializers.ListField(child=serializers.CharField(), help_text="Who has not agreed.")
    why_not = serializers.CharField(allow_blank=True, help_text="Why it cannot be done as things are.")
    may_agree = serializers.BooleanField()
    may_think_again = serializers.BooleanField()
    is_host = serializers.BooleanField(help_text="Whether you may take the request back.")


class RewindTold(_Shape):
    """The request that waits, if one does."""

    position = serializers.IntegerField(help_text="The race's.")
    rewind = RewindShape(allow_null=True)


class StandingOrderShape(_Shape):
    """One standing order."""

    id = serializers.IntegerField()
    words = serializers.CharField(help_text="As it may be written again.")
    until_at = serializers.DateTimeField(allow_null=True)
    this_turn = serializers.BooleanField()
    has_run_out = serializers.BooleanField()


class OccasionShape(_Shape):
    """A moment that a standing order may name."""

    key = serializers.CharField()
    words = serializers.CharField(help_text='What follows "when".')
    answers = serializers.ListField(child=serializers.CharField(), help_text='Besides "pass" and "ask me".')
    having = serializers.ListField(child=serializers.CharField(), help_text='What may follow "with".')
    by_car = serializers.BooleanField(help_text='Whether "by car 3" or "by the leader" may follow.')


class PlanShape(_Shape):
    """A plan, and how far it has come."""

    id = serializers.IntegerField()
    lines = serializers.ListField(child=serializers.CharField())
    done = serializers.IntegerField(help_text="Lines gone through.")
    state = serializers.ChoiceField(choices=["waiting", "done", "stopped", "cancelled"])
    why = serializers.CharField(allow_blank=True, help_text="Why it has stopped.")
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class FiredShape(_Shape):
    """An answer of yours that was given beforehand."""

    entry = serializers.IntegerField()
    at = serializers.DateTimeField()
    origin = serializers.ChoiceField(
        choices=["order", "standing", "plan"], help_text="order: what you said for that turn."
    )
    words = serializers.CharField()


class Beforehand(_Shape):
    """All that you have answered beforehand; of standing orders that fit a moment the first counts."""

    orders = StandingOrderShape(many=True)
    occasions = OccasionShape(many=True)
    conditions = serializers.ListField(child=serializers.CharField(), help_text='What may follow "if" in a plan.')
    plan = PlanShape(allow_null=True)
    fired = FiredShape(many=True)


class OrdersGiven(_Shape):
    """Standing orders in words."""

    texts = serializers.ListField(
        child=serializers.CharField(max_length=1000),
        allow_empty=False,
        max_length=MOST_ORDERS,
        help_text="when attacked by car 3: Swerve, else pass",
    )


class WindowTried(_Shape):
    """A window of the past: what you did, and what would have been done."""

    entry = serializers.IntegerField()
    at = serializers.DateTimeField()
    text = serializers.CharField()
    did = serializers.CharField()
    would = serializers.CharField(allow_null=True, help_text="null: you would have been asked.")


class OrderPlace(_Shape):
    """A place in the list of standing orders."""

    place = serializers.IntegerField(min_value=1, max_value=MOST_ORDERS)


class OrdersTried(_Shape):
    """What orders would have done."""

    words = serializers.ListField(child=serializers.CharField(), help_text="The orders as they were understood.")
    windows = WindowTried(many=True)


class PlanGiven(_Shape):
    """A plan in words, one order a line."""

    lines = serializers.ListField(
        child=serializers.CharField(max_length=1000, allow_blank=True), max_length=200, help_text="if passed: end"
    )
    key = serializers.CharField(
        max_length=100, help_text="New for each new plan; the same key again gives the first answer again."
    )


class PlanTold(_Shape):
    """What became of a plan at once."""

    plan = serializers.IntegerField()
    state = serializers.ChoiceField(choices=["waiting", "done", "stopped", "cancelled"])
    done = serializers.IntegerField(help_text="Lines gone through.")
    why = serializers.CharField(allow_blank=True)
    position = serializers.IntegerField()


class PlanKept(_Shape):
    """Your last plan, and what a plan may branch on."""

    plan = PlanShape(allow_null=True)
    conditions = serializers.ListField(child=serializers.CharField())


class Asked(_Shape):
    """One open question to you, in whatever race."""

    race = serializers.DictField(help_text='{"id", "name", "title"}')
    seat = serializers.IntegerField()
    car = serializers.CharField(help_text="The seat's car in words.")
    decision = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.CharField()
    rule = serializers.CharField(allow_blank=True)
    text = serializers.CharField(required=False)
    fault = serializers.CharField(required=False)
    position = serializers.IntegerField()
    due_at = serializers.DateTimeField()
    is_sealed = serializers.BooleanField()


# --- Reading ----------------------------------------------------------------------------


class LogPage(_Shape):
    """A part of a race's log, oldest first.

    Go on with ``since`` = ``next_since``, or back with ``before`` = ``previous_before``, until that is null. To look
    again later, go on with ``since`` = ``place``: nothing that comes behind it is missed, notes without an entry
    of their own included.
    """

    lines = LogLine(many=True)
    place = serializers.CharField()
    next_since = serializers.IntegerField(allow_null=True)
    previous_before = serializers.IntegerField(allow_null=True)


class Me(_Shape):
    """Who you are."""

    name = serializers.CharField()
    time_zone = serializers.CharField()


class RulesetShape(_Shape):
    """A game that can be played here."""

    key = serializers.CharField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    seats_least = serializers.IntegerField()
    seats_most = serializers.IntegerField()
    seats = serializers.ListField(
        child=serializers.DictField(),
        help_text='How many may drive: [{"options", "numbers"}], for each set of options that makes a difference.',
    )
    options = serializers.DictField(help_text="What stands if a race says nothing.")
    component_sets = serializers.ListField(child=serializers.CharField())


class Catalogue(_Shape):
    """What a race may agree on."""

    rulesets = RulesetShape(many=True)
    tempos = serializers.ListField(child=serializers.DictField())
    policies = serializers.ListField(child=serializers.DictField())
    bots = serializers.ListField(child=serializers.DictField())


class BoxShape(_Shape):
    """A box of components."""

    ruleset = serializers.CharField()
    name = serializers.CharField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]
    hash = serializers.CharField()


class RoadKillBoxShape(BoxShape):
    """RoadKill's cards, number lines, events, upgrades, tracks and panel: every figure, and where it comes from."""

    cards = serializers.ListField(child=serializers.DictField())
    numbers = serializers.DictField()
    letters = serializers.CharField()
    number_provenance = serializers.DictField()
    card_of_number = serializers.ListField(child=serializers.CharField())
    attacks = serializers.DictField()
    attack_provenance = serializers.DictField()
    events = serializers.DictField()
    upgrades = serializers.DictField()
    tracks = serializers.DictField()
    panel = serializers.DictField()


class ThunderRoadBoxShape(BoxShape):
    """Thunder Road's crews, dice, tokens, cards and road tiles: every figure, and where it comes from."""

    crews = serializers.DictField()
    commands = serializers.DictField()
    dice = serializers.DictField(help_text="Label of a draw -> the faces in their order.")
    dice_provenance = serializers.DictField()
    damage = serializers.ListField(child=serializers.DictField())
    hazards = serializers.ListField(child=serializers.DictField())
    ongoing = serializers.ListField(child=serializers.DictField())
    markers = serializers.DictField()
    marker_provenance = serializers.DictField()
    tiles = serializers.DictField(
        help_text='Side of a tile -> {"key", "number", "side", "name", "rows"}; the first row is the one at its back.'
    )
    grounds = serializers.DictField(help_text="Symbol of a space -> its ground.")
    tile_provenance = serializers.DictField()


ComponentSetShape = PolymorphicProxySerializer(
    component_name="ComponentSet",
    serializers={"roadkill": RoadKillBoxShape, "thunder_road": ThunderRoadBoxShape},
    resource_type_field_name="ruleset",
)
"""A box of components; ``ruleset`` says of which kind."""


class ReplayStep(_Shape):
    """A race after one of its entries."""

    race = serializers.DictField()
    names = serializers.DictField()
    drivers = serializers.DictField()
    you = serializers.IntegerField(allow_null=True)
    car = serializers.IntegerField(allow_null=True)
    view = serializers.DictField(allow_null=True)
    entry = serializers.DictField(
        help_text='{"seq", "at", "turn", "acts", "draws", "back"}; acts and draws once the race is over.'
    )
    log = LogLine(many=True)
    first = serializers.IntegerField(allow_null=True)
    previous = serializers.IntegerField(allow_null=True)
    next = serializers.IntegerField(allow_null=True)
    last = serializers.IntegerField(allow_null=True)
