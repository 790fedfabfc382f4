"""Every kind of letter has a sample: scripts/mail_samples.py brings it about by the services that players use."""

import importlib
from pathlib import Path
from typing import Any

import time_machine

from notifications.channels.email.channel import EmailChannel
from roadkill_site.accounts.models import User

# By its name: scripts are no package that is checked with the site.
samples_script: Any = importlib.import_module("scripts.mail_samples")

TOLD_AT_THE_END = {"finished"}
"""What takes a race that is played to its end: the script plays two."""


def test_every_kind_of_letter_has_a_sample(db: None, settings: Any, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND = "notifications.mailbox.backend.MailboxBackend"
    settings.MAILBOX_DIR = tmp_path
    with time_machine.travel(samples_script.START, tick=False) as clock:
        samples = samples_script.Samples(clock)
        samples.people = [
            User.objects.create_user(email, display_name=name, time_zone=zone)
            for email, name, zone in samples_script.DRIVERS
        ]
        samples.meets_everything_else()
    missing = {kind for kind in samples.missing() if not kind.startswith("account")}
    assert missing <= TOLD_AT_THE_END
    assert EmailChannel().kinds() > TOLD_AT_THE_END


def test_a_kind_without_a_sample_is_missed() -> None:
    samples = samples_script.Samples(clock=None)
    assert EmailChannel().kinds() <= samples.missing()
