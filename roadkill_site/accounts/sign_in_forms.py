"""The sign-in library's forms in our words. Not in `forms`: the library builds its own forms on what stands there."""

from typing import Any, ClassVar

from allauth.account import forms as library
from django import forms

from roadkill_site.accounts.adapter import TOO_MANY, TOO_MANY_CODES


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

    def clean_email(self) -> str:
        """The address; one that has been mailed too many codes within a minute is told how long to wait."""
        try:
            email: str = super().clean_email()
        except forms.ValidationError as error:
            if error.code == TOO_MANY:
                raise forms.ValidationError(TOO_MANY_CODES, code=TOO_MANY) from error
            raise
        return email


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
