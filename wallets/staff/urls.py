"""Addresses under ADMIN_URL of what staff do to people's accounts."""

from django.urls import path

from . import people

urlpatterns = [path("people/<int:user_id>/<slug:act>/", people.act_on_person, name="staff-act-on-person")]
