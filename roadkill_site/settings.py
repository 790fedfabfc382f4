"""Every setting of the site, all from the environment; docker/env.example lists them with what they mean.

Without any variable set this is a development server on this machine alone: SQLite, an in-process broker,
mail kept in a local mailbox.
"""

from email.utils import parseaddr
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import django_stubs_ext
from csp.constants import NONE, SELF
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from roadkill_site.env import Environment
from roadkill_site.inbound_webhooks import WEBHOOK_KEYS, anymail_settings
from roadkill_site.secret_key import development_secret_key

django_stubs_ext.monkeypatch()

ENVIRONMENT: Final = Environment()

# --- Mode and places --------------------------------------------------------------------

BASE_DIR: Final = Path(__file__).resolve().parent.parent
PRODUCTION: Final = ENVIRONMENT.one_of("ROADKILL_MODE", "development", ("development", "production")) == "production"
DEVELOPMENT: Final = not PRODUCTION
# Django's pages with stack traces; off even in development, since players use a development server too.
DEBUG = ENVIRONMENT.flag("DEBUG", default=False)
VAR_DIR: Final = Path(ENVIRONMENT.text("VAR_DIR", str(BASE_DIR / "var"))).absolute()
if DEVELOPMENT:
    VAR_DIR.mkdir(parents=True, exist_ok=True)
# Further component sets, one folder each, beside those that come with the rulesets.
COMPONENT_SETS_DIR: Final = ENVIRONMENT.optional_folder("COMPONENT_SETS_DIR")

# --- Addresses --------------------------------------------------------------------------

PORT: Final = ENVIRONMENT.whole_number("PORT", 8000, least=1, most=65535)
if PRODUCTION:
    ENVIRONMENT.require("SITE_URL", "the address at which players reach the site, such as https://race.example.org")
# Scheme and host without a closing slash: links in mails begin with it.
SITE_URL: Final = ENVIRONMENT.web_address("SITE_URL", f"http://127.0.0.1:{PORT}")
SITE_HOST: Final = urlsplit(SITE_URL).hostname or "localhost"
SITE_IS_HTTPS: Final = SITE_URL.startswith("https://")
ALLOWED_HOSTS = ENVIRONMENT.host_names(
    "ALLOWED_HOSTS", (SITE_HOST,) if PRODUCTION else ("127.0.0.1", "localhost", "[::1]", SITE_HOST)
)
# How many reverse proxies stand in front and set X-Forwarded-For and X-Forwarded-Proto; 0 trusts neither.
PROXY_COUNT: Final = ENVIRONMENT.whole_number("PROXY_COUNT", 0, least=0, most=5)

ROOT_URLCONF = "roadkill_site.urls"
WSGI_APPLICATION = "roadkill_site.wsgi.application"

# --- Keys -------------------------------------------------------------------------------

if PRODUCTION:
    ENVIRONMENT.require("SECRET_KEY", "a long random text that signs sessions and links")
SECRET_KEY = ENVIRONMENT.optional_text("SECRET_KEY") or development_secret_key(VAR_DIR / "secret_key")
# Former keys, newest first: what they signed is still accepted.
SECRET_KEY_FALLBACKS = ENVIRONMENT.names("SECRET_KEY_FALLBACKS")

# --- Apps -------------------------------------------------------------------------------

INSTALLED_APPS = [
    "roadkill_site",
    "roadkill_site.accounts",
    "games",
    "notifications",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "roadkill_site.middleware.private_pages_are_not_stored",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "roadkill_site.middleware.times_in_the_players_zone",
    "roadkill_site.middleware.forms_addresses_say_what_they_are",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "notifications.context.mail_trouble",
                "notifications.mailbox.context.mailbox",
            ],
        },
    },
]

# --- Database, cache, worker ------------------------------------------------------------

if PRODUCTION:
    ENVIRONMENT.require("DATABASE_URL", "the database, such as postgresql://USER:PASSWORD@HOST:5432/NAME")
    ENVIRONMENT.require("REDIS_URL", "the Redis server, such as redis://HOST:6379/0")
