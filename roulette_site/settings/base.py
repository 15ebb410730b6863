"""Settings, read from environment variables alone (.env.example lists every one).

Without any of them the site runs on this machine for development and demonstration: SQLite, a broker without a server,
one process each for web, worker and beat.
"""

import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from celery.schedules import crontab
from cryptography.fernet import Fernet
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = environ.Env()

# Where the embedded default keeps its state: database, broker folders, beat's schedule, keys.
VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var")))
# Where it cannot be made, whatever needs it says so; `settle` needs nothing of it.
with suppress(OSError):
    VAR_DIR.mkdir(parents=True, exist_ok=True)

# Whether the site is for this machine alone: known secrets, files that are not collected, cookies without TLS.
LOCAL = env.bool("DEBUG", default=True)
# The demonstration: /demo/ logs anyone in as anyone, so it exists on this machine only and never with DEBUG off.
DEMO_SITE = env.bool("DEMO_SITE", default=False)
# It shows the error pages that production shows, not a developer's.
DEBUG = LOCAL and not DEMO_SITE
DEVELOPMENT_SECRET_KEY = "development only; the site refuses to start with it when DEBUG is off"  # noqa: S105
SECRET_KEY = env.str("SECRET_KEY", default=DEVELOPMENT_SECRET_KEY)
if not LOCAL and SECRET_KEY.strip() in ("", DEVELOPMENT_SECRET_KEY):
    raise ImproperlyConfigured("SECRET_KEY must be set when DEBUG is off.")
# Numbers of documents and secrets of second factors are encrypted under it, and people are searched by it
# (wallets/sealing.py). Who loses it loses those.
DEVELOPMENT_PERSONAL_DATA_KEY = "ZGV2ZWxvcG1lbnQgb25seSwgcmVmdXNlZCBlbHNld2g="
PERSONAL_DATA_KEY = env.str("PERSONAL_DATA_KEY", default=DEVELOPMENT_PERSONAL_DATA_KEY).strip()
if not LOCAL and PERSONAL_DATA_KEY in ("", DEVELOPMENT_PERSONAL_DATA_KEY):
    raise ImproperlyConfigured("PERSONAL_DATA_KEY must be set when DEBUG is off.")
try:
    Fernet(PERSONAL_DATA_KEY)
except ValueError:
    raise ImproperlyConfigured("PERSONAL_DATA_KEY must be 32 bytes in URL-safe base64.") from None
if not LOCAL and DEMO_SITE:
    raise ImproperlyConfigured("DEMO_SITE opens every account to anyone: it cannot be on when DEBUG is off.")

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# Where mail leads to: the site as players reach it, without a slash at the end.
SITE_URL = env.str(
    "SITE_URL",
    default=f"http://127.0.0.1:{env.str('PORT', default='8000')}" if LOCAL else f"https://{ALLOWED_HOSTS[0]}",
)
ADMIN_URL = env.str("ADMIN_URL", default="backoffice/")

INSTALLED_APPS = [
    "roulette_site.common",
    "wallets",
    "tables",
    "sessions_app",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework_api_key",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "axes",
]

MIDDLEWARE = [
    "roulette_site.common.request_ids.request_id_middleware",
    "roulette_site.common.requests.ReadableRequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "roulette_site.common.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "roulette_site.common.entrances.EntranceMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "wallets.web.presence.PresenceMiddleware",
    "wallets.web.language.LanguageOfAmountsMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    # The last, as its own documentation wants it: it turns the answer to a locked login into one that says so.
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "roulette_site.urls"
ASGI_APPLICATION = "roulette_site.asgi.application"
WSGI_APPLICATION = "roulette_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "roulette_site.common.context_processors.operator",
            ],
        },
    }
]

DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'roulette.sqlite3'}")
}
_database = DATABASES["default"]
_database["ATOMIC_REQUESTS"] = False
if _database["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE takes the write lock at BEGIN, so that a transaction that reads, checks and then writes cannot fail in
    # its middle; FULL keeps what was committed when the power goes (docs/decisions/0002-sqlite-by-default.md).
    _database.setdefault("OPTIONS", {}).update(
        {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON"
            ),
        }
    )
else:
    if env.bool("DB_PREPARE", default=True):
        # Of Django's own statements none is prepared by this: it lets the hot one be (common/sql.py, prepared_cursor).
        _database.setdefault("OPTIONS", {}).setdefault("prepare_threshold", 5)
    if env.bool("DB_POOL", default=False):
        # Under ASGI a request may run in any thread, and only a pool keeps its connections.
        _database.setdefault("OPTIONS", {}).setdefault("pool", {"min_size": 1, "max_size": 8, "timeout": 10})
    else:
        _database["CONN_MAX_AGE"] = 600
        _database["CONN_HEALTH_CHECKS"] = True
# PostgreSQL: whom a migration gives the site's rights to (roulette_site/common/grants.py).
SITE_DATABASE_ROLE = env.str("SITE_DATABASE_ROLE", default="")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": env.cache("CACHE_URL", default="locmemcache://")}

