"""The line at the top of both parts of every mail of ours that may be answered: below it nothing is anybody's own."""

from typing import Final

MARKER: Final = "##- Write your orders above this line -##"
