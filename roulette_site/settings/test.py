"""Settings for the tests: the same code, with cheap passwords and files that need no collecting."""

from .base import *  # noqa: F403
from .base import DATABASES, VAR_DIR, env

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "papers": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, since browser tests and workers look at the same database from other threads and processes.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
# Tasks that a test does not run by itself go nowhere; tests that need a worker name a broker.
CELERY_BROKER_URL = env.str("BROKER_URL", default="memory://")
# Tests seal where they mean to, no beat does it for them, and their clock is long past; the alarm's own tests set it.
AUDIT_ALARM_SECONDS = 20 * 365 * 24 * 3600
# Tests of the register have one of their own.
EXCLUSION_REGISTER = "none"
# Look for a static file when it is asked for: to list them all takes longer than most tests, once for each client.
WHITENOISE_AUTOREFRESH = True