# "fsatomic" is this project's broker without a server: files under var/ (roulette_site/common/filesystem_broker.py).
CELERY_BROKER_URL = env.str("BROKER_URL", default="fsatomic://")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "background"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    # Certainty: whatever is overdue is moved on, however the last worker died. A tick that waited longer than the
    # next one is worth nothing, hence `expires`.
    "sweep-rounds": {
        "task": "tables.tasks.sweep",
        "schedule": 1.0,
        "options": {"queue": "rounds", "expires": 2.0},
    },
    # No bet of theirs is taken from the moment on; this ends what they have open.
    "end-sessions-of-the-barred": {
        "task": "sessions_app.tasks.end_sessions_of_the_barred",
        "schedule": 5.0,
        "options": {"queue": "background", "expires": 10.0},
    },
    "ask-providers": {"task": "wallets.tasks.ask_providers", "schedule": 60.0, "options": {"expires": 60.0}},
    "expire-deposits": {"task": "wallets.tasks.expire_deposits", "schedule": 300.0, "options": {"expires": 300.0}},
    # What waits for a round, a provider or the player is taken up again.
    "advance-closings": {"task": "wallets.tasks.advance_closings", "schedule": 10.0, "options": {"expires": 10.0}},
    # A day is looked for often and made once, soon after it has ended.
    "snapshot-gaming-days": {
        "task": "wallets.tasks.snapshot_gaming_days",
        "schedule": 300.0,
        "options": {"expires": 300.0},
    },
    # Who is due alone is asked about: everybody when the register comes in a new edition, else whose answer grows old.
    "recheck-players": {"task": "wallets.tasks.recheck_players", "schedule": 300.0, "options": {"expires": 300.0}},
    "keep-restrictions": {
        "task": "wallets.tasks.keep_restrictions",
        "schedule": 300.0,
        "options": {"expires": 300.0},
    },
    "forget-ended-restrictions": {
        "task": "wallets.tasks.forget_ended_restrictions",
        "schedule": crontab(hour=5, minute=20),
    },
    "tell-players-of-rules": {
        "task": "tables.tasks.tell_players_of_rules",
        "schedule": 600.0,
        "options": {"expires": 600.0},
    },
    "mail-inbox": {"task": "wallets.tasks.mail_inbox", "schedule": 60.0, "options": {"expires": 60.0}},
    # By the day, soon after it has begun wherever the operator is.
    "expire-documents": {"task": "wallets.tasks.expire_documents", "schedule": crontab(minute=20)},
    "tidy-papers": {"task": "wallets.tasks.tidy_papers", "schedule": crontab(hour=5, minute=50)},
    "reconcile": {"task": "wallets.tasks.reconcile", "schedule": crontab(hour=5, minute=40)},
    # The audit trail is chained apart from the acts that it tells of (roulette_site/common/audit_chain.py).
    "seal-audit": {
        "task": "roulette_site.common.tasks.seal_audit",
        "schedule": 1.0,
        "options": {"queue": "background", "expires": 2.0},
    },
    "seal-whole-audit": {
        "task": "roulette_site.common.tasks.seal_whole_audit",
        "schedule": 60.0,
        "options": {"queue": "background", "expires": 60.0},
    },
    "expire-requests": {
        "task": "roulette_site.common.tasks.expire_requests",
        "schedule": 60.0,
        "options": {"queue": "background", "expires": 60.0},
    },
}
# An audit entry that waits longer for its seal is an alarm: nobody seals.
AUDIT_ALARM_SECONDS = 10
if CELERY_BROKER_URL.startswith("fsatomic:"):
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "data_folder_in": str(VAR_DIR / "broker"),
        "data_folder_out": str(VAR_DIR / "broker"),
        "control_folder": str(VAR_DIR / "broker-control"),
        # kombu's own default of 1 s would be felt at every spin.
        "polling_interval": 0.05,
    }
elif CELERY_BROKER_URL.startswith(("redis", "rediss")):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 60, "unacked_restore_throttle": 1}
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {}

# The key that seeds are encrypted under. Worker processes alone are started with it: a web or admin process that is
# broken into can then read no number before its time.
DRAW_KEY_FILE = env.str("DRAW_KEY_FILE", default="")

