"""Players' programs: clients that hold a token."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import api_token_create

Program = Callable[[User | None], APIClient]


@pytest.fixture
def program() -> Program:
    """Makes a client that acts for a player by a token of theirs; for nobody, one without a token."""

    def make(user: User | None) -> APIClient:
        client = APIClient(raise_request_exception=False)
        if user is not None:
            _, key = api_token_create(user=user, label="test")
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
        return client

    return make
