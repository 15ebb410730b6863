"""The back-office: every row of the books can be looked at there, and none be changed, by anybody."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from roulette_site.common.read_only_admin import ReadOnlyAdmin
from tests.house import make_evening
from wallets.models import User

from .pages import staff_client

pytestmark = pytest.mark.django_db
# The sealed seed and its commitment are shown with the draw; an act in hand is nobody's to see; people are administered.
NOT_THERE = {"tables.RoundSeed", "common.ActInHand"}
EDITED = {"wallets.User", "common.Operator"}
OURS = {
    model._meta.label: model
    for app in ("common", "wallets", "tables", "sessions_app")
    for model in apps.get_app_config(app).get_models()
}


def test_every_model_is_there_and_only_people_and_house_are_edited() -> None:
    there = {label for label, model in OURS.items() if model in admin.site._registry}
    assert there == set(OURS) - NOT_THERE
    read_only = {label for label in there if isinstance(admin.site._registry[OURS[label]], ReadOnlyAdmin)}
    assert read_only == there - EDITED


def test_its_pages_name_their_icon() -> None:
    """A browser that is told of none asks for /favicon.ico, which is not there."""
    boss = staff_client(User.objects.create_superuser("boss@test.example", "x"))
    assert '<link rel="icon" href="/static/img/icon.svg"' in boss.get(reverse("admin:index")).content.decode()
    assert '<link rel="icon" href="/static/img/icon.svg"' in Client().get(reverse("admin:login")).content.decode()


def test_every_list_and_row_opens_and_takes_no_change() -> None:
    make_evening()
    boss = staff_client(User.objects.create_superuser("boss@test.example", "x"))
    for label, model in OURS.items():
        if label in NOT_THERE:
            continue
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert boss.get(reverse(f"{name}_changelist")).status_code == 200, label
        row = model.objects.first()
        if row is None:
            assert label == "wallets.ApiKey"
            continue
        page = reverse(f"{name}_change", args=[row.pk])
        assert boss.get(page).status_code == 200, label
        if label not in EDITED:
            before = model.objects.filter(pk=row.pk).values().get()
            assert boss.post(page, {}).status_code == 403, label
            assert boss.get(reverse(f"{name}_add")).status_code == 403, label
            assert boss.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403, label
            assert model.objects.filter(pk=row.pk).values().get() == before


def test_no_key_is_made_there_that_opens_nothing() -> None:
    assert [model for model in admin.site._registry if model._meta.app_label == "rest_framework_api_key"] == []
