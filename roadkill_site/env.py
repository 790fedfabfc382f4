"""Readers of environment variables that refuse what they do not understand.

Every refusal is one sentence that names the variable and says what is allowed; the value itself is repeated
only where it cannot be a secret.
"""

import os
import re
import zoneinfo
from collections.abc import Mapping
from email.utils import formataddr, parseaddr
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})
_HOST_NAME: Final = re.compile(r"^(\*|\.?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])$")
_MAIL_DOMAIN: Final = re.compile(r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$")


class SettingRefused(Exception):
    """A setting that is missing or not understood; its text is the one sentence that is shown."""

    def __init__(self, name: str, sentence: str) -> None:
        """Say `sentence` about the environment variable `name`."""
        super().__init__(f"Setting {name}: {sentence}")
        self.name = name


class Environment:
    """Reads settings from a mapping of environment variables.

    An empty value counts as unset, so that `NAME=` in an env file takes a setting back. For each variable
    NAME, NAME_FILE may name a file that holds the value (as Docker's secrets do); giving both is refused.
    """

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        """Read from `variables`, by default from the process's environment."""
        self._variables: Mapping[str, str] = os.environ if variables is None else variables

    def is_given(self, name: str) -> bool:
        """Whether NAME or NAME_FILE is set to something."""
        return bool(self._variables.get(name) or self._variables.get(f"{name}_FILE"))

    def optional_text(self, name: str) -> str | None:
        """The value of NAME or of the file that NAME_FILE names, or None if neither is set."""
        value = self._variables.get(name) or None
        file_name = self._variables.get(f"{name}_FILE") or None
        if file_name is None:
            return value
        if value is not None:
            raise SettingRefused(name, f"set {name} or {name}_FILE, not both.")
        try:
            content = Path(file_name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as unreadable:
            reason = unreadable.strerror if isinstance(unreadable, OSError) else "it is not UTF-8 text"
            raise SettingRefused(f"{name}_FILE", f"the file {file_name} cannot be read: {reason}.") from unreadable
        if not content:
            raise SettingRefused(f"{name}_FILE", f"the file {file_name} is empty.")
        return content

    def require(self, name: str, meaning: str) -> None:
        """Refuse to go on unless NAME is set; `meaning` says what belongs there."""
        if not self.is_given(name):
            raise SettingRefused(name, f"it is missing; set it to {meaning}.")

    def text(self, name: str, default: str) -> str:
        """The value of NAME, or `default`."""
        value = self.optional_text(name)
        return default if value is None else value

    def flag(self, name: str, *, default: bool) -> bool:
        """The value of NAME as yes or no."""
        value = self.optional_text(name)
        if value is None:
            return default
        if value.lower() in _YES:
            return True
        if value.lower() in _NO:
            return False
        raise SettingRefused(name, f"{value!r} is neither yes (1, true, yes, on) nor no (0, false, no, off).")

    def whole_number(self, name: str, default: int, *, least: int, most: int) -> int:
        """The value of NAME as a whole number from `least` to `most`."""
        value = self.optional_text(name)
        if value is None:
            return default
        if not re.fullmatch(r"-?[0-9]{1,12}", value) or not least <= int(value) <= most:
            raise SettingRefused(name, f"{value!r} is not a whole number from {least} to {most}.")
        return int(value)

    def one_of(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        """The value of NAME, which must be one of `allowed`."""
        value = self.text(name, default)
        if value not in allowed:
            raise SettingRefused(name, f"{value!r} is not one of: {', '.join(allowed)}.")
        return value

    def names(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """The value of NAME as a list, separated by commas; blanks around a name are dropped."""
        value = self.optional_text(name)
        if value is None:
            return list(default)
        return [part.strip() for part in value.split(",") if part.strip()]

    def host_names(self, name: str, default: tuple[str, ...]) -> list[str]:
        """The value of NAME as a list of host names without scheme, port or path."""
        hosts = self.names(name, default)
        for host in hosts:
            if not _HOST_NAME.match(host):
                raise SettingRefused(
                    name,
                    f"{host!r} is not a host name; write such as race.example.org, with commas between.",
                )
        return hosts

    def mail_domain(self, name: str, default: str) -> str:
        """The value of NAME as the part of a mail address after the @."""
        value = self.text(name, default)
        if not _MAIL_DOMAIN.match(value):
            raise SettingRefused(name, f"{value!r} is not a mail domain such as reply.example.org.")
        return value.lower()

    def mail_sender(self, name: str, default: str) -> str:
        """The value of NAME as one mail address, with or without a name before it."""
        value = self.text(name, default)
        shown_name, address = parseaddr(value)
        local, _, domain = address.rpartition("@")
        if not local or not _MAIL_DOMAIN.match(domain) or any(character in value for character in "\r\n"):
            raise SettingRefused(name, f"{value!r} is not a sender such as Roadkill <turns@race.example.org>.")
        return formataddr((shown_name, address))

    def web_address(self, name: str, default: str) -> str:
        """The value of NAME as scheme and host (http or https), without a closing slash."""
        value = self.text(name, default)
        parts = _split_url(name, value, example="https://race.example.org")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingRefused(name, f"{value!r} is not an address such as https://race.example.org.")
        if parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in parts.netloc:
            raise SettingRefused(name, f"{value!r} must be scheme and host only, such as https://race.example.org.")
        return f"{parts.scheme}://{parts.netloc}"

    def time_zone(self, name: str, default: str) -> str:
        """The value of NAME as the name of a time zone that this machine knows."""
        value = self.text(name, default)
        if value not in zoneinfo.available_timezones():
            raise SettingRefused(name, f"{value!r} is not a time zone such as Europe/Berlin or UTC.")
        return value

    def optional_folder(self, name: str) -> Path | None:
        """The value of NAME as a folder that exists, or None if it is not set."""
        value = self.optional_text(name)
        if value is None:
            return None
        folder = Path(value)
        if not folder.is_dir():
            raise SettingRefused(name, f"{value!r} is not a folder.")
        return folder.resolve()

    def optional_redis_url(self, name: str) -> str | None:
        """The value of NAME as the address of a Redis server, or None if it is not set."""
        value = self.optional_text(name)
        if value is None:
            return None
        form = "redis://HOST:PORT/NUMBER, rediss://… or unix:///path/to/socket"
        parts = _split_url(name, value, example=form)
        if parts.scheme == "unix" and parts.path:
            return value
        if parts.scheme not in {"redis", "rediss"} or not parts.hostname:
            raise SettingRefused(name, f"it is not an address of the form {form}.")
        if not re.fullmatch(r"/?[0-9]{0,4}", parts.path):
            raise SettingRefused(name, f"its path must be a database number, as in {form}.")
        return value

    def optional_imap_url(self, name: str) -> str | None:
        """The value of NAME as the address of a mailbox that is polled, or None if it is not set."""
        value = self.optional_text(name)
        if value is None:
            return None
        form = "imaps://USER:PASSWORD@HOST:PORT/FOLDER"
        parts = _split_url(name, value, example=form)
        if parts.scheme not in {"imap", "imaps"} or not parts.hostname or not parts.username or not parts.password:
            raise SettingRefused(name, f"it is not an address of the form {form}.")
        return value

    def database(self, name: str, default_file: Path) -> dict[str, Any]:
        """The value of NAME as Django's database settings (see `DATABASES` in Django's documentation).

        Allowed are postgresql://USER:PASSWORD@HOST:PORT/NAME?sslmode=require (postgres:// is the same) and
        sqlite:////absolute/path; without a value, SQLite in `default_file`.
        """
        value = self.optional_text(name)
        if value is None:
            return _sqlite(str(default_file))
        form = "postgresql://USER:PASSWORD@HOST:PORT/NAME or sqlite:////absolute/path"
        parts = _split_url(name, value, example=form)
        if parts.scheme == "sqlite":
            if parts.netloc or len(parts.path) < 2:
                raise SettingRefused(name, "a SQLite address is sqlite:////absolute/path or sqlite:///path/from/here.")
            return _sqlite(unquote(parts.path[1:]))
        if parts.scheme not in {"postgres", "postgresql"}:
            raise SettingRefused(name, f"it does not begin with postgresql:// or sqlite://; write {form}.")
        database = unquote(parts.path.lstrip("/"))
        if not database:
            raise SettingRefused(name, f"it names no database; write {form}.")
        options = dict(parse_qsl(parts.query))
        unknown = sorted(
            set(options)
            - {"sslmode", "sslrootcert", "sslcert", "sslkey", "host", "connect_timeout", "application_name"}
        )
        if unknown:
            raise SettingRefused(
                name, f"its option {unknown[0]!r} is not known; sslmode, host and connect_timeout are."
            )
        host = options.pop("host", "") or (parts.hostname or "")
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": database,
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(host),
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 600,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {"connect_timeout": "10", "options": _PATIENCE, **options},
        }


# Milliseconds. A process whose machine is gone may leave a transaction open that holds a race: PostgreSQL ends it, and
# whoever waits for it is told so while the web server still listens (gunicorn's 30 seconds).
_PATIENCE: Final = "-c idle_in_transaction_session_timeout=60000 -c lock_timeout=10000"


def _sqlite(file_name: str) -> dict[str, Any]:
    """Django's settings for SQLite as this server needs it.

    IMMEDIATE takes the write lock when a transaction begins: SQLite has no row locks, and a transaction that
    reads first and writes later would be refused instead of waiting. WAL lets pages be read while an act is
    written.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": file_name,
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
        },
    }


def _split_url(name: str, value: str, *, example: str) -> Any:
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018  (reading it is what checks it)
    except ValueError as malformed:
        raise SettingRefused(name, f"it is not an address of the form {example}.") from malformed
    return parts
