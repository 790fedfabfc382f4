"""The player's account and the tokens with which programs act for a player."""

import unicodedata
import zoneinfo
from typing import Any, ClassVar, Final

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models.functions import Lower

DISPLAY_NAME_LENGTH: Final = 30


def display_name_check(name: str) -> None:
    """Refuse a name that cannot be read on one line: blank, or with characters that do not print."""
    if not name.strip():
        raise ValidationError("A name needs at least one letter.", code="blank")
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for letter in name):
        raise ValidationError(
            "A name is made of letters, digits, signs and blanks; this one has a character that is not seen.",
            code="unseen",
        )
    if name != " ".join(name.split()):
        raise ValidationError("A name has single blanks between its words, and none around it.", code="blanks")


def time_zone_check(name: str) -> None:
    """Refuse a name that is no time zone of the IANA database."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError("%(name)s is not a time zone such as Europe/Berlin.", code="zone", params={"name": name})


def days_off_check(days: object) -> None:
    """Refuse what is no list of weekdays (0 for Monday to 6), each once, with one working day left."""
    is_list = isinstance(days, list) and all(type(day) is int and 0 <= day <= 6 for day in days)
    if not is_list or len(set(days)) != len(days):  # type: ignore[call-overload, arg-type]
        raise ValidationError("Days off are days of the week, from 0 (Monday) to 6 (Sunday), each once.", code="days")
    if len(days) == 7:  # type: ignore[arg-type]
        raise ValidationError("Not every day can be a day off: no time at all would count.", code="all")


class UserManager(BaseUserManager["User"]):
    """Makes accounts: a mail address is all that an account needs."""

    use_in_migrations = True

    def create_user(self, email: str, *, display_name: str, **fields: Any) -> "User":
        """Make an account that signs in by mailed codes; it has no password.

        Whoever calls this vouches for the address; a player who joins by the page confirms it by a code.
        """
        user = self.model(email=email.lower(), display_name=display_name, **fields)
        user.set_unusable_password()
        user.full_clean()
        with transaction.atomic(using=self._db):
            user.save(using=self._db)
            EmailAddress.objects.using(self._db).create(user=user, email=user.email, primary=True, verified=True)
        return user

    def create_superuser(self, email: str, *, display_name: str, password: str | None = None, **fields: Any) -> "User":
        """Make an operator's account; it signs in by mailed codes like any other."""
        if password:
            raise ValueError("Accounts here sign in by mailed codes and have no password.")
        return self.create_user(email, display_name=display_name, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The account with this mail address, in whatever case it is written."""
        return self.get(email__iexact=username)


class User(AbstractUser):
    """A person who plays: known by a mail address, shown by a name."""

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField("mail address", unique=True)
    display_name = models.CharField("name", max_length=DISPLAY_NAME_LENGTH, validators=[display_name_check])
    time_zone = models.CharField(max_length=64, default="UTC", validators=[time_zone_check])
    # Local times between which no time counts; over midnight if until is the earlier. Both or neither.
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    # Numbers of weekdays, 0 for Monday.
    days_off = models.JSONField(default=list, blank=True, validators=[days_off_check])

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["display_name"]

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("email"),
                name="user_email_unique",
                violation_error_message="There is an account with this mail address.",
            ),
            models.UniqueConstraint(
                Lower("display_name"),
                name="user_display_name_unique",
                violation_error_message="Another player has this name.",
            ),
            models.CheckConstraint(
                name="user_quiet_hours_are_whole",
                condition=models.Q(quiet_from=None, quiet_until=None)
                | (
                    models.Q(quiet_from__isnull=False, quiet_until__isnull=False)
                    & ~models.Q(quiet_from=models.F("quiet_until"))
                ),
                violation_error_message="Quiet hours need a beginning and an end that differ, or neither.",
            ),
        ]

    def __str__(self) -> str:
        """The name that other players see: never the mail address."""
        return self.display_name

    def get_full_name(self) -> str:
        """The name that other players see."""
        return self.display_name

    def get_short_name(self) -> str:
        """The name that other players see."""
        return self.display_name


class Holiday(models.Model):
    """Days on which a player's time does not count, taken by an act of the player's: local, both ends included."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="holidays")
    first = models.DateField()
    last = models.DateField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["user", "first"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(name="holiday_begins_once", fields=["user", "first"]),
            models.CheckConstraint(
                name="holiday_ends_after_it_begins", condition=models.Q(last__gte=models.F("first"))
            ),
        ]

    def __str__(self) -> str:
        """From when until when."""
        return f"{self.first} to {self.last}"


class ApiToken(models.Model):
    """A key with which a program acts for its owner; of the key only its SHA-256 (hexadecimal) is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    label = models.CharField(max_length=60)
    # The first letters of the key: by them it is looked up, and its owner can tell one from another.
    prefix = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at", "-pk"]

    def __str__(self) -> str:
        """The label and the visible part of the key."""
        return f"{self.label} ({self.prefix}…)"
