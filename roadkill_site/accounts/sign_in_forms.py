"""The sign-in library's forms in our words. Not in `forms`: the library builds its own forms on what stands there."""

from typing import Any, ClassVar

from allauth.account import forms as library
from django import forms


class InOurWords(forms.Form):
    """Fields are labelled as everywhere here, and have no placeholders, which vanish when they are needed."""

    labels: ClassVar[dict[str, str]] = {"email": "Mail address", "code": "Code from the mail"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            field.label = self.labels.get(name, field.label)


class SignInForm(InOurWords, library.RequestLoginCodeForm):  # type: ignore[misc]
    """Where to mail a code."""


class SignInCodeForm(InOurWords, library.ConfirmLoginCodeForm):  # type: ignore[misc]
    """The code that signs in."""


class NewPlayerForm(InOurWords, library.SignupForm):  # type: ignore[misc]
    """Mail address, name and zone of a new player."""


class AddressCodeForm(InOurWords, library.ConfirmEmailVerificationCodeForm):  # type: ignore[misc]
    """The code that confirms a mail address."""


class OtherAddressForm(InOurWords, library.ChangeEmailForm):  # type: ignore[misc]
    """Another mail address in place of one that was mistyped."""


class NewAddressForm(InOurWords, library.AddEmailForm):  # type: ignore[misc]
    """The mail address that is to take the place of the present one."""

    labels: ClassVar[dict[str, str]] = {"email": "New mail address"}


class AgainCodeForm(InOurWords, library.ConfirmReauthenticationCodeForm):  # type: ignore[misc]
    """The code that shows that it is still the same person."""
