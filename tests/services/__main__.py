"""`python -m tests.services [pytest's arguments]`: start the servers, run the tests of this folder, stop them."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tests.services.servers import LOOPBACK, ServerMissingError, Servers, free_port, running_servers

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Run pytest in an environment that names the servers; its exit code is ours."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        with running_servers() as servers:
            for sentence in servers.told:
                sys.stdout.write(f"{sentence}\n")
            sys.stdout.flush()
            with tempfile.TemporaryDirectory(prefix="roadkill-services-") as folder:
                command = [sys.executable, "-m", "pytest", *(arguments or ["tests/services"])]
                environment = {**os.environ, **production_settings(servers, folder)}
                return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    except ServerMissingError as missing:
        sys.stderr.write(f"{missing}\n")
        return 1


def production_settings(servers: Servers, folder: str) -> dict[str, str]:
    """The environment of a site at work, on loopback; pytest and every process that it starts share it."""
    return {
        "ROADKILL_MODE": "production",
        "SITE_URL": f"http://{LOOPBACK}:{free_port()}",
        "SECRET_KEY": secrets.token_urlsafe(64),
        "DATABASE_URL": servers.database_url,
        "REDIS_URL": servers.redis_url,
        "EMAIL_HOST": LOOPBACK,
        "EMAIL_PORT": str(free_port()),
        "MAIL_FROM": "Roadkill <turns@race.example.org>",
        "REPLY_DOMAIN": "race.example.org",
        # The flows wait until every mail has left; that some wait for minutes is tested on a clock moved by hand.
        "MAIL_WAIT_MINUTES": "0",
        "VAR_DIR": folder,
        "SERVICES_ARE_RUNNING": "yes",
        "SERVICES_PRIVATE_POSTGRESQL": servers.private_postgresql,
    }


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End by an exception, so that the servers are stopped on the way out."""
    raise SystemExit(143)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
