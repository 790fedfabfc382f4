"""What races need to know of an account; accounts themselves are the site's."""

from typing import Any, Protocol


class Person(Protocol):
    """A signed-in player: any account with a mail address and a name that others see."""

    @property
    def pk(self) -> Any:
        """The account's row id."""
        ...

    @property
    def email(self) -> str:
        """Where mail goes; never shown to others."""
        ...

    @property
    def display_name(self) -> str:
        """The name that others see."""
        ...
