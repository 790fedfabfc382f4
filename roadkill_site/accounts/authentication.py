"""Signing in to the API with a token: `Authorization: Bearer rk_…`."""

from django.utils import timezone
from django.utils.crypto import constant_time_compare
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request

from roadkill_site.accounts.models import ApiToken, User
from roadkill_site.accounts.services import PREFIX_LENGTH, api_token_used, key_digest


class TokenAuthentication(BaseAuthentication):
    """Knows a player by an API token. One query a request; the key is compared in constant time."""

    scheme = b"bearer"

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's owner and the token; None without a bearer token: then the session may tell."""
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() != self.scheme:
            return None
        if len(parts) != 2:
            raise exceptions.AuthenticationFailed("Write the header as: Authorization: Bearer TOKEN.")
        try:
            key = parts[1].decode("ascii")
        except UnicodeDecodeError as odd:
            raise exceptions.AuthenticationFailed("The token has letters that no token of ours has.") from odd
        token = ApiToken.objects.select_related("user").filter(prefix=key[:PREFIX_LENGTH]).first()
        if token is None or not constant_time_compare(token.digest, key_digest(key)):
            raise exceptions.AuthenticationFailed("This token is not known here.")
        if token.revoked_at is not None:
            raise exceptions.AuthenticationFailed("This token has been revoked.")
        if not token.user.is_active:
            raise exceptions.AuthenticationFailed("The account of this token is closed.")
        api_token_used(token=token, at=timezone.now())
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 answer asks for."""
        return 'Bearer realm="roadkill"'


class TokenAuthenticationScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes the token in the OpenAPI document."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """The OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer", "description": "An API token, made on the profile page."}