DATABASES: dict[str, dict[str, Any]] = {"default": ENVIRONMENT.database("DATABASE_URL", VAR_DIR / "roadkill.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL: Final = ENVIRONMENT.optional_redis_url("REDIS_URL")
# Seconds; a page waits for the cache no longer than that, and for the broker, which is asked twice an act.
REDIS_TIMEOUT: Final = 1.0
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    if REDIS_URL is None
    else {
        "BACKEND": "roadkill_site.cache.DispensableRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "roadkill",
        # Asked again at once only where a connection had been lost; one that says nothing is not waited for twice.
        "OPTIONS": {
            "socket_connect_timeout": REDIS_TIMEOUT,
            "socket_timeout": REDIS_TIMEOUT,
            "retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
        },
    },
}

CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {}
    if REDIS_URL is None
    else {
        "global_keyprefix": "roadkill:",
        "visibility_timeout": 3600,
        # A nudge to a broker that is away is given up at once; a worker that waits for it has a patience of its own.
        "max_retries": 0,
        "socket_connect_timeout": REDIS_TIMEOUT,
        # Longer than the second for which a worker asks for its next task.
        "socket_timeout": 2 * REDIS_TIMEOUT,
    }
)
# A worker waits for the broker as long as that is away.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# Seconds; every task is one short service call, so one that takes minutes is stuck.
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_TASK_TIME_LIMIT = 300
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

# --- Mail -------------------------------------------------------------------------------

if PRODUCTION:
    ENVIRONMENT.require("EMAIL_HOST", "the SMTP server that takes our mail")
    ENVIRONMENT.require("MAIL_FROM", "the sender of our mail, such as Roadkill <turns@race.example.org>")
EMAIL_HOST = ENVIRONMENT.text("EMAIL_HOST", "")
EMAIL_PORT = ENVIRONMENT.whole_number("EMAIL_PORT", 25, least=1, most=65535)
EMAIL_HOST_USER = ENVIRONMENT.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = ENVIRONMENT.text("EMAIL_HOST_PASSWORD", "")
# starttls: encrypted after the greeting, usually on port 587; tls: encrypted from the start, usually 465.
EMAIL_SECURITY: Final = ENVIRONMENT.one_of("EMAIL_SECURITY", "none", ("none", "starttls", "tls"))
EMAIL_USE_TLS = EMAIL_SECURITY == "starttls"
EMAIL_USE_SSL = EMAIL_SECURITY == "tls"
EMAIL_TIMEOUT = ENVIRONMENT.whole_number("EMAIL_TIMEOUT", 20, least=1, most=300)
# Where a development server without EMAIL_HOST keeps the mails that it would have sent.
MAILBOX_DIR: Final = VAR_DIR / "mailbox"
EMAIL_BACKEND = (
    "django.core.mail.backends.smtp.EmailBackend" if EMAIL_HOST else "notifications.mailbox.backend.MailboxBackend"
)
MAIL_FROM: Final = ENVIRONMENT.mail_sender("MAIL_FROM", "Roadkill <turns@localhost>")
DEFAULT_FROM_EMAIL = MAIL_FROM
SERVER_EMAIL = MAIL_FROM
# Who has just acted on the page is not mailed the next question before so many minutes have gone by; 0: at once.
MAIL_WAIT_MINUTES: Final = ENVIRONMENT.whole_number("MAIL_WAIT_MINUTES", 5, least=0, most=60)
# The part after the @ of the addresses at which players' replies arrive, and of our Message-IDs.
REPLY_DOMAIN: Final = ENVIRONMENT.mail_domain("REPLY_DOMAIN", SITE_HOST)

# --- Mail that comes in -----------------------------------------------------------------

