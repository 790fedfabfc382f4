"""What can be wrong with a race itself."""

from games.engine.errors import ActionRefused


class RaceFaulty(ActionRefused):
    """The race cannot go on by itself: a row or a component set is missing or broken.

    ``text`` is for anybody; ``detail`` is for the operator and must not be shown to players.
    """

    code = "faulty"

    def __init__(self, detail: str) -> None:
        super().__init__(
            "This race cannot go on just now: something in its record is broken. "
            "Nothing of it is lost, and who runs this server has been told."
        )
        self.detail = detail
