"""How operations describe themselves in the OpenAPI document.

Every one may refuse with a problem document.
"""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema

from games.api.errors import MEDIA_TYPE
from games.api.shapes import ProblemShape


def described(answer: Any, *, status: int = 200, **more: Any) -> Callable[[Any], Any]:
    """Describe an operation by its successful answer; refusals are added."""
    refusal = OpenApiResponse(response=ProblemShape, description="A refusal; code says which.")
    return extend_schema(responses={status: answer, ("default", MEDIA_TYPE): refusal}, **more)