# Whether mails may be answered by mail: something must bring the mail for REPLY_DOMAIN in (README, "Replies by mail").
# A development server that keeps its mails for itself reads those that are written in its mailbox.
REPLIES: Final = ENVIRONMENT.flag("REPLIES", default=DEVELOPMENT and not EMAIL_HOST)
# Where `manage.py inbound_smtpd` listens.
INBOUND_LISTEN_HOST: Final = ENVIRONMENT.text("INBOUND_LISTEN_HOST", "127.0.0.1")
INBOUND_LISTEN_PORT: Final = ENVIRONMENT.whole_number("INBOUND_LISTEN_PORT", 8024, least=1, most=65535)
# Files (PEM): the certificate that it shows to who asks for encryption, and its key; without them none is offered.
INBOUND_TLS_CERTIFICATE: Final = ENVIRONMENT.text("INBOUND_TLS_CERTIFICATE", "")
INBOUND_TLS_KEY: Final = ENVIRONMENT.text("INBOUND_TLS_KEY", "")
# The name under which a mail server of ours writes Authentication-Results; without it no such header counts.
INBOUND_AUTHSERV_ID: Final = ENVIRONMENT.text("INBOUND_AUTHSERV_ID", "")
# A provider that posts mail here, at /mail/in/PROVIDER/…; user:password of its requests, and the key that signs them.
INBOUND_WEBHOOK: Final = ENVIRONMENT.one_of("INBOUND_WEBHOOK", "", ("", *WEBHOOK_KEYS))
INBOUND_WEBHOOK_SECRET: Final = ENVIRONMENT.text("INBOUND_WEBHOOK_SECRET", "")
INBOUND_WEBHOOK_KEY: Final = ENVIRONMENT.text("INBOUND_WEBHOOK_KEY", "")
ANYMAIL: dict[str, Any] = anymail_settings(INBOUND_WEBHOOK, INBOUND_WEBHOOK_SECRET, INBOUND_WEBHOOK_KEY)
# A mailbox that is polled: imaps://USER:PASSWORD@HOST:PORT/FOLDER, or imap:// without encryption.
INBOUND_IMAP_URL: Final = ENVIRONMENT.optional_imap_url("INBOUND_IMAP_URL")
# So many days the bytes of a mail are kept once it has been acted on.
INBOUND_KEEP_DAYS: Final = ENVIRONMENT.whole_number("INBOUND_KEEP_DAYS", 30, least=1, most=3650)
# Answers that one player gets within an hour; beyond that mails are acted on and not answered.
REPLY_ANSWERS_AN_HOUR: Final = ENVIRONMENT.whole_number("REPLY_ANSWERS_AN_HOUR", 60, least=1, most=10_000)

# --- Webhooks and web push --------------------------------------------------------------

# Whether players may have notices posted to addresses of their own.
WEBHOOKS: Final = ENVIRONMENT.flag("WEBHOOKS", default=True)
# Whether these may lie in a private network or be http; for a club that hosts everything itself.
WEBHOOK_PRIVATE_ADDRESSES: Final = ENVIRONMENT.flag("WEBHOOK_PRIVATE_ADDRESSES", default=False)
# The key by which push services know this site (`manage.py push_key` makes one); without it web push is off.
PUSH_PRIVATE_KEY: Final = ENVIRONMENT.text("PUSH_PRIVATE_KEY", "")
# Where a push service reaches the operator: mailto: or https:.
PUSH_CONTACT: Final = ENVIRONMENT.text("PUSH_CONTACT", f"mailto:{parseaddr(MAIL_FROM)[1]}")

# --- Races ------------------------------------------------------------------------------

# After so many days without a look or an act a host counts as away, and hosting can be taken over.
HOST_AWAY_DAYS: Final = ENVIRONMENT.whole_number("HOST_AWAY_DAYS", 7, least=1, most=365)

# So many days of holiday each player may take in a year; 0: none.
HOLIDAY_DAYS_A_YEAR: Final = ENVIRONMENT.whole_number("HOLIDAY_DAYS_A_YEAR", 28, least=0, most=366)

