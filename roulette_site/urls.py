"""The addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("api/", include("roulette_site.api_urls")),
    path(settings.ADMIN_URL, admin.site.urls),
]
