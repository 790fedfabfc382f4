"""What must be set for webhooks and web push, and what the checks say of it."""

from io import StringIO
from typing import Any

import pytest
from django.core import checks
from django.core.management import call_command
from pytest_django import Settings

from notifications.channels import CHANNELS
from notifications.channels.push.channel import push_public_key
from notifications.channels.push.sealing import decoded, private_key, private_key_make
from roadkill_site.channel_checks import channel_settings_fit_together
from roadkill_site.checks import SETTINGS_TAG


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        ({"PUSH_PRIVATE_KEY": private_key_make()}, []),
        ({"PUSH_PRIVATE_KEY": "nonsense"}, ["roadkill.E008"]),
        ({"PUSH_PRIVATE_KEY": private_key_make(), "PUSH_CONTACT": "somebody"}, ["roadkill.E009"]),
        (
            {"PUSH_PRIVATE_KEY": private_key_make(), "SITE_IS_HTTPS": False, "SITE_HOST": "race.example.org"},
            ["roadkill.W002"],
        ),
        ({"PRODUCTION": True, "WEBHOOK_PRIVATE_ADDRESSES": True}, ["roadkill.W003"]),
    ],
    ids=["nothing", "a key", "no key", "no contact", "no https", "private addresses"],
)
def test_settings_of_channels_that_do_not_fit_are_found(
    settings: Settings, changed: dict[str, Any], found: list[str]
) -> None:
    for name, value in changed.items():
        setattr(settings, name, value)
    told = channel_settings_fit_together()
    assert [message.id for message in told] == found
    assert all(str(message.msg).startswith("Setting ") for message in told)


def test_the_site_does_not_start_with_a_key_that_is_none(settings: Settings) -> None:
    settings.PUSH_PRIVATE_KEY = "nonsense"
    assert "roadkill.E008" in [message.id for message in checks.run_checks(tags=[SETTINGS_TAG])]


def test_the_command_makes_a_key_that_the_site_takes(settings: Settings) -> None:
    said = StringIO()
    call_command("push_key", stdout=said)
    name, _, key = said.getvalue().strip().partition("=")
    assert name == "PUSH_PRIVATE_KEY"
    private_key(key)
    assert (CHANNELS["push"].is_on, push_public_key()) == (False, "")
    settings.PUSH_PRIVATE_KEY = key
    assert CHANNELS["push"].is_on
    assert len(decoded(push_public_key())) == 65