# --- Accounts ---------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "roadkill_site.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_SIGNUP_FORM_CLASS = "roadkill_site.accounts.forms.JoinForm"
ACCOUNT_FORMS = {
    "request_login_code": "roadkill_site.accounts.sign_in_forms.SignInForm",
    "confirm_login_code": "roadkill_site.accounts.sign_in_forms.SignInCodeForm",
    "signup": "roadkill_site.accounts.sign_in_forms.NewPlayerForm",
    "confirm_email_verification_code": "roadkill_site.accounts.sign_in_forms.AddressCodeForm",
    "change_email": "roadkill_site.accounts.sign_in_forms.OtherAddressForm",
    "add_email": "roadkill_site.accounts.sign_in_forms.NewAddressForm",
    "confirm_reauthentication_code": "roadkill_site.accounts.sign_in_forms.AgainCodeForm",
}
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_LOGIN_BY_CODE_ENABLED = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if SITE_IS_HTTPS else "http"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ALLAUTH_TRUSTED_PROXY_COUNT = PROXY_COUNT

# --- Cookies and headers ----------------------------------------------------------------

# The prefix makes browsers refuse the cookies from any other host, and over http.
SESSION_COOKIE_NAME = "__Host-sessionid" if SITE_IS_HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if SITE_IS_HTTPS else "csrftoken"
SESSION_COOKIE_AGE = 60 * 24 * 60 * 60
SESSION_COOKIE_SECURE = SITE_IS_HTTPS
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SITE_IS_HTTPS
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = PRODUCTION and SITE_IS_HTTPS
# What watches the processes asks them directly, behind the proxy.
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = ENVIRONMENT.whole_number(
    "HSTS_SECONDS", 30 * 24 * 60 * 60 if SITE_IS_HTTPS else 0, least=0, most=2 * 365 * 86_400
)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXY_COUNT else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
# Whether subdomains are https too, and whether browsers' lists get the domain, is for its owner to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# A mail that a provider posts is one field.
DATA_UPLOAD_MAX_MEMORY_SIZE = (2048 if INBOUND_WEBHOOK else 256) * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500

# --- API --------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "roadkill_site.accounts.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    # By whose address requests without a token are counted: X-Forwarded-For is believed as far as proxies stand
    # in front.
    "NUM_PROXIES": PROXY_COUNT,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Roadkill",
    "DESCRIPTION": (
        "Races of car-combat games, played days apart. "
        "Every refusal is a problem document with a code, a sentence and the rule's number."
    ),
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "games.api.document.parts_described",
    ],
    # Several shapes have a field of one name; their values are named here, or the generator makes names up and warns.
    "ENUM_NAME_OVERRIDES": {
        name: [(value, value) for value in values.split()]
        for name, values in {
            "PlanState": "waiting done stopped cancelled",
            "SeatState": "invited declined joined left resigned removed",
            "EntrantState": "entered left withdrawn",
            "CampaignStatus": "lobby running paused finished closed",
            "SeasonStatus": "entry running closed cancelled",
            "SeasonMakes": "races campaigns",
            "TieBreakKey": "fewer_races head_to_head lot on_time places points victory_points wins wrecks",
        }.items()
    },
}

# --- Static files -----------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = ENVIRONMENT.text("STATIC_ROOT", str(VAR_DIR / "static"))
# A development server takes static files from where they stand; production serves, under hashed names, what
# `collectstatic` gathered.
WHITENOISE_USE_FINDERS = DEVELOPMENT
WHITENOISE_AUTOREFRESH = DEVELOPMENT
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage",
    },
}

# --- Time and language ------------------------------------------------------------------

USE_TZ = True
# The zone of pages for people who are not signed in, and the first choice for a new player.
TIME_ZONE = ENVIRONMENT.time_zone("TIME_ZONE", "UTC")
LANGUAGE_CODE = "en-gb"
USE_I18N = True

# --- Log --------------------------------------------------------------------------------

LOG_LEVEL: Final = ENVIRONMENT.one_of("LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "roadkill_site.scrubbing.ScrubbingFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # The web servers' own lines name addresses, which hold secrets; they are written by the same formatter.
    "loggers": {
        name: {"handlers": ["console"], "level": LOG_LEVEL, "propagate": False}
        for name in ("django", "django.server", "gunicorn.access", "gunicorn.error")
    }
    # The listener's own account of each dialogue names reply addresses, which act.
    | {"mail.log": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
}
