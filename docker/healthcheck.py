"""Ask this container's web process whether it is well; the exit code says so."""

import http.client
import os
import sys
from urllib.parse import urlsplit

# The site answers to its own name only.
NAME = urlsplit(os.environ.get("SITE_URL", "")).netloc or "localhost"

connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("PORT") or "8000"), timeout=8)
try:
    connection.request("GET", "/healthz", headers={"Host": NAME})
    answer = connection.getresponse()
except (OSError, http.client.HTTPException) as trouble:
    sys.exit(f"The web process does not answer: {trouble}.")
if answer.status != http.client.OK:
    sys.exit(f"The web process answers {answer.status}: {answer.read(500).decode(errors='replace')}")