AUTH_USER_MODEL = "wallets.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "lobby"
LOGOUT_REDIRECT_URL = "lobby"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Who may log in. The first one counts failures and locks; the second knows passwords.
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Five failures within half an hour lock an account, wherever they came from. An address is locked by many more, over
# all accounts: whole houses and telephone networks share one (docs/decisions/0012-logging-in.md).
AXES_FAILURE_LIMIT = 5
LOGIN_FAILURES_OF_ADDRESS = env.int("LOGIN_FAILURES_OF_ADDRESS", default=50)
AXES_COOLOFF_TIME = timedelta(minutes=30)
AXES_LOCKOUT_PARAMETERS = ["username", "ip_address"]
AXES_HANDLER = "wallets.web.lock.LoginLock"
AXES_USERNAME_CALLABLE = "wallets.web.lock.name_of_login"
AXES_CLIENT_IP_CALLABLE = "roulette_site.common.requests.client_address"
AXES_LOCKOUT_TEMPLATE = "wallets/locked.html"
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
# Logins have a record of ours.
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# Who does nothing for so long logs in again; pages that refresh themselves are nobody's doing.
IDLE_SECONDS = env.int("IDLE_SECONDS", default=30 * 60)
# How long a password stands for while the second factor is asked for.
SECOND_FACTOR_SECONDS = 5 * 60
# What who registers agrees to; a new wording is a new version.
CONSENT_VERSIONS = {"terms": "2026-11-30", "privacy": "2026-11-30"}
# What providers sign their notices with, by their codes; whose is not here tells nothing over HTTP.
PROVIDER_SECRETS: dict[str, str] = env.dict("PROVIDER_SECRETS", default="") or {}
# After how many hours without a word a deposit expires; what comes later is booked all the same.
DEPOSIT_EXPIRES_HOURS = env.int("DEPOSIT_EXPIRES_HOURS", default=24)
# How long data are kept after an account was closed, as the law wants it.
RETENTION_DAYS = env.int("RETENTION_DAYS", default=5 * 365 + 2)

# The register of excluded people: "file" (wallets/registers/list_file.py says what it holds), the code of another one,
# or "none", which a check and the staff's page of it then say.
EXCLUSION_REGISTER = env.str("EXCLUSION_REGISTER", default="file")
EXCLUSION_REGISTER_FILE = env.str("EXCLUSION_REGISTER_FILE", default=str(VAR_DIR / "exclusion-register.csv"))
# An answer older than the first is asked for anew; bets stand on one for as long as the second, so that a register
# that is out of reach for the time between stops nobody who plays already.
REGISTER_ASK_AGAIN_HOURS = env.int("REGISTER_ASK_AGAIN_HOURS", default=12)
REGISTER_GOOD_FOR_HOURS = env.int("REGISTER_GOOD_FOR_HOURS", default=24)
if not 0 < REGISTER_ASK_AGAIN_HOURS <= REGISTER_GOOD_FOR_HOURS:
    raise ImproperlyConfigured("REGISTER_ASK_AGAIN_HOURS is more than 0 and at most REGISTER_GOOD_FOR_HOURS.")
# How long an answer is waited for.
REGISTER_SECONDS = env.int("REGISTER_SECONDS", default=5)

ACCOUNT_ADAPTER = "wallets.web.adapters.AccountAdapter"
ACCOUNT_FORMS = {"reset_password": "wallets.web.login.ForgottenPasswordForm"}
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_CONFIRMATION_ANONYMOUS_REDIRECT_URL = "login"
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "security"
MFA_ADAPTER = "wallets.web.adapters.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
# A code may be half a minute old: it takes a while to type.
MFA_TOTP_TOLERANCE = 1

# The demonstration shows its mail on a page (/demo/mail/) and sends none.
DEMO_MAIL_DIR = VAR_DIR / "demo-mail"
if DEMO_SITE:
    EMAIL_BACKEND = "roulette_site.common.demo_mail.ShownBackend"
else:
    vars().update(env.email("EMAIL_URL", default="consolemail://" if LOCAL else "smtp://localhost:25"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("FROM_EMAIL", default="noreply@localhost")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["roulette_site.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Players' identity papers, encrypted; no address leads there (wallets/services/papers.py).
    "papers": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": env.str("PAPERS_DIR", default=str(VAR_DIR / "papers")),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if LOCAL
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = LOCAL
WHITENOISE_AUTOREFRESH = False

SESSION_COOKIE_HTTPONLY = True
# The back-office has a cookie of its own (roulette_site/common/entrances.py). Tokens of forms lie in the session, so
# that logging in at one entrance makes no open page of the other one too old.
STAFF_SESSION_COOKIE_NAME = "staff_sessionid"
CSRF_USE_SESSIONS = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = not LOCAL
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
BEHIND_TLS_PROXY = env.bool("BEHIND_TLS_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS_PROXY else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": [f"/{ADMIN_URL}", "/api/docs/"],
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["wallets.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["wallets.api.permissions.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["roulette_site.common.strict_json.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "roulette_site.common.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    # ASCII with escapes: an answer may repeat what came, and half of a character has no other way out.
    "UNICODE_JSON": False,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Roulette operator API",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
# What players send of their papers is held in memory until it is encrypted: the disk sees nothing of it in the clear.
FILE_UPLOAD_MAX_MEMORY_SIZE = MOST_REQUEST_BYTES = 21 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 8

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    # Django's own handler would say everything a second time.
    # What is refused is an answer, not an event: only what breaks is.
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.request": {"level": "ERROR"},
        # It names addresses, and a wrong password is an answer as well.
        "axes": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "django.security.RequestDataTooBig": {"level": "CRITICAL"},
        "django.security.TooManyFieldsSent": {"level": "CRITICAL"},
    },
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("LOG_LEVEL", "INFO")},
}
