"""The WSGI application: pages and API. Event streams need the ASGI one."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roulette_site.settings")
application = get_wsgi_application()
